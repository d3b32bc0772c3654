import EventLog
import Events

/// A port that stores photos. An app implements it with its own storage, such as a bucket.
///
/// docs/embedding.md shows a small implementation.
public protocol PhotoStorage: Sendable {
  /// Stores a photo under a path. Atomically replaces an existing photo under the same path.
  /// - Returns: the URL of the photo.
  func put(_ bytes: [UInt8], at path: String) async throws(PhotoStorageError) -> String
  /// Deletes the file under a path. A missing file is not an error.
  func delete(_ path: String) async throws(PhotoStorageError)
  /// Deletes all files under `avatars/{user}/…`, to erase the user; by default does nothing.
  ///
  /// `Forgetting` calls it after it has deleted the photos that the log names.
  func deleteAll(of user: String) async throws(PhotoStorageError)
  /// Returns all files in a folder such as `workouts/w1` and its subfolders; an empty list if there
  /// is no such folder.
  /// - Returns: nil if the storage cannot list files, which is the default. `PhotoSweep` then finds
  ///   no photos to remove.
  func list(_ folder: String) async throws(PhotoStorageError) -> [StoredFile]?
}

/// A file in photo storage.
public struct StoredFile: Equatable, Sendable {
  /// The file's path in the storage.
  public var path: String
  /// The time when the file was stored.
  public var changed: Timestamp

  /// Creates the description of a stored file.
  public init(path: String, changed: Timestamp) { (self.path, self.changed) = (path, changed) }
}

extension PhotoStorage {
  public func deleteAll(of user: String) async throws(PhotoStorageError) {}
  public func list(_ folder: String) async throws(PhotoStorageError) -> [StoredFile]? { nil }
}

/// The reason why a photo could not be stored or deleted.
public struct PhotoStorageError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A message that says what failed and where.
  public var description: String

  /// Creates an error with a message.
  public init(_ description: String) { self.description = description }
}

/// Photo storage in a folder.
///
/// ```swift
/// let photos = PhotoFolder("photos", baseURL: "https://example.org/")
/// try await photos.put(jpeg, at: "avatars/alice/1768813200_1a2b3c4d.jpg")
/// // https://example.org/avatars/alice/1768813200_1a2b3c4d.jpg
/// ```
/// `put` writes a photo under a temporary name, syncs it and renames it. So readers see the whole
/// photo or nothing, even after a power failure.
public struct PhotoFolder: PhotoStorage {
  private let folder: String
  private let baseURL: String
  private let files: FileSystem

  /// Creates photo storage in a folder. A photo's URL is `baseURL` followed by the photo's
  /// percent-encoded path.
  ///
  /// The first `put` creates the folder; the parent folder must exist.
  public init(_ folder: String, baseURL: String = "", files: FileSystem = .posix) {
    (self.folder, self.baseURL, self.files) = (folder, baseURL, files)
  }

  public func put(_ bytes: [UInt8], at path: String) async throws(PhotoStorageError) -> String {
    let names = try parts(of: path)
    try checkLinks(names.dropLast())
    do throws(FileError) {
      var directory = folder
      try make(directory)
      for name in names.dropLast() {
        directory += "/" + name
        try make(directory)
      }
      try files.replace(folder + "/" + path, in: directory, bytes)
    } catch {
      throw PhotoStorageError("\(error)")
    }
    return baseURL + percentEncoded(path)
  }

  public func delete(_ path: String) async throws(PhotoStorageError) {
    try checkLinks(try parts(of: path).dropLast())
    do throws(FileError) {
      try files.remove(folder + "/" + path)
    } catch {
      if !error.isNotFound { throw PhotoStorageError("\(error)") }
    }
  }

  public func deleteAll(of user: String) async throws(PhotoStorageError) {
    let path = "avatars/\(user)"
    try checkLinks(try parts(of: path).dropLast())
    do throws(FileError) {
      try files.removeAll(folder + "/" + path)
      try files.syncDirectory(folder + "/avatars")
    } catch {
      if !error.isNotFound { throw PhotoStorageError("\(error)") }
    }
  }

  public func list(_ folder: String) async throws(PhotoStorageError) -> [StoredFile]? {
    try checkLinks(try parts(of: folder)[...])
    do throws(FileError) {
      let found = try files.tree(self.folder + "/" + folder, skipping: { _ in false })
      return found.filter { !$0.path.isEmpty }.map {
        StoredFile(
          path: folder + "/" + $0.path,
          changed: Timestamp(milliseconds: $0.status.changed / 1_000_000))
      }
    } catch {
      throw PhotoStorageError("\(error)")
    }
  }

  /// Returns the components of a photo's path.
  /// - Throws: an error if the path could lead out of the storage folder.
  private func parts(of path: String) throws(PhotoStorageError) -> [String] {
    let names = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard names.allSatisfy({ !["", ".", ".."].contains($0) && !$0.utf8.contains(0) }) else {
      throw PhotoStorageError("\(printable(path)): not a path within the folder of photos")
    }
    return names
  }

  /// - Throws: an error if one of these folders, each in the one before, is a link: what is stored
  ///   or deleted through it would be outside the storage folder.
  private func checkLinks(_ names: ArraySlice<String>) throws(PhotoStorageError) {
    var path = folder
    for name in names {
      path += "/" + name
      if files.isLink(path) {
        throw PhotoStorageError(
          "\(printable(path)): this is a link, which may lead out of the folder of photos; "
            + "replace it by a folder")
      }
    }
  }

  private func make(_ directory: String) throws(FileError) {
    do throws(FileError) {
      try files.makeDirectory(directory)
      try files.syncDirectory(parentDirectory(directory))
    } catch {
      if !error.isExisting { throw error }
    }
  }
}

/// Returns a path percent-encoded for a URL (RFC 3986).
package func percentEncoded(_ path: String) -> String {
  path.utf8.map { byte in
    let character = Character(UnicodeScalar(byte))
    let isKept =
      character.isASCII
      && (character.isLetter || character.isNumber || "-._~/!$&'()*+,;=:@".contains(character))
    let hex = String(byte, radix: 16, uppercase: true)
    return isKept ? String(character) : byte < 16 ? "%0" + hex : "%" + hex
  }.joined()
}

extension StoredPath {
  /// Creates the path of a new photo, such as `avatars/USER/1768813200_1a2b3c4d.jpg`: the Unix time
  /// in seconds and the first 8 hex digits of the bytes' XXH64. Storing the same photo again in the
  /// same second gives the same path.
  init(_ folder: Folder, _ owner: String, storing photo: EncodedPhoto, at time: Timestamp) {
    let digits = XXH64.hash(photo.bytes, seed: 0).padded(to: 16, radix: 16)
    let seconds = time.milliseconds.quotientAndRemainder(dividingBy: 1_000).quotient
    let suffix = photo.contentType == "image/png" ? "png" : "jpg"
    self.init(folder, owner, "\(seconds)_\(digits.prefix(8)).\(suffix)")
  }
}
