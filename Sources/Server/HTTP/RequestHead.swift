/// What is known of a request before its body: method, target, and the headers that matter here.
public struct RequestHead: Sendable {
  /// In the order of the names in `CServer`.
  public enum Header: Int, CaseIterable, Sendable {
    case authorization, contentType, contentLength, transferEncoding, contentEncoding
    case ifNoneMatch, idempotencyKey, lastEventID, origin, user
    case upsert, host
  }

  public var method: String
  /// As it was sent: path and query, with their escapes.
  public var target: String
  /// Whether a header that may come once came twice, or has a NUL in it.
  public var isAmbiguous = false
  private var headers: [String?] = Array(repeating: nil, count: Header.allCases.count)

  public init(_ method: String, _ target: String) {
    self.method = method
    self.target = target
  }

  public subscript(header: Header) -> String? {
    get { headers[header.rawValue] }
    set { headers[header.rawValue] = newValue }
  }
}
