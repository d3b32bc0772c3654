import Aggregates
import Events

/// Chups (likes) a workout. Changes nothing if the caller already chupped it, so a retry is
/// harmless.
public struct GiveChup: SilentCommand {
  public static let about = About("GiveChup", .chups, "Chup a workout", errors: chupErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: WorkoutReferenceInput, in model: inout Model) throws(UseCaseError) {
    try model.giveChup(input.workout, big: false)
  }
}

/// Gives a workout a big chup. It replaces a plain chup of the caller.
public struct GiveBigChup: SilentCommand {
  public static let about = About(
    "GiveBigChup", .chups, "Give a workout a big chup", errors: chupErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: WorkoutReferenceInput, in model: inout Model) throws(UseCaseError) {
    try model.giveChup(input.workout, big: true)
  }
}

/// Withdraws the caller's chup, big or plain. Does nothing if there is none, so a retry is
/// harmless.
public struct WithdrawChup: SilentCommand {
  public static let about = About(
    "WithdrawChup", .chups, "Withdraw a chup",
    errors: ["workoutNotFound", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: WorkoutReferenceInput, in model: inout Model) throws(UseCaseError) {
    let actor = try model.actor()
    let chup = ChupWithdrawn(workout: try model.workout(input.workout), user: actor)
    try model.decide(ChupEvent.withdrawn(chup), by: actor)
  }
}

/// Chups a workout, or withdraws the caller's chup if there is one.
public struct ToggleChup: Command {
  public static let about = About(
    "ToggleChup", .chups, "Chup a workout, or withdraw the chup",
    result: "true if the caller now chups the workout", errors: chupErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: WorkoutReferenceInput, in model: inout Model
  ) throws(UseCaseError) -> Bool {
    let actor = try model.actor()
    let workout = try model.workout(input.workout)
    let stands = model.aggregates.value.chup(workout, actor) != .none
    let event: ChupEvent =
      stands
      ? .withdrawn(ChupWithdrawn(workout: workout, user: actor))
      : .given(ChupGiven(workout: workout, user: actor, big: false))
    try model.decide(event, by: actor)
    return !stands
  }
}

private let chupErrors = ["workoutNotFound", "notVisible", "profileNotFound", "unauthorized"]

extension Model {
  fileprivate mutating func giveChup(_ name: String, big: Bool) throws(UseCaseError) {
    let actor = try actor()
    let chup = ChupGiven(workout: try workout(name), user: actor, big: big)
    try decide(ChupEvent.given(chup), by: actor)
  }
}
