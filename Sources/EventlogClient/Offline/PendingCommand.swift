import PersonalLogs
import UseCases

/// A command that the phone decided, as it stands in the outbox.
public struct PendingCommand: Equatable, Sendable, Identifiable {
  /// The command's key. It is the `Idempotency-Key` by which the server performs it once.
  public let id: String
  /// The name of the use case.
  public let name: String
  /// The input, with the ids of the items that it creates.
  public let input: JSONValue
  /// The time at which the phone decided the command.
  public let decidedAt: Timestamp
  /// The position of the personal log on which the phone decided the command.
  public let decidedOn: UInt64
  /// The answer that the phone expects.
  public let expected: JSONValue
  let events: EventsHash
  /// The server's answer; nil if there is none yet.
  var reply: OutboxReply?
  /// The parts of the personal log that changed meanwhile; nil before a personal log reflects the
  /// answer.
  var changedParts: [String]?
  /// The error with which the phone, deciding the command again after a sync, expects the server to
  /// refuse it; nil if it does not. The server's answer is what counts.
  public internal(set) var expectedError: UseCaseError?

  /// The version of the form of a command in the outbox.
  static let version = 1

  init(
    id: String, _ prediction: PersonalReading.Prediction, at time: Timestamp, on position: UInt64
  ) {
    (self.id, name, input) = (id, prediction.name, prediction.input)
    (decidedAt, decidedOn) = (time, position)
    (expected, events) = (prediction.expected, prediction.events)
  }

  var outboxCommand: OutboxCommand { OutboxCommand(key: id, name: name, input: input) }

  var json: JSONValue {
    .object([
      .init("key", .string(id)), .init("v", .int(Self.version)), .init("do", .string(name)),
      .init("with", input), .init("time", .string("\(decidedAt)")),
      .init("position", .int(decidedOn)), .init("expected", expected),
      .init("events", .string(events.text)),
    ])
  }

  /// Reads a command. A later version has its own reader, by `v`, so that an updated app sends the
  /// commands of the older one.
  init?(_ json: JSONValue) {
    guard json["v"]?.uint64 == UInt64(Self.version), case .string(let key)? = json["key"],
      case .string(let name)? = json["do"], let input = json["with"],
      case .string(let clock)? = json["time"], let time = Timestamp(clock),
      let position = json["position"]?.uint64, case .string(let events)? = json["events"]
    else { return nil }
    (id, self.name, self.input) = (key, name, input)
    (decidedAt, decidedOn) = (time, position)
    (expected, self.events) = (json["expected"] ?? .null, EventsHash(text: events))
  }

  /// The outcome; nil as long as the server has not answered.
  var outcome: CommandOutcome? {
    guard let reply else { return nil }
    var outcome = CommandOutcome(
      id: id, kind: kind(of: reply), name: name, input: input, decidedAt: decidedAt,
      decidedOn: decidedOn, position: reply.position, expected: expected)
    switch reply.result {
    case .success(let answer)?: outcome.answer = answer
    case .failure(let error)?: outcome.error = error
    case nil: break
    }
    outcome.explanation = reply.explanation
    outcome.changedParts = changedParts ?? []
    return outcome
  }

  private func kind(of reply: OutboxReply) -> CommandOutcome.Kind {
    if case .failure? = reply.result { return .refused }
    if reply.events == .none { return .alreadyTrue }
    guard reply.events == events else { return .appliedDifferently }
    guard case .success(let answer)? = reply.result else { return .applied }
    return answer.withoutTimes == expected.withoutTimes ? .applied : .appliedDifferently
  }
}

extension JSONValue {
  /// The value without times, because the server's clock differs from the phone's.
  fileprivate var withoutTimes: JSONValue {
    switch self {
    case .string(let text): Timestamp(text) == nil ? self : .null
    case .array(let items): .array(items.map(\.withoutTimes))
    case .object(let members):
      .object(members.map { Member($0.name, $0.value.withoutTimes) })
    case .null, .bool, .number: self
    }
  }
}

/// The last answer to a query that a personal log does not answer.
public struct RememberedAnswer: Equatable, Sendable {
  /// The name of the query.
  public var name: String
  /// The query's input.
  public var input: JSONValue
  /// The answer.
  public var answer: JSONValue
  /// The time at which the phone received the answer.
  public var time: Timestamp

  var json: JSONValue {
    .object([
      .init("query", .string(name)), .init("with", input), .init("answer", answer),
      .init("time", .string("\(time)")),
    ])
  }

  package init(name: String, input: JSONValue, answer: JSONValue, time: Timestamp) {
    (self.name, self.input, self.answer, self.time) = (name, input, answer, time)
  }

  /// Whether another answer is to the same query with the same input.
  func asks(_ other: RememberedAnswer) -> Bool { name == other.name && input == other.input }

  init?(_ json: JSONValue) {
    guard case .string(let name)? = json["query"], let input = json["with"],
      let answer = json["answer"], case .string(let clock)? = json["time"],
      let time = Timestamp(clock)
    else { return nil }
    self.init(name: name, input: input, answer: answer, time: time)
  }
}
