import Aggregates
import Events
import Projections

/// A group as the caller sees it.
public struct GroupRow: Answer {
  /// The group's id.
  public var group: String
  /// The group's name.
  public var name: String
  /// The group's description.
  public var description: String?
  /// Whether everyone can see and join the group.
  public var isPublic: Bool
  /// The owner's id; nil if the owner is hidden from the caller.
  public var owner: String?
  /// The number of all members, including those hidden from the caller.
  public var memberCount: Int
  /// The caller's role in the group; for a non-member, whether there is an open request or
  /// invitation.
  public var membership: Groups.Standing
  /// The time when the group was created.
  public var createdAt: Timestamp
  /// The ids of the users who have requested to join, the newest request first; nil unless the
  /// caller is an admin.
  public var requests: [String]?

  /// Creates a group's row; nil if the viewer may not see the group.
  init?(_ id: GroupID, for viewer: Viewer, in model: borrowing Model) {
    guard let group = model.views.group(id) else { return nil }
    membership = .none
    if case .user(let user) = viewer { membership = model.views.standing(id, user) }
    guard
      group.isPublic || membership.isMember || membership == .invited || viewer == .service
    else { return nil }
    self.group = model.names[id]
    (name, description, isPublic) = (group.name, group.description, group.isPublic)
    owner = model.visibility(of: group.owner, viewer) == .hidden ? nil : model.names[group.owner]
    memberCount = model.views.members(of: id).count
    createdAt = group.createdAt
    if membership.isAdmin {
      requests = model.views.waiting(for: id).filter { user in
        model.views.standing(id, user) == .requested && !model.isBlockedFrom(user, viewer)
      }.map { model.names[$0] }
    }
  }

  public var json: JSONValue {
    .object([
      "group": .string(group), "name": .string(name), "description": .optional(description),
      "isPublic": .bool(isPublic), "owner": .optional(owner), "memberCount": .int(memberCount),
      "membership": .string("\(membership)"), "createdAt": .string("\(createdAt)"),
      "requests": requests?.json ?? .null,
    ])
  }
}

/// A member of a group.
public struct MemberRow: Answer {
  /// The member's row, as the caller sees it.
  public var user: ProfileRow
  /// The member's role: `owner`, `admin` or `member`.
  public var role: Groups.Standing

  public var json: JSONValue {
    let role = JSONValue.string(role.name)
    guard case .object(let members) = user.json else { return .object(["role": role]) }
    return .object(members + [.init("role", role)])
  }
}

extension Model {
  /// Returns whether there is a block between a user and a viewer.
  func isBlockedFrom(_ user: UserID, _ viewer: Viewer) -> Bool {
    if case .user(let viewer) = viewer { views.isBlocked(viewer, user) } else { false }
  }

  /// Returns a group that the caller may see.
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
