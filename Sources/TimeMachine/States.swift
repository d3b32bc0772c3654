import Events
import Projections

/// The states of one projection at any position: replayed from the nearest one that is kept.
///
/// - Complexity: going forward costs the events in between; going back those since the last state
///   that is kept, of which there are at most `most`.
struct States<P: Projection>: Sendable {
  private let view: LogBytes
  private let every: UInt64
  private static var most: UInt64 { 12 }
  /// Ascending; the first is of the empty log.
  private var kept: [Kept]
  /// The one asked for last, which moves on.
  private var last: Replay<P>

  /// A state of everything is hundreds of members: a reference to it is copied at no cost.
  private final class Kept: Sendable {
    let state: Replay<P>
    init(_ state: Replay<P>) { self.state = state }
  }

  /// - Parameter head: the position of the last event.
  init(_ view: LogBytes, head: UInt64) {
    self.view = view
    every = max(head / Self.most, 2_000)
    last = Replay<P>()
    kept = [Kept(last)]
  }

  /// Asks the state after the event at a position.
  mutating func ask<Answer>(
    at position: UInt64, _ body: (borrowing Replay<P>) -> Answer
  ) throws(LogError) -> Answer {
    let nearest = kept.last { $0.state.head.seq <= position } ?? kept[0]
    if last.head.seq > position || last.head.seq < nearest.state.head.seq { last = nearest.state }
    while true {
      let next = (kept[kept.count - 1].state.head.seq / every + 1) * every
      if last.head.seq >= next || next > position { break }
      try last.apply(view, until: next, unknown: .skip)
      kept.append(Kept(last))
    }
    try last.apply(view, until: position, unknown: .skip)
    return body(last)
  }
}
