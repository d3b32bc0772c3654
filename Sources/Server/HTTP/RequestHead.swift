/// A request without its body: method, target, and the headers that the server uses.
public struct RequestHead: Sendable {
  /// In the order of the names in `CServer`.
  public enum Header: Int, CaseIterable, Sendable {
    case authorization, contentType, contentLength, transferEncoding, contentEncoding
    case ifNoneMatch, idempotencyKey, lastEventID, origin, user
    case upsert, host, expect
  }

  public var method: String
  /// As it was sent: path and query, with their escapes.
  public var target: String
  /// The protocol, such as `HTTP/1.1`; nil does not check what that requires.
  public var version: String?
  /// Whether a header that may come once came twice, is folded, or has a NUL in it.
  public var isAmbiguous = false
  private var headers: [String?] = Array(repeating: nil, count: Header.allCases.count)

  public init(_ method: String, _ target: String) { (self.method, self.target) = (method, target) }

  public subscript(header: Header) -> String? {
    get { headers[header.rawValue] }
    set { headers[header.rawValue] = newValue }
  }
}

extension RequestHead {
  var hasBody: Bool {
    self[.transferEncoding] != nil || !(self[.contentLength] ?? "0").utf8.allSatisfy { $0 == 0x30 }
  }

  /// The refusal of a request whose end is ambiguous (RFC 9112, 6.1 and 6.3); nil for others. The
  /// connection closes after it.
  var framingFault: Response? {
    func bad(_ message: String) -> Response { .failure(400, "badRequest", message) }
    if isAmbiguous {
      return bad("a header that may come once came twice, or a header is folded or has no name")
    }
    if let version, version != "HTTP/1.0", self[.host] == nil { return bad("Host is missing") }
    if let length = self[.contentLength] {
      if self[.transferEncoding] != nil {
        return bad("Content-Length and Transfer-Encoding exclude each other")
      }
      if length.isEmpty || !length.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) {
        return bad("Content-Length: a number is expected")
      }
    }
    guard let coding = self[.transferEncoding] else { return nil }
    if version == "HTTP/1.0" { return bad("HTTP/1.0 has no Transfer-Encoding") }
    if coding.lowercased() == "chunked" { return nil }
    return .failure(501, "unknownCoding", "Transfer-Encoding: only chunked is known here")
  }
}
