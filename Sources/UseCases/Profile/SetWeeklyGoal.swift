import Events

/// Sets how far the caller wants to move in a week.
public struct SetWeeklyGoal: Command {
  public struct Input: UseCaseInput {
    public var meters: Int64

    public init(meters: Int64) { self.meters = meters }

    public init(from fields: inout Fields) throws(InputError) {
      meters = try fields.required("meters", "At most 10,000,000; 0 clears the goal.")
    }
  }

  public static let about = About(
    "SetWeeklyGoal", .profile, "Set how far one wants to move in a week",
    errors: ["outOfRange", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let goal = WeeklyGoalSet(user: actor, meters: input.meters)
    try model.decide(ProfileEvent.weeklyGoalSet(goal), by: actor)
    return Nothing()
  }
}
