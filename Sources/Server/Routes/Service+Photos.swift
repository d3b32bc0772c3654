import Aggregates
import Events
import UseCases

extension Service {
  /// A photo from the folder, for anybody: one that a profile names, or that was stored within the
  /// last hour and may be named yet.
  func send(_ photo: StoredPhoto) -> Response {
    let headers: [(name: StaticString, value: String)] = [
      // Its name has the time in it: a new photo has a new name.
      ("Cache-Control", "public, max-age=86400"),
      ("Cross-Origin-Resource-Policy", "cross-origin"),
    ]
    // A UUID may be written in either case.
    for user in [photo.user, core.spelling(ofUser: photo.user)] {
      let path = StoredPath(.avatars, user, photo.file)
      guard core.names(path) || isNew(path) else { continue }
      let response = send(path, headers)
      if response.status == 200 { return response }
    }
    return Self.noPhoto
  }

  /// A workout's photo, for those who see the workout.
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

  /// Puts or deletes a photo under a path that the client chose, as the climbing app's storage.
  func store(
    _ photo: StoredPhoto, _ method: Route.StorageMethod, _ image: [UInt8], _ caller: Caller,
    replaces: Bool
  ) async -> Response {
    guard let user = caller.user, photo.belongs(to: user) else {
      return .failure(403, "notAuthorized", "one may only store photos in one's own folder")
    }
    // A UUID in the path may be in another case than the log's.
    let photo = photo.inFolder(of: user)
    do throws(PhotoStorageError) {
      if method == .delete {
        try await photos.storage.delete(photo.path)
        return .json(.of(["message": .string("Successfully deleted")]))
      }
      do throws(UseCaseError) {
        _ = try await GetProfile(core).execute(.init(user: user), as: caller)
      } catch {
        return Response(Reply(.failure(error)), position: 0)
      }
      let there = (try? FileSystem.posix.list("\(photoFolder)/avatars/\(photo.user)")) ?? []
      let exists = there.contains(photo.file)
      if exists, !replaces {
        return .failure(409, "photoExists", "there is such a photo; x-upsert: true replaces it")
      }
      // Beside the photos, a folder lists itself and its parent.
      if !exists, there.count >= bounds.storedPhotos + 2 {
        return .failure(
          422, "tooManyPhotos",
          "there are \(bounds.storedPhotos) photos of one at most; delete some")
      }
      let encoded: EncodedPhoto
      do throws(DomainError) {
        encoded = try shrunk(image, with: photos.encoder, rules: core.rules)
      } catch {
        return Response(Reply(.failure(.refused(error))), position: 0)
      }
      guard photo.isNamed(as: encoded.contentType) else {
        return .failure(
          422, "invalidImage",
          "the photo is stored as \(encoded.contentType), which the end of its name must say: "
            + ".jpg or .png")
      }
      _ = try await photos.storage.put(encoded.bytes, at: photo.path)
      return .json(
        .of(["Key": .string(photo.path), "path": .string("\(photo.user)/\(photo.file)")]))
    } catch {
      return Response(Reply(.failure(.uploadFailed(reason: error.description))), position: 0)
    }
  }
}
