/// What happens between a group and one user.
public enum MemberEvent: EventFamily, CodedFamily {
  case invited(Membership)
  case requested(Membership)
  case joined(Membership)
  case left(Membership)
  case removed(Membership)
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

/// A group and a user: the data of all events of a membership but `MemberRoleSet`.
public struct Membership: WordlessData {
  public var group: GroupID
  public var user: UserID

  public init(group: GroupID, user: UserID) {
    self.group = group
    self.user = user
  }

  init() { self.init(group: .blank, user: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("group", &group)
    try members("user", &user)
  }

  public var stream: StreamID { .member(group, user) }
}

/// The data of `MemberRoleSet`: what a member may do from now on.
public struct MemberRoleSet: WordlessData {
  public var group: GroupID
  public var user: UserID
  public var role: MemberRole

  public init(group: GroupID, user: UserID, role: MemberRole) {
    self.group = group
    self.user = user
    self.role = role
  }

  init() { self.init(group: .blank, user: .blank, role: .member) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("group", &group)
    try members("user", &user)
    try members("role", &role)
  }

  public var stream: StreamID { .member(group, user) }
}

/// What a member of a group is, beside its owner.
public enum MemberRole: String, CaseIterable, Sendable, BitwiseCopyable {
  /// Invites, approves, and removes plain members.
  case admin
  case member
}
