import Aggregates
import Events

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
    let sport = try sport(input.sport)
    try refusing { () throws(DomainError) in try model.rules.checkOffered(sport) }
    let set = SportSet(
      user: actor, sport: sport, level: input.level,
      isMentor: input.isMentor ?? false)
    try model.decide(ProfileEvent.sportSet(set), by: actor)
    return Nothing()
  }
}
