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

  public var type: EventType {
    switch self {
    case .invited: .memberInvited
    case .requested: .memberRequested
    case .joined: .memberJoined
    case .left: .memberLeft
    case .removed: .memberRemoved
    case .roleSet: .memberRoleSet
    }
  }

  func visitData<V: DataVisitor>(_ visitor: inout V) -> V.Result {
    switch self {
    case .invited(let data), .requested(let data), .joined(let data),
      .left(let data), .removed(let data):
      visitor.visit(data)
    case .roleSet(let data): visitor.visit(data)
    }
  }

  mutating func mapIDs(_ map: some IDMap) {
    switch self {
    case .invited(let data): self = .invited(data.mapped(map))
    case .requested(let data): self = .requested(data.mapped(map))
    case .joined(let data): self = .joined(data.mapped(map))
    case .left(let data): self = .left(data.mapped(map))
    case .removed(let data): self = .removed(data.mapped(map))
    case .roleSet(let data): self = .roleSet(data.mapped(map))
    }
  }
}

/// A group and a user: the data of all events of a membership but `MemberRoleSet`.
public struct Membership: EventData {
  public var group: GroupID
  public var user: UserID

  public init(group: GroupID, user: UserID) {
    self.group = group
    self.user = user
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    group = try r.required("group")
    user = try r.required("user")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("group", group)
    w.member("user", user)
  }

  public var stream: StreamID { .member(group, user) }

  mutating func mapIDs(_ map: some IDMap) {
    group = map(group)
    user = map(user)
  }
}

/// The data of `MemberRoleSet`: what a member may do from now on.
public struct MemberRoleSet: EventData {
  public var group: GroupID
  public var user: UserID
  public var role: MemberRole

  public init(group: GroupID, user: UserID, role: MemberRole) {
    self.group = group
    self.user = user
    self.role = role
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    group = try r.required("group")
    user = try r.required("user")
    role = try r.required("role")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("group", group)
    w.member("user", user)
    w.member("role", role)
  }

  public var stream: StreamID { .member(group, user) }

  mutating func mapIDs(_ map: some IDMap) {
    group = map(group)
    user = map(user)
  }
}

/// What a member of a group is, beside its owner.
public enum MemberRole: String, CaseIterable, Sendable, BitwiseCopyable {
  /// Invites, approves, and removes plain members.
  case admin
  case member
}
