import Aggregates
import Events

/// Shares a workout, or edits the one that the same local id made before.
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

/// Shares several workouts: all of them or, where one is refused, none.
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

private let shareErrors = [
  "profileNotFound", "invalidWorkout", "workoutNotFound", "notAuthorized", "unauthorized",
]

extension Model {
  fileprivate mutating func share(_ input: WorkoutInput) throws(UseCaseError) -> String {
    let actor = try actor()
    if let name = input.workout, !isValidID(name.utf8) {
      throw .invalidInput(InputError("workout", idRule))
    }
    let earlier = society.earlier(actor, input.localID)
    let id = try workout(input.workout ?? earlier.map { names[$0] } ?? newID())
    try decide(.workoutShared(input.shared(id, by: actor)), by: actor)
    return names[earlier ?? id]
  }
}

/// Changes members of one of the caller's workouts.
public struct EditWorkout: Command {
  /// A merge patch: what is left out stays, what is cleared goes.
  public struct Input: UseCaseInput {
    public var workout: String
    public var date: DateTime?
    public var workoutType: String?
    public var totalTime: String?
    public var totalDistance: Int64?
    public var averageSplit: String?
    public var intensityZone: Patch<String> = .keep
    public var isErgTest: Bool?
    public var text: Patch<String> = .keep
    public var session: Patch<String> = .keep
    public var climb: Patch<String> = .keep

    /// Changes nothing yet: set what is to change.
    public init(workout: String) { self.workout = workout }

    public init(from fields: inout Fields) throws(InputError) {
      workout = try fields.required("workout", "Which.")
      date = try fields.optional("date", "When it was done.")
      workoutType = try fields.optional("workoutType", "Such as 2000m or 3x4:00/3:00r.")
      totalTime = try fields.optional("totalTime", "As mm:ss.t or h:mm:ss.t.")
      totalDistance = try fields.optional("totalDistance", "In metres.")
      averageSplit = try fields.optional("averageSplit", "Per 500 m, as mm:ss.t.")
      intensityZone = try fields.patch("intensityZone", "Such as UT2.")
      isErgTest = try fields.optional("isErgTest", "Whether it was a test.")
      text = try fields.patch("text", "What the owner says of it.")
      session = try fields.patch("session", "The session it was part of.")
      climb = try fields.patch("climb", "The climb it was on.")
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
      session: input.session, climb: input.climb)
    try model.decide(.workoutEdited(edit), by: actor)
    return Nothing()
  }
}

/// Removes one of the caller's workouts, with its detail, chups and comments.
public struct RemoveWorkout: Command {
  public static let about = About(
    "RemoveWorkout", .workouts, "Remove a workout, with its detail, chups and comments",
    errors: ownWorkoutErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: WorkoutReferenceInput, in model: inout Model
  ) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let removed = WorkoutReference(workout: try model.workout(input.workout))
    try model.decide(.workoutRemoved(removed), by: actor)
    return Nothing()
  }
}

/// Attaches the intervals of one of the caller's workouts, in place of those before.
public struct AttachWorkoutDetail: Command {
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
      self.workout = workout
      self.intervals = intervals
      self.image = image
      self.ocrConfidence = ocrConfidence
      self.wasManuallyEdited = wasManuallyEdited
    }

    public init(from fields: inout Fields) throws(InputError) {
      workout = try fields.required("workout", "Which.")
      intervals = try fields.required("intervals", "In order.")
      image = try fields.optional("image", "The URL of the monitor's photo.")
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

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let detail = WorkoutDetailAttached(
      workout: try model.workout(input.workout), intervals: input.intervals.map(\.interval),
      image: input.image, ocrConfidence: input.ocrConfidence,
      wasManuallyEdited: input.wasManuallyEdited ?? false)
    try model.decide(.workoutDetailAttached(detail), by: actor)
    return Nothing()
  }
}

private let ownWorkoutErrors = [
  "workoutNotFound", "notAuthorized", "profileNotFound", "unauthorized",
]

/// The input of use cases about one workout.
public struct WorkoutReferenceInput: UseCaseInput {
  public var workout: String

  public init(workout: String) { self.workout = workout }

  public init(from fields: inout Fields) throws(InputError) {
    workout = try fields.required("workout", "Which.")
  }
}
