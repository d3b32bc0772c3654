import Aggregates
import Events
import Projections
import Replaying

/// The state as it would be if some of a log's events were missing, different or in another order;
/// the log itself does not change.
///
/// ```swift
/// var whatIf = WhatIf()
/// whatIf.skipped = [42]
/// let outcome = try whatIf.run(view, comparing: true)
/// outcome.refusals   // later events that the deciders would refuse now
/// outcome.changes    // how the state would differ
/// ```
/// By default later events are applied all the same, as facts; with `redecides`, each is decided
/// anew, and what is refused does not happen.
/// - Complexity: one pass over the log; memory for its state twice.
public struct WhatIf: Sendable {
  /// Positions whose events do not happen.
  public var skipped: Set<UInt64> = []
  /// Lines of additional events, of which `type`, `actor` and `data` are required: each comes
  /// before the first event with a later time; those without a time come last.
  public var inserted: [[UInt8]] = []
  /// Positions of events that move, each to right after the event at the other position.
  public var moved: [UInt64: UInt64] = [:]
  /// The rules that hold in the alternative history.
  public var rules: Rules = .climb
  /// The rules by which the log's events were decided. What these refuse in the log itself is not
  /// reported as refused in the alternative history. An app whose rules are not `.climb` sets both.
  public var rulesThatHeld: Rules = .climb
  /// Whether events that the deciders refuse do not happen, and events that they would record
  /// differently are recorded so.
  public var redecides = false
  /// The last event of the log to consider.
  public var until = UInt64.max

  public init() {}

  /// An event that the deciders would refuse, but did not refuse in the log as it is.
  public struct Refusal: Equatable, Sendable {
    /// Its position in the log; nil if it was inserted.
    public var seq: UInt64?
    public var time: Timestamp
    public var actor: String
    public var type: EventType
    public var reason: Audit.Finding.Reason

    /// Why, in a sentence.
    public var sentence: String { Audit.Finding(seq: 0, type: type, reason: reason).sentence }
  }

  public struct Outcome: Sendable {
    /// In the order in which they would occur.
    public var refusals: [Refusal] = []
    /// How many events happened in the alternative history.
    public var count = 0
    /// The resulting differences, sorted by path; empty unless asked for.
    public var changes: [Change] = []
  }

  /// Reads the log once and builds both histories from it.
  /// - Parameter comparing: whether to compare the states at the end.
  /// - Throws: `.invalidEvent` for an inserted line that is not an event of a known type; read
  ///   errors of the log.
  public func run(
    _ history: some History, comparing: Bool, unknown: ChunkConsumer.UnknownPolicy = .stop,
    progress: (Int) -> Void = { _ in }
  ) throws(LogError) -> Outcome {
    var names = Names()
    var pass = Pass(self, comparing)
    try pass.prepare(history, &names)
    try history.forEachEventOfCommits(
      until: until, &names, unknown: unknown, progress: progress
    ) { event, actor, moment, endsCommit in
      // Nothing that is compared depends on an app's own events.
      if event.type != .app { pass.take(copy event, actor, moment, endsCommit) }
      if endsCommit { pass.endCommit() }
    }
    return pass.finish(names)
  }

  /// The state of one of the two histories.
  private struct Branch {
    var society = AggregateStates()
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

  /// An event to be applied in the alternative history.
  private struct Coming {
    var seq: UInt64?
    var event: Event
    var actor: EventActor
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
    /// The blocks of the commit that is being read, in the log and in the alternative history.
    private var actualBlocks: [(seq: UInt64, block: Block)] = []
    private var otherBlocks: [(coming: Coming, block: Block)] = []
    private var count = 0

    init(_ whatIf: WhatIf, _ isComparing: Bool) {
      self.whatIf = whatIf
      self.isComparing = isComparing
    }

    /// Reads the events to be moved and those to be inserted.
    mutating func prepare(
      _ history: some History, _ names: inout Names
    ) throws(LogError) {
      var moved: [KnownEvent] = []
      try history.forEachEvent(at: whatIf.moved.keys.sorted(), &names) { moved.append($0) }
      for known in moved where known.event.type != .app {
        let coming = Coming(
          seq: known.moment.seq, event: known.event, actor: names.actor(known.actor),
          time: known.moment.time)
        if let target = coming.seq.flatMap({ whatIf.moved[$0] }) {
          movedTo[target, default: []].append(coming)
        }
      }
      for line in whatIf.inserted { insertions.append(try Self.parse(line, &names)) }
      // Sorted so that the next one is last.
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
        return Coming(event: event, actor: names.actor(actor), time: line.time ?? .latest)
      } catch {
        throw .invalidEvent(error)
      }
    }

    mutating func take(
      _ event: Event, _ actor: EventActor, _ moment: Moment, _ endsCommit: Bool
    ) {
      if actual.society.reason(event, actor, at: moment.time, whatIf.rulesThatHeld) != nil {
        refusedAnyway.insert(moment.seq)
      } else if case .block(.blocked(let block)) = event {
        actualBlocks.append((moment.seq, block))
      }
      actual.apply(event, moment.time, isComparing)
      while let next = insertions.last, next.time < moment.time { happen(insertions.removeLast()) }
      lastTime = moment.time
      if !whatIf.skipped.contains(moment.seq), whatIf.moved[moment.seq] == nil {
        happen(
          Coming(seq: moment.seq, event: event, actor: actor, time: moment.time),
          endsCommit: endsCommit)
      }
      for coming in movedTo[moment.seq] ?? [] where coming.seq.map(whatIf.skipped.contains) != true
      {
        happen(coming)
      }
    }

    /// Judges the blocks of a commit that is over. They have happened, even if events are decided
    /// anew, because other events of the commit have.
    mutating func endCommit() {
      for (seq, block) in actualBlocks where isIncomplete(block, actual.society) {
        refusedAnyway.insert(seq)
      }
      for (coming, block) in otherBlocks where isIncomplete(block, other.society) {
        refused.append((coming, .refused(.blockIncomplete)))
      }
      actualBlocks.removeAll()
      otherBlocks.removeAll()
    }

    private func isIncomplete(_ block: Block, _ society: AggregateStates) -> Bool {
      do throws(DomainError) { try society.finish(block) } catch { return true }
      return false
    }

    /// - Parameter endsCommit: whether the event's commit ends with it.
    private mutating func happen(_ coming: Coming, endsCommit: Bool = true) {
      var event: Event? = coming.event
      let (actor, time) = (coming.actor, coming.time)
      if let reason = other.society.reason(coming.event, actor, at: time, whatIf.rules) {
        refused.append((coming, reason))
        if whatIf.redecides {
          event = try? coming.event.decide(
            in: other.society, by: actor, at: time, whatIf.rules)
        }
      } else if case .block(.blocked(let block)) = coming.event {
        if !endsCommit {
          otherBlocks.append((coming, block))
        } else if other.society.isTied(block.user, block.other) {
          refused.append((coming, .refused(.blockIncomplete)))
          if whatIf.redecides { event = nil }
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
