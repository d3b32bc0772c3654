import Events

/// A refused command, as the journal of refusals keeps it.
///
/// As JSON it is a line for `Request` with three more fields: `n`, `code` and `position`.
public struct RefusedCommand: Equatable, Sendable {
  /// The number in the journal: 1, 2, 3 …
  public var number: UInt64
  /// The time at which the command was decided.
  public var time: Timestamp
  /// The id of the user or the name of the service that called; nil if nobody was signed in.
  public var caller: String?
  /// Whether `caller` is the name of a service.
  public var isService: Bool
  /// The use case's name.
  public var useCase: String
  /// The fields of the input that are ids or words from a fixed list, as an object. The journal
  /// keeps no texts and no numbers.
  public var input: JSONValue
  /// The code of the refusal.
  public var code: String
  /// The position of the log after which the command was decided.
  public var position: UInt64
  /// The id of the request; nil if it is not known.
  public var correlation: CorrelationID?

  /// The fields of inputs that contain ids.
  private static let ids: Set<String> = [
    "comment", "followee", "friend", "group", "id", "message", "other", "owner", "receiver",
    "report", "sender", "sport", "to", "user", "with", "workout",
  ]

  init(_ call: Call, _ input: JSONValue, _ error: UseCaseError, at moment: Moment) {
    (number, time, position) = (0, moment.time, moment.seq)
    isService = call.caller.service != nil
    caller = call.caller.service ?? call.caller.user
    (useCase, self.input, code) = (call.name, input, error.code)
    correlation = call.caller.correlation
  }

  /// Returns the part of a command's input that the journal keeps.
  static func kept<Input: UseCaseInput>(_ input: Input) -> JSONValue {
    guard case .object(let members) = input.json else { return .object([]) }
    let words = Set(Fields.of(Input.self).filter(\.kind.isChoice).map(\.name))
    return .object(
      members.filter { member in
        guard case .string(let text) = member.value else { return false }
        return words.contains(member.name)
          || ids.contains(member.name) && isValidID(text.utf8)
      })
  }
}

extension Field.Kind {
  fileprivate var isChoice: Bool {
    switch self {
    case .choice: true
    case .optional(let kind): kind.isChoice
    default: false
    }
  }
}

extension RefusedCommand {
  /// The command as JSON.
  public var json: JSONValue {
    var fields: [JSONValue.Member] = [
      .init("n", .int(number)), .init("time", .string("\(time)")),
    ]
    if let caller { fields.append(.init("as", .string(caller))) }
    if isService { fields.append(.init("service", .bool(true))) }
    fields += [
      .init("do", .string(useCase)), .init("with", input), .init("code", .string(code)),
      .init("position", .int(position)),
    ]
    if let correlation { fields.append(.init("correlation", .string(correlation.text))) }
    return .object(fields)
  }

  /// Reads a line of the journal; nil if it is incomplete or of another form.
  init?(line: [UInt8]) {
    guard let object = try? JSONValue(object: line),
      let number = object["n"]?.uint64, let position = object["position"]?.uint64,
      case .string(let time)? = object["time"], let time = Timestamp(time),
      case .string(let useCase)? = object["do"], case .object? = object["with"],
      case .string(let code)? = object["code"]
    else { return nil }
    (self.number, self.time, self.useCase, self.code) = (number, time, useCase, code)
    (self.position, input) = (position, object["with"] ?? .object([]))
    isService = object["service"] == .bool(true)
    if case .string(let caller)? = object["as"] { self.caller = caller }
    if case .string(let text)? = object["correlation"] { correlation = CorrelationID(text) }
  }

  /// Returns the request to explain why the command was refused.
  /// - Parameter fields: the fields of the input that the journal does not have, such as texts.
  public func request(adding fields: JSONValue = .object([])) -> Request {
    var request = Request(useCase, as: caller, with: input)
    request.isService = isService
    guard case .object(let added) = fields, case .object(var members) = input else {
      return request
    }
    members.removeAll { member in added.contains { $0.name == member.name } }
    request.input = .object(members + added)
    return request
  }
}
