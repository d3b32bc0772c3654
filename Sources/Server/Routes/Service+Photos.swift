import Aggregates
import Events
import UseCases

extension Service {
  /// Sends a profile photo to any caller. Refuses a photo that no profile names, unless the photo
  /// was stored within the last hour: a profile may name it soon.
  func send(_ photo: StoredPhoto) -> Response {
    let headers: [(name: StaticString, value: String)] = [
      // The file name contains the time of upload, so a new photo has a new name.
      ("Cache-Control", "public, max-age=86400"),
      ("Cross-Origin-Resource-Policy", "cross-origin"),
    ]
    // Clients write UUIDs in upper or lower case.
    for user in [photo.user, core.spelling(ofUser: photo.user)] {
      let path = StoredPath(.avatars, user, photo.file)
      guard core.names(path) || isNew(path) else { continue }
      let response = send(path, headers)
      if response.status == 200 { return response }
    }
    return Self.noPhoto
  }

  /// Sends a workout's photo to a caller who may see the workout.
  func send(_ photo: StoredPath, to caller: Caller) -> Response {
    guard core.shows(photo, to: caller) else { return Self.noPhoto }
    let who = options.trustsUserHeader ? "X-User" : "Authorization"
    return send(photo, [("Cache-Control", "private, no-cache"), ("Vary", who)])
  }

  private static let noPhoto = Response.failure(404, "photoNotFound", "there is no such photo")

  private func send(
    _ photo: StoredPath, _ headers: [(name: StaticString, value: String)]
  ) -> Response {
    guard let bytes = try? FileSystem.posix.contents(of: "\(photoFolder)/\(photo.text)"),
      let header = ImageHeader(bytes)
    else { return Self.noPhoto }
    return Response(
      200,
      [
        ("Content-Type", header.contentType), ("X-Content-Type-Options", "nosniff"),
        ("Content-Security-Policy", "default-src 'none'; sandbox"),
      ] + headers, bytes)
  }

  private func isNew(_ photo: StoredPath) -> Bool {
    guard let status = try? FileSystem.posix.status("\(photoFolder)/\(photo.text)") else {
      return false
    }
    return status.changed / 1_000_000 >= options.now().milliseconds - PhotoSweep.grace
  }

  /// Stores or deletes a photo at a path that the client chose, like the climbing app's storage.
  func store(
    _ photo: StoredPhoto, _ method: Route.StorageMethod, _ image: [UInt8], _ caller: Caller,
    replaces: Bool
  ) async -> Response {
    guard let user = caller.user, photo.belongs(to: user) else {
      return .failure(403, "notAuthorized", "users may store photos only in their own folder")
    }
    // The path may spell a user's UUID in another case than the log does.
    let photo = photo.inFolder(of: user)
    do throws(PhotoStorageError) {
      if method == .delete {
        try await photos.storage.delete(photo.path)
        return .json(.of(["message": .string("Successfully deleted")]))
      }
      do throws(UseCaseError) {
        _ = try await GetProfile(core).execute(.init(user: user), as: caller)
      } catch {
        return Response(error)
      }
      let there = (try? FileSystem.posix.list("\(photoFolder)/avatars/\(photo.user)")) ?? []
      let exists = there.contains(photo.file)
      if exists, !replaces {
        return .failure(409, "photoExists", "this photo exists; x-upsert: true replaces it")
      }
      // The folder's list of files also contains `.` and `..`.
      if !exists, there.count >= bounds.storedPhotos + 2 {
        return .failure(
          422, "tooManyPhotos",
          "one user may store \(bounds.storedPhotos) photos; delete some")
      }
      let encoded: EncodedPhoto
      do throws(DomainError) {
        encoded = try shrunk(image, with: photos.encoder, rules: core.rules)
      } catch {
        return Response(.refused(error))
      }
      guard photo.isNamed(as: encoded.contentType) else {
        return .failure(
          422, "invalidImage",
          "the photo is stored as \(encoded.contentType); its file name must end accordingly: "
            + ".jpg or .png")
      }
      _ = try await photos.storage.put(encoded.bytes, at: photo.path)
      return .json(
        .of(["Key": .string(photo.path), "path": .string("\(photo.user)/\(photo.file)")]))
    } catch {
      return Response(.uploadFailed(reason: error.description))
    }
  }
}

/// The path of a profile photo in the climbing app's storage: `avatars/{user}/{file}`.
struct StoredPhoto: Equatable, Sendable {
  let user: String
  let file: String

  /// Parses the path of a profile photo; nil for any other path.
  /// - Parameter path: the segments after `object` or `public`.
  init?(_ path: ArraySlice<String>) {
    guard let (user, file) = Self.parts(of: path, in: "avatars") else { return nil }
    self.init(user: user, file: file)
  }

  /// Returns the second and third segment of a path `folder/owner/file`; nil for other paths.
  fileprivate static func parts(
    of path: ArraySlice<String>, in folder: String
  ) -> (owner: String, file: String)? {
    let path = Array(path)
    guard path.count == 3, path[0] == folder, isValidID(path[1].utf8),
      !path[2].hasPrefix("."), (1...100).contains(path[2].utf8.count),
      path[2].utf8.allSatisfy(isPlain)
    else { return nil }
    return (path[1], path[2])
  }

  func inFolder(of user: String) -> StoredPhoto { StoredPhoto(user: user, file: file) }

  private init(user: String, file: String) { (self.user, self.file) = (user, file) }

  private static func isPlain(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || "._-".utf8.contains(byte)
  }

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

  var path: String { "avatars/\(user)/\(file)" }

  /// Returns whether the photo is in the caller's folder. Ignores the case of UUIDs.
  func belongs(to caller: String) -> Bool {
    if user == caller { return true }
    return EventID(user) != nil && user.lowercased() == caller.lowercased()
  }
}

extension StoredPath {
  /// Parses the path of a workout's photo; nil for any other path.
  /// - Parameter path: the segments after `object`.
  init?(workoutPhoto path: ArraySlice<String>) {
    guard let (workout, file) = StoredPhoto.parts(of: path, in: "workouts") else { return nil }
    self.init(.workouts, workout, file)
  }
}
