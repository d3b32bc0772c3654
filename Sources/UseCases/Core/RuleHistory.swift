import Aggregates
import EventLog
import Events

/// The rules of a log by position, so that each event is checked by the rules in force at the time.
///
/// ```swift
/// RuleHistory(.erg).current.name  // "erg"
/// ```
public struct RuleHistory: Equatable, Sendable {
  /// A change of the rules.
  public struct Change: Equatable, Sendable {
    /// The position of the last event before the change of the rules.
    public var after: UInt64
    /// The rules for the events after the change.
    public var rules: Rules
  }

  /// The changes in log order; never empty. The rules of the first change also apply to all events
  /// before that change.
  public private(set) var changes: [Change]
  private let source: String

  /// Creates a history with the same rules for all events.
  public init(_ rules: Rules) {
    changes = [Change(after: 0, rules: rules)]
    source = ""
  }

  /// Creates the history of a log that records no rules. Its events are judged by the first edition
  /// of the rules, because a later one holds only from where a log records it.
  public init(unrecorded rules: Rules = .climb) { self.init(rules.of(edition: 1)) }

  /// Creates the history of the rules that a log records; nil if the log records none.
  /// - Throws: `RulesRefusal.unreadable` for rules that this version of the program does not know.
  public init?(_ recorded: RecordedRules) throws(LogError) {
    changes = []
    source = recorded.source
    for entry in recorded.entries {
      do throws(RulesFault) {
        // Rules without an edition were recorded before there were editions.
        let rules = try Rules(json: entry.rules.text, edition: 1)
        // Before the first entry, the log recorded no rules.
        if changes.isEmpty, entry.after > 0, rules.edition > 1 {
          changes.append(Change(after: 0, rules: rules.of(edition: 1)))
        }
        changes.append(Change(after: entry.after, rules: rules))
      } catch {
        throw .rules(.unreadable(recorded.source, reason: "\(error)"))
      }
    }
    if changes.isEmpty { return nil }
  }

  /// The rules for the next event to be appended.
  public var current: Rules { changes[changes.count - 1].rules }

  /// Checks that the rules that a program requests equal the current rules, apart from the edition.
  /// - Throws: `RulesRefusal.other` if the two differ.
  public func check(_ given: Rules) throws(LogError) {
    if given.of(edition: current.edition) == current { return }
    throw .rules(
      .other(recorded: current.label, given: given.label(beside: current), source: source))
  }

  /// Returns the rules by which the event at a position was decided.
  public func rules(at position: UInt64) -> Rules {
    if changes.count == 1 { return changes[0].rules }
    return changes.last { $0.after < position }?.rules ?? changes[0].rules
  }
}

extension RecordedRules {
  /// Returns the rules for the next event to be appended.
  /// - Parameter given: the rules that a program requests; nil for the log's rules.
  /// - Returns: the recorded rules; if none are recorded, `given`.
  /// - Throws: `RulesRefusal.other` if `given` differs from the recorded rules;
  ///   `RulesRefusal.unreadable`.
  func current(_ given: Rules?) throws(LogError) -> Rules? {
    guard let recorded = try RuleHistory(self) else { return given }
    if let given { try recorded.check(given) }
    return recorded.current
  }
}

extension EventStore {
  /// Returns the rules for a core on the log. An empty log without recorded rules records `given`.
  func rules(_ given: Rules?) async throws(LogError) -> Rules {
    let recorded = try await recordedRules()
    let rules = try recorded.current(given)
    guard let rules else { return .climb }
    if recorded.entries.isEmpty {
      if try await head() == 0 { try await record(rules: rules.json) }
      return rules
    }
    // A log that records only the name of an app gets the latest edition of its rules. If it cannot
    // record it now, its old rules hold.
    let latest = rules.of(edition: Rules.latestEdition)
    if latest == rules || !Rules.presets.contains(latest) { return rules }
    do throws(LogError) { try await record(rules: latest.json) } catch { return rules }
    return latest
  }
}

extension Rules {
  /// The rules' name for error messages; for rules that are no preset, also the rules as JSON.
  fileprivate var label: String {
    let isPreset = Rules.presets.contains(of(edition: Rules.latestEdition))
    return isPreset ? name : "\(name) (\(json.text))"
  }

  fileprivate func label(beside other: Rules) -> String { label == other.label ? json.text : label }
}
