import Events
import Projections

/// Every other projection, with the time that each takes to apply events: two of these take about
/// equally long, one for each of two cores.
struct Timed: Projection {
  static let name = "timed"
  static let version = 1
  static let handles = EventTypes.all

  /// Whether these are the odd-numbered projections of the catalogue, counted from 0.
  private var isOdd = false
  private var views = Views()
  /// By the projection's number; nil for the projections left out.
  private(set) var times: [(name: String, seconds: Double)?] = []

  init() {}
  init(isOdd: Bool) { self.isOdd = isOdd }

  private struct Clock: ProjectionVisitor {
    var isOdd: Bool
    /// What to apply; nil to settle.
    var batch: EventBatch?
    var number = 0
    var times: [(name: String, seconds: Double)?]

    mutating func visit<P: ExplainedProjection>(_ projection: inout P) {
      defer { number += 1 }
      if times.count == number { times.append(number % 2 == (isOdd ? 1 : 0) ? (P.name, 0) : nil) }
      guard times[number] != nil else { return }
      let start = monotonicSeconds()
      if let batch { projection.apply(batch) } else { projection.settle() }
      times[number]?.seconds += monotonicSeconds() - start
    }
  }

  private mutating func run(_ batch: EventBatch?) {
    var clock = Clock(isOdd: isOdd, batch: batch, times: times)
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
