/// An event about one user's membership in one group.
public enum MemberEvent: EventFamily, CodedFamily {
  /// An admin invited the user to the group.
  case invited(Membership)
  /// The user asked to join the group.
  case requested(Membership)
  /// The user became a member of the group.
  case joined(Membership)
  /// The user left the group, cancelled their request to join, or declined an invitation.
  case left(Membership)
  /// An admin removed the user from the group, rejected their request to join, or revoked their
  /// invitation.
  case removed(Membership)
  /// The group's owner changed the role of a member.
  case roleSet(MemberRoleSet)

  @inlinable
  public init?(_ event: borrowing Event) {
    switch event {
    case .member(let event): self = event
    default: return nil
    }
  }

  func visit<V: EventVisitor>(_ visitor: inout V) -> V.Result {
    switch self {
    case .invited(let data): visitor.visit(.memberInvited, data) { .member(.invited($0)) }
    case .requested(let data): visitor.visit(.memberRequested, data) { .member(.requested($0)) }
    case .joined(let data): visitor.visit(.memberJoined, data) { .member(.joined($0)) }
    case .left(let data): visitor.visit(.memberLeft, data) { .member(.left($0)) }
    case .removed(let data): visitor.visit(.memberRemoved, data) { .member(.removed($0)) }
    case .roleSet(let data): visitor.visit(.memberRoleSet, data) { .member(.roleSet($0)) }
    }
  }
}

extension MemberEvent {
  package var group: GroupID {
    switch self {
    case .invited(let data), .requested(let data), .joined(let data), .left(let data),
      .removed(let data):
      data.group
    case .roleSet(let data): data.group
    }
  }

  package var user: UserID {
    switch self {
    case .invited(let data), .requested(let data), .joined(let data), .left(let data),
      .removed(let data):
      data.user
    case .roleSet(let data): data.user
    }
  }
}

/// The data of all membership events except `MemberRoleSet`: the group and the user.
public struct Membership: WordlessData {
  /// The group to which the membership belongs.
  public var group: GroupID
  /// The user who is, was or may become a member.
  public var user: UserID

  /// Creates the data of a membership event.
  public init(group: GroupID, user: UserID) {
    (self.group, self.user) = (group, user)
  }

  init() { self.init(group: .blank, user: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("group", &group)
    try members("user", &user)
  }

  public var stream: StreamID { .member(group, user) }
}

/// The data of `MemberRoleSet`: the new role of a group's member.
public struct MemberRoleSet: WordlessData {
  /// The group to which the membership belongs.
  public var group: GroupID
  /// The member whose role changes.
  public var user: UserID
  /// The member's new role.
  public var role: MemberRole

  /// Creates the data of a `MemberRoleSet` event.
  public init(group: GroupID, user: UserID, role: MemberRole) {
    (self.group, self.user, self.role) = (group, user, role)
  }

  init() { self.init(group: .blank, user: .blank, role: .member) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("group", &group)
    try members("user", &user)
    try members("role", &role)
  }

  public var stream: StreamID { .member(group, user) }
}

/// The role of a group's member; the group's owner has neither of these roles.
public enum MemberRole: String, CaseIterable, Sendable, BitwiseCopyable {
  /// A member who may invite users, approve requests to join, and remove members of role `member`.
  case admin
  /// A member without the rights of an admin.
  case member
}
