import Aggregates
import Events

let requestErrors = ["noSuchRequest", "profileNotFound", "unauthorized"]

extension Model {
  mutating func befriend(
    _ action: FriendshipDecider.Command.Action, _ name: String
  ) throws(UseCaseError) -> Nothing {
    let actor = try actor()
    let other = try user(name)
    try record { (society, rules) throws(DomainError) in
      try society.decide(action, actor, other, actor, rules)
    }
    return Nothing()
  }
}
