import Events

/// An id or handle in the text of a path or a condition, with its position in that text.
///
/// ```swift
/// StatePath.ids(in: "followers/ada.count")                 // user 'ada', at character 10
/// try Expression("followers/ada contains pim").ids.map { $0.id }  // ["ada", "pim"]
/// ```
public struct NamedID: Hashable, Sendable {
  /// The kind of an id. The raw value stands for the id in forms of paths, such as `profile/USER`.
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

    /// The kind that such an id has in events; nil for handles, which are not ids in events.
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

  /// The kind of the id.
  public var kind: Kind
  /// The text of the id or handle.
  public var id: String
  /// The offset of the first character of the id in the text, counted from 0.
  public var offset: Int

  /// Creates a named id.
  public init(_ kind: Kind, _ id: String, offset: Int) {
    (self.kind, self.id, self.offset) = (kind, id, offset)
  }
}

extension StatePath {
  /// Returns the ids in the text of a path, in order. If the text is not a valid path, returns the
  /// ids before the error.
  public static func ids(in text: String, _ catalogue: Catalogue = .standard) -> [NamedID] {
    var reader = Reader(Array(text), catalogue)
    _ = try? reader.path()
    return reader.ids
  }

  /// The kind of the ids that are the path's values or list items; nil if these are not ids.
  var valueKind: NamedID.Kind? { members.isEmpty ? kind.rootIDs : kind.member(members)?.ids }
}

extension NamedID {
  /// Returns whether this id resembles a name in the log, ignoring the case of ASCII letters.
  /// Either the name begins with the id, or they differ in one run of bytes. That run has at most
  /// two bytes, or half the length of the longer text if that is more.
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
