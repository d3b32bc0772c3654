import Aggregates
import Events
import Projections

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

/// Gives a workout a big chup, in place of a plain one.
public struct GiveBigChup: Command {
  public static let about = About(
    "GiveBigChup", .chups, "Give a workout a big chup", errors: chupErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: WorkoutReferenceInput, in model: inout Model
  ) throws(UseCaseError) -> Nothing {
    _ = try model.chup(.giveBig, input.workout)
    return Nothing()
  }
}

private let chupErrors = ["workoutNotFound", "notVisible", "profileNotFound", "unauthorized"]

extension Model {
  /// - Returns: whether the caller's chup is now on the workout.
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

/// Who chupped a workout.
public struct GetChups: Query {
  public struct Chups: Answer {
    /// All of them.
    public var count: Int
    public var chuppedByMe: Bool
    /// At most 100, the newest first.
    public var users: [ProfileRow]

    public var json: JSONValue {
      .object([
        "count": .int(count), "chuppedByMe": .bool(chuppedByMe), "users": users.json,
      ])
    }
  }

  public static let about = About(
    "GetChups", .chups, "Show who chupped a workout",
    result: "count, chuppedByMe, and at most 100 rows of users, the newest chup first",
    errors: ["workoutNotFound", "notVisible"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func answer(
    _ input: WorkoutReferenceInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> Chups {
    let workout = try model.visible(input.workout, to: caller).workout
    let users = model.views.chups.users(of: workout)
    let viewer = caller.user.flatMap(model.existing)
    return Chups(
      count: users.count,
      chuppedByMe: viewer.map { model.views.chups.hasChupped(workout, $0) } ?? false,
      users: model.rows(users.prefix(100), for: caller))
  }
}

public typealias RefreshChups = Refresh<GetChups>
