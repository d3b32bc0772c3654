import Events
import UseCases

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
    (self.status, self.headers, self.body) = (status, headers, .bytes(body))
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

extension Response {
  /// `{"result":…,"seq":[…],"position":…}`, or the error.
  init(_ reply: Reply, position: UInt64) {
    switch reply.result {
    case .failure(let error): self = Response(error)
    case .success(let value):
      var out = ByteBuffer(capacity: 512)
      out.append("{\"result\":")
      out.append(value)
      out.append(",\"seq\":[")
      for seq in reply.seqs {
        if seq > reply.seqs.lowerBound { out.append(",") }
        out.append(seq)
      }
      out.append("],\"position\":")
      out.append(position)
      out.append("}")
      self = Response(200, [("Content-Type", "application/json")], out.array)
    }
  }

  init(_ error: UseCaseError) { self = .failure(error.status, error.code, error.publicMessage) }
}

extension UseCaseError {
  /// The sentence for the caller, without paths of files.
  fileprivate var publicMessage: String {
    status == 503
      ? "the log or the folder of photos cannot be read or written just now; try again"
      : "\(self)"
  }
}

extension Reply {
  /// A line for the caller.
  var publicJSON: JSONValue {
    guard case .failure(let error) = result else { return json }
    return .of([
      "ok": .bool(false), "error": .string(error.code), "message": .string(error.publicMessage),
    ])
  }
}

extension JSONValue {
  /// An object with these members, in this order.
  static func of(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
    .object(members.map { Member($0.key, $0.value) })
  }
}
