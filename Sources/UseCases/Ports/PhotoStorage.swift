import Aggregates
import EventLog
import Events

/// Stores photos: a port, for an app to implement with its own bucket. docs/embedding.md has a
/// small implementation.
public protocol PhotoStorage: Sendable {
  /// Stores a photo under a path, replacing any existing one atomically.
  /// - Returns: the URL of the photo.
  func put(_ bytes: [UInt8], at path: String) async throws(PhotoStorageError) -> String
  /// Deletes the file under a path; it is not an error if there is none.
  func delete(_ path: String) async throws(PhotoStorageError)
  /// Deletes whatever is stored under a user's paths, `avatars/{user}/…`, because the person is to
  /// be forgotten; what the log knows of has been deleted already. The default does nothing.
  func deleteAll(of user: String) async throws(PhotoStorageError)
  /// The files below a folder such as `avatars` or `workouts/w1`; none if there is no such folder.
  /// - Returns: nil if the storage cannot list files, which is the default. Photos that nothing
  ///   names are then not found.
  func list(_ folder: String) async throws(PhotoStorageError) -> [StoredFile]?
}

/// A file in storage.
public struct StoredFile: Equatable, Sendable {
  public var path: String
  /// When it was stored.
  public var changed: Timestamp

  public init(path: String, changed: Timestamp) { (self.path, self.changed) = (path, changed) }
}

extension PhotoStorage {
  public func deleteAll(of user: String) async throws(PhotoStorageError) {}
  public func list(_ folder: String) async throws(PhotoStorageError) -> [StoredFile]? { nil }
}

/// Why a photo could not be stored or deleted.
public struct PhotoStorageError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A message that names what failed and where.
  public var description: String

  public init(_ description: String) { self.description = description }
}

/// A folder as photo storage.
///
/// ```swift
/// let photos = PhotoFolder("photos", baseURL: "https://example.org/")
/// try await photos.put(jpeg, at: "avatars/alice/1768813200_1a2b3c4d.jpg")
/// // https://example.org/avatars/alice/1768813200_1a2b3c4d.jpg
/// ```
/// A photo is written under a temporary name, synced, and renamed: readers see all of it or
/// nothing, even after a power failure.
public struct PhotoFolder: PhotoStorage {
  private let folder: String
  private let baseURL: String
  private let files: FileSystem

  /// - Parameters:
  ///   - folder: created with the first photo; its parent must exist.
  ///   - baseURL: the prefix of URLs, before the path.
  public init(_ folder: String, baseURL: String = "", files: FileSystem = .posix) {
    self.folder = folder
    self.baseURL = baseURL
    self.files = files
  }

  public func put(_ bytes: [UInt8], at path: String) async throws(PhotoStorageError) -> String {
    let names = try parts(of: path)
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
    return baseURL + Self.escaped(path)
  }

  public func delete(_ path: String) async throws(PhotoStorageError) {
    _ = try parts(of: path)
    do throws(FileError) {
      try files.remove(folder + "/" + path)
    } catch {
      if !error.isNotFound { throw PhotoStorageError("\(error)") }
    }
  }

  public func deleteAll(of user: String) async throws(PhotoStorageError) {
    let path = "avatars/\(user)"
    _ = try parts(of: path)
    do throws(FileError) {
      try files.removeAll(folder + "/" + path)
      try files.syncDirectory(folder + "/avatars")
    } catch {
      if !error.isNotFound { throw PhotoStorageError("\(error)") }
    }
  }

  public func list(_ folder: String) async throws(PhotoStorageError) -> [StoredFile]? {
    _ = try parts(of: folder)
    do throws(FileError) {
      return try files.tree(self.folder + "/" + folder, skipping: { _ in false }).compactMap {
        $0.path.isEmpty
          ? nil
          : StoredFile(
            path: folder + "/" + $0.path,
            changed: Timestamp(milliseconds: $0.status.changed / 1_000_000))
      }
    } catch {
      throw PhotoStorageError("\(error)")
    }
  }

  /// The components of a path, none of which may lead out of the folder.
  private func parts(of path: String) throws(PhotoStorageError) -> [String] {
    let names = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard names.allSatisfy({ !["", ".", ".."].contains($0) && !$0.utf8.contains(0) }) else {
      throw PhotoStorageError("\(printable(path)): not a path within the folder of photos")
    }
    return names
  }

  private func make(_ directory: String) throws(FileError) {
    do throws(FileError) {
      try files.makeDirectory(directory)
    } catch {
      if error.isExisting { return }
      throw error
    }
    try files.syncDirectory(parentDirectory(directory))
  }

  /// Percent-encoded where a path of a URL (RFC 3986) needs it.
  private static func escaped(_ path: String) -> String {
    let digits = Array("0123456789ABCDEF")
    var out = ""
    for byte in path.utf8 {
      let character = Character(UnicodeScalar(byte))
      if byte < 0x80,
        character.isLetter || character.isNumber || "-._~/!$&'()*+,;=:@".contains(character)
      {
        out.append(character)
      } else {
        out += "%" + String(digits[Int(byte >> 4)]) + String(digits[Int(byte & 15)])
      }
    }
    return out
  }
}

/// How photos are named.
enum PhotoPath {
  /// `avatars/{user}/{unix seconds}_{8 hex}.jpg`, or `.png` for a PNG; the hex digits are the first
  /// of the bytes' XXH64, so storing the same photo again in the same second yields the same file.
  static func path(user: String, time: Timestamp, photo: EncodedPhoto) -> String {
    StoredPath(.avatars, user, file(time, photo)).text
  }

  /// The same in `workouts/{workout}/`.
  static func path(workout: String, time: Timestamp, photo: EncodedPhoto) -> String {
    StoredPath(.workouts, workout, file(time, photo)).text
  }

  private static func file(_ time: Timestamp, _ photo: EncodedPhoto) -> String {
    let digits = XXH64.hash(photo.bytes, seed: 0).padded(to: 16, radix: 16)
    let seconds = time.milliseconds.quotientAndRemainder(dividingBy: 1_000).quotient
    let suffix = photo.contentType == "image/png" ? "png" : "jpg"
    return "\(seconds)_\(digits.prefix(8)).\(suffix)"
  }
}

extension Core {
  /// Encodes a photo until it is small enough, and stores it.
  /// - Parameter path: where, given the photo and the time.
  /// - Throws: `refused` as `shrunk` does, `uploadFailed`.
  func stored(
    _ image: ImageData, with encoder: any PhotoEncoder, in storage: any PhotoStorage,
    at time: Timestamp?, _ path: (EncodedPhoto, Timestamp) -> String
  ) async throws(UseCaseError) -> (photo: EncodedPhoto, path: String, url: String) {
    let photo: EncodedPhoto
    do throws(DomainError) {
      photo = try shrunk(image.bytes, with: encoder, rules: rules)
    } catch {
      throw .refused(error)
    }
    let path = path(photo, time ?? environment.now())
    do throws(PhotoStorageError) {
      return (photo, path, try await storage.put(photo.bytes, at: path))
    } catch {
      throw .uploadFailed(reason: "\(error)")
    }
  }
}
