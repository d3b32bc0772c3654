import Events

/// An explanation of a command's outcome: the facts that its decision read, and the events without
/// which a refused command would be accepted.
///
/// ```swift
/// let why = try await core.explain(FollowUser.self, .init(followee: "bob"), as: "bob")
/// why.code                  // "cannotFollowSelf"
/// why.sets.isEmpty          // true: no event makes it acceptable
/// ```
public struct Explanation: Equatable, Sendable {
  /// A part of the state that the decision read.
  public struct Fact: Equatable, Sendable {
    /// A path of the time machine, or an expression such as `blocks/bob contains ann`.
    public var path: String
    /// The value at the path; `null` if there is none.
    public var value: JSONValue
    /// The last event that changed the value; nil if none did.
    public var event: EventReference?
    /// Whether the refusal rests on this fact: leaving out one of the `sets` changes it.
    public var isDecisive: Bool
  }

  /// An event of the log.
  public struct EventReference: Equatable, Hashable, Sendable {
    /// The position.
    public var seq: UInt64
    /// The type.
    public var type: EventType
    /// The time.
    public var time: Timestamp
    /// The id of the user or the service that caused the event.
    public var actor: String
  }

  /// Events without which the command would be accepted. If one of them is kept, the command is
  /// still refused.
  public struct LeftOut: Equatable, Sendable {
    /// The events to leave out.
    public var events: [EventReference]
    /// For each event, the code with which the command is still refused if this event is kept and
    /// the others of the set are left out. Empty for a set of one event, and for a user's own
    /// explanation.
    public var codesIfKept: [String]
    /// The events that cannot happen without those: these name one of them as their cause, or the
    /// rules would refuse them. Lists only events on which the decision may depend.
    public var dependents: [EventReference]
  }

  /// A part of the search for `sets`.
  public struct Search: Equatable, Sendable {
    /// The largest number of events such that all sets with so many events, or fewer, were tried.
    /// If a set has at most one event more, no smaller set exists.
    public var triedSizes: Int
    /// The number of events on which the decision may depend.
    public var events: Int
  }

  /// The error with which the command is refused; nil if it is accepted.
  public var error: UseCaseError?
  /// The facts, in the order in which the decision read them. For a set of several events, also
  /// those that the decision reads when only one event of the set is kept.
  public var facts: [Fact]
  /// The smallest sets of events without which the command would be accepted: at most three, all of
  /// the same size. Empty for an accepted command, and if the search found none.
  public var sets: [LeftOut]
  /// How far the search for `sets` went.
  public var search: Search
  /// Sentences that name what the caller could do.
  public var advice: [String]
  /// The events that the command would append, as `{"type":…,"data":…}`.
  public var wouldAppend: [JSONValue]

  /// Whether the command is accepted.
  public var isAccepted: Bool { error == nil }
  /// The error's code; nil if the command is accepted.
  public var code: String? { error?.code }

  /// Whether each set has only one event.
  private var isSingle: Bool { sets.allSatisfy(\.codesIfKept.isEmpty) }

  /// Whether no smaller set than those in `sets` exists.
  public var isSmallest: Bool {
    sets.first.map { $0.events.count <= search.triedSizes + 1 } ?? false
  }
}

extension Explanation {
  /// The explanation as JSON; see docs/time-travel.md.
  public var json: JSONValue {
    var fields: [JSONValue.Member] = [.init("accepted", .bool(isAccepted))]
    if let error {
      fields.append(.init("code", .string(error.code)))
      fields.append(.init("message", .string("\(error)")))
    }
    fields.append(.init("facts", .array(facts.map(\.json))))
    if isAccepted {
      fields.append(.init("wouldAppend", .array(wouldAppend)))
      return .object(fields)
    }
    fields.append(.init("sets", .array(sets.map { .array($0.events.map { .int($0.seq) }) })))
    if !isSingle {
      fields.append(
        .init("ifKept", .array(sets.map { .array($0.codesIfKept.map { .string($0) }) })))
    }
    fields.append(
      .init("dependents", .array(sets.map { .array($0.dependents.map { .int($0.seq) }) })))
    fields.append(.init("isSmallest", .bool(isSmallest)))
    fields.append(.init("triedSizes", .int(search.triedSizes)))
    fields.append(.init("relevantEvents", .int(search.events)))
    fields.append(.init("advice", .array(advice.map { .string($0) })))
    return .object(fields)
  }
}

extension Explanation.Fact {
  fileprivate var json: JSONValue {
    .object([
      .init("path", .string(path)), .init("value", value), .init("event", event?.json ?? .null),
      .init("isDecisive", .bool(isDecisive)),
    ])
  }
}

extension Explanation.EventReference {
  init(_ known: KnownEvent, _ names: Names) {
    (seq, time) = (known.moment.seq, known.moment.time)
    (type, actor) = (known.event.type, names[known.actor])
  }

  fileprivate var json: JSONValue {
    .object([
      .init("seq", .int(seq)), .init("type", .string(type.name)),
      .init("time", .string("\(time)")), .init("actor", .string(actor)),
    ])
  }
}
