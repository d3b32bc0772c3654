import Events

/// The input of commands that give or withdraw a reaction.
public struct ReactionInput: UseCaseInput {
  /// The workout's id.
  public var workout: String
  /// The kind of the reaction; case is ignored.
  public var kind: String

  /// Creates the input.
  public init(workout: String, kind: String) { (self.workout, self.kind) = (workout, kind) }

  public static var placeholder: ReactionInput {
    ReactionInput(workout: .placeholder, kind: .placeholder)
  }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try fields.required("workout", "The workout's id.", &workout)
    try fields.required("kind", "fire, strong, clap, wow or laugh, if the rules offer it.", &kind)
  }
}

/// Gives a workout a reaction of the caller. Changes nothing if the reaction exists, so a retry is
/// harmless.
public struct GiveReaction: SilentCommand {
  public static let about = About(
    "GiveReaction", .reactions, "React to a workout, at most once with each kind",
    errors: [
      "unknownReaction", "workoutNotFound", "notVisible", "profileNotFound", "unauthorized",
    ])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: ReactionInput, in model: inout Model) throws(UseCaseError) {
    try model.react(ReactionEvent.given, input)
  }
}

/// Withdraws the caller's reaction of a kind. Does nothing if there is none, so a retry is
/// harmless.
public struct WithdrawReaction: SilentCommand {
  public static let about = About(
    "WithdrawReaction", .reactions, "Withdraw a reaction",
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
