/// A projection that measures how long each standard projection takes to apply events. It also
/// checks each event against the domain's rules.
struct Timed: Projection {
  static var name: String { "timed" }
  static var version: Int { 1 }
  static var handles: EventTypes { Views.handles }
  static var readsActors: Bool { true }

  private var views = Views()
  private var audit: Audit
  /// The position after which events that break the rules are reported.
  private let from: UInt64
  private(set) var findings: [Audit.Finding] = []
  /// The time that each projection took, in the order of the projections in `Views`.
  private(set) var times: [(name: String, seconds: Double)] = []
  private(set) var judgingSeconds = 0.0

  init() { self.init(RuleHistory(.climb), from: 0) }

  init(_ rules: RuleHistory, from: UInt64) {
    audit = Audit(rules)
    self.from = from
    clock(nil, 0..<0)
  }

  /// Applies a batch of events to the projections of the given parts, and measures the time. If the
  /// batch is nil, calls each projection's `settle`, which finishes postponed work.
  private mutating func clock(_ batch: EventBatch?, _ parts: Range<Int>) {
    struct Clock: ProjectionVisitor {
      let batch: EventBatch?
      let parts: Range<Int>
      var times: [(name: String, seconds: Double)]
      var number = 0

      mutating func visit<P: ExplainedProjection>(_ projection: inout P) {
        defer { number += 1 }
        if times.count == number { times.append((P.name, 0)) }
        guard parts.contains(Views.part(of: P.self)) else { return }
        let start = monotonicSeconds()
        if let batch { projection.apply(batch) } else { projection.settle() }
        times[number].seconds += monotonicSeconds() - start
      }
    }
    var clock = Clock(batch: batch, parts: parts, times: times)
    views.forEach(&clock)
    times = clock.times
  }

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
    judgingSeconds += monotonicSeconds() - start
  }

  mutating func apply(_ batch: borrowing EventBatch) {
    clock(copy batch, 0..<Views.partCount)
    judge(batch)
  }

  /// The number of parts that replays run in parallel: the parts of `Views`, and one part that
  /// checks events against the rules.
  static var partCount: Int { Views.partCount + 1 }

  mutating func apply(_ batch: borrowing EventBatch, toPart part: Int) {
    if part < Views.partCount { clock(copy batch, part..<part + 1) } else { judge(batch) }
  }

  mutating func takePart(_ part: Int, of other: Timed) {
    if part < Views.partCount {
      views.takePart(part, of: other.views)
      for index in times.indices { times[index].seconds += other.times[index].seconds }
    } else {
      (audit, findings) = (other.audit, other.findings)
      judgingSeconds = other.judgingSeconds
    }
  }

  /// Applies a single event. Replays do not use this function, because they apply batches.
  mutating func apply(_ event: borrowing Event, at moment: Moment) {
    views.apply(event, at: moment)
  }

  mutating func settle() { clock(nil, 0..<Views.partCount) }
}
