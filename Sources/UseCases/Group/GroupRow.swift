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
  public var membership: Choice<Groups.Standing>
  /// The time when the group was created.
  public var createdAt: Timestamp
  /// The ids of the users who have requested to join, the newest request first; nil unless the
  /// caller is an admin.
  public var requests: [String]?

  public static var schema: String? { "GroupRow" }
  public static var placeholder: GroupRow {
    GroupRow(
      group: "", name: "", isPublic: true, memberCount: 0, membership: .placeholder,
      createdAt: .epoch)
  }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try fields.required("group", "The group's id.", &group)
    try fields.required("name", "The group's name.", &name)
    try fields.nullable("description", "The group's description.", &description)
    try fields.required("isPublic", "Whether everyone can see and join the group.", &isPublic)
    try fields.nullable(
      "owner", "The owner's id; null if the owner is hidden from the caller.", &owner)
    try fields.required(
      "memberCount", "The number of all members, including hidden ones.", &memberCount)
    try fields.required(
      "membership", "The caller's role in the group, or the caller's open request or invitation.",
      &membership)
    try fields.required("createdAt", "The time when the group was created.", &createdAt)
    try fields.nullable(
      "requests", "The ids of users with an open request, the newest first; only for admins.",
      &requests)
  }
}

extension GroupRow {
  /// Creates a group's row; nil if the viewer may not see the group.
  package init?(_ id: GroupID, for viewer: Viewer, in model: Model) {
    guard let group = model.views.group(id) else { return nil }
    var membership = Groups.Standing.none
    if case .user(let user) = viewer { membership = model.views.standing(id, user) }
    guard
      group.isPublic || membership.isMember || membership == .invited || viewer == .service
    else { return nil }
    self.init(
      group: model.names[id], name: group.name, description: group.description,
      isPublic: group.isPublic, memberCount: model.views.memberCount(of: id),
      membership: .known(membership), createdAt: group.createdAt)
    owner = model.visibility(of: group.owner, viewer) == .hidden ? nil : model.names[group.owner]
    if membership.isAdmin {
      requests = model.views.waiting(for: id).filter { user in
        model.views.standing(id, user) == .requested && !model.isBlockedFrom(user, viewer)
      }.map { model.names[$0] }
    }
  }
}

/// A member of a group.
public struct MemberRow: Answer {
  /// The member's row, as the caller sees it.
  public var user: ProfileRow
  /// The member's role: `owner`, `admin` or `member`.
  public var role: Choice<Groups.Standing>

  public static var schema: String? { "MemberRow" }
  public static var placeholder: MemberRow { MemberRow(user: .placeholder, role: .placeholder) }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try user.code(with: &fields)
    try fields.required("role", "The role: owner, admin or member.", &role)
  }
}

extension Groups.Standing: ChoiceField {
  public static var allCases: [Self] { [.none, .requested, .invited, .member, .admin, .owner] }
  public var word: String { name }
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
