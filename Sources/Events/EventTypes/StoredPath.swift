/// The path of a photo in storage: `avatars/USER/FILE` or `workouts/WORKOUT/FILE`.
///
/// ```swift
/// StoredPath("avatars/ann/1_2.jpg")?.owner                                  // "ann"
/// StoredPath(url: "https://example.org/storage/avatars/ann/1.jpg?x")?.text  // "avatars/ann/1.jpg"
/// StoredPath("avatars/../1.jpg")                                            // nil
/// ```
public struct StoredPath: Equatable, Sendable {
  /// The top folder, which says whose photo it is: a user's or a workout's.
  public enum Folder: String, Sendable { case avatars, workouts }

  /// The top folder.
  public var folder: Folder
  /// The id of the user or workout that the photo belongs to.
  public var owner: String
  /// The file's name.
  public var file: String

  /// Creates a path from its parts, without checking them.
  public init(_ folder: Folder, _ owner: String, _ file: String) {
    (self.folder, self.owner, self.file) = (folder, owner, file)
  }

  /// Reads a path; returns nil if the text is not such a path.
  public init?(_ text: String) {
    let parts = Self.parts(Array(text.utf8))
    guard parts.count == 3 else { return nil }
    self.init(parts)
  }

  /// Reads the path at the end of a web address of the server, a proxy or a cache.
  /// - Returns: Nil if the address does not end with such a path.
  public init?(url: String) {
    let path = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let parts = Self.parts(Self.decoded(Array(path)))
    guard parts.count >= 3 else { return nil }
    self.init(parts.suffix(3))
  }

  private init?(_ parts: ArraySlice<String>) {
    let parts = Array(parts)
    switch parts[0] {
    case "avatars": folder = .avatars
    case "workouts": folder = .workouts
    default: return nil
    }
    (owner, file) = (parts[1], parts[2])
    if !Self.isName(owner) || !Self.isName(file) { return nil }
  }

  private static func parts(_ bytes: [UInt8]) -> ArraySlice<String> {
    bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }[...]
  }

  private static func isName(_ text: String) -> Bool {
    text != "" && text != "." && text != ".." && !text.utf8.contains(0)
      && !text.utf8.contains(UInt8(ascii: "/"))
  }

  /// Decodes percent escapes: `%41` becomes `A`; an incomplete escape stays as it is.
  private static func decoded(_ bytes: [UInt8]) -> [UInt8] {
    func digit(_ byte: UInt8) -> UInt8? {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
      default: nil
      }
    }
    var out: [UInt8] = []
    var at = 0
    while at < bytes.count {
      if bytes[at] == UInt8(ascii: "%"), at + 2 < bytes.count, let high = digit(bytes[at + 1]),
        let low = digit(bytes[at + 2])
      {
        out.append(high << 4 | low)
        at += 3
      } else {
        out.append(bytes[at])
        at += 1
      }
    }
    return out
  }

  /// The path as text.
  public var text: String { "\(folder == .avatars ? "avatars" : "workouts")/\(owner)/\(file)" }
}

/// The user or workout whose photo an event sets or removes.
package enum PhotoSubject: Hashable, Sendable {
  case user(UserID)
  case workout(WorkoutID)

  /// The event types that set or remove a photo.
  package static let types: EventTypes = [
    .profilePhotoSet, .profilePhotoRemoved, .accountDeleted, .workoutDetailAttached,
    .workoutRemoved,
  ]
}

extension Event {
  /// The photo's owner and its path in storage after this event; nil if the event does not set or
  /// remove a photo. The path is nil if there is no photo, or none in storage.
  package var namedPhoto: (subject: PhotoSubject, path: String?)? {
    switch self {
    case .profile(.photoSet(let data)): (.user(data.user), data.storedPath)
    case .profile(.photoRemoved(let data)): (.user(data.user), nil)
    case .accountDeleted(let data): (.user(data.user), nil)
    case .workout(.detailAttached(let data)): (.workout(data.workout), data.storedPath)
    case .workout(.removed(let data)): (.workout(data.workout), nil)
    default: nil
    }
  }
}

extension ProfilePhotoSet {
  /// The photo's path in storage, from `path` or the end of `url`; nil if neither names one.
  package var storedPath: String? { path ?? StoredPath(url: url)?.text }
}

extension WorkoutDetailAttached {
  /// The picture's path in storage; nil if there is no picture or the text is not such a path.
  package var storedPath: String? {
    image.flatMap { StoredPath($0) }.flatMap { $0.folder == .workouts ? $0.text : nil }
  }
}
