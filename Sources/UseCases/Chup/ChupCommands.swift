import Aggregates

/// Chups a workout. An existing chup stays as it is, so a retry is harmless.
public struct GiveChup: SilentCommand {
  public static let about = About("GiveChup", .chups, "Chup a workout", errors: chupErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: WorkoutReferenceInput, in model: inout Model) throws(UseCaseError) {
    try model.chup(.give, input.workout)
  }
}

/// Gives a workout a big chup, which replaces a plain one.
public struct GiveBigChup: SilentCommand {
  public static let about = About(
    "GiveBigChup", .chups, "Give a workout a big chup", errors: chupErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: WorkoutReferenceInput, in model: inout Model) throws(UseCaseError) {
    try model.chup(.giveBig, input.workout)
  }
}

/// Takes a chup back, big or not. Without a chup it does nothing, so a retry is harmless.
public struct WithdrawChup: SilentCommand {
  public static let about = About(
    "WithdrawChup", .chups, "Take a chup back",
    errors: ["workoutNotFound", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: WorkoutReferenceInput, in model: inout Model) throws(UseCaseError) {
    try model.chup(.withdraw, input.workout)
  }
}

/// Chups a workout, or takes the chup back.
public struct ToggleChup: Command {
  public static let about = About(
    "ToggleChup", .chups, "Chup a workout, or take the chup back", result: "true: now chupped",
    errors: chupErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: WorkoutReferenceInput, in model: inout Model
  ) throws(UseCaseError) -> Bool { try model.chup(.toggle, input.workout) }
}

private let chupErrors = ["workoutNotFound", "notVisible", "profileNotFound", "unauthorized"]

extension Model {
  /// - Returns: whether the caller's chup is now on the workout.
  @discardableResult
  fileprivate mutating func chup(
    _ action: ChupDecider.Command.Action, _ name: String
  ) throws(UseCaseError) -> Bool {
    let actor = try actor()
    let id = try workout(name)
    try record { (society, rules) throws(DomainError) in
      try society.decide(action, id, actor, actor, rules)
    }
    return society.chup(id, actor) != .none
  }
}
