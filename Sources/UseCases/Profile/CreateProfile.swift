import Events

/// Opens the caller's account and creates the profile.
public struct CreateProfile: Command {
  /// The input of `CreateProfile`.
  public struct Input: UseCaseInput {
    /// The caller's id: 1 to 128 printable ASCII characters.
    public var user: String
    /// The public name, unique among all users ignoring case. It is required unless the rules allow
    /// profiles without a handle.
    public var handle: String?
    /// The displayed name.
    public var displayName: String?
    /// Whether other users can find and see the profile; by default true.
    public var isPublic: Bool?
    /// The https address of the user's photo.
    public var photoURL: String?
    /// The postal code of the user's gym.
    public var homeZIP: String?

    /// Creates the input.
    public init(
      user: String, handle: String?, displayName: String? = nil, isPublic: Bool? = nil,
      photoURL: String? = nil, homeZIP: String? = nil
    ) {
      (self.user, self.handle, self.displayName) = (user, handle, displayName)
      (self.isPublic, self.photoURL, self.homeZIP) = (isPublic, photoURL, homeZIP)
    }

    public static var placeholder: Input { Input(user: .placeholder, handle: nil) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("user", "The caller's id: 1 to 128 printable ASCII characters.", &user)
      try fields.optional("handle", "The public name; unique, ignoring case.", &handle)
      try fields.optional("displayName", "The displayed name.", &displayName)
      try fields.optional(
        "isPublic", "Whether others find and see the profile; by default true.", &isPublic)
      try fields.optional("photoURL", "The https address of the user's photo.", &photoURL)
      try fields.optional("homeZIP", "The postal code of the user's gym.", &homeZIP)
    }
  }

  public static let about = About(
    "CreateProfile", .profile, "Open an account with a handle", result: "the profile",
    errors: [
      "invalidHandle", "handleAlreadyTaken", "displayNameTooLong", "displayNameRequired",
      "profileExists", "invalidText", "invalidImage", "notAuthorized", "unauthorized",
    ])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> UserID {
    guard isValidID(input.user.utf8) else {
      throw .invalidInput(InputError("user", idRule))
    }
    if input.user.hasPrefix(Names.servicePrefix) {
      throw .invalidInput(InputError("user", "ids that begin with service: are for services"))
    }
    let actor = try model.actor(named: input.user)
    let profile = ProfileCreated(
      user: actor, handle: input.handle, displayName: input.displayName,
      isPublic: input.isPublic ?? true)
    try model.decide(ProfileEvent.created(profile), by: actor)
    if let url = input.photoURL { try model.setPhotoURL(url, "photoURL", by: actor) }
    if let homeZIP = input.homeZIP {
      let edit = ProfileEdited(user: actor, homeZIP: .set(homeZIP))
      try model.decide(ProfileEvent.edited(edit), by: actor)
    }
    return actor
  }

  public func knownAnswer(_ user: UserID, in model: inout Model) -> Profile? {
    model.draftedProfile(user)
  }

  public func answer(_ user: UserID, in model: Model) -> Profile {
    model.ownProfile(user)
  }
}
