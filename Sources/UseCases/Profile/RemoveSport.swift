import Events

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
    try model.decide(ProfileEvent.sportRemoved(removed), by: actor)
    return Nothing()
  }
}
