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

  mutating func mapData(_ map: inout some DataMap) {
    switch self {
    case .invited(let data): self = .invited(map(data))
    case .requested(let data): self = .requested(map(data))
    case .joined(let data): self = .joined(map(data))
    case .left(let data): self = .left(map(data))
    case .removed(let data): self = .removed(map(data))
    case .roleSet(let data): self = .roleSet(map(data))
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
public struct MemberRoleSet: WordlessData {
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
