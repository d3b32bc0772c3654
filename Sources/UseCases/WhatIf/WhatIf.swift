import Aggregates
import Events
import Projections

/// The world as it would be if some of a log's events were not there, were others, or came in
/// another order; the log is left alone.
///
/// ```swift
/// var whatIf = WhatIf()
/// whatIf.skipped = [42]
/// let outcome = try whatIf.run(view, comparing: true)
/// outcome.refusals   // later events that the deciders would refuse now
/// outcome.changes    // how the state would differ
/// ```
/// As it is, later events are applied all the same, as facts; with `redecides`, each is decided
/// anew, and what is refused does not happen.
/// - Complexity: one reading of the log; memory for its state twice.
public struct WhatIf: Sendable {
  /// Positions whose events do not happen.
  public var skipped: Set<UInt64> = []
  /// Lines of events that happen too, of which `type`, `actor` and `data` must be there: each
  /// before the first event of a later time; those without a time last.
  public var inserted: [[UInt8]] = []
  /// Positions whose events come elsewhere: right after the event at the other position.
  public var moved: [UInt64: UInt64] = [:]
  /// The rules that hold in the other world.
  public var rules: Rules = .climb
  /// The rules by which the log's events were decided. What these refuse in the log as it is, is
  /// not reported as refused in the other world. An app whose rules are not `.climb` sets both.
  public var rulesThatHeld: Rules = .climb
  /// Whether what the deciders refuse does not happen, and what they would record otherwise is
  /// recorded so.
  public var redecides = false
  /// The last event of the log that is looked at.
  public var until = UInt64.max

  public init() {}

  /// An event that the deciders would refuse, and did not in the log as it is.
  public struct Refusal: Equatable, Sendable {
    /// Its position in the log; nil for one that was inserted.
    public var seq: UInt64?
    public var time: Timestamp
    public var actor: String
    public var type: EventType
    public var reason: Audit.Finding.Reason

    /// Why, in a sentence.
    public var sentence: String { Audit.Finding(seq: 0, type: type, reason: reason).sentence }
  }

  public struct Outcome: Sendable {
    /// In the order in which they would come.
    public var refusals: [Refusal] = []
    /// How many events happened in the other world.
    public var count = 0
    /// What is different then, in the order of the paths; empty where it was not asked for.
    public var changes: [Change] = []
  }

  /// Reads the log once, and makes both worlds of it.
  /// - Parameter comparing: whether the states are compared at the end.
  /// - Throws: `.invalidEvent` for an inserted line that is no event of a known type; what reading
  ///   the log throws.
  public func run(
    _ history: some History, comparing: Bool, unknown: ChunkConsumer.UnknownPolicy = .stop,
    progress: (Int) -> Void = { _ in }
  ) throws(LogError) -> Outcome {
    var names = Names()
    var pass = Pass(self, comparing)
    try pass.prepare(history, &names)
    try history.forEachTypedEvent(until: until, &names, unknown: unknown, progress: progress) {
      event, actor, moment in pass.take(copy event, actor, moment)
    }
    return pass.finish(names)
  }

  /// The state of one of the two worlds.
  private struct Branch {
    var society = Society()
    var views = Views()
    var seq: UInt64 = 0

    mutating func apply(_ event: Event, _ time: Timestamp, _ isComparing: Bool) {
      seq += 1
      society.apply(event)
      guard isComparing else { return }
      views.apply(event, at: Moment(seq: seq, time: time))
    }

    mutating func facts(_ names: Names) -> [Fact] {
      views.settle()
      return views.facts(names).sorted { $0.path < $1.path }
    }
  }

  /// An event on its way to the other world.
  private struct Coming {
    var seq: UInt64?
    var event: Event
    var actor: UserID
    var time: Timestamp
  }

  private struct Pass {
    private let whatIf: WhatIf
    private let isComparing: Bool
    private var actual = Branch()
    private var other = Branch()
    private var insertions: [Coming] = []
    private var movedTo: [UInt64: [Coming]] = [:]
    private var lastTime = Timestamp.earliest
    private var refusedAnyway: Set<UInt64> = []
    private var refused: [(coming: Coming, reason: Audit.Finding.Reason)] = []
    private var count = 0

    init(_ whatIf: WhatIf, _ isComparing: Bool) {
      self.whatIf = whatIf
      self.isComparing = isComparing
    }

    /// Reads the events that are moved, and those that are inserted.
    mutating func prepare(
      _ history: some History, _ names: inout Names
    ) throws(LogError) {
      var moved: [Coming] = []
      try history.forEachEvent(at: whatIf.moved.keys.sorted(), &names) { known in
        moved.append(
          Coming(
            seq: known.moment.seq, event: known.event, actor: known.actor, time: known.moment.time))
      }
      for coming in moved {
        if let target = coming.seq.flatMap({ whatIf.moved[$0] }) {
          movedTo[target, default: []].append(coming)
        }
      }
      for line in whatIf.inserted { insertions.append(try Self.parse(line, &names)) }
      // The next one last.
      insertions = insertions.enumerated().sorted {
        ($0.element.time, $0.offset) > ($1.element.time, $1.offset)
      }.map(\.element)
      for coming in movedTo[0] ?? [] { happen(coming) }
    }

    private static func parse(
      _ line: [UInt8], _ names: inout Names
    ) throws(LogError) -> Coming {
      var parser = LineParser.foreign
      do throws(LineFault) {
        let (line, event) = try parser.parse(line, names: &names)
        guard let event else { throw LineFault(.unknownType(line.type), path: "type") }
        guard let actor = try? names.user(line.actor) else {
          throw LineFault(.wrongType(expected: "a user id"), path: "actor")
        }
        return Coming(event: event, actor: actor, time: line.time ?? .latest)
      } catch {
        throw .invalidEvent(error)
      }
    }

    mutating func take(_ event: Event, _ actor: UserID, _ moment: Moment) {
      if actual.society.reason(event, actor, whatIf.rulesThatHeld) != nil {
        refusedAnyway.insert(moment.seq)
      }
      actual.apply(event, moment.time, isComparing)
      while let next = insertions.last, next.time < moment.time { happen(insertions.removeLast()) }
      lastTime = moment.time
      if !whatIf.skipped.contains(moment.seq), whatIf.moved[moment.seq] == nil {
        happen(Coming(seq: moment.seq, event: event, actor: actor, time: moment.time))
      }
      for coming in movedTo[moment.seq] ?? [] where coming.seq.map(whatIf.skipped.contains) != true
      {
        happen(coming)
      }
    }

    private mutating func happen(_ coming: Coming) {
      var event: Event? = coming.event
      if let reason = other.society.reason(coming.event, coming.actor, whatIf.rules) {
        refused.append((coming, reason))
        if whatIf.redecides {
          event = try? other.society.decide(coming.event, coming.actor, whatIf.rules)
        }
      }
      guard let event else { return }
      count += 1
      other.apply(event, coming.time == .latest ? lastTime : coming.time, isComparing)
    }

    mutating func finish(_ names: Names) -> Outcome {
      while let next = insertions.popLast() { happen(next) }
      var outcome = Outcome(count: count)
      for (coming, reason) in refused where coming.seq.map(refusedAnyway.contains) != true {
        outcome.refusals.append(
          Refusal(
            seq: coming.seq, time: coming.time == .latest ? lastTime : coming.time,
            actor: names[coming.actor], type: coming.event.type, reason: reason))
      }
      if isComparing {
        outcome.changes = Change.between(actual.facts(names), other.facts(names))
      }
      return outcome
    }
  }
}
