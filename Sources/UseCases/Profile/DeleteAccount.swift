import Events

/// Closes the caller's account: from then on no answer shows it or what it shared, and its id is
/// never reused.
///
/// Its events, with their texts, stay in the log, and in every answer as of an earlier time.
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
