/// The input of use cases about one workout.
public struct WorkoutReferenceInput: UseCaseInput {
  public var workout: String

  public init(workout: String) { self.workout = workout }

  public init(from fields: inout Fields) throws(InputError) {
    workout = try fields.required("workout", "Which.")
  }
}
