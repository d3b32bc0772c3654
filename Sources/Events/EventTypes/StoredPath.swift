/// The path of a photo in the core's photo storage: `avatars/USER/FILE` or `workouts/WORKOUT/FILE`.
///
/// ```swift
/// StoredPath("avatars/ann/1_2.jpg")?.owner                                  // "ann"
/// StoredPath(url: "https://example.org/storage/avatars/ann/1.jpg?x")?.text  // "avatars/ann/1.jpg"
/// StoredPath("avatars/../1.jpg")                                            // nil
/// ```
public struct StoredPath: Equatable, Sendable {
  /// The path's first part: `avatars` for a user's photo, `workouts` for a workout's photo.
  public enum Folder: String, Sendable { case avatars, workouts }

  /// The path's first part.
  public var folder: Folder
  /// The id of the user or workout to which the photo belongs.
  public var owner: String
  /// The name of the photo's file.
  public var file: String

  /// Creates a path from its parts, without checking them.
  public init(_ folder: Folder, _ owner: String, _ file: String) {
    (self.folder, self.owner, self.file) = (folder, owner, file)
  }

  /// Reads a photo's path from its text; returns nil if the text is not such a path.
  public init?(_ text: String) {
    let parts = Self.parts(Array(text.utf8))
    guard parts.count == 3 else { return nil }
    self.init(parts)
  }

  /// Reads a photo's path from the end of a URL. The URL may be of the server, a proxy or a cache.
  /// - Returns: Nil if the URL does not end with the path of a photo.
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

  /// Decodes a URL's percent escapes: `%41` becomes `A`. An incomplete escape stays as it is.
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

  /// The types of the events that set or remove a photo.
  package static let types: EventTypes = [
    .profilePhotoSet, .profilePhotoRemoved, .accountDeleted, .workoutDetailAttached,
    .workoutRemoved,
  ]
}

extension Event {
  /// The user or workout whose photo this event sets or removes, and the path of the new photo in
  /// storage. The path is nil if there is no new photo or it is not in the core's storage. The
  /// whole value is nil for events that do not change a photo.
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
  /// The photo's path in storage, taken from `path` or from the end of `url`; nil if neither
  /// contains one.
  package var storedPath: String? { path ?? StoredPath(url: url)?.text }
}

extension WorkoutDetailAttached {
  /// The path in storage of the photo of the rowing monitor. It is nil if there is no photo, or if
  /// `image` is not the path of a workout's photo.
  package var storedPath: String? {
    image.flatMap { StoredPath($0) }.flatMap { $0.folder == .workouts ? $0.text : nil }
  }
}
