import Events

/// One piece of state that is not what it was.
public struct Change: Equatable, Sendable {
  public var path: String
  /// Its value before and after; nil where it is not there.
  public var before: String?
  public var after: String?

  public init(_ path: String, before: String?, after: String?) {
    self.path = path
    self.before = before
    self.after = after
  }

  /// What differs between two states, both in the order of their paths.
  /// - Complexity: O(facts).
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
  /// What came to a list and what left it, in the lists' order; nil for a piece of state that is no
  /// list.
  public var items: (added: [String], removed: [String])? {
    let path = StatePath(path)
    let isList =
      switch path?.kind {
      case "chups", "comments", "workouts", "notifications": true
      case "followers", "following": !self.path.hasSuffix(".count")
      case "comment": self.path.hasSuffix(".hearts")
      default: false
      }
    guard isList else { return nil }
    func items(_ value: String?) -> [String] {
      guard let value, !value.isEmpty else { return [] }
      return value.split(separator: ", ").map(String.init)
    }
    let (old, new) = (items(before), items(after))
    let (wasThere, isThere) = (Set(old), Set(new))
    return (new.filter { !wasThere.contains($0) }, old.filter { !isThere.contains($0) })
  }
}

extension [Fact] {
  /// The state after some changes, in the order of the paths.
  public func applying(_ changes: [Change]) -> [Fact] {
    var values = Dictionary(map { ($0.path, $0.value) }) { first, _ in first }
    for change in changes { values[change.path] = change.after }
    return values.map { Fact($0.key, $0.value) }.sorted { $0.path < $1.path }
  }
}

/// A name of one piece of state, or of several: `followers/alice.count`, `profile/alice`,
/// `relationship/alice/bob`, `workout`.
///
/// It is what a fact's path begins with, up to a `/` or a `.`.
public struct StatePath: Equatable, Sendable {
  public let text: String

  /// The pieces of state there are, by the first word of their paths.
  public static let kinds = [
    "chups", "comment", "comments", "followers", "following", "leaderboard", "notifications",
    "profile", "relationship", "search", "workout", "workouts",
  ]

  /// - Returns: nil where the first word is none of `kinds`.
  public init?(_ text: String) {
    guard Self.kinds.contains(String(text.prefix { $0 != "/" && $0 != "." })) else { return nil }
    self.text = text
  }

  public var kind: String { String(text.prefix { $0 != "/" && $0 != "." }) }

  public func contains(_ path: String) -> Bool {
    guard path.utf8.starts(with: text.utf8) else { return false }
    guard let next = path.utf8.dropFirst(text.utf8.count).first else { return true }
    return next == UInt8(ascii: "/") || next == UInt8(ascii: ".") || text.hasSuffix("/")
  }
}
