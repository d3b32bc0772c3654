import Events

/// Sets the caller's photo: makes the image small enough, stores it, and records it in the profile.
public struct UploadProfilePhoto: PhotoUseCase {
  /// The input of `UploadProfilePhoto`.
  public struct Input: UseCaseInput {
    /// The caller's id; nil also means the caller. Any other id is refused.
    public var user: String?
    /// The bytes of a JPEG or PNG file.
    public var image: ImageData

    /// Creates the input.
    public init(user: String? = nil, image: [UInt8]) {
      self.user = user
      self.image = ImageData(image)
    }

    public static var placeholder: Input { Input(image: []) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.optional("user", "The caller's id; other ids are refused.", &user)
      try fields.required("image", "A JPEG or PNG: a file, or a data: URI in base64.", &image)
    }
  }

  public static let about = About(
    "UploadProfilePhoto", .profile,
    "Set the caller's photo, re-encoded until it is at most 5 MiB",
    result: "the photo's URL",
    errors: [
      "invalidImage", "imageTooLarge", "uploadFailed", "profileUpdateFailed", "profileNotFound",
      "notAuthorized", "unauthorized",
    ])
  let core: Core
  let storage: any PhotoStorage
  let encoder: any PhotoEncoder

  /// Creates the use case on a core.
  public init(_ core: Core, _ storage: any PhotoStorage, _ encoder: any PhotoEncoder) {
    (self.core, self.storage, self.encoder) = (core, storage, encoder)
  }

  public func execute(_ input: Input, as caller: Caller) async throws(UseCaseError) -> String {
    try await core.performed(Call(self, input, as: caller)).output
  }

  func perform(
    _ input: Input, _ caller: Caller, _ key: IdempotencyKey?
  ) async throws(UseCaseError) -> (output: String, seqs: Range<UInt64>) {
    let user = try await core.mayChangePhoto(of: input.user, caller)
    let (photo, path, url) = try await core.storePhoto(
      input.image, in: .avatars, of: user, with: encoder, storage, for: caller)
    let address = Caller.address(ofPhoto: url, base: caller.photoBase)
    do throws(UseCaseError) {
      let seqs = try await core.recordPhoto(as: caller, key) {
        (model, actor) throws(UseCaseError) in
        let set = ProfilePhotoSet(
          user: actor, url: url, path: path, bytes: Int64(photo.bytes.count),
          contentType: photo.contentType)
        try model.decide(ProfileEvent.photoSet(set), by: actor)
      }
      return (address, seqs)
    } catch {
      // An earlier try with the same key has already set a photo. No profile names the photo stored
      // here, so `PhotoSweep` removes it.
      if case .log(.keyUsed) = error { throw error }
      throw .profileUpdateFailed(url: address, error)
    }
  }
}
