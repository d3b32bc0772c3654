import Aggregates
import Events

let followErrors = ["cannotFollowSelf", "profileNotFound", "unauthorized"]

extension Model {
  /// - Returns: whether the caller now follows.
  mutating func follow(
    _ action: FollowDecider.Command.Action, _ name: String
  ) throws(UseCaseError) -> Bool {
    let actor = try actor()
    let edge = Follow(follower: actor, followee: try user(name))
    try record { (society, rules) throws(DomainError) in
      try society.decide(action, edge, actor, rules)
    }
    return society.isFollowing(edge)
  }
}
