import Events

/// The input of commands that give or take back a reaction.
public struct ReactionInput: UseCaseInput {
  public var workout: String
  /// Upper and lower case mean the same.
  public var kind: String

  public init(workout: String, kind: String) { (self.workout, self.kind) = (workout, kind) }

  public init(from fields: inout Fields) throws(InputError) {
    workout = try fields.required("workout", "Its id.")
    kind = try fields.required("kind", "fire, strong, clap, wow or laugh, as the rules offer.")
  }
}

/// Reacts to a workout. An existing reaction stays, so a retry is harmless.
public struct GiveReaction: SilentCommand {
  public static let about = About(
    "GiveReaction", .reactions, "React to a workout, in each way at most once",
    errors: [
      "unknownReaction", "workoutNotFound", "notVisible", "profileNotFound", "unauthorized",
    ])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: ReactionInput, in model: inout Model) throws(UseCaseError) {
    try model.react(ReactionEvent.given, input)
  }
}

/// Takes a reaction back. Without a reaction it does nothing, so a retry is harmless.
public struct WithdrawReaction: SilentCommand {
  public static let about = About(
    "WithdrawReaction", .reactions, "Take a reaction back",
    errors: ["unknownReaction", "workoutNotFound", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: ReactionInput, in model: inout Model) throws(UseCaseError) {
    try model.react(ReactionEvent.withdrawn, input)
  }
}

extension Model {
  fileprivate mutating func react(
    _ event: (Reaction) -> ReactionEvent, _ input: ReactionInput
  ) throws(UseCaseError) {
    let actor = try actor()
    guard let kind = ReactionKind(rawValue: input.kind.lowercased()) else {
      throw .refused(.unknownReaction)
    }
    let reaction = Reaction(workout: try workout(input.workout), user: actor, kind: kind)
    try decide(event(reaction), by: actor)
  }
}
