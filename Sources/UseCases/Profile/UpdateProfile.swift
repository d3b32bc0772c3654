import Events

/// Changes members of the caller's profile.
public struct UpdateProfile: Command {
  /// A merge patch: omitted members stay, cleared ones go.
  public struct Input: UseCaseInput {
    public var user: String?
    public var handle: Patch<String> = .keep
    public var displayName: Patch<String> = .keep
    public var bio: Patch<String> = .keep
    public var homeGym: Patch<String> = .keep
    public var homeZIP: Patch<String> = .keep
    public var climbingSince: Patch<CalendarDate> = .keep
    public var favoriteStyle: Patch<String> = .keep
    public var boulderGradeScale: Patch<String> = .keep
    public var routeGradeScale: Patch<String> = .keep
    public var isPublic: Bool?
    public var riderType: Patch<RiderType> = .keep
    public var photoURL: Patch<String> = .keep

    /// Changes nothing until members are set.
    public init(user: String? = nil, handle: String? = nil, bio: Patch<String> = .keep) {
      self.user = user
      self.handle = handle.map(Patch.set) ?? .keep
      self.bio = bio
    }

    public init(from fields: inout Fields) throws(InputError) {
      user = try fields.optional("user", "The caller, who alone may change it.")
      handle = try fields.patch("handle", "A new handle; cleared only where the rules allow none.")
      displayName = try fields.patch("displayName", "The name shown.")
      bio = try fields.patch("bio", "About the user.")
      homeGym = try fields.patch("homeGym", "Where they climb.")
      homeZIP = try fields.patch("homeZIP", "The postal code there.")
      climbingSince = try fields.patch("climbingSince", "When they began.")
      favoriteStyle = try fields.patch("favoriteStyle", "What they like best.")
      boulderGradeScale = try fields.patch("boulderGradeScale", "How boulders are graded.")
      routeGradeScale = try fields.patch("routeGradeScale", "How routes are graded.")
      isPublic = try fields.optional("isPublic", "Whether others find and see it.")
      riderType = try fields.patch("riderType", "Rider, mentor or both.")
      photoURL = try fields.patch("photoURL", "Where a photo of them is, an https address.")
    }
  }

  public static let about = About(
    "UpdateProfile", .profile, "Change members of one's profile", result: "the profile",
    errors: [
      "bioTooLong", "displayNameTooLong", "displayNameRequired", "invalidHandle",
      "invalidText", "invalidImage", "handleAlreadyTaken", "profileNotFound", "notAuthorized",
      "unauthorized",
    ])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> UserID {
    let actor = try model.actor(named: input.user)
    let edit = ProfileEdited(
      user: actor, handle: input.handle, displayName: input.displayName, bio: input.bio,
      homeGym: input.homeGym, homeZIP: input.homeZIP, climbingSince: input.climbingSince,
      favoriteStyle: input.favoriteStyle, boulderGradeScale: input.boulderGradeScale,
      routeGradeScale: input.routeGradeScale, isPublic: input.isPublic,
      riderType: input.riderType)
    try model.decide(ProfileEvent.edited(edit), by: actor)
    switch input.photoURL {
    case .keep: break
    case .set(let url): try model.setPhotoURL(url, "photoURL", by: actor)
    case .clear:
      try model.decide(ProfileEvent.photoRemoved(UserReference(user: actor)), by: actor)
    }
    return actor
  }

  public func answer(_ user: UserID, in model: Model) -> Profile { model.ownProfile(user) }
}
