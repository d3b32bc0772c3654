import Events

/// Records that a photo was uploaded.
struct SetProfilePhoto: Command {
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
    try model.decide(ProfileEvent.photoSet(photo), by: actor)
    return Nothing()
  }
}
