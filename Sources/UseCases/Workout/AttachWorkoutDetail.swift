import Events

/// Attaches intervals to one of the caller's workouts, replacing any earlier ones.
///
/// A photo that `AttachWorkoutPhoto` attached stays only if `image` names it.
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

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> Nothing {
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
    return Nothing()
  }
}
