import Aggregates
import EventLog
import Events

/// The rules of a log by position: an event is judged by the rules that held when it was appended.
///
/// ```swift
/// RuleHistory(.erg).current.name  // "erg"
/// ```
public struct RuleHistory: Equatable, Sendable {
  public struct Change: Equatable, Sendable {
    /// The position of the last event before the rules held.
    public var after: UInt64
    public var rules: Rules
  }

  /// In the order of the log; never empty. The first rules also hold for the events before them.
  public private(set) var changes: [Change]
  private let source: String

  public init(_ rules: Rules) {
    changes = [Change(after: 0, rules: rules)]
    source = ""
  }

  /// The rules that a log records; nil if it records none.
  /// - Throws: `RulesRefusal.unreadable` for rules that this version does not know.
  public init?(_ recorded: RecordedRules) throws(LogError) {
    changes = []
    source = recorded.source
    for entry in recorded.entries {
      do throws(RulesFault) {
        changes.append(Change(after: entry.after, rules: try Rules(json: entry.rules.text)))
      } catch {
        throw .rules(.unreadable(recorded.source, reason: "\(error)"))
      }
    }
    if changes.isEmpty { return nil }
  }

  /// The rules for the next event.
  public var current: Rules { changes[changes.count - 1].rules }

  /// - Throws: `RulesRefusal.other` if the rules are not the current ones.
  public func check(_ given: Rules) throws(LogError) {
    if given == current { return }
    throw .rules(
      .other(recorded: current.label, given: given.label(beside: current), source: source))
  }

  public func rules(at position: UInt64) -> Rules {
    if changes.count == 1 { return changes[0].rules }
    return changes.last { $0.after < position }?.rules ?? changes[0].rules
  }
}

extension RecordedRules {
  /// The rules for the next event.
  /// - Parameter given: the rules that a program asks for; nil if it takes those of the log.
  /// - Returns: the recorded rules; `given` if none are recorded; nil if there are neither.
  /// - Throws: `RulesRefusal.other` if `given` are not the recorded ones, `.unreadable`.
  func current(_ given: Rules?) throws(LogError) -> Rules? {
    guard let recorded = try RuleHistory(self) else { return given }
    if let given { try recorded.check(given) }
    return recorded.current
  }
}

extension EventStore {
  /// The rules for a core on the log; an empty log without rules records the given ones.
  func rules(_ given: Rules?) async throws(LogError) -> Rules {
    let recorded = try await recordedRules()
    let rules = try recorded.current(given)
    if let rules, recorded.entries.isEmpty, try await head() == 0 {
      try await record(rules: rules.json)
    }
    return rules ?? .climb
  }
}

extension Rules {
  /// The name of a preset as it is; otherwise the name and that the rules are an app's own.
  fileprivate var label: String { Rules.presets.contains(self) ? name : "\(name) (\(json.text))" }

  fileprivate func label(beside other: Rules) -> String { label == other.label ? json.text : label }
}
