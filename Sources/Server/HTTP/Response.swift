import Events

/// An answer: a status, headers and a body, whole or as a stream.
public struct Response: Sendable {
  public enum Body: Sendable {
    case bytes([UInt8])
    case stream(Outlet)
  }

  public var status: Int
  public var headers: [(name: StaticString, value: String)]
  public var body: Body
  /// The code of an error, for the log of requests and the metrics.
  public var code: String?

  public init(
    _ status: Int, _ headers: [(name: StaticString, value: String)] = [], _ body: [UInt8] = []
  ) {
    self.status = status
    self.headers = headers
    self.body = .bytes(body)
  }

  static func json(_ value: JSONValue, _ status: Int = 200) -> Response {
    Response(
      status, [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
      Array(value.text.utf8))
  }

  /// `{"error":CODE,"message":…}`.
  static func failure(_ status: Int, _ code: String, _ message: String) -> Response {
    var response = json(.of(["error": .string(code), "message": .string(message)]), status)
    response.code = code
    if status == 503 || status == 429 { response.headers.append(("Retry-After", "1")) }
    return response
  }
}

extension JSONValue {
  /// An object with these members, in this order.
  static func of(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
    .object(members.map { Member($0.key, $0.value) })
  }
}
