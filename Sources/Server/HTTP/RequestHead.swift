import Events

/// A request without its body: method, target, and the headers that the server uses.
public struct RequestHead: Sendable {
  /// The headers that the server uses, in the order of the names in `CServer`.
  public enum Header: Int, CaseIterable, Sendable {
    case authorization, contentType, contentLength, transferEncoding, contentEncoding
    case ifNoneMatch, idempotencyKey, lastEventID, origin, user
    case upsert, host, expect, apiKey, range, forwardedFor
    case requestID, traceparent, prefer, accept, minPosition
  }

  /// The method, such as `GET`.
  public var method: String
  /// The path and query as they were sent, with their escapes.
  public var target: String
  /// The protocol, such as `HTTP/1.1`; nil skips the checks that depend on the protocol.
  public var version: String?
  /// The address of the other end of the connection; nil if it is not known.
  package var address: IPAddress?
  /// The client that sent the request; `Service.admit` sets it.
  var client = Client()
  /// Whether a header is ambiguous: sent twice although only one is allowed, folded, or with a NUL.
  public var isAmbiguous = false
  private var headers: [String?] = Array(repeating: nil, count: Header.allCases.count)

  /// The client that sent a request, possibly through proxies.
  package struct Client: Sendable {
    /// The client's address; nil if it is not known.
    package var address: IPAddress?
    /// Whether a trusted proxy named the address.
    package var isBehindProxy = false

    /// The text by which limits count the client.
    var key: String { address.map { "\($0.forCounting)" } ?? "" }
  }

  /// Creates a head without headers.
  public init(_ method: String, _ target: String) { (self.method, self.target) = (method, target) }

  /// A header's value; nil if it was not sent.
  public subscript(header: Header) -> String? {
    get { headers[header.rawValue] }
    set { headers[header.rawValue] = newValue }
  }
}

extension RequestHead {
  /// The id of the request: `X-Request-ID`, else the trace id in `traceparent` (W3C Trace Context,
  /// version 00); nil if neither has the form of a `CorrelationID`.
  var correlation: CorrelationID? {
    if let id = self[.requestID].flatMap({ CorrelationID($0) }) { return id }
    guard let parts = self[.traceparent]?.split(separator: "-", omittingEmptySubsequences: false),
      parts.count >= 4, parts[1].utf8.count == 32,
      parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
      parts[1].utf8.contains(where: { $0 != 0x30 })
    else { return nil }
    return CorrelationID(String(parts[1]))
  }

  /// The position of an event that the answer must reflect; nil if the client asks for none.
  var leastPosition: UInt64? { self[.minPosition].flatMap { UInt64($0) } }

  var hasBody: Bool {
    self[.transferEncoding] != nil || !(self[.contentLength] ?? "0").utf8.allSatisfy { $0 == 0x30 }
  }

  /// The error answer if the headers leave the request's end ambiguous (RFC 9112, 6.1 and 6.3);
  /// otherwise nil. Close the connection after sending this answer.
  var framingFault: Response? {
    func bad(_ message: String) -> Response { .failure(400, "badRequest", message) }
    if isAmbiguous {
      return bad("a header was sent twice although only one is allowed, is folded or has no name")
    }
    if let version, version != "HTTP/1.0", self[.host] == nil { return bad("Host is missing") }
    if let length = self[.contentLength] {
      if self[.transferEncoding] != nil {
        return bad("Content-Length and Transfer-Encoding must not be sent together")
      }
      if length.isEmpty || !length.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) {
        return bad("Content-Length: a number is expected")
      }
    }
    guard let coding = self[.transferEncoding] else { return nil }
    if version == "HTTP/1.0" { return bad("HTTP/1.0 has no Transfer-Encoding") }
    if coding.lowercased() == "chunked" { return nil }
    return .failure(501, "unknownCoding", "Transfer-Encoding: only chunked is supported")
  }
}
