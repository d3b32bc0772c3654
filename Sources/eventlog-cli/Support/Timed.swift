import Events
import Projections

/// A projection, with the time that it takes to apply what it is given.
struct Timed<P: Projection>: Projection {
  static var name: String { P.name }
  static var version: Int { P.version }
  static var handles: EventTypes { P.handles }

  private(set) var projection = P()
  private(set) var seconds = 0.0

  init() {}

  mutating func apply(_ batch: borrowing EventBatch) {
    let start = monotonicSeconds()
    projection.apply(batch)
    seconds += monotonicSeconds() - start
  }

  mutating func apply(_ event: borrowing Event, at moment: Moment) {
    projection.apply(event, at: moment)
  }

  mutating func settle() {
    let start = monotonicSeconds()
    projection.settle()
    seconds += monotonicSeconds() - start
  }

  func brokenInvariant(_ names: Names) -> String? { projection.brokenInvariant(names) }
}

/// What says how long each of its projections took.
protocol Timing {
  var times: [(name: String, seconds: Double)] { get }
}

extension Timed: Timing {
  var times: [(name: String, seconds: Double)] { [(P.name, seconds)] }
}

extension Pair: Timing where First: Timing, Second: Timing {
  var times: [(name: String, seconds: Double)] { first.times + second.times }
}

/// Every projection, in two parts that take about as long: one for each of two cores.
typealias People = Pair<
  Pair<Timed<FollowerRows>, Timed<Profiles>>,
  Pair<Timed<Search>, Pair<Timed<Relationships>, Timed<Notifications>>>
>
typealias Activities = Pair<
  Pair<Timed<Following>, Timed<Workouts>>,
  Pair<Timed<Chups>, Pair<Timed<Comments>, Timed<Leaderboard>>>
>
