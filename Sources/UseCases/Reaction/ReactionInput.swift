/// The input of the use cases that give or take back a reaction.
public struct ReactionInput: UseCaseInput {
  public var workout: String
  /// Read without regard to case.
  public var kind: String

  public init(workout: String, kind: String) {
    self.workout = workout
    self.kind = kind
  }

  public init(from fields: inout Fields) throws(InputError) {
    workout = try fields.required("workout", "Its id.")
    kind = try fields.required("kind", "fire, strong, clap, wow or laugh, as the rules offer.")
  }
}
