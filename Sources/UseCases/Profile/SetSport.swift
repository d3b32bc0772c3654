import Aggregates
import Events

/// Sets where the caller is based.
public struct SetBaseLocation: Command {
  public struct Input: UseCaseInput {
    public var latitude: Double
    public var longitude: Double
    public var name: String?

    public init(latitude: Double, longitude: Double, name: String? = nil) {
      self.latitude = latitude
      self.longitude = longitude
      self.name = name
    }

    public init(from fields: inout Fields) throws(InputError) {
      latitude = try fields.required("latitude", "In degrees, -90 to 90.")
      longitude = try fields.required("longitude", "In degrees, -180 to 180.")
      name = try fields.optional("name", "What the place is called.")
    }
  }

  public static let about = About(
    "SetBaseLocation", .profile, "Say where one is based",
    errors: ["outOfRange", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let location = BaseLocationSet(
      user: actor, latitude: input.latitude, longitude: input.longitude, name: input.name)
    try model.decide(.baseLocationSet(location), by: actor)
    return Nothing()
  }
}

/// Forgets where the caller is based.
public struct ClearBaseLocation: Command {
  public static let about = About(
    "ClearBaseLocation", .profile, "No longer say where one is based",
    errors: ["profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: NoInput, in model: inout Model) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    try model.decide(.baseLocationCleared(UserReference(user: actor)), by: actor)
    return Nothing()
  }
}

/// Sets the caller's level in a sport.
public struct SetSport: Command {
  public struct Input: UseCaseInput {
    public var sport: String
    public var level: SkillLevel
    public var isMentor: Bool?

    public init(sport: String, level: SkillLevel, isMentor: Bool? = nil) {
      self.sport = sport
      self.level = level
      self.isMentor = isMentor
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

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let set = SportSet(
      user: actor, sport: try sport(input.sport), level: input.level,
      isMentor: input.isMentor ?? false)
    try model.decide(.sportSet(set), by: actor)
    return Nothing()
  }
}

/// Removes one of the caller's sports.
public struct RemoveSport: Command {
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

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let removed = SportRemoved(user: actor, sport: try sport(input.sport))
    try model.decide(.sportRemoved(removed), by: actor)
    return Nothing()
  }
}

private func sport(_ name: String) throws(UseCaseError) -> SportID {
  do throws(InvalidID) { return try SportID(name) } catch { throw .refused(.unknownSport) }
}

/// Logs a climb that the caller did.
public struct LogSend: Command {
  public struct Input: UseCaseInput {
    public var climb: String

    public init(climb: String) { self.climb = climb }

    public init(from fields: inout Fields) throws(InputError) {
      climb = try fields.required("climb", "What was climbed.")
    }
  }

  public static let about = About(
    "LogSend", .profile, "Log a climb done; it counts in sendCount",
    errors: ["profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    try model.decide(.sendLogged(SendLogged(user: actor, climb: input.climb)), by: actor)
    return Nothing()
  }
}
