import Events

/// An id or handle in a path or a condition, with its position there.
///
/// ```swift
/// StatePath.ids(in: "followers/ada.count")                 // user 'ada', at character 10
/// try Expression("followers/ada contains pim").ids.map { $0.id }  // ["ada", "pim"]
/// ```
public struct NamedID: Hashable, Sendable {
  /// The kind of an id, with its word in the forms of paths, such as `profile/USER`.
  public enum Kind: String, CaseIterable, Sendable {
    /// A user.
    case user = "USER"
    /// A workout.
    case workout = "WORKOUT"
    /// A comment.
    case comment = "COMMENT"
    /// A group.
    case group = "GROUP"
    /// A message.
    case message = "MESSAGE"
    /// A report.
    case report = "REPORT"
    /// A handle, which is not an id.
    case handle = "HANDLE"

    init(_ kind: IDKind) { self = Self.allCases.first { $0.ids == kind } ?? .handle }

    /// The kind of ids in events; nil for handles.
    public var ids: IDKind? {
      switch self {
      case .user: .user
      case .workout: .workout
      case .comment: .comment
      case .group: .group
      case .message: .message
      case .report: .report
      case .handle: nil
      }
    }
  }

  /// The kind.
  public var kind: Kind
  /// The id or handle.
  public var id: String
  /// The offset of its first character, counted from 0.
  public var offset: Int

  /// Creates a named id.
  public init(_ kind: Kind, _ id: String, offset: Int) {
    (self.kind, self.id, self.offset) = (kind, id, offset)
  }
}

extension StatePath {
  /// Returns the ids in a path, in order; if the text is no path, those before the error.
  public static func ids(in text: String, _ catalogue: Catalogue = .standard) -> [NamedID] {
    var reader = Reader(Array(text), catalogue)
    _ = try? reader.path()
    return reader.ids
  }

  /// The kind of ids that its values or list items are; nil for other texts and numbers.
  var valueKind: NamedID.Kind? { members.isEmpty ? kind.rootIDs : kind.member(members)?.ids }
}

extension NamedID {
  /// Returns whether a name begins with the id, or differs from it in one run of at most half its
  /// length.
  package func isNear(_ name: String) -> Bool {
    let word = Array(id.utf8)
    var name = name
    return name.withUTF8 { name in
      func same(_ a: Int, _ b: Int) -> Bool {
        Folding.lowercased(word[a]) == Folding.lowercased(name[b])
      }
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
}
