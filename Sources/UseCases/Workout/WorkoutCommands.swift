import Events

/// Shares a workout, or edits the one previously shared with the same local id.
public struct ShareWorkout: Command {
  public static let about = About(
    "ShareWorkout", .workouts, "Share a workout with friends; the same localID again edits it",
    result: "the workout's id", errors: shareErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: WorkoutInput, in model: inout Model
  ) throws(UseCaseError) -> String { try model.share(input) }
}

/// Shares several workouts: all of them, or none if one is refused.
public struct ShareWorkouts: Command {
  public struct Input: UseCaseInput {
    public var workouts: [WorkoutInput]

    public init(workouts: [WorkoutInput]) { self.workouts = workouts }

    public init(from fields: inout Fields) throws(InputError) {
      workouts = try fields.required("workouts", "Each as ShareWorkout takes it.")
    }
  }

  public static let about = About(
    "ShareWorkouts", .workouts, "Share several workouts, all or none",
    result: "the workouts' ids, in the order given", errors: shareErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> [String] {
    _ = try model.actor()
    var ids: [String] = []
    for (index, workout) in input.workouts.enumerated() {
      do throws(UseCaseError) {
        ids.append(try model.share(workout))
      } catch {
        guard case .refused(.invalidWorkout(let field)) = error else { throw error }
        throw .refused(.invalidWorkout(field: .init(field.name, ofWorkout: index)))
      }
    }
    return ids
  }
}

let shareErrors = [
  "profileNotFound", "invalidWorkout", "workoutNotFound", "notAuthorized", "unauthorized",
]

let ownWorkoutErrors = [
  "workoutNotFound", "notVisible", "notAuthorized", "profileNotFound", "unauthorized",
]

extension Model {
  mutating func share(_ input: WorkoutInput) throws(UseCaseError) -> String {
    let actor = try actor()
    if let name = input.workout, !isValidID(name.utf8) {
      throw .invalidInput(InputError("workout", idRule))
    }
    let earlier = society.earlier(actor, input.localID)
    let id = try workout(input.workout ?? earlier.map { names[$0] } ?? newID())
    try decide(WorkoutEvent.shared(input.shared(id, by: actor)), by: actor)
    return names[earlier ?? id]
  }
}

/// Changes members of one of the caller's workouts.
public struct EditWorkout: SilentCommand {
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

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) {
    let actor = try model.actor()
    let edit = WorkoutEdited(
      workout: try model.workout(input.workout), date: input.date,
      workoutType: input.workoutType, totalTime: input.totalTime,
      totalDistance: input.totalDistance, averageSplit: input.averageSplit,
      intensityZone: input.intensityZone, isErgTest: input.isErgTest, text: input.text,
      session: input.session, climb: input.climb, audience: input.audience)
    try model.decide(WorkoutEvent.edited(edit), by: actor)
  }
}

/// Attaches intervals to one of the caller's workouts, replacing any earlier ones.
///
/// A photo that `AttachWorkoutPhoto` attached stays only if `image` names it.
public struct AttachWorkoutDetail: SilentCommand {
  public struct Input: UseCaseInput {
    public var workout: String
    public var intervals: [IntervalInput]
    public var image: String?
    public var ocrConfidence: Double?
    public var wasManuallyEdited: Bool?

    public init(
      workout: String, intervals: [IntervalInput], image: String? = nil,
      ocrConfidence: Double? = nil, wasManuallyEdited: Bool? = nil
    ) {
      (self.workout, self.intervals, self.image) = (workout, intervals, image)
      (self.ocrConfidence, self.wasManuallyEdited) = (ocrConfidence, wasManuallyEdited)
    }

    public init(from fields: inout Fields) throws(InputError) {
      workout = try fields.required("workout", "Which.")
      intervals = try fields.required("intervals", "In order.")
      image = try fields.optional(
        "image", "The path of the photo that AttachWorkoutPhoto attached, to keep it.")
      ocrConfidence = try fields.optional("ocrConfidence", "How sure its reading is: 0 to 1.")
      wasManuallyEdited = try fields.optional(
        "wasManuallyEdited", "Whether somebody corrected it; false by default.")
    }
  }

  public static let about = About(
    "AttachWorkoutDetail", .workouts, "Attach the intervals of a workout",
    errors: ownWorkoutErrors + ["invalidWorkout"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) {
    let actor = try model.actor()
    let workout = try model.workout(input.workout)
    if let image = input.image, case .shared(let shared, let old) = model.society.workout(workout),
      shared.owner == actor, old?.storedPath != image
    {
      // Other texts are in older logs and imports only.
      throw .refused(.invalidWorkout(field: "image"))
    }
    let detail = WorkoutDetailAttached(
      workout: workout, intervals: input.intervals.map(\.interval),
      image: input.image, ocrConfidence: input.ocrConfidence,
      wasManuallyEdited: input.wasManuallyEdited ?? false)
    try model.decide(WorkoutEvent.detailAttached(detail), by: actor)
  }
}

/// Removes one of the caller's workouts, with its detail, chups and comments; a service removes
/// any.
public struct RemoveWorkout: SilentCommand {
  public static let about = About(
    "RemoveWorkout", .workouts, "Remove a workout, with its detail, chups and comments",
    errors: ownWorkoutErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: WorkoutReferenceInput, in model: inout Model) throws(UseCaseError) {
    let actor = try model.actorOrService()
    let removed = WorkoutReference(workout: try model.workout(input.workout))
    try model.decide(WorkoutEvent.removed(removed), by: actor)
  }
}
