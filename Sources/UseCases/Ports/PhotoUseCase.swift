import Aggregates
import Events

/// The storage for photos, and the encoder that makes them small enough.
public struct PhotoPorts: Sendable {
  /// The storage for photos.
  public var storage: any PhotoStorage
  /// The encoder that makes photos small enough.
  public var encoder: any PhotoEncoder

  /// Creates the ports.
  public init(storage: any PhotoStorage, encoder: any PhotoEncoder) {
    (self.storage, self.encoder) = (storage, encoder)
  }
}

/// A use case that stores or deletes a photo, then performs a command.
protocol PhotoUseCase: DescribedUseCase {
  /// Performs the use case. `key` identifies a retry.
  /// - Returns: the answer, and the positions of the appended events.
  func perform(
    _ input: Input, _ caller: Caller, _ key: IdempotencyKey?
  ) async throws(UseCaseError) -> (output: Output, seqs: Range<UInt64>)
}

extension Core {
  /// Returns the id of the caller, who must have a profile.
  /// - Throws: `notAuthorized` if `user` is not the caller; `unauthorized` if no user is signed in;
  ///   `profileNotFound` if the caller has no profile.
  func mayChangePhoto(
    of user: String?, _ caller: Caller
  ) async throws(UseCaseError) -> String {
    try await catchUp()
    return try state.withLock { (state) throws(UseCaseError) in
      let viewer = try state.model.signedIn(caller)
      if let user, state.model.existing(user) != viewer { throw .refused(.notAuthorized) }
      return state.model.names[viewer]
    }
  }

  /// Encodes a photo until it is small enough, and stores it. Returns the photo with its path and
  /// URL.
  /// - Parameter owner: the id of the user or the workout that the photo is for.
  /// - Throws: `refused` with the errors of `shrunk`; `uploadFailed`.
  func storePhoto(
    _ image: ImageData, in folder: StoredPath.Folder, of owner: String,
    with encoder: any PhotoEncoder, _ storage: any PhotoStorage, for caller: Caller
  ) async throws(UseCaseError) -> (photo: EncodedPhoto, path: String, url: String) {
    let photo: EncodedPhoto
    do throws(DomainError) {
      photo = try await shrunk(
        image.bytes, with: encoder, rules: rules, for: caller.user ?? caller.service ?? "")
    } catch {
      throw .refused(error)
    }
    let path = StoredPath(folder, owner, storing: photo, at: caller.time ?? environment.now()).text
    do throws(PhotoStorageError) {
      return (photo, path, try await storage.put(photo.bytes, at: path))
    } catch {
      throw .uploadFailed(reason: "\(error)")
    }
  }

  /// Appends the events that record a change of a photo.
  ///
  /// If `decide` records no event, the log does not record the use of `key`. So a retry repeats the
  /// whole use case.
  /// - Returns: the positions of the appended events.
  func recordPhoto(
    as caller: Caller, _ key: IdempotencyKey? = nil,
    _ decide: @escaping @Sendable (inout Model, _ actor: UserID) throws(UseCaseError) -> Void
  ) async throws(UseCaseError) -> Range<UInt64> {
    let work = Call.Work.command { (_, model) throws(UseCaseError) in
      let actor = try model.actor()
      try decide(&model, actor)
      return .known(Nothing())
    }
    var call = Call("", work, as: caller, key: key)
    call.notesUse = false
    return try await performed(call, Nothing.self).seqs
  }
}
