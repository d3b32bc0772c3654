import Events

extension Expression {
  /// The times at which a condition became true or false.
  public struct Turns: Equatable, Sendable {
    /// Whether the condition was true at the first position examined.
    public var startsTrue: Bool
    /// The events at which the condition became true or false, in log order.
    public var turns: [Turn]

    /// Returns whether the condition is true after the event at a position.
    public func isTrue(at position: UInt64) -> Bool {
      turns.last { $0.event.seq <= position }?.becomes ?? startsTrue
    }

    /// The positions of the events at which the condition became false, ascending.
    public var failures: [UInt64] { turns.filter { !$0.becomes }.map { $0.event.seq } }

    /// Returns the position that a bisection between two positions finds.
    ///
    /// The condition must be true at `good` and false at `bad`. The result is one of the
    /// `failures`. If there are several between the two, it is not necessarily the first.
    public func bisected(good: UInt64, bad: UInt64) -> UInt64 {
      var (low, high) = (good, bad)
      while high - low > 1 {
        let middle = low + (high - low) / 2
        if isTrue(at: middle) { low = middle } else { high = middle }
      }
      return high
    }
  }

  /// An event at which a condition became true or false.
  public struct Turn: Equatable, Sendable {
    /// The event at which the condition became true or false.
    public var event: Timeline.Cause
    /// Whether the condition became true; otherwise it became false.
    public var becomes: Bool
  }
}

extension TravelIndex {
  /// Returns the events after a position at which a condition becomes true or false.
  public func turns(
    of condition: Expression, after: UInt64 = 0, until: UInt64 = .max
  ) throws(LogError) -> Expression.Turns {
    var values: [StatePath: Expression.Value] = [:]
    var steps: [(step: Timeline.Step, path: StatePath)] = []
    for path in condition.paths {
      let relevant = try relevant(path, until: until)
      let state = PathState(path, catalogue, relevant.events.prefix { $0.moment.seq <= after })
      values[path] = Expression.Value(state.value(relevant.names))
      var replayed = PathState(path, catalogue)
      steps += Timeline(of: path, relevant, after: after, &replayed).steps.map { ($0, path) }
    }
    steps.sort { $0.step.event.seq < $1.step.event.seq }
    var isTrue = condition.isTrue { values[$0] ?? .none }
    var result = Expression.Turns(startsTrue: isTrue, turns: [])
    for (index, (step, path)) in steps.enumerated() {
      // The value is removed from the dictionary while it changes, so that a list is not copied.
      var value = values.removeValue(forKey: path) ?? .none
      value.follow(step, path.text)
      values[path] = value
      if index + 1 < steps.count, steps[index + 1].step.event.seq == step.event.seq { continue }
      let now = condition.isTrue { values[$0] ?? .none }
      if now != isTrue { result.turns.append(Expression.Turn(event: step.event, becomes: now)) }
      isTrue = now
    }
    return result
  }
}

extension Expression.Value {
  fileprivate mutating func follow(_ step: Timeline.Step, _ path: String) {
    if let change = step.values.last(where: { $0.path == path }) { self = .init(change.after) }
    guard let change = step.lists.first(where: { $0.path == path }) else { return }
    var items: Set<String> = []
    if case .list(let before) = self { items = before }
    self = .none
    items.subtract(change.removed)
    items.formUnion(change.added)
    self = .list(items)
  }
}
