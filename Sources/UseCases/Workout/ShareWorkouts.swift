import Aggregates

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
