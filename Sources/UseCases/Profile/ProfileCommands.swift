import Aggregates
import Events

/// Sets the address of the caller's photo, which is already stored. Use it after
/// `UploadProfilePhoto` failed to change the profile, or for an import.
public struct SetPhotoURL: SilentCommand {
  /// The input of `SetPhotoURL`.
  public struct Input: UseCaseInput {
    /// The photo's https address: at most 2,048 bytes.
    public var url: String

    /// Creates the input.
    public init(url: String) { self.url = url }

    public static var placeholder: Input { Input(url: .placeholder) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("url", "The photo's https address: at most 2,048 bytes.", &url)
    }
  }

  public static let about = About(
    "SetPhotoURL", .profile, "Set the caller's photo to one that is already stored",
    errors: ["invalidImage", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) {
    try model.setPhotoURL(input.url, "url", by: model.actor())
  }
}

extension Model {
  /// Sets the address of the actor's photo.
  /// - Throws: an input error that names `field`, unless `url` is an https address.
  mutating func setPhotoURL(
    _ url: String, _ field: String, by actor: UserID
  ) throws(UseCaseError) {
    // The address of a photo in the user's own folder on this server may have any scheme. The event
    // then has only the path, so that the server's address can change.
    let folder = "/storage/v1/object/public/"
    if let base = draft.caller.photoBase, url.hasPrefix(base + folder),
      let stored = StoredPath(String(url.dropFirst((base + folder).count))),
      stored.folder == .avatars, isSameUser(stored.owner, names[actor])
    {
      let path = folder + stored.text
      try decide(ProfileEvent.photoSet(ProfilePhotoSet(user: actor, url: path)), by: actor)
      return
    }
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

/// Sets the caller's base location.
public struct SetBaseLocation: SilentCommand {
  /// The input of `SetBaseLocation`.
  public struct Input: UseCaseInput {
    /// The latitude in degrees: -90 to 90.
    public var latitude: Double
    /// The longitude in degrees: -180 to 180.
    public var longitude: Double
    /// The name of the place.
    public var name: String?

    /// Creates the input.
    public init(latitude: Double, longitude: Double, name: String? = nil) {
      (self.latitude, self.longitude, self.name) = (latitude, longitude, name)
    }

    public static var placeholder: Input { Input(latitude: .placeholder, longitude: .placeholder) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("latitude", "The latitude in degrees: -90 to 90.", &latitude)
      try fields.required("longitude", "The longitude in degrees: -180 to 180.", &longitude)
      try fields.optional("name", "The name of the place.", &name)
    }
  }

  public static let about = About(
    "SetBaseLocation", .profile, "Set the caller's base location",
    errors: ["outOfRange", "nameTooLong", "invalidText", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) {
    let location = BaseLocationSet(
      user: try model.actor(), latitude: input.latitude, longitude: input.longitude,
      name: input.name)
    try model.decide(ProfileEvent.baseLocationSet(location), by: location.user)
  }
}

/// Clears the caller's base location.
public struct ClearBaseLocation: SilentCommand {
  public static let about = About(
    "ClearBaseLocation", .profile, "Clear the caller's base location",
    errors: ["profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: NoInput, in model: inout Model) throws(UseCaseError) {
    let actor = try model.actor()
    try model.decide(ProfileEvent.baseLocationCleared(UserReference(user: actor)), by: actor)
  }
}

/// Sets the caller's level in a sport.
public struct SetSport: SilentCommand {
  /// The input of `SetSport`.
  public struct Input: UseCaseInput {
    /// The id of a sport that `ListSports` returns.
    public var sport: String
    /// The caller's level.
    public var level: SkillLevel
    /// Whether the caller teaches the sport; by default false.
    public var isMentor: Bool?

    /// Creates the input.
    public init(sport: String, level: SkillLevel, isMentor: Bool? = nil) {
      (self.sport, self.level, self.isMentor) = (sport, level, isMentor)
    }

    public static var placeholder: Input { Input(sport: .placeholder, level: .placeholder) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("sport", "The id of a sport that ListSports returns.", &sport)
      try fields.required("level", "The caller's level.", &level)
      try fields.optional("isMentor", "Whether the caller teaches it; by default false.", &isMentor)
    }
  }

  public static let about = About(
    "SetSport", .profile, "Add a sport, or change the caller's level in it",
    errors: ["unknownSport", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) {
    let actor = try model.actor()
    let sport = try sport(input.sport)
    try refusing { () throws(DomainError) in try model.rules.checkOffered(sport) }
    let set = SportSet(
      user: actor, sport: sport, level: input.level, isMentor: input.isMentor ?? false)
    try model.decide(ProfileEvent.sportSet(set), by: actor)
  }
}

/// Removes one of the caller's sports.
public struct RemoveSport: SilentCommand {
  /// The input of `RemoveSport`.
  public struct Input: UseCaseInput {
    /// The sport's id.
    public var sport: String

    /// Creates the input.
    public init(sport: String) { self.sport = sport }

    public static var placeholder: Input { Input(sport: .placeholder) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("sport", "The sport's id.", &sport)
    }
  }

  public static let about = About(
    "RemoveSport", .profile, "Remove a sport",
    errors: ["unknownSport", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) {
    let removed = SportRemoved(user: try model.actor(), sport: try sport(input.sport))
    try model.decide(ProfileEvent.sportRemoved(removed), by: removed.user)
  }
}

private func sport(_ name: String) throws(UseCaseError) -> SportID {
  do throws(InvalidID) { return try SportID(name) } catch { throw .refused(.unknownSport) }
}

/// Logs a climb that the caller has completed (a “send”).
public struct LogSend: SilentCommand {
  /// The input of `LogSend`.
  public struct Input: UseCaseInput {
    /// The completed climb.
    public var climb: String

    /// Creates the input.
    public init(climb: String) { self.climb = climb }

    public static var placeholder: Input { Input(climb: .placeholder) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("climb", "The completed climb.", &climb)
    }
  }

  public static let about = About(
    "LogSend", .profile, "Log a completed climb; it counts in sendCount",
    errors: ["invalidText", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) {
    let send = SendLogged(user: try model.actor(), climb: input.climb)
    try model.decide(ProfileEvent.sendLogged(send), by: send.user)
  }
}

/// Sets the caller's weekly goal: the distance to move in a week.
public struct SetWeeklyGoal: SilentCommand {
  /// The input of `SetWeeklyGoal`.
  public struct Input: UseCaseInput {
    /// The distance in metres: at most 10,000,000; 0 clears the goal.
    public var meters: Int64

    /// Creates the input.
    public init(meters: Int64) { self.meters = meters }

    public static var placeholder: Input { Input(meters: .placeholder) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required(
        "meters", "The distance in metres: at most 10,000,000; 0 clears the goal.", &meters)
    }
  }

  public static let about = About(
    "SetWeeklyGoal", .profile, "Set the distance that the caller wants to move in a week",
    errors: ["outOfRange", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) {
    let goal = WeeklyGoalSet(user: try model.actor(), meters: input.meters)
    try model.decide(ProfileEvent.weeklyGoalSet(goal), by: goal.user)
  }
}

/// Records the time until which a user's subscription is paid, as a store reported it. Only
/// services may call it.
public struct RecordPremium: SilentCommand {
  /// The input of `RecordPremium`.
  public struct Input: UseCaseInput {
    /// The subscriber's id.
    public var user: String
    /// The product's name in the store.
    public var product: String
    /// The time until which the product is paid.
    public var expires: DateTime
    /// The id of the purchase in the store.
    public var transaction: String?

    /// Creates the input.
    public init(user: String, product: String, expires: DateTime, transaction: String? = nil) {
      (self.user, self.product) = (user, product)
      (self.expires, self.transaction) = (expires, transaction)
    }

    public static var placeholder: Input {
      Input(user: .placeholder, product: .placeholder, expires: .placeholder)
    }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("user", "The subscriber's id.", &user)
      try fields.required("product", "The store's name of the product.", &product)
      try fields.required("expires", "The time until which it is paid.", &expires)
      try fields.optional("transaction", "The store's id of the purchase.", &transaction)
    }
  }

  public static let about = About(
    "RecordPremium", .profile,
    "Record the time until which a user's subscription is paid; only for services",
    errors: ["invalidText", "notAuthorized", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) {
    let actor = try model.actorOrService()
    let record = PremiumRecorded(
      user: try model.user(input.user), product: input.product, expires: input.expires,
      transaction: input.transaction)
    try model.decide(ProfileEvent.premiumRecorded(record), by: actor)
  }
}
