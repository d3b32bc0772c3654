import Aggregates
import Events

/// Sets the caller's photo to one that is stored already: after an upload whose record failed, or
/// by an import.
public struct SetPhotoURL: Command {
  public struct Input: UseCaseInput {
    public var url: String

    public init(url: String) { self.url = url }

    public init(from fields: inout Fields) throws(InputError) {
      url = try fields.required("url", "An https address, of at most 2,048 bytes.")
    }
  }

  public static let about = About(
    "SetPhotoURL", .profile, "Set one's photo to one that is stored already",
    errors: ["invalidImage", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> Nothing {
    try model.setPhotoURL(input.url, "url", by: model.actor())
    return Nothing()
  }
}

extension Model {
  /// - Throws: an input error, naming the field, unless it is an address of https.
  mutating func setPhotoURL(
    _ url: String, _ field: String, by actor: UserID
  ) throws(UseCaseError) {
    let isAllowed =
      url.hasPrefix("https://") && url.utf8.count > 8 && url.utf8.count <= Rules.longestURL
      && url.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f }
    guard isAllowed else {
      throw .invalidInput(
        InputError(field, "an https address of at most 2,048 bytes is expected, without spaces"))
    }
    try decide(ProfileEvent.photoSet(ProfilePhotoSet(user: actor, url: url)), by: actor)
  }
}
