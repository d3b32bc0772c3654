import Events

extension Timeline {
  /// A member of the current state, or an item of a list, with the event that last set it.
  public struct Blame: Equatable, Sendable {
    public var path: String
    /// An item of the list at the path.
    public var item: String?
    /// The current value; for an item of a list, the item.
    public var value: JSONValue
    public var event: Cause
  }

  /// Everything present after the last step, with its cause, as `git blame` shows lines: members
  /// sorted by path, items of lists newest first.
  /// - Complexity: O(changes · log changes).
  public func blame() -> [Blame] {
    var values: [String: Blame] = [:]
    var lists: [String: [String: (number: Int, event: Cause)]] = [:]
    for (number, step) in steps.enumerated() {
      for change in step.values {
        values[change.path] = change.after.map {
          Blame(path: change.path, item: nil, value: $0, event: step.event)
        }
      }
      for change in step.lists {
        for item in change.removed { lists[change.path]?[item] = nil }
        for item in change.added { lists[change.path, default: [:]][item] = (number, step.event) }
      }
    }
    let items = lists.mapValues { $0.sorted { $0.value.number > $1.value.number } }
    return (Array(values.keys) + Array(items.keys)).sorted().flatMap { path in
      values[path].map { [$0] }
        ?? items[path, default: []].map {
          Blame(path: path, item: $0.key, value: .string($0.key), event: $0.value.event)
        }
    }
  }
}
