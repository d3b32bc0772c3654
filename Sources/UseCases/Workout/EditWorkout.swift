import Events

/// Changes members of one of the caller's workouts.
public struct EditWorkout: Command {
  /// A merge patch: omitted members stay, cleared ones go.
  public struct Input: UseCaseInput {
    public var workout: String
    public var date: DateTime?
    public var workoutType: Patch<String> = .keep
    public var totalTime: Patch<String> = .keep
    public var totalDistance: Patch<Int64> = .keep
    public var averageSplit: Patch<String> = .keep
    public var intensityZone: Patch<String> = .keep
    public var isErgTest: Bool?
    public var text: Patch<String> = .keep
    public var session: Patch<String> = .keep
    public var climb: Patch<String> = .keep
    public var audience: Patch<Audience> = .keep

    /// Changes nothing until members are set.
    public init(workout: String) { self.workout = workout }

    public init(from fields: inout Fields) throws(InputError) {
      workout = try fields.required("workout", "Which.")
      date = try fields.optional("date", "When it was done.")
      workoutType = try fields.patch("workoutType", "Such as 2000m or 3x4:00/3:00r.")
      totalTime = try fields.patch("totalTime", "As 06:30.0, 6:30 or 1:02:03.")
      totalDistance = try fields.patch("totalDistance", "In metres.")
      averageSplit = try fields.patch("averageSplit", "Per 500 m, as 01:52.5 or 1:52.")
      intensityZone = try fields.patch("intensityZone", "Such as UT2.")
      isErgTest = try fields.optional("isErgTest", "Whether it was a test.")
      text = try fields.patch("text", "What the owner says of it.")
      session = try fields.patch("session", "The session it was part of.")
      climb = try fields.patch("climb", "The climb it was on.")
      audience = try fields.patch("audience", "Who may see it; cleared, it is as the rules say.")
    }
  }

  public static let about = About(
    "EditWorkout", .workouts, "Change members of a workout",
    errors: ownWorkoutErrors + ["invalidWorkout"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let edit = WorkoutEdited(
      workout: try model.workout(input.workout), date: input.date,
      workoutType: input.workoutType, totalTime: input.totalTime,
      totalDistance: input.totalDistance, averageSplit: input.averageSplit,
      intensityZone: input.intensityZone, isErgTest: input.isErgTest, text: input.text,
      session: input.session, climb: input.climb, audience: input.audience)
    try model.decide(WorkoutEvent.edited(edit), by: actor)
    return Nothing()
  }
}
