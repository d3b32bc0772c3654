import Events

/// Removes the caller's photo from the profile, and its file from the storage. A missing file is
/// not an error.
public struct DeleteProfilePhoto: PhotoUseCase {
  public static let about = About(
    "DeleteProfilePhoto", .profile,
    "Remove the caller's photo; a file that is already gone is not an error",
    errors: ["profileNotFound", "notAuthorized", "unauthorized", "storageFailed"])
  let core: Core
  let storage: any PhotoStorage

  /// Creates the use case on a core.
  public init(_ core: Core, _ storage: any PhotoStorage) {
    (self.core, self.storage) = (core, storage)
  }

  public func execute(_ input: UserInput, as caller: Caller) async throws(UseCaseError) -> Nothing {
    try await core.performed(Call(self, input, as: caller)).output
  }

  /// Deletes the photo's file first. If that fails, the profile still has the photo, so the caller
  /// can retry.
  func perform(
    _ input: UserInput, _ caller: Caller, _ key: IdempotencyKey?
  ) async throws(UseCaseError) -> (output: Nothing, seqs: Range<UInt64>) {
    _ = try await core.mayChangePhoto(of: input.user, caller)
    if let path = core.photoPath(of: caller) {
      do throws(PhotoStorageError) {
        try await storage.delete(path)
      } catch {
        throw .storageFailed(reason: "\(error)")
      }
    }
    let seqs = try await core.recordPhoto(as: caller, key) { (model, actor) throws(UseCaseError) in
      try model.decide(ProfileEvent.photoRemoved(UserReference(user: actor)), by: actor)
    }
    return (Nothing(), seqs)
  }
}

extension Core {
  fileprivate func photoPath(of caller: Caller) -> String? {
    state.withLock { state in
      guard let user = caller.user.flatMap(state.model.existing),
        let photo = state.model.views.profile(of: user)?.photo
      else { return nil }
      if let path = photo.path { return path }
      // The photo's address may name any user's photo. Only photos in the user's own folder may be
      // deleted.
      guard let stored = StoredPath(url: photo.url), stored.folder == .avatars,
        isSameUser(stored.owner, state.model.names[user])
      else { return nil }
      return StoredPath(.avatars, state.model.names[user], stored.file).text
    }
  }
}
