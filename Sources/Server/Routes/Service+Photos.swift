import Aggregates
import Events
import UseCases

extension Service {
  /// A photo from the folder, for anybody.
  func send(_ photo: StoredPhoto) -> Response {
    let spelled = photo.inFolder(of: core.spelling(ofUser: photo.user))
    let found = [photo, spelled].lazy.compactMap {
      try? FileSystem.posix.contents(of: "\(self.photoFolder)/\($0.path)")
    }.first
    guard let bytes = found, let header = ImageHeader(bytes)
    else { return .failure(404, "photoNotFound", "there is no such photo") }
    return Response(
      200,
      [
        ("Content-Type", header.contentType), ("X-Content-Type-Options", "nosniff"),
        ("Content-Security-Policy", "default-src 'none'; sandbox"),
        // Its name has the time in it: a new photo has a new name.
        ("Cache-Control", "public, max-age=86400"),
        ("Cross-Origin-Resource-Policy", "cross-origin"),
      ], bytes)
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
      _ = try await photos.storage.put(encoded.bytes, at: photo.path)
      return .json(
        .of(["Key": .string(photo.path), "path": .string("\(photo.user)/\(photo.file)")]))
    } catch {
      return Response(Reply(.failure(.uploadFailed(reason: error.description))), position: 0)
    }
  }
}
