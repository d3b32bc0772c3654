import Events
import UseCases

/// A command that a phone decided, and that it sends to a server until the server answers it.
public struct OutboxCommand: Equatable, Sendable {
  /// The command's key. The server performs a key of a user once.
  public var key: String
  /// The use case's name.
  public var name: String
  /// The input, with the ids of the items that it creates.
  public var input: JSONValue

  /// Creates a command.
  public init(key: String, name: String, input: JSONValue) {
    (self.key, self.name, self.input) = (key, name, input)
  }
}

/// A server's answer to a command of an outbox.
public struct OutboxReply: Equatable, Sendable {
  /// The command's key.
  public var key: String
  /// The answer or the refusal; nil if the server performed the command before, so that only its
  /// events are left.
  public private(set) var result: Result<JSONValue, UseCaseError>?
  /// The position of the last event that the answer reflects.
  public var position: UInt64
  /// The hash of the events that the command appended.
  public var events: EventsHash
  /// Why the command was refused, as far as its caller may know; nil for other answers.
  public var explanation: JSONValue?
  /// Whether the answer is final. Otherwise the command must be sent again.
  public private(set) var isFinal: Bool

  /// Creates an answer.
  public init(
    key: String, result: Result<JSONValue, UseCaseError>?, position: UInt64,
    events: EventsHash = .none, explanation: JSONValue? = nil
  ) {
    (self.key, self.result, self.position) = (key, result, position)
    (self.events, self.explanation) = (events, explanation)
    isFinal =
      switch result {
      case nil, .success, .failure(.refused), .failure(.invalidInput): true
      case .failure: false
      }
  }
}

/// A hash of the types and streams of a command's events, in order.
///
/// A phone compares it with the hash of the events that it expected. It says nothing else about the
/// events: a block also ends what the other user began.
public struct EventsHash: Equatable, Sendable {
  /// The hash in hexadecimal digits; empty for no events.
  public var text: String

  /// The hash of no events.
  public static let none = EventsHash(text: "")

  /// Creates a hash from its text.
  public init(text: String) { self.text = text }

  init(_ events: [Event], _ names: Names) {
    self.init(events.map { ($0.typeName, $0.streamName(names)) })
  }

  init(_ events: [RecordedEvent]) { self.init(events.map { ($0.type, $0.stream) }) }

  private init(_ events: [(type: String, stream: String)]) {
    let lines = events.map { "\($0.type) \($0.stream)\n" }.joined()
    text = events.isEmpty ? "" : hexHash(Array(lines.utf8))
  }
}

// A command is a line of `POST /v1/outbox`, and its answer a line of the answer.
extension OutboxCommand {
  /// The command as JSON: `{"key":…,"do":…,"with":{…}}`.
  public var json: JSONValue {
    .object(["key": .string(key), "do": .string(name), "with": input])
  }

  /// Reads a command from JSON.
  /// - Throws: `InputError` if a field is missing or invalid.
  public init(_ json: JSONValue) throws(InputError) {
    guard case .object(let fields) = json else { throw InputError("line", "an object is expected") }
    self.init(key: "", name: "", input: .object([]))
    for field in fields {
      switch (field.name, field.value) {
      case ("key", .string(let text)): key = text
      case ("do", .string(let text)): name = text
      case ("with", .object): input = field.value
      case ("key", _), ("do", _): throw InputError(field.name, "a text is expected")
      case ("with", _): throw InputError("with", "an object is expected")
      default:
        throw InputError(printable(field.name), "only key, do and with are expected")
      }
    }
    try IdempotencyKey.check(key, "key")
    if name.isEmpty { throw InputError("do", "missing; it names the use case") }
  }
}

extension OutboxReply {
  /// The answer as JSON; see docs/server.md. The message of an answer that is not final names no
  /// files.
  public var json: JSONValue {
    var fields: [JSONValue.Member] = [.init("key", .string(key))]
    switch result {
    case nil: fields += [.init("ok", .bool(true)), .init("isRepeat", .bool(true))]
    case .success(let value): fields += [.init("ok", .bool(true)), .init("result", value)]
    case .failure(let error):
      var (code, message) = (error.code, "\(error)")
      if !isFinal { message = "the log cannot be read or written at the moment; try again" }
      if case .serverError(_, let text) = error, let colon = text.firstRange(of: ": ") {
        // An error of a newer server, as `init` has read it.
        (code, message) = (String(text[..<colon.lowerBound]), String(text[colon.upperBound...]))
      }
      fields += [
        .init("ok", .bool(false)), .init("error", .string(code)),
        .init("message", .string(message)),
      ]
      if !isFinal { fields.append(.init("again", .bool(true))) }
      if let details = error.details { fields.append(.init("details", details)) }
    }
    fields.append(.init("position", .int(position)))
    if events != .none { fields.append(.init("events", .string(events.text))) }
    if let explanation { fields.append(.init("explanation", explanation)) }
    return .object(fields)
  }

  /// Reads an answer from JSON; nil if it is not an answer.
  ///
  /// A refusal with a code that this version does not know becomes `serverError`.
  public init?(_ json: JSONValue) {
    guard case .string(let key)? = json["key"], case .bool(let isOK)? = json["ok"],
      let position = json["position"]?.uint64
    else { return nil }
    self.init(key: key, result: nil, position: position)
    if isOK {
      if let value = json["result"] { result = .success(value) }
    } else {
      guard case .string(let code)? = json["error"], case .string(let message)? = json["message"]
      else { return nil }
      let error = UseCaseError(code: code, message: message, details: json["details"])
      result = .failure(error ?? .serverError(status: 200, message: "\(code): \(message)"))
    }
    isFinal = json["again"] != .bool(true)
    if case .string(let text)? = json["events"] { events = EventsHash(text: text) }
    explanation = json["explanation"]
  }
}
