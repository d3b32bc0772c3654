import EventLog
import Events
import UseCases

/// An answer: a status, headers, and a complete or streamed body.
public struct Response: Sendable {
  /// The body of an answer.
  public enum Body: Sendable {
    /// A complete body.
    case bytes([UInt8])
    /// A body that is sent as it becomes available.
    case stream(Outlet)
  }

  /// The HTTP status code.
  public var status: Int
  /// The headers that the service sets, in order.
  public var headers: [(name: StaticString, value: String)]
  /// The body.
  public var body: Body
  /// The error, for the request log, the metrics and `ErrorForm`; nil for a success.
  public var failure: Failure?

  /// An error that an answer reports.
  public struct Failure: Sendable {
    /// The error code.
    public var code: String
    /// A sentence for the caller.
    public var message: String
    /// The error's values; nil if there are none.
    public var details: JSONValue?
    /// Advice for the caller; only the form of the tables has it.
    public var hint: String?
  }

  /// Creates an answer with a complete body.
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

  /// Returns an error answer with the body `{"error":CODE,"message":…,"details":{…}}`, without
  /// `details` if there are none.
  static func failure(
    _ status: Int, _ code: String, _ message: String, details: JSONValue? = nil
  ) -> Response {
    var members: [JSONValue.Member] = [
      .init("error", .string(code)), .init("message", .string(message)),
    ]
    if let details { members.append(.init("details", details)) }
    var response = json(.object(members), status)
    response.failure = Failure(code: code, message: message, details: details)
    if status == 503 || status == 429 { response.headers.append(("Retry-After", "1")) }
    return response
  }
}

extension Response {
  /// Creates an answer with the body `{"result":…,"seq":[…],"position":…}`, or an error answer if
  /// the reply is an error.
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

  /// The code of an answer that says that nothing was changed, because another server of the log
  /// has the lease to append.
  static let fromReader = "notWriter"

  init(_ error: UseCaseError) {
    if case .log(let cause) = error, cause.isFromReader {
      self = .failure(503, Self.fromReader, "another server appends to the log now; try again")
      return
    }
    self = .failure(error.status, error.code, error.publicMessage, details: error.details)
  }
}

extension LogError {
  /// Whether nothing was appended because another server has the lease to append.
  var isFromReader: Bool {
    if case .notWriter? = remoteFault { true } else { false }
  }
}

extension UseCaseError {
  /// The error's message for the caller, without file paths.
  fileprivate var publicMessage: String {
    status == 503
      ? "the log or the photo folder cannot be read or written at the moment; try again"
      : "\(self)"
  }
}

extension Reply {
  /// The reply as a line of `/v1/run`, without file paths in error messages.
  var publicJSON: JSONValue {
    guard case .failure(let error) = result else { return json }
    var members: [JSONValue.Member] = [
      .init("ok", .bool(false)), .init("error", .string(error.code)),
      .init("message", .string(error.publicMessage)),
    ]
    if let details = error.details { members.append(.init("details", details)) }
    return .object(members)
  }
}

extension JSONValue {
  /// Returns an object with these fields in this order.
  static func of(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
    .object(members.map { Member($0.key, $0.value) })
  }
}
