import Aggregates
import Events

/// Sets the caller's photo to a stored one: after an upload whose record failed, or for an import.
public struct SetPhotoURL: SilentCommand {
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

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) {
    try model.setPhotoURL(input.url, "url", by: model.actor())
  }
}

extension Model {
  /// - Throws: an input error that names the field, unless it is an https address.
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
    try decide(.profile(.photoSet(ProfilePhotoSet(user: actor, url: url))), by: actor)
  }
}

/// Sets where the caller is based.
public struct SetBaseLocation: SilentCommand {
  public struct Input: UseCaseInput {
    public var latitude: Double
    public var longitude: Double
    public var name: String?

    public init(latitude: Double, longitude: Double, name: String? = nil) {
      (self.latitude, self.longitude, self.name) = (latitude, longitude, name)
    }

    public init(from fields: inout Fields) throws(InputError) {
      latitude = try fields.required("latitude", "In degrees, -90 to 90.")
      longitude = try fields.required("longitude", "In degrees, -180 to 180.")
      name = try fields.optional("name", "What the place is called.")
    }
  }

  public static let about = About(
    "SetBaseLocation", .profile, "Say where one is based",
    errors: ["outOfRange", "nameTooLong", "invalidText", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) {
    let location = BaseLocationSet(
      user: try model.actor(), latitude: input.latitude, longitude: input.longitude,
      name: input.name)
    try model.decide(.profile(.baseLocationSet(location)), by: location.user)
  }
}

/// Clears the caller's base location.
public struct ClearBaseLocation: SilentCommand {
  public static let about = About(
    "ClearBaseLocation", .profile, "No longer say where one is based",
    errors: ["profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: NoInput, in model: inout Model) throws(UseCaseError) {
    let actor = try model.actor()
    try model.decide(.profile(.baseLocationCleared(UserReference(user: actor))), by: actor)
  }
}

/// Sets the caller's level in a sport.
public struct SetSport: SilentCommand {
  public struct Input: UseCaseInput {
    public var sport: String
    public var level: SkillLevel
    public var isMentor: Bool?

    public init(sport: String, level: SkillLevel, isMentor: Bool? = nil) {
      (self.sport, self.level, self.isMentor) = (sport, level, isMentor)
    }

    public init(from fields: inout Fields) throws(InputError) {
      sport = try fields.required("sport", "One of those that ListSports lists.")
      level = try fields.required("level", "How good one is.")
      isMentor = try fields.optional("isMentor", "Whether one teaches it; false by default.")
    }
  }

  public static let about = About(
    "SetSport", .profile, "Add a sport, or change one's level in it",
    errors: ["unknownSport", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) {
    let actor = try model.actor()
    let sport = try sport(input.sport)
    try refusing { () throws(DomainError) in try model.rules.checkOffered(sport) }
    let set = SportSet(
      user: actor, sport: sport, level: input.level, isMentor: input.isMentor ?? false)
    try model.decide(.profile(.sportSet(set)), by: actor)
  }
}

/// Removes one of the caller's sports.
public struct RemoveSport: SilentCommand {
  public struct Input: UseCaseInput {
    public var sport: String

    public init(sport: String) { self.sport = sport }

    public init(from fields: inout Fields) throws(InputError) {
      sport = try fields.required("sport", "The sport's id.")
    }
  }

  public static let about = About(
    "RemoveSport", .profile, "Remove a sport",
    errors: ["unknownSport", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) {
    let removed = SportRemoved(user: try model.actor(), sport: try sport(input.sport))
    try model.decide(.profile(.sportRemoved(removed)), by: removed.user)
  }
}

private func sport(_ name: String) throws(UseCaseError) -> SportID {
  do throws(InvalidID) { return try SportID(name) } catch { throw .refused(.unknownSport) }
}

/// Logs a climb that the caller completed.
public struct LogSend: SilentCommand {
  public struct Input: UseCaseInput {
    public var climb: String

    public init(climb: String) { self.climb = climb }

    public init(from fields: inout Fields) throws(InputError) {
      climb = try fields.required("climb", "What was climbed.")
    }
  }

  public static let about = About(
    "LogSend", .profile, "Log a climb done; it counts in sendCount",
    errors: ["invalidText", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) {
    let send = SendLogged(user: try model.actor(), climb: input.climb)
    try model.decide(.profile(.sendLogged(send)), by: send.user)
  }
}

/// Sets how far the caller wants to move in a week.
public struct SetWeeklyGoal: SilentCommand {
  public struct Input: UseCaseInput {
    public var meters: Int64

    public init(meters: Int64) { self.meters = meters }

    public init(from fields: inout Fields) throws(InputError) {
      meters = try fields.required("meters", "At most 10,000,000; 0 clears the goal.")
    }
  }

  public static let about = About(
    "SetWeeklyGoal", .profile, "Set how far one wants to move in a week",
    errors: ["outOfRange", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) {
    let goal = WeeklyGoalSet(user: try model.actor(), meters: input.meters)
    try model.decide(.profile(.weeklyGoalSet(goal)), by: goal.user)
  }
}

/// Records until when a store says a user's subscription is paid; only for services.
public struct RecordPremium: SilentCommand {
  public struct Input: UseCaseInput {
    public var user: String
    public var product: String
    public var expires: DateTime
    public var transaction: String?

    public init(user: String, product: String, expires: DateTime, transaction: String? = nil) {
      (self.user, self.product) = (user, product)
      (self.expires, self.transaction) = (expires, transaction)
    }

    public init(from fields: inout Fields) throws(InputError) {
      user = try fields.required("user", "Who subscribes.")
      product = try fields.required("product", "What was bought, by the store's name for it.")
      expires = try fields.required("expires", "Until when it is paid.")
      transaction = try fields.optional("transaction", "The store's id of the purchase.")
    }
  }

  public static let about = About(
    "RecordPremium", .profile, "As a service, record until when a user's subscription is paid",
    errors: ["invalidText", "notAuthorized", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) {
    let actor = try model.actorOrService()
    let record = PremiumRecorded(
      user: try model.user(input.user), product: input.product, expires: input.expires,
      transaction: input.transaction)
    try model.decide(.profile(.premiumRecorded(record)), by: actor)
  }
}
