import Events
import Projections

/// One of the two passes in which `replay` rebuilds the projections, one for each of two cores.
protocol ReplayPass {
  /// Whether it has the projections that look at profiles or friendships; the other has the rest,
  /// takes about as long, and need not decode those lines.
  static var isOfPeople: Bool { get }
}
enum PeoplePass: ReplayPass { static let isOfPeople = true }
enum ActivityPass: ReplayPass { static let isOfPeople = false }

extension ReplayPass {
  static func has<P: Projection>(_: P.Type) -> Bool {
    let people = EventTypes.friendship.union([.profileEdited])
    return (P.handles.bits & people.bits != 0) == isOfPeople
  }
}

/// The projections of one pass, with the time that each takes to apply events.
struct Timed<Pass: ReplayPass>: Projection {
  static var name: String { "timed" }
  static var version: Int { 1 }
  static var handles: EventTypes {
    var (views, visitor) = (Views(), HandledTypes<Pass>())
    views.forEach(&visitor)
    return visitor.types
  }

  private var views = Views()
  /// By the projection's number in the catalogue; nil for those of the other pass.
  private(set) var times: [(name: String, seconds: Double)?] = []

  init() {}

  private struct Clock: ProjectionVisitor {
    /// What to apply; nil to settle.
    var batch: EventBatch?
    var number = 0
    var times: [(name: String, seconds: Double)?]

    mutating func visit<P: ExplainedProjection>(_ projection: inout P) {
      defer { number += 1 }
      if times.count == number { times.append(Pass.has(P.self) ? (P.name, 0) : nil) }
      guard times[number] != nil else { return }
      let start = monotonicSeconds()
      if let batch { projection.apply(batch) } else { projection.settle() }
      times[number]?.seconds += monotonicSeconds() - start
    }
  }

  private mutating func run(_ batch: EventBatch?) {
    var clock = Clock(batch: batch, times: times)
    views.forEach(&clock)
    times = clock.times
  }

  mutating func apply(_ batch: borrowing EventBatch) { run(copy batch) }

  /// Replays apply batches.
  mutating func apply(_ event: borrowing Event, at moment: Moment) {
    views.apply(event, at: moment)
  }

  mutating func settle() { run(nil) }
}

private struct HandledTypes<Pass: ReplayPass>: ProjectionVisitor {
  var types: EventTypes = []

  mutating func visit<P: ExplainedProjection>(_ projection: inout P) {
    if Pass.has(P.self) { types = types.union(P.handles) }
  }
}
