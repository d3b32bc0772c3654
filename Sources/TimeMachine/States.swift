import Events
import Projections

/// The states of one projection at any position. Some states are kept, and each other state is
/// replayed from the nearest kept one before it.
///
/// - Complexity: Asking about a position after the last one costs the events in between. Asking
///   about an earlier one costs the events since the nearest kept state. Keeps about `most` states.
struct States<P: Projection>: Sendable {
  private let view: LogBytes
  private let every: UInt64
  private static var most: UInt64 { 12 }
  /// The kept states by ascending position; the first is the state before any event.
  private var kept: [Kept]
  /// The state that the last question used. The next question continues from it if possible.
  private var last: Replay<P>

  /// A kept state. It is a class because a state has hundreds of stored properties and a reference
  /// is cheap to copy.
  private final class Kept: Sendable {
    let state: Replay<P>
    init(_ state: Replay<P>) { self.state = state }
  }

  /// - Parameter head: The position of the log's last event.
  init(_ view: LogBytes, head: UInt64) {
    self.view = view
    every = max(head / Self.most, 2_000)
    last = Replay<P>()
    kept = [Kept(last)]
  }

  /// Returns the answer to a question about the state after the event at a position.
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
