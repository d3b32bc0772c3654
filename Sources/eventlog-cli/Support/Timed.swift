/// A projection that measures how long each standard projection takes to apply events.
struct Timed: Projection {
  static var name: String { "timed" }
  static var version: Int { 1 }
  static var handles: EventTypes { Views.handles }

  private var views = Views()
  /// The time that each projection took, in the order of the projections in `Views`.
  private(set) var times: [(name: String, seconds: Double)] = []

  init() { clock(nil, 0..<0) }

  /// Applies batches of events to the projections of the given parts, and measures the time. If
  /// `batches` is nil, calls each projection's `settle`, which finishes postponed work.
  private mutating func clock(_ batches: [EventBatch]?, _ parts: Range<Int>) {
    struct Clock: ProjectionVisitor {
      let batches: [EventBatch]?
      let parts: Range<Int>
      var times: [(name: String, seconds: Double)]
      var number = 0

      mutating func visit<P: ExplainedProjection>(_ projection: inout P) {
        defer { number += 1 }
        if times.count == number { times.append((P.name, 0)) }
        guard parts.contains(Views.part(of: P.self)) else { return }
        let start = monotonicSeconds()
        if let batches {
          for batch in batches { projection.apply(batch) }
        } else {
          projection.settle()
        }
        times[number].seconds += monotonicSeconds() - start
      }
    }
    var clock = Clock(batches: batches, parts: parts, times: times)
    views.forEach(&clock)
    times = clock.times
  }

  mutating func apply(_ batch: borrowing EventBatch) { clock([copy batch], 0..<Views.partCount) }

  static var partCount: Int { Views.partCount }

  mutating func apply(_ batches: [EventBatch], toPart part: Int) {
    clock(batches, part..<part + 1)
  }

  mutating func takePart(_ part: Int, of other: Timed) {
    views.takePart(part, of: other.views)
    for index in times.indices { times[index].seconds += other.times[index].seconds }
  }

  /// Applies a single event. Replays do not use this function, because they apply batches.
  mutating func apply(_ event: borrowing Event, at moment: Moment) {
    views.apply(event, at: moment)
  }

  mutating func settle() { clock(nil, 0..<Views.partCount) }
}

/// A projection like `Timed` that also checks each event against the domain's rules. The checks
/// take about half as long as the projections.
struct TimedAndJudged: Projection {
  static var name: String { Timed.name }
  static var version: Int { Timed.version }
  static var handles: EventTypes { Timed.handles }
  static var readsActors: Bool { true }

  private(set) var timed = Timed()
  private var audit: Audit
  /// The position after which events that break the rules are reported.
  private let from: UInt64
  private(set) var findings: [Audit.Finding] = []
  /// The time that the checks took.
  private(set) var seconds = 0.0

  init() { self.init(RuleHistory(unrecorded: .climb), from: 0) }

  init(_ rules: RuleHistory, from: UInt64) { (audit, self.from) = (Audit(rules), from) }

  private mutating func judge(_ batch: borrowing EventBatch) {
    let start = monotonicSeconds()
    for event in batch.events { audit.prefetch(event) }
    for (index, event) in batch.events.enumerated() {
      let moment = batch.moments[index]
      audit.apply(
        event, actor: batch.actors[index], at: moment, endsCommit: batch.endsCommit[index]
      ) { finding in
        if finding.seq > from { findings.append(finding) }
      }
    }
    seconds += monotonicSeconds() - start
  }

  mutating func apply(_ batch: borrowing EventBatch) {
    timed.apply(batch)
    judge(batch)
  }

  /// The parts of `Timed`, and one part that checks events against the rules.
  static var partCount: Int { Timed.partCount + 1 }

  mutating func apply(_ batches: [EventBatch], toPart part: Int) {
    if part < Timed.partCount { return timed.apply(batches, toPart: part) }
    for batch in batches { judge(batch) }
  }

  mutating func takePart(_ part: Int, of other: TimedAndJudged) {
    if part < Timed.partCount {
      timed.takePart(part, of: other.timed)
    } else {
      (audit, findings, seconds) = (other.audit, other.findings, other.seconds)
    }
  }

  /// Applies a single event. Replays do not use this function, because they apply batches.
  mutating func apply(_ event: borrowing Event, at moment: Moment) {
    timed.apply(event, at: moment)
  }

  mutating func settle() { timed.settle() }
}
