import Events

/// Changes fields of the caller's profile.
public struct UpdateProfile: Command {
  /// A merge patch: an omitted field keeps its value, and a cleared field loses it.
  public struct Input: UseCaseInput {
    /// The caller's id; nil also means the caller. Any other id is refused.
    public var user: String?
    /// The new handle. It can be cleared only if the rules allow profiles without a handle.
    public var handle: Patch<String> = .keep
    /// The user's displayed name.
    public var displayName: Patch<String> = .keep
    /// The user's text about themselves.
    public var bio: Patch<String> = .keep
    /// The gym where the user climbs.
    public var homeGym: Patch<String> = .keep
    /// The postal code of the gym where the user climbs.
    public var homeZIP: Patch<String> = .keep
    /// The date when the user began to climb.
    public var climbingSince: Patch<CalendarDate> = .keep
    /// The user's favourite climbing style.
    public var favoriteStyle: Patch<String> = .keep
    /// The grading scale that the user uses for boulders.
    public var boulderGradeScale: Patch<String> = .keep
    /// The grading scale that the user uses for routes.
    public var routeGradeScale: Patch<String> = .keep
    /// Whether other users can find and see the profile; nil keeps the setting.
    public var isPublic: Bool?
    /// Whether the user is a rider, a mentor or both.
    public var riderType: Patch<RiderType> = .keep
    /// The https address of the user's photo.
    public var photoURL: Patch<String> = .keep

    /// Creates an input that changes only these fields. Set its properties to change other fields.
    public init(user: String? = nil, handle: String? = nil, bio: Patch<String> = .keep) {
      self.user = user
      self.handle = handle.map(Patch.set) ?? .keep
      self.bio = bio
    }

    public static var placeholder: Input { Input() }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.optional("user", "The caller's id; other ids are refused.", &user)
      try fields.patch("handle", "The new handle; cleared only if the rules allow that.", &handle)
      try fields.patch("displayName", "The displayed name.", &displayName)
      try fields.patch("bio", "The user's text about themselves.", &bio)
      try fields.patch("homeGym", "The gym where the user climbs.", &homeGym)
      try fields.patch("homeZIP", "The postal code of that gym.", &homeZIP)
      try fields.patch("climbingSince", "The date when the user began to climb.", &climbingSince)
      try fields.patch("favoriteStyle", "The user's favourite style.", &favoriteStyle)
      try fields.patch("boulderGradeScale", "The grading scale for boulders.", &boulderGradeScale)
      try fields.patch("routeGradeScale", "The grading scale for routes.", &routeGradeScale)
      try fields.optional("isPublic", "Whether others find and see the profile.", &isPublic)
      try fields.patch("riderType", "Whether the user is a rider, a mentor or both.", &riderType)
      try fields.patch("photoURL", "The https address of the user's photo.", &photoURL)
    }
  }

  public static let about = About(
    "UpdateProfile", .profile, "Change fields of the caller's profile", result: "the profile",
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

  public func knownAnswer(_ user: UserID, in model: inout Model) -> Profile? {
    model.draftedProfile(user)
  }

  public func answer(_ user: UserID, in model: Model) -> Profile { model.ownProfile(user) }
}
