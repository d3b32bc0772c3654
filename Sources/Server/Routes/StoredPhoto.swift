import Events

/// A photo where clients of the climbing app put and find it: `avatars/{user}/{file}`.
struct StoredPhoto: Equatable, Sendable {
  let user: String
  let file: String

  /// - Parameter path: the segments after `object` or `public`.
  init?(_ path: ArraySlice<String>) {
    let path = Array(path)
    guard path.count == 3, path[0] == "avatars", isValidID(path[1].utf8),
      !path[2].hasPrefix("."), (1...100).contains(path[2].utf8.count),
      path[2].utf8.allSatisfy(Self.isPlain)
    else { return nil }
    (user, file) = (path[1], path[2])
  }

  /// The photo of this name in the folder of a user.
  func inFolder(of user: String) -> StoredPhoto { StoredPhoto(user: user, file: file) }

  private init(user: String, file: String) { (self.user, self.file) = (user, file) }

  static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }

  /// Whether the end of the file's name says its type, or says none.
  func isNamed(as type: String) -> Bool {
    guard let dot = file.lastIndex(of: ".") else { return true }
    switch file[file.index(after: dot)...].lowercased() {
    case "jpg", "jpeg": return type == "image/jpeg"
    case "png": return type == "image/png"
    default: return false
    }
  }

  var path: String { "avatars/\(user)/\(file)" }

  /// Whether it is in the folder of a user. Clients write UUIDs in either case.
  func belongs(to caller: String) -> Bool {
    if user == caller { return true }
    return EventID(user) != nil && user.lowercased() == caller.lowercased()
  }
}

extension StoredPath {
  /// The photo of a workout.
  /// - Parameter path: the segments after `object`.
  init?(workoutPhoto path: ArraySlice<String>) {
    let path = Array(path)
    guard path.count == 3, path[0] == "workouts", isValidID(path[1].utf8),
      !path[2].hasPrefix("."), (1...100).contains(path[2].utf8.count),
      path[2].utf8.allSatisfy(StoredPhoto.isPlain)
    else { return nil }
    self.init(.workouts, path[1], path[2])
  }
}
