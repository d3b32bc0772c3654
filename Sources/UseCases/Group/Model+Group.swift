import Aggregates
import Events
import Projections

extension Model {
  /// Decides about a membership in the group, the actor's own if no user is named.
  /// - Parameter action: given what the actor sees of the group, and whether they have a profile.
  @discardableResult
  mutating func decideMembership(
    _ group: String, of user: String? = nil,
    _ action: (GroupSight, _ hasProfile: Bool) -> MemberDecider.Command.Action
  ) throws(UseCaseError) -> Event? {
    let actor = EventActor(try actor())
    var membership = Membership(group: try self.group(group), user: actor.id)
    if let user { membership.user = try self.user(user) }
    return try record { (society, rules) throws(DomainError) in
      let sight = society.sight(membership.group, actor)
      return try society.decide(
        action(sight, society.exists(actor.id)), membership, actor, rules)
    }
  }

  /// Whether a block parts a user and a viewer.
  func isBlockedFrom(_ user: UserID, _ viewer: Viewer) -> Bool {
    if case .user(let viewer) = viewer { views.isBlocked(viewer, user) } else { false }
  }

  /// A group that the caller may see.
  /// - Throws: `groupNotFound`.
  func visible(
    group name: String, to caller: Caller
  ) throws(UseCaseError) -> (id: GroupID, row: GroupRow) {
    guard let id: GroupID = views.find(name, in: names),
      let row = GroupRow(id, for: viewer(caller), in: self)
    else { throw .refused(.groupNotFound) }
    return (id, row)
  }
}
