import Aggregates
import Events
import Projections

/// An alternative history, in which some of a log's events are missing, added, moved or decided by
/// other rules. The log itself does not change.
///
/// ```swift
/// var whatIf = WhatIf()
/// whatIf.skipped = [42]
/// let outcome = try whatIf.run(view, comparing: true)
/// outcome.refusals   // later events that the deciders would refuse now
/// outcome.changes    // how the state would differ
/// ```
/// By default the later events happen in the alternative history too, even if the deciders would
/// refuse them. With `redecides`, each later event is decided again, and a refused event does not
/// happen.
/// - Complexity: reads the log once, and keeps two states in memory.
public struct WhatIf: Sendable {
  /// The positions of the events that do not happen in the alternative history.
  public var skipped: Set<UInt64> = []
  /// The lines of additional events. Only the fields `type`, `actor` and `data` are required. Each
  /// event happens before the first event with a later time; events without a time happen last.
  public var inserted: [[UInt8]] = []
  /// The positions of the events that move, each with the position of the event after which it
  /// happens; 0 is the beginning.
  public var moved: [UInt64: UInt64] = [:]
  /// The rules by which the deciders check the alternative history.
  public var rules: Rules = .climb
  /// The rules by which the log's events were decided. An event that these rules forbid in the log
  /// itself is not reported in `refusals`. An app with other rules than `.climb` sets this property
  /// and `rules`.
  public var rulesThatHeld: Rules = .climb
  /// Whether events are decided again. Then refused events do not happen, and an event that the
  /// deciders would now record differently happens in that form.
  public var redecides = false
  /// The position of the last event to read.
  public var until = UInt64.max

  /// Creates an alternative history that equals the log. Set its properties to change it.
  public init() {}

  /// An event that the deciders refuse in the alternative history, but not in the log.
  public struct Refusal: Equatable, Sendable {
    /// The event's position in the log; nil if the event was inserted.
    public var seq: UInt64?
    /// The event's time.
    public var time: Timestamp
    /// The event's actor.
    public var actor: String
    /// The event's type.
    public var type: EventType
    /// The reason why the deciders refuse the event.
    public var reason: Audit.Finding.Reason

    /// The reason as a sentence.
    public var sentence: String { Audit.Finding(seq: 0, type: type, reason: reason).sentence }
  }

  /// The differences between the alternative history and the log.
  public struct Outcome: Sendable {
    /// The refused events, in the order in which they happen in the alternative history.
    public var refusals: [Refusal] = []
    /// The number of events in the alternative history.
    public var count = 0
    /// The differences between the two states after the last event, sorted by path. Empty unless
    /// `comparing` was true.
    public var changes: [Change] = []
  }

  /// Reads the log once and applies the log's history and the alternative history. If `comparing`
  /// is true, compares the two states after the last event.
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
      // Skips an app's own events, because no compared state depends on them.
      if event.type != .app { pass.take(copy event, actor, moment, endsCommit) }
      if endsCommit { pass.endCommit() }
    }
    return pass.finish(names)
  }

  /// The projections after one of the two histories: the log's or the alternative one.
  private struct Branch {
    var views = Boxed(Views())
    var seq: UInt64 = 0

    mutating func apply(_ event: Event, _ time: Timestamp) {
      seq += 1
      views.value.apply(event, at: Moment(seq: seq, time: time))
    }

    mutating func facts(_ names: Names) -> [Fact] {
      views.value.settle()
      return views.value.facts(names).sorted { $0.path < $1.path }
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
    /// An audit of the log's own history.
    private var audit: Boxed<Audit>
    /// The deciders' states in the alternative history.
    private var aggregates = Boxed(AggregateStates())
    private var insertions: [Coming] = []
    private var movedTo: [UInt64: [Coming]] = [:]
    private var lastTime = Timestamp.earliest
    private var refusedAnyway: Set<UInt64> = []
    private var refused: [(coming: Coming, reason: Audit.Finding.Reason)] = []
    /// The user blocks in the commit that is being read, as they happen in the alternative history.
    private var blocks: [(coming: Coming, block: Block)] = []
    private var count = 0

    init(_ whatIf: WhatIf, _ isComparing: Bool) {
      (self.whatIf, self.isComparing) = (whatIf, isComparing)
      audit = Boxed(Audit(rules: whatIf.rulesThatHeld))
    }

    /// Reads the events to move from the log, and parses the events to insert.
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
      // Sorts the events so that the next one to happen is the last element.
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
      var seqs: [UInt64] = []
      audit.value.apply(event, actor: actor, at: moment, endsCommit: endsCommit) {
        seqs.append($0.seq)
      }
      refusedAnyway.formUnion(seqs)
      if isComparing { actual.apply(event, moment.time) }
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

    /// Checks the user blocks of a finished commit. With `redecides`, a block after which the two
    /// users still have a relationship is reported but still happens: other events of its commit
    /// have already happened.
    mutating func endCommit() {
      var seqs: [UInt64] = []
      audit.value.endCommit { seqs.append($0.seq) }
      refusedAnyway.formUnion(seqs)
      for (coming, block) in blocks where (try? aggregates.value.finish(block)) == nil {
        refused.append((coming, .refused(.blockIncomplete)))
      }
      blocks.removeAll()
    }

    /// Makes an event happen in the alternative history.
    ///
    /// - Parameter endsCommit: whether the event is the last of its commit.
    private mutating func happen(_ coming: Coming, endsCommit: Bool = true) {
      var event: Event? = coming.event
      let (actor, time) = (coming.actor, coming.time)
      if let reason = aggregates.value.reason(coming.event, actor, at: time, whatIf.rules) {
        refused.append((coming, reason))
        if whatIf.redecides {
          event = try? coming.event.decide(in: aggregates.value, by: actor, at: time, whatIf.rules)
        }
      } else if case .block(.blocked(let block)) = coming.event {
        if !endsCommit {
          blocks.append((coming, block))
        } else if aggregates.value.isTied(block.user, block.other) {
          refused.append((coming, .refused(.blockIncomplete)))
          if whatIf.redecides { event = nil }
        }
      }
      guard let event else { return }
      count += 1
      aggregates.value.apply(event, at: time)
      if isComparing { other.apply(event, coming.time == .latest ? lastTime : coming.time) }
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
