import Events

/// Logs a climb that the caller completed.
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
    errors: ["invalidText", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let send = SendLogged(user: actor, climb: input.climb)
    try model.decide(ProfileEvent.sendLogged(send), by: actor)
    return Nothing()
  }
}
