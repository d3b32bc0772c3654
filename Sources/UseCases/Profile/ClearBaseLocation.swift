import Events

/// Clears the caller's base location.
public struct ClearBaseLocation: Command {
  public static let about = About(
    "ClearBaseLocation", .profile, "No longer say where one is based",
    errors: ["profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: NoInput, in model: inout Model) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    try model.decide(ProfileEvent.baseLocationCleared(UserReference(user: actor)), by: actor)
    return Nothing()
  }
}
