import Events

/// A user, workout, comment or handle that a path or a condition names, and where it does.
///
/// ```swift
/// StatePath.ids(in: "followers/ada.count")                 // user 'ada', at character 10
/// try Expression("followers/ada contains pim").ids.map { $0.id }  // ["ada", "pim"]
/// ```
public struct NamedID: Equatable, Sendable {
  public enum Kind: String, Sendable {
    case user = "USER"
    case workout = "WORKOUT"
    case comment = "COMMENT"
    case handle = "HANDLE"
  }

  public var kind: Kind
  public var id: String
  /// The character at which it begins, counted from 0.
  public var offset: Int

  public init(_ kind: Kind, _ id: String, offset: Int) {
    (self.kind, self.id, self.offset) = (kind, id, offset)
  }
}

extension StatePath {
  /// The ids that a path names, in order; as far as it can be read.
  public static func ids(in text: String) -> [NamedID] {
    var reader = Reader(Array(text))
    _ = try? reader.path()
    return reader.ids
  }

  /// Whose ids its values are, or the items of its list; nil for other texts and numbers.
  var valueKind: NamedID.Kind? {
    switch (kind, members) {
    case (.followers, []), (.following, []), (.friends, []), (.requests, []), (.pending, []),
      (.chups, []), (.chups, ["big"]), (.handle, []), (.workout, ["owner"]), (.comment, ["user"]),
      (.comment, ["hearts"]):
      .user
    case (.workouts, []), (.comment, ["workout"]): .workout
    case (.comments, []), (.comment, ["replyTo"]): .comment
    default: nil
    }
  }
}

extension TimeTravel {
  /// The first of some ids that occurs nowhere in the log, however late; nil if all of them do. Who
  /// acts occurs, even where no event is about them.
  /// - Complexity: O(1) an id, once the index is open; a search through the log's bytes for a user
  ///   whom it has not, since it knows nothing of those who only act.
  public func firstUnknown(among ids: [NamedID]) async throws(LogError) -> NamedID? {
    for id in try await unmentioned(among: ids) {
      guard id.kind == .user else { return id }
      if try !view.contains(Array(#""actor":"\#(id.id)""#.utf8)) { return id }
    }
    return nil
  }

  private func unmentioned(among ids: [NamedID]) async throws(LogError) -> [NamedID] {
    try await asking { (index) throws(LogError) in
      ids.filter { id in
        switch id.kind {
        case .user: index.names.find(user: id.id) == nil
        case .workout: index.names.find(workout: id.id) == nil
        case .comment: index.names.find(comment: id.id) == nil
        case .handle: index.projection.key(ofHandle: id.id) == nil
        }
      }
    }
  }

  /// What an id may have been meant to be: the ids of its kind that events name and that begin as
  /// it does, or differ from it in one place. Of handles those that somebody has now.
  /// - Complexity: O(ids of the log); of handles a replay of the profiles.
  public func candidates(for id: NamedID) async throws(LogError) -> [String] {
    let word = Array(id.id.utf8)
    if id.kind == .handle {
      let handles = try await facts(at: .max, under: StatePath(kind: .handle))
      return handles.map { String($0.path.dropFirst("handle/".count)).filter { $0 != "\"" } }
        .filter { isNear(word, $0) }
    }
    return try await asking { (index) throws(LogError) in
      let names = index.names
      switch id.kind {
      case .workout:
        return (0..<UInt32(names.workoutCount)).lazy.map { names[WorkoutID(index: $0)] }
          .filter { isNear(word, $0) }
      case .comment:
        return (0..<UInt32(names.commentCount)).lazy.map { names[CommentID(index: $0)] }
          .filter { isNear(word, $0) }
      case .user, .handle:
        return (0..<UInt32(names.userCount)).lazy.map { names[UserID(index: $0)] }
          .filter { isNear(word, $0) }
      }
    }
  }
}

/// Whether a name begins with the word, or is the word but for one run of at most half of it.
private func isNear(_ word: [UInt8], _ name: String) -> Bool {
  var name = name
  return name.withUTF8 { name in
    func same(_ a: Int, _ b: Int) -> Bool { lowercased(word[a]) == lowercased(name[b]) }
    let (shorter, longer) = (min(word.count, name.count), max(word.count, name.count))
    var (prefix, suffix) = (0, 0)
    while prefix < shorter, same(prefix, prefix) { prefix += 1 }
    if prefix == word.count { return true }
    while suffix < shorter - prefix, same(word.count - 1 - suffix, name.count - 1 - suffix) {
      suffix += 1
    }
    return longer - prefix - suffix <= max(2, longer / 2)
  }
}

private func lowercased(_ byte: UInt8) -> UInt8 {
  (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}
