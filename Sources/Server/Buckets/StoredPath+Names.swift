import Events
import UseCases

// Objects have paths such as `avatars/USER/FILE` and `workouts/WORKOUT/FILE`. The first part is the
// bucket, the rest is the object's name in the bucket.
extension StoredPath {
  /// Parses an object's path; nil if the path has other parts, or a part that is no name.
  /// - Parameter path: the segments after `object`: the bucket, the owner's id and the file.
  init?(object path: some Sequence<String>) {
    let path = Array(path)
    guard path.count == 3, let bucket = Folder(rawValue: path[0]), isValidID(path[1].utf8),
      Self.isFile(path[2])
    else { return nil }
    self.init(bucket, path[1], path[2])
  }

  /// Parses an object's name in a bucket, such as `ann/1.jpg`.
  init?(_ bucket: Folder, name: String) {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    self.init(object: [bucket.rawValue] + parts)
  }

  /// Returns whether a text can be the name of an object's file: 1 to 100 letters, digits, `.`, `_`
  /// and `-`. The name does not begin with a full stop.
  static func isFile(_ name: String) -> Bool {
    !name.hasPrefix(".") && (1...100).contains(name.utf8.count)
      && name.utf8.allSatisfy { isAlphanumeric($0) || "._-".utf8.contains($0) }
  }

  /// The object's name in its bucket: `OWNER/FILE`.
  var name: String { "\(owner)/\(file)" }

  /// Returns whether the file name's extension fits a content type. A name without an extension
  /// fits every type.
  func isNamed(as type: String) -> Bool {
    guard let dot = file.lastIndex(of: ".") else { return true }
    switch file[file.index(after: dot)...].lowercased() {
    case "jpg", "jpeg": return type == "image/jpeg"
    case "png": return type == "image/png"
    default: return false
    }
  }
}
