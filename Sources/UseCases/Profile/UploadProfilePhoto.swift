import Aggregates
import Events

/// Gives the caller a new photo: encodes it until it is small enough, stores it, and sets it.
public struct UploadProfilePhoto: DescribedUseCase {
  public struct Input: UseCaseInput {
    public var user: String?
    /// A JPEG or PNG file.
    public var image: ImageData

    public init(user: String? = nil, image: [UInt8]) {
      self.user = user
      self.image = ImageData(image)
    }

    public init(from fields: inout Fields) throws(InputError) {
      user = try fields.optional("user", "The caller, who alone may change it.")
      image = try fields.required("image", "A JPEG or PNG: a file, or a data: URI in base64.")
    }
  }

  public static let about = About(
    "UploadProfilePhoto", .profile, "Set one's photo, re-encoded until it is at most 5 MiB",
    result: "the photo's URL",
    errors: [
      "invalidImage", "imageTooLarge", "uploadFailed", "profileUpdateFailed", "profileNotFound",
      "notAuthorized", "unauthorized",
    ])
  let core: Core
  let storage: any PhotoStorage
  let encoder: any PhotoEncoder

  public init(_ core: Core, _ storage: any PhotoStorage, _ encoder: any PhotoEncoder) {
    self.core = core
    self.storage = storage
    self.encoder = encoder
  }

  public func execute(_ input: Input, as caller: Caller) async throws(UseCaseError) -> String {
    try await perform(input, caller).output
  }

  func perform(
    _ input: Input, _ caller: Caller
  ) async throws(UseCaseError) -> (output: String, seqs: Range<UInt64>) {
    let user = try await core.mayChangePhoto(of: input.user, caller)
    let photo: EncodedPhoto
    do throws(DomainError) {
      photo = try shrunk(input.image.bytes, with: encoder, rules: core.rules)
    } catch {
      throw .refused(error)
    }
    let time = caller.time ?? core.surroundings.now()
    let path = PhotoPath.path(user: user, time: time, bytes: photo.bytes)
    let url: String
    do throws(PhotoStorageError) {
      url = try await storage.put(photo.bytes, at: path)
    } catch {
      throw .uploadFailed(reason: "\(error)")
    }
    do throws(UseCaseError) {
      let set = SetProfilePhoto.Input(
        url: url, path: path, bytes: photo.bytes.count, contentType: photo.contentType)
      return (url, try await core.performed(SetProfilePhoto(core), set, as: caller).seqs)
    } catch {
      throw .profileUpdateFailed(error)
    }
  }
}

/// Removes the caller's photo, and its file; a file already gone is no error.
public struct DeleteProfilePhoto: DescribedUseCase {
  public typealias Input = UserInput

  public static let about = About(
    "DeleteProfilePhoto", .profile, "Remove one's photo; a file already gone is no error",
    errors: ["profileNotFound", "notAuthorized", "unauthorized", "storageFailed"])
  let core: Core
  let storage: any PhotoStorage

  public init(_ core: Core, _ storage: any PhotoStorage) {
    self.core = core
    self.storage = storage
  }

  public func execute(_ input: Input, as caller: Caller) async throws(UseCaseError) -> Nothing {
    try await perform(input, caller).output
  }

  /// The file first: whoever tries again after a failure finds the photo still there to delete.
  func perform(
    _ input: Input, _ caller: Caller
  ) async throws(UseCaseError) -> (output: Nothing, seqs: Range<UInt64>) {
    _ = try await core.mayChangePhoto(of: input.user, caller)
    if let path = core.photoPath(of: caller) {
      do throws(PhotoStorageError) {
        try await storage.delete(path)
      } catch {
        throw .storageFailed(reason: "\(error)")
      }
    }
    return try await core.performed(RemoveProfilePhoto(core), NoInput(), as: caller)
  }
}

/// Where photos go, and what makes them small enough.
public struct PhotoPorts: Sendable {
  public var storage: any PhotoStorage
  public var encoder: any PhotoEncoder

  public init(storage: any PhotoStorage, encoder: any PhotoEncoder) {
    self.storage = storage
    self.encoder = encoder
  }
}

extension Core {
  /// - Returns: the caller's id, who has a profile.
  fileprivate func mayChangePhoto(
    of user: String?, _ caller: Caller
  ) async throws(UseCaseError) -> String {
    try await catchUp()
    return try state.withLock { (state) throws(UseCaseError) in
      let viewer = try state.model.viewer(caller)
      if let user, user != caller.user { throw .refused(.notAuthorized) }
      return state.model.names[viewer]
    }
  }

  fileprivate func photoPath(of caller: Caller) -> String? {
    state.withLock { state in
      guard let user = caller.user.flatMap(state.model.existing) else { return nil }
      return state.model.views.profiles[user]?.photo?.path
    }
  }
}

/// The event of an upload.
private struct SetProfilePhoto: Command {
  struct Input: UseCaseInput {
    var url: String
    var path: String
    var bytes: Int
    var contentType: String

    init(url: String, path: String, bytes: Int, contentType: String) {
      self.url = url
      self.path = path
      self.bytes = bytes
      self.contentType = contentType
    }

    init(from fields: inout Fields) throws(InputError) {
      throw InputError("with", "not to be performed by name")
    }
  }

  static let about = About("SetProfilePhoto", .profile, "Set the photo that was stored")
  let core: Core
  init(_ core: Core) { self.core = core }

  func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let photo = ProfilePhotoSet(
      user: actor, url: input.url, path: input.path, bytes: Int64(input.bytes),
      contentType: input.contentType)
    try model.decide(.profilePhotoSet(photo), by: actor)
    return Nothing()
  }
}

/// The event of a deletion.
private struct RemoveProfilePhoto: Command {
  static let about = About("RemoveProfilePhoto", .profile, "Remove the photo whose file is gone")
  let core: Core
  init(_ core: Core) { self.core = core }

  func decide(_ input: NoInput, in model: inout Model) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    try model.decide(.profilePhotoRemoved(UserReference(user: actor)), by: actor)
    return Nothing()
  }
}
