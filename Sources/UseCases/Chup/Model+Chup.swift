import Aggregates
import Events

let chupErrors = ["workoutNotFound", "notVisible", "profileNotFound", "unauthorized"]

extension Model {
  /// - Returns: whether the caller's chup is now on the workout.
  mutating func chup(
    _ action: ChupDecider.Command.Action, _ name: String
  ) throws(UseCaseError) -> Bool {
    let actor = try actor()
    let id = try workout(name)
    try record { (society, rules) throws(DomainError) in
      try society.decide(action, id, actor, actor, rules)
    }
    return society.chup(id, actor) != .none
  }
}
