import Events

/// A change of one value in the state.
public struct Change: Equatable, Sendable {
  /// The path of the value.
  public var path: String
  /// The value before the change; nil if it was missing.
  public var before: JSONValue?
  /// The value after the change; nil if it is missing.
  public var after: JSONValue?

  /// Creates a change.
  public init(_ path: String, before: JSONValue?, after: JSONValue?) {
    (self.path, self.before, self.after) = (path, before, after)
  }

  /// Returns the differences between two states that are both sorted by path.
  /// - Complexity: O(facts in both states).
  public static func between(_ old: [Fact], _ new: [Fact]) -> [Change] {
    var changes: [Change] = []
    var (i, j) = (0, 0)
    while i < old.count || j < new.count {
      if j == new.count || i < old.count && old[i].path < new[j].path {
        changes.append(Change(old[i].path, before: old[i].value, after: nil))
        i += 1
      } else if i == old.count || new[j].path < old[i].path {
        changes.append(Change(new[j].path, before: nil, after: new[j].value))
        j += 1
      } else {
        if old[i].value != new[j].value {
          changes.append(Change(old[i].path, before: old[i].value, after: new[j].value))
        }
        i += 1
        j += 1
      }
    }
    return changes
  }
}

extension Change {
  /// If the value is a list: the items added and removed, in the list's order. Otherwise nil.
  public var items: (added: [String], removed: [String])? {
    func items(_ value: JSONValue?) -> [String]? {
      guard let value else { return [] }
      guard case .array(let values) = value else { return nil }
      return values.map { $0.words }
    }
    guard before != nil || after != nil, let old = items(before), let new = items(after) else {
      return nil
    }
    let (wasThere, isThere) = (Set(old), Set(new))
    return (new.filter { !wasThere.contains($0) }, old.filter { !isThere.contains($0) })
  }
}

extension [Fact] {
  /// Returns this state with some changes applied, sorted by path.
  public func applying(_ changes: [Change]) -> [Fact] {
    var values = Dictionary(firstOf: lazy.map { ($0.path, $0.value) })
    for change in changes { values[change.path] = change.after }
    return values.map { Fact($0.key, $0.value) }.sorted { $0.path < $1.path }
  }
}
