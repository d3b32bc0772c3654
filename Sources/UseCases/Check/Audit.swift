import Aggregates
import Events
import Projections

/// Judges a whole history by the domain's rules: which of its events would no use case append?
///
/// ```swift
/// var audit = Audit()
/// let finding = audit.apply(selfFollow, actor: alice, at: moment)
/// finding?.sentence  // "UserFollowed: nobody follows themselves (cannotFollowSelf)"
/// ```
/// An event is allowed when its aggregate's decider, given the command that the event stands for,
/// answers with just this event; the rules exist once, in the deciders. A forbidden event is found
/// and then taken in like any other, for it happened.
/// - Complexity: O(1) an event, a fraction of a microsecond; memory by users, pairs and texts.
public struct Audit: Sendable {
  /// An event that the domain forbids.
  public struct Finding: Equatable, Sendable, CustomStringConvertible {
    public enum Reason: Equatable, Sendable {
      case refused(DomainError)
      /// The command is allowed but changes nothing, and such a one appends nothing.
      case changesNothing
      /// The domain would have recorded another event: a text untrimmed, a member repeated.
      case recordedOtherwise
    }

    public var seq: UInt64
    public var type: EventType
    public var reason: Reason

    public var description: String { "seq \(seq), \(sentence)" }

    /// What is wrong, without the place: `UserFollowed: nobody follows themselves (…)`.
    public var sentence: String {
      let reason = if case .refused(let error) = reason { "\(error)" } else { summary }
      return "\(type.wireName): \(reason) (\(code))"
    }

    /// The reason as programs see it: a domain error's code, `changesNothing` or
    /// `recordedOtherwise`.
    public var code: String {
      switch reason {
      case .refused(let error): error.code
      case .changesNothing: "changesNothing"
      case .recordedOtherwise: "recordedOtherwise"
      }
    }

    /// The reason as people read it, the same for all findings of one code.
    public var summary: String {
      switch reason {
      case .refused(let error): error.summary
      case .changesNothing: "it changes nothing"
      case .recordedOtherwise: "the domain would have recorded it otherwise"
      }
    }
  }

  private var society = Society()
  private let rules: Rules

  public init(rules: Rules = .climb) { self.rules = rules }

  /// What the domain would record now for the command that an event stands for.
  /// - Returns: nil where that is nothing.
  /// - Throws: the domain's refusal.
  public func decide(_ event: Event, actor: UserID) throws(DomainError) -> Event? {
    try society.decide(event, actor, rules)
  }

  /// Judges an event and takes it in.
  /// - Returns: nil for one that is allowed.
  public mutating func apply(
    _ event: Event, actor: UserID, at moment: Moment
  ) -> Finding? {
    let reason = society.reason(event, actor, rules)
    society.apply(event)
    return reason.map { Finding(seq: moment.seq, type: event.type, reason: $0) }
  }
}

extension Society {
  /// Why no use case would append an event now; nil where one would.
  func reason(_ event: Event, _ actor: UserID, _ rules: Rules) -> Audit.Finding.Reason? {
    do throws(DomainError) {
      guard let expected = try decide(event, actor, rules) else { return .changesNothing }
      return expected == event ? nil : .recordedOtherwise
    } catch {
      return .refused(error)
    }
  }
}
