import Events

/// Attaches a photo to one of the caller's workouts: makes the image small enough, stores it, and
/// records it. The workout keeps its intervals.
public struct AttachWorkoutPhoto: PhotoUseCase {
  /// The input of `AttachWorkoutPhoto`.
  public struct Input: UseCaseInput {
    /// The workout's id.
    public var workout: String
    /// The bytes of a JPEG or PNG file.
    public var image: ImageData

    /// Creates the input.
    public init(workout: String, image: [UInt8]) {
      self.workout = workout
      self.image = ImageData(image)
    }

    public static var placeholder: Input { Input(workout: .placeholder, image: []) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("workout", "The workout's id.", &workout)
      try fields.required("image", "A JPEG or PNG: a file, or a data: URI in base64.", &image)
    }
  }

  public static let about = About(
    "AttachWorkoutPhoto", .workouts,
    "Attach a photo to a workout, re-encoded until it is at most 5 MiB",
    result: "the photo's path in storage, which GetWorkoutDetail returns as image",
    errors: ownWorkoutErrors + ["invalidImage", "imageTooLarge", "uploadFailed"])
  let core: Core
  let storage: any PhotoStorage
  let encoder: any PhotoEncoder

  /// Creates the use case on a core.
  public init(_ core: Core, _ storage: any PhotoStorage, _ encoder: any PhotoEncoder) {
    (self.core, self.storage, self.encoder) = (core, storage, encoder)
  }

  public func execute(_ input: Input, as caller: Caller) async throws(UseCaseError) -> String {
    try await core.performed(Call(self, input, as: caller)).output
  }

  func perform(
    _ input: Input, _ caller: Caller, _ key: IdempotencyKey?
  ) async throws(UseCaseError) -> (output: String, seqs: Range<UInt64>) {
    try await core.mayAttachPhoto(to: input.workout, caller)
    let (_, path, _) = try await core.storePhoto(
      input.image, in: .workouts, of: input.workout, with: encoder, storage, for: caller)
    // If this fails, no workout names the stored photo, and `PhotoSweep` deletes it after an hour.
    let seqs = try await core.recordPhoto(as: caller, key) { (model, actor) throws(UseCaseError) in
      let id = try model.workout(input.workout)
      var detail = WorkoutDetailAttached(
        workout: id, intervals: [], image: nil, ocrConfidence: nil, wasManuallyEdited: false)
      if case .shared(_, let old?) = model.aggregates.value.workout(id) { detail = old }
      detail.image = path
      try model.decide(WorkoutEvent.detailAttached(detail), by: actor)
    }
    return (path, seqs)
  }
}

extension Core {
  /// Checks that the caller may attach a photo to a workout.
  ///
  /// - Throws: `workoutNotFound` if the workout does not exist for the caller; `notAuthorized` if
  ///   it is another user's workout.
  fileprivate func mayAttachPhoto(
    to workout: String, _ caller: Caller
  ) async throws(UseCaseError) {
    try await catchUp()
    try state.withLock { (state) throws(UseCaseError) in
      let viewer = try state.model.signedIn(caller)
      guard StoredPath(StoredPath(.workouts, workout, "x").text) != nil,
        let shared = try? state.model.visible(workout, to: caller)
      else { throw .refused(.workoutNotFound) }
      if shared.owner != viewer { throw .refused(.notAuthorized) }
    }
  }
}
