import Events

/// Shares a workout. If the caller already shared one with the same `localID`, edits that workout.
public struct ShareWorkout: Command {
  public static let about = About(
    "ShareWorkout", .workouts, "Share a workout, or edit the one with the same localID",
    result: "the workout's id", errors: shareErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: WorkoutInput, in model: inout Model
  ) throws(UseCaseError) -> String { try model.share(input) }
}

/// Shares several workouts in one commit. If one is refused, none is shared.
public struct ShareWorkouts: Command {
  /// The input of `ShareWorkouts`.
  public struct Input: UseCaseInput {
    /// The workouts, each with the fields of `ShareWorkout`.
    public var workouts: [WorkoutInput]

    /// Creates the input.
    public init(workouts: [WorkoutInput]) { self.workouts = workouts }

    public static var placeholder: Input { Input(workouts: .placeholder) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required(
        "workouts", "The workouts, each with the fields of ShareWorkout.", &workouts)
    }
  }

  public static let about = About(
    "ShareWorkouts", .workouts, "Share several workouts, or none if one is refused",
    result: "the workouts' ids, in the order given", errors: shareErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> [String] {
    _ = try model.actor()
    var ids: [String] = []
    for (index, workout) in input.workouts.enumerated() {
      do throws(UseCaseError) {
        ids.append(try model.share(workout, "workouts.\(index).workout"))
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
  /// Shares a workout. `field` is the field of the command's input that gives the workout's id.
  mutating func share(
    _ input: WorkoutInput, _ field: String = "workout"
  ) throws(UseCaseError) -> String {
    let actor = try actor()
    if let name = input.workout, !isValidID(name.utf8) {
      throw .invalidInput(InputError("workout", idRule))
    }
    let earlier = aggregates.value.earlier(actor, input.localID)
    let id = try workout(input.workout ?? earlier.map { names[$0] } ?? createdID(for: field))
    try decide(WorkoutEvent.shared(input.shared(id, by: actor)), by: actor)
    return names[earlier ?? id]
  }
}

/// Changes fields of one of the caller's workouts.
public struct EditWorkout: SilentCommand {
  /// A merge patch: an omitted field keeps its value, and a cleared field loses it.
  public struct Input: UseCaseInput {
    /// The workout's id.
    public var workout: String
    /// The time of the workout.
    public var date: DateTime?
    /// The type of the workout, such as 2000m or 3x4:00/3:00r.
    public var workoutType: Patch<String> = .keep
    /// The total time, such as 06:30.0, 6:30 or 1:02:03.
    public var totalTime: Patch<String> = .keep
    /// The distance in metres.
    public var totalDistance: Patch<Int64> = .keep
    /// The average time for 500 m, such as 01:52.5 or 1:52.
    public var averageSplit: Patch<String> = .keep
    /// The intensity zone, such as UT2.
    public var intensityZone: Patch<String> = .keep
    /// Whether the workout was an erg test.
    public var isErgTest: Bool?
    /// The owner's text about the workout.
    public var text: Patch<String> = .keep
    /// The session that the workout was part of.
    public var session: Patch<String> = .keep
    /// The climb's name.
    public var climb: Patch<String> = .keep
    /// The users who may see the workout. If cleared, the rules decide.
    public var audience: Patch<Audience> = .keep

    /// Creates an input that changes nothing; set its properties to change fields.
    public init(workout: String) { self.workout = workout }

    public static var placeholder: Input { Input(workout: .placeholder) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("workout", "The workout's id.", &workout)
      try fields.optional("date", "The time of the workout.", &date)
      try fields.patch("workoutType", "The type, such as 2000m or 3x4:00/3:00r.", &workoutType)
      try fields.patch("totalTime", "The total time, such as 06:30.0, 6:30 or 1:02:03.", &totalTime)
      try fields.patch("totalDistance", "The distance in metres.", &totalDistance)
      try fields.patch(
        "averageSplit", "The average time for 500 m, such as 01:52.5 or 1:52.", &averageSplit)
      try fields.patch("intensityZone", "The intensity zone, such as UT2.", &intensityZone)
      try fields.optional("isErgTest", "Whether it was a test.", &isErgTest)
      try fields.patch("text", "The owner's text.", &text)
      try fields.patch("session", "The session of the workout.", &session)
      try fields.patch("climb", "The climb of the workout.", &climb)
      try fields.patch("audience", "The audience; if cleared, as the rules say.", &audience)
    }
  }

  public static let about = About(
    "EditWorkout", .workouts, "Change fields of a workout",
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

/// Attaches intervals to one of the caller's workouts. They replace intervals attached earlier.
///
/// The workout keeps a photo that `AttachWorkoutPhoto` attached only if `image` is the photo's
/// path.
public struct AttachWorkoutDetail: SilentCommand {
  /// The input of `AttachWorkoutDetail`.
  public struct Input: UseCaseInput {
    /// The workout's id.
    public var workout: String
    /// The intervals, in order.
    public var intervals: [IntervalInput]
    /// The path of the photo that `AttachWorkoutPhoto` attached, to keep it; nil removes the photo.
    public var image: String?
    /// The confidence of the text recognition: 0 to 1.
    public var ocrConfidence: Double?
    /// Whether somebody corrected the recognized values; by default false.
    public var wasManuallyEdited: Bool?

    /// Creates the input.
    public init(
      workout: String, intervals: [IntervalInput], image: String? = nil,
      ocrConfidence: Double? = nil, wasManuallyEdited: Bool? = nil
    ) {
      (self.workout, self.intervals, self.image) = (workout, intervals, image)
      (self.ocrConfidence, self.wasManuallyEdited) = (ocrConfidence, wasManuallyEdited)
    }

    public static var placeholder: Input { Input(workout: .placeholder, intervals: .placeholder) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("workout", "The workout's id.", &workout)
      try fields.required("intervals", "The intervals, in order.", &intervals)
      try fields.optional(
        "image", "The path of the photo that AttachWorkoutPhoto attached, to keep it.", &image)
      try fields.optional(
        "ocrConfidence", "The confidence of the text recognition: 0 to 1.", &ocrConfidence)
      try fields.optional(
        "wasManuallyEdited", "Whether somebody corrected the values; by default false.",
        &wasManuallyEdited)
    }
  }

  public static let about = About(
    "AttachWorkoutDetail", .workouts, "Attach intervals to a workout",
    errors: ownWorkoutErrors + ["invalidWorkout"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) {
    let actor = try model.actor()
    let workout = try model.workout(input.workout)
    if let image = input.image,
      case .shared(let shared, let old) = model.aggregates.value.workout(workout),
      shared.owner == actor, old?.storedPath != image
    {
      // Only older logs and imports have other texts than a photo's path in this field.
      throw .refused(.invalidWorkout(field: "image"))
    }
    let detail = WorkoutDetailAttached(
      workout: workout, intervals: input.intervals.map(\.interval),
      image: input.image, ocrConfidence: input.ocrConfidence,
      wasManuallyEdited: input.wasManuallyEdited ?? false)
    try model.decide(WorkoutEvent.detailAttached(detail), by: actor)
  }
}

/// Removes one of the caller's workouts, with its detail, chups and comments. A service can remove
/// any workout.
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
