import Aggregates
import Events
import Projections

extension Model {
  /// Decides about a membership in the group, the actor's own if no user is named.
  /// - Parameter action: given what the actor sees of the group, and whether they have a profile.
  @discardableResult
  mutating func decideMembership(
    _ group: String, of user: String? = nil,
    _ action: (GroupVisibility, _ hasProfile: Bool) -> MemberDecider.Command.Action
  ) throws(UseCaseError) -> Event? {
    let actor = EventActor(try actor())
    var membership = Membership(group: try self.group(group), user: actor.id)
    if let user { membership.user = try self.user(user) }
    return try record { (society, rules) throws(DomainError) in
      let visibility = society.visibility(membership.group, actor)
      return try society.decide(
        action(visibility, society.exists(actor.id)), membership, actor, rules)
    }
  }
}
