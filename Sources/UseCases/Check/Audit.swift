import Aggregates
import Events

/// An audit of a history: it finds the events that no use case would append.
///
/// ```swift
/// var audit = Audit()
/// let finding = audit.apply(selfFollow, actor: EventActor(alice), at: moment)
/// finding?.sentence  // "UserFollowed: nobody follows themselves (cannotFollowSelf)"
/// ```
/// An event is allowed if its aggregate's decider returns exactly this event for the matching
/// command. So the rules exist only once, in the deciders. The audit reports a forbidden event and
/// then applies it like any other, because it happened.
/// - Complexity: O(1) per event, a fraction of a microsecond. Memory grows with the numbers of
///   users, pairs of users, and texts.
public struct Audit: Sendable {
  /// An event that the domain forbids.
  public struct Finding: Equatable, Sendable, CustomStringConvertible {
    /// The reason why an event is forbidden.
    public enum Reason: Equatable, Sendable {
      /// The domain's rules forbid the command that the event represents.
      case refused(DomainError)
      /// The rules allow the event's command, but the command changes nothing. So the use case
      /// would append no event.
      case changesNothing
      /// The use case would have appended a different event, for example with trimmed text.
      case recordedOtherwise
      /// The event has a user's UUID in one letter case, and an earlier event has the same UUID in
      /// the other case. A check reports only each user's first such event.
      case otherCase
    }

    /// The forbidden event's position in the log.
    public var seq: UInt64
    /// The forbidden event's type.
    public var type: EventType
    /// The reason why the event is forbidden.
    public var reason: Reason

    public var description: String { "seq \(seq), \(sentence)" }

    /// The event's type and the reason, such as `UserFollowed: nobody follows themselves (…)`.
    public var sentence: String {
      let reason = if case .refused(let error) = reason { "\(error)" } else { summary }
      return "\(type.wireName): \(reason) (\(code))"
    }

    /// The reason as a code for programs: a domain error's code, `changesNothing`,
    /// `recordedOtherwise` or `otherCase`.
    public var code: String {
      switch reason {
      case .refused(let error): error.code
      case .changesNothing: "changesNothing"
      case .recordedOtherwise: "recordedOtherwise"
      case .otherCase: "otherCase"
      }
    }

    /// The reason as a text for people; it is the same for all findings with one code.
    public var summary: String {
      switch reason {
      case .refused(let error): error.summary
      case .changesNothing: "it changes nothing"
      case .recordedOtherwise: "the domain would have recorded it differently"
      case .otherCase: "an earlier event has this user's UUID in another case"
      }
    }
  }

  private var aggregates = AggregateStates()
  private var rules: Rules
  /// The changes of the rules that come after the events checked so far.
  private var changes: ArraySlice<RuleHistory.Change>
  /// The user blocks in the commit that is being checked, and the positions of their events.
  private var blocks: [(seq: UInt64, block: Block)] = []
  /// The findings about events after the commit's first user block. `endCommit` reports them,
  /// sorted with the findings about user blocks.
  private var held: [Finding] = []

  /// Creates an audit with the same rules for all events.
  public init(rules: Rules = .climb) { self.init(RuleHistory(rules)) }

  /// Creates an audit that checks each event by the rules in force when it was appended.
  public init(_ history: RuleHistory) {
    rules = history.changes[0].rules
    changes = history.changes.dropFirst()
  }

  /// Decides the command that an event represents, as a commit with only this event.
  ///
  /// `time` is the time at which the event would be recorded; nil allows any dates in the event.
  /// - Returns: the event that the decider would record now; nil if the command changes nothing.
  /// - Throws: the error with which the domain's rules refuse the command.
  public func decide(
    _ event: Event, actor: EventActor, at time: Timestamp? = nil
  ) throws(DomainError) -> Event? {
    let decided = try event.decide(in: aggregates, by: actor, at: time, rules)
    if case .block(.blocked(let block))? = decided {
      try BlockDecider.finish(isTied: aggregates.isTied(block.user, block.other))
    }
    return decided
  }

  /// Reads the states that the check of an event needs, so that these states are in the CPU cache
  /// when the event is checked.
  package mutating func prefetch(_ event: Event) { aggregates.prefetch(event) }

  /// Checks an event that is the only event of its commit, then applies it.
  /// - Returns: the finding if the event is forbidden; nil if the event is allowed.
  public mutating func apply(
    _ event: Event, actor: EventActor, at moment: Moment
  ) -> Finding? {
    var finding: Finding?
    apply(event, actor: actor, at: moment, endsCommit: true) { finding = finding ?? $0 }
    return finding
  }

  /// Checks an event of a commit, then applies it. `endsCommit` is true for the commit's last
  /// event.
  ///
  /// Calls `found` with each forbidden event, in log order. Checks a user block only at the end of
  /// its commit, because the commit must end all relationships between the two users.
  public mutating func apply(
    _ event: Event, actor: EventActor, at moment: Moment, endsCommit: Bool,
    found: (Finding) -> Void
  ) {
    while let next = changes.first, next.after < moment.seq {
      rules = next.rules
      changes.removeFirst()
    }
    if let reason = aggregates.reason(event, actor, at: moment.time, rules) {
      let finding = Finding(seq: moment.seq, type: event.type, reason: reason)
      if blocks.isEmpty { found(finding) } else { held.append(finding) }
    } else if case .block(.blocked(let block)) = event {
      blocks.append((moment.seq, block))
    }
    aggregates.apply(event, at: moment.time)
    if endsCommit, !blocks.isEmpty { endCommit(found: found) }
  }

  /// Checks the user blocks of a finished commit. Call it if the commit's last event was not passed
  /// to `apply`.
  public mutating func endCommit(found: (Finding) -> Void) {
    for (seq, block) in blocks {
      do throws(DomainError) { try aggregates.finish(block) } catch {
        held.append(Finding(seq: seq, type: .userBlocked, reason: .refused(error)))
      }
    }
    for finding in held.sorted(by: { $0.seq < $1.seq }) { found(finding) }
    blocks.removeAll()
    held.removeAll()
  }
}

extension AggregateStates {
  /// Returns the reason why no use case would append the event now; nil if a use case would append
  /// it.
  func reason(
    _ event: Event, _ actor: EventActor, at time: Timestamp, _ rules: Rules
  ) -> Audit.Finding.Reason? {
    do throws(DomainError) {
      guard let expected = try event.decide(in: self, by: actor, at: time, rules) else {
        return .changesNothing
      }
      return expected == event ? nil : .recordedOtherwise
    } catch {
      return .refused(error)
    }
  }
}
