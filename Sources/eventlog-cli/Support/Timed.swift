import Events
import Projections

/// Which projections of the catalogue a pass has: those with even numbers, counted from 0, or odd.
protocol Half {
  static var isOdd: Bool { get }
}
enum EvenHalf: Half { static let isOdd = false }
enum OddHalf: Half { static let isOdd = true }

/// Every other projection, with the time that each takes to apply events: two of these take about
/// equally long, one for each of two cores.
struct Timed<Part: Half>: Projection {
  static var name: String { "timed" }
  static var version: Int { 1 }
  /// Of its own half, so that lines which only the other half looks at are not decoded.
  static var handles: EventTypes {
    var (views, visitor) = (Views(), HandledTypes(isOdd: Part.isOdd))
    views.forEach(&visitor)
    return visitor.types
  }

  private var views = Views()
  /// By the projection's number; nil for the projections left out.
  private(set) var times: [(name: String, seconds: Double)?] = []

  init() {}

  private struct Clock: ProjectionVisitor {
    /// What to apply; nil to settle.
    var batch: EventBatch?
    var number = 0
    var times: [(name: String, seconds: Double)?]

    mutating func visit<P: ExplainedProjection>(_ projection: inout P) {
      defer { number += 1 }
      if times.count == number {
        times.append(number % 2 == (Part.isOdd ? 1 : 0) ? (P.name, 0) : nil)
      }
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

private struct HandledTypes: ProjectionVisitor {
  let isOdd: Bool
  var types: EventTypes = []
  private var number = 0

  init(isOdd: Bool) { self.isOdd = isOdd }

  mutating func visit<P: ExplainedProjection>(_ projection: inout P) {
    if number % 2 == (isOdd ? 1 : 0) { types = types.union(P.handles) }
    number += 1
  }
}
