import Aggregates
import Events
import Projections

/// Opens the caller's account.
public struct CreateProfile: Command {
  public struct Input: UseCaseInput {
    public var user: String
    public var handle: String
    public var displayName: String?
    public var isPublic: Bool?

    public init(user: String, handle: String, displayName: String? = nil, isPublic: Bool? = nil) {
      self.user = user
      self.handle = handle
      self.displayName = displayName
      self.isPublic = isPublic
    }

    public init(from fields: inout Fields) throws(InputError) {
      user = try fields.required("user", "The id: 1 to 128 printable ASCII characters.")
      handle = try fields.required("handle", "The public name, unique whatever its case.")
      displayName = try fields.optional("displayName", "The name shown.")
      isPublic = try fields.optional("isPublic", "Whether others find and see it; true by default.")
    }
  }

  public static let about = About(
    "CreateProfile", .profile, "Open an account with a handle", result: "the profile",
    errors: [
      "invalidHandle", "handleAlreadyTaken", "displayNameTooLong", "displayNameRequired",
      "profileExists", "notAuthorized", "unauthorized",
    ])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> UserID {
    guard isValidID(input.user.utf8) else {
      throw .invalidInput(InputError("user", idRule))
    }
    let actor = try model.actor(named: input.user)
    let profile = ProfileCreated(
      user: actor, handle: input.handle, displayName: input.displayName,
      isPublic: input.isPublic ?? true)
    try model.decide(.profileCreated(profile), by: actor)
    return actor
  }

  public func answer(_ user: UserID, in model: Model) -> Profile {
    model.ownProfile(user)
  }
}

/// What an id is, for messages.
let idRule =
  "an id is 1 to 128 printable ASCII characters without space, \", \\ and /, and not . or .."

extension Model {
  /// What a user sees of their own profile.
  func ownProfile(_ user: UserID) -> Profile {
    profile(user, for: Caller(names[user]))
      ?? Profile(row: ProfileRow(user: names[user], handle: ""), friendCount: 0)
  }
}

/// Whether a handle can be had by the caller.
public struct CheckHandleAvailability: Query {
  public struct Input: UseCaseInput {
    public var handle: String

    public init(handle: String) { self.handle = handle }

    public init(from fields: inout Fields) throws(InputError) {
      handle = try fields.required("handle", "The handle wished for.")
    }
  }

  public enum Availability: String, Answer {
    case available, taken, invalid
    public var json: JSONValue { .string(rawValue) }
  }

  public static let about = About(
    "CheckHandleAvailability", .profile, "Say whether a handle can be had",
    result: "`available`, `taken` or `invalid`")
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> Availability {
    if model.rules.problem(withHandle: input.handle) != nil { return .invalid }
    guard let holder = model.views.profiles.holder(of: input.handle) else { return .available }
    return caller.user == model.names[holder] ? .available : .taken
  }
}

/// Changes members of the caller's profile.
public struct UpdateProfile: Command {
  /// A merge patch: what is left out stays, what is cleared goes.
  public struct Input: UseCaseInput {
    public var user: String?
    public var handle: String?
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

    /// Changes nothing yet: set what is to change.
    public init(user: String? = nil, handle: String? = nil, bio: Patch<String> = .keep) {
      self.user = user
      self.handle = handle
      self.bio = bio
    }

    public init(from fields: inout Fields) throws(InputError) {
      user = try fields.optional("user", "The caller, who alone may change it.")
      handle = try fields.optional("handle", "A new handle.")
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
    }
  }

  public static let about = About(
    "UpdateProfile", .profile, "Change members of one's profile", result: "the profile",
    errors: [
      "bioTooLong", "displayNameTooLong", "displayNameRequired", "invalidHandle",
      "handleAlreadyTaken", "profileNotFound", "notAuthorized", "unauthorized",
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
    try model.decide(.profileEdited(edit), by: actor)
    return actor
  }

  public func answer(_ user: UserID, in model: Model) -> Profile { model.ownProfile(user) }
}

/// Closes the caller's account: no answer shows it or what it shared from then on, and its id is
/// never used again.
///
/// Its events stay in the log, with their texts, and in every answer as of a time before.
public struct DeleteAccount: Command {
  public static let about = About(
    "DeleteAccount", .profile,
    "Close one's account: answers are without it and what it shared; its events stay in the log",
    errors: ["profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: NoInput, in model: inout Model) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    try model.decide(.accountDeleted(UserReference(user: actor)), by: actor)
    return Nothing()
  }
}

/// The input of use cases that take none.
public struct NoInput: UseCaseInput {
  public init() {}
  public init(from fields: inout Fields) throws(InputError) {}
}
