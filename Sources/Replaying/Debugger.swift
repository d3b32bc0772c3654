import EventLog
import Events
import Projections

/// A debugger for a log's history. It has a position, and can step and continue forward or back to
/// breakpoints.
///
/// ```swift
/// var debugger = try await Debugger(travel)
/// try await debugger.add(.actor("bob"))
/// _ = try debugger.go(.forward) { false }  // to bob's first event: it ends at breakpoint 1
/// try await travel.facts(at: debugger.position, under: path)
/// ```
/// - Complexity: a step costs nothing. Continuing reads the events in between; for breakpoints with
///   conditions, only the events that can affect them.
public struct Debugger<H: History>: Sendable {
  /// The source of the state at the debugger's position.
  public let travel: TimeTravel<H>
  /// The debugger's position: the state after this event is examined; 0 is the state before the
  /// first event.
  public private(set) var position: UInt64
  /// The position of the log's last event.
  public let head: UInt64
  /// The breakpoints, in the order in which they were added.
  public private(set) var breakpoints: [Breakpoint] = []
  private var made = 0

  /// The kind of event at which a breakpoint stops.
  public enum Stop: Equatable, Sendable {
    /// Stops at events of the type with this wire name.
    case type(String)
    /// Stops at events that this actor caused.
    case actor(String)
    /// Stops at events at which the condition becomes true.
    case condition(Expression)
    /// Stops at events at which the condition becomes true or false.
    case turns(Expression)
    /// Stops at events that change anything under the path.
    case changes(StatePath)
  }

  /// A breakpoint with its number.
  public struct Breakpoint: Sendable {
    /// The breakpoint's number, from 1. A removed breakpoint's number is not used again.
    public var number: Int
    /// The kind of event to stop at.
    public var stop: Stop
    /// The positions of all events to stop at, ascending; nil if `go` must read the events to find
    /// them.
    var positions: [UInt64]?
  }

  /// The direction of `step` or `go`.
  public enum Direction: Sendable { case forward, back }

  /// The reason why `go` ended.
  public enum End: Equatable, Sendable {
    /// The debugger reached an event at which the breakpoint with this number stops.
    case breakpoint(Int)
    /// The debugger reached the first or last position, and no breakpoint stopped it.
    case end
    /// `isInterrupted` returned true.
    case interrupted
  }

  /// Creates a debugger whose position is the log's last event.
  public init(_ travel: TimeTravel<H>) async throws(LogError) {
    self.travel = travel
    head = try travel.view.head().seq
    position = head
  }

  /// Adds a breakpoint, and returns its number.
  @discardableResult
  public mutating func add(_ stop: Stop) async throws(LogError) -> Int {
    var positions: [UInt64]?
    switch stop {
    case .type, .actor: break
    case .condition(let condition):
      positions = try await travel.turns(of: condition).turns.filter { $0.becomes }.map {
        $0.event.seq
      }
    case .turns(let condition):
      positions = try await travel.turns(of: condition).turns.map { $0.event.seq }
    case .changes(let path):
      positions = try await travel.timeline(of: path).steps.map { $0.event.seq }
    }
    made += 1
    breakpoints.append(Breakpoint(number: made, stop: stop, positions: positions))
    return made
  }

  /// Removes a breakpoint; returns false if there is none with this number.
  public mutating func remove(_ number: Int) -> Bool {
    let count = breakpoints.count
    breakpoints.removeAll { $0.number == number }
    return breakpoints.count < count
  }

  /// Moves to a position, but not beyond the log's last event.
  public mutating func move(to position: UInt64) { self.position = min(position, head) }

  /// Moves forward or back by `count` events, or by fewer at the log's ends.
  /// - Returns: false if the position did not change.
  public mutating func step(_ direction: Direction, _ count: UInt64 = 1) -> Bool {
    let old = position
    switch direction {
    case .forward: position += min(count, head - position)
    case .back: position -= min(count, position)
    }
    return position != old
  }

  /// Moves forward or back to the next event at which a breakpoint stops, or to the log's end or
  /// beginning.
  /// - Parameter isInterrupted: called from time to time. If it returns true, `go` ends at the
  ///   position that it has reached.
  public mutating func go(
    _ direction: Direction, isInterrupted: () -> Bool
  ) throws(LogError) -> End {
    var best: (position: UInt64, number: Int)?
    func isNearer(_ found: UInt64) -> Bool {
      guard let best else { return true }
      return direction == .forward ? found < best.position : found > best.position
    }
    for breakpoint in breakpoints {
      guard let positions = breakpoint.positions,
        let found = direction == .forward
          ? positions.first(where: { $0 > position }) : positions.last(where: { $0 < position })
      else { continue }
      if isNearer(found) { best = (found, breakpoint.number) }
    }
    let limit = best?.position ?? (direction == .forward ? head : 0)
    let (found, end) = try look(direction, limit, isInterrupted)
    if let found { best = found }
    if let end {
      position = end
      return .interrupted
    }
    position = best?.position ?? (direction == .forward ? head : 0)
    return best.map { .breakpoint($0.number) } ?? .end
  }

  /// Reads events in pieces, from the current position to `limit`, to find the nearest stop.
  /// - Returns: a breakpoint's position and number, or the position at which the search was
  ///   interrupted.
  private func look(
    _ direction: Direction, _ limit: UInt64, _ isInterrupted: () -> Bool
  ) throws(LogError) -> (found: (position: UInt64, number: Int)?, interrupted: UInt64?) {
    let wanted = breakpoints.filter { $0.positions == nil }
    if wanted.isEmpty { return (nil, nil) }
    var at = position
    var size: UInt64 = 256
    while direction == .forward ? at < limit : at > limit + 1 {
      if isInterrupted() { return (nil, at) }
      let piece =
        direction == .forward
        ? (at, min(limit, at + size)) : (max(limit, at - min(size + 1, at)), at - 1)
      var found: (UInt64, Int)?
      try travel.view.forEachLine(after: piece.0, until: piece.1) { line in
        if let hit = wanted.first(where: { $0.stops(at: line.event) }) {
          found = (line.event.seq, hit.number)
        }
        return direction == .back || found == nil
      }
      if let found { return (found, nil) }
      at = direction == .forward ? piece.1 : piece.0 + 1
      size = min(size * 4, 8_192)
    }
    return (nil, nil)
  }
}

extension Debugger.Breakpoint {
  fileprivate func stops(at event: RecordedEvent) -> Bool {
    switch stop {
    case .type(let type): event.type == type
    case .actor(let actor): event.actor == actor
    case .condition, .turns, .changes: false
    }
  }
}
