import Aggregates
import Events

let heartErrors = ["commentNotFound", "notVisible", "profileNotFound", "unauthorized"]

extension Model {
  /// - Returns: whether the caller's heart is now on the comment.
  mutating func heart(
    _ action: HeartDecider.Command.Action, _ name: String
  ) throws(UseCaseError) -> Bool {
    let actor = try actor()
    let heart = Heart(comment: try comment(name), user: actor)
    try record { (society, rules) throws(DomainError) in
      try society.decide(action, heart, actor, rules)
    }
    return society.isHearted(heart)
  }
}
