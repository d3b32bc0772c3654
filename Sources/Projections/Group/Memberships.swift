import Events

/// The owner of each group and each user's standing in groups. `Groups` and `Notifications` each
/// have their own copy.
struct Memberships: Sendable {
  static let handles = EventTypes.group.union(.member).union([.accountDeleted])

  /// By group: 0 if the group is unknown, 1 if it is deleted, otherwise the owner's number plus 2.
  private var owners = Column<UInt32>(0)
  /// By group and user: the raw value of the user's standing; no key means `none`.
  private var standings = KeyTable()
  private var owned = Lists(blank: GroupID(index: 0))
  /// The edges from each group to its members, and to the users who are invited or have requested
  /// to join.
  private var members = DatedEdges()
  private var waiting = DatedEdges()
  private var isDeleted = Column(false)

  mutating func apply(_ event: borrowing GroupEvent, at moment: Moment) {
    switch event {
    case .created(let data):
      guard owners[data.group.index] == 0 else { return }
      own(data.group, data.owner, moment)
    case .edited: break
    case .transferred(let data):
      guard let old = owner(of: data.group), old != data.owner else { return }
      owned.removeAll(in: old.index) { $0 == data.group }
      set(.admin, data.group, old, moment)
      own(data.group, data.owner, moment)
    case .deleted(let data): drop(data.group)
    }
  }

  private mutating func own(_ group: GroupID, _ owner: UserID, _ moment: Moment) {
    if isDeleted[owner.index] { return drop(group) }
    owners[group.index] = owner.index + 2
    owned.append(group, to: owner.index)
    set(.owner, group, owner, moment)
  }

  mutating func apply(_ event: borrowing MemberEvent, at moment: Moment) {
    let (group, user) = (event.group, event.user)
    guard !isGone(group), !isDeleted[user.index] else { return }
    let old = standing(group, user)
    switch event {
    case .invited: if !old.isMember { set(.invited, group, user, moment) }
    case .requested: if !old.isMember { set(.requested, group, user, moment) }
    case .joined: if !old.isMember { set(.member, group, user, moment) }
    case .left, .removed: if old != .owner { set(.none, group, user, moment) }
    case .roleSet(let data):
      if old.isMember, old != .owner {
        set(data.role == .admin ? .admin : .member, group, user, moment)
      }
    }
  }

  /// Applies the deletion of an account, which also deletes the groups that the account owns.
  mutating func removeAccount(_ user: UserID) {
    for group in groups(ownedBy: user) { drop(group) }
    for group in Array(members.to(user.index)) + Array(waiting.to(user.index)) {
      clear(GroupID(index: group), user)
    }
    isDeleted[user.index] = true
  }

  private mutating func drop(_ group: GroupID) {
    if let owner = owner(of: group) { owned.removeAll(in: owner.index) { $0 == group } }
    for user in users(of: group) { clear(group, user) }
    owners[group.index] = 1
  }

  private mutating func clear(_ group: GroupID, _ user: UserID) {
    _ = standings.remove(KeyTable.key(group.index, user.index))
    members.remove(group.index, user.index)
    waiting.remove(group.index, user.index)
  }

  private mutating func set(
    _ new: Groups.Standing, _ group: GroupID, _ user: UserID, _ moment: Moment
  ) {
    if new == .none { return clear(group, user) }
    standings.set(KeyTable.key(group.index, user.index), new.rawValue)
    waiting.remove(group.index, user.index)
    if new.isMember {
      members.insert(group.index, user.index, at: moment.time)
    } else {
      // An admin's invitation replaces the user's open request, and with it the request's time.
      waiting.insert(group.index, user.index, at: moment.time)
    }
  }

  mutating func code(with coder: inout StateCoder) {
    owners.code(with: &coder)
    standings.code(with: &coder)
    owned.code(with: &coder)
    members.code(with: &coder)
    waiting.code(with: &coder)
    isDeleted.code(with: &coder)
  }

  /// Returns the owner of a group; nil if there is no such group.
  func owner(of group: GroupID) -> UserID? {
    let number = owners[group.index]
    return number < 2 ? nil : UserID(index: number - 2)
  }

  func isGone(_ group: GroupID) -> Bool { owners[group.index] == 1 }
  func isGone(_ user: UserID) -> Bool { isDeleted[user.index] }

  func standing(_ group: GroupID, _ user: UserID) -> Groups.Standing {
    standings[KeyTable.key(group.index, user.index)].flatMap(Groups.Standing.init) ?? .none
  }

  /// Returns the time at which the user became a member, was invited or requested to join; nil for
  /// all other users.
  func since(_ group: GroupID, _ user: UserID) -> Timestamp? {
    members.since(group.index, user.index) ?? waiting.since(group.index, user.index)
  }

  /// Returns the group's members, newest first.
  func members(of group: GroupID) -> Users { Users(members.from(group.index)) }

  /// Returns the users who are invited or have requested to join, newest first.
  func waiting(for group: GroupID) -> Users { Users(waiting.from(group.index)) }

  func users(of group: GroupID) -> [UserID] {
    Array(members(of: group)) + Array(waiting(for: group))
  }

  func groups(ownedBy user: UserID) -> [GroupID] { Array(owned[user.index]) }

  /// Returns the groups that the user is a member of, the most recently joined first.
  func groups(of user: UserID) -> [GroupID] {
    members.to(user.index).map { GroupID(index: $0) }.filter { owner(of: $0) != nil }
  }

  /// Returns the groups that the user is invited to or has requested to join.
  func groupsAwaited(by user: UserID) -> [GroupID] {
    waiting.to(user.index).map { GroupID(index: $0) }
  }

  /// Returns nil if lists and standings agree, and no list has a deleted group or user; otherwise
  /// describes the fault.
  func brokenInvariant(_ names: Names) -> String? {
    if let broken = members.brokenInvariant ?? waiting.brokenInvariant { return broken }
    var listed = 0
    for index in 0..<max(members.starts.upperBound, waiting.starts.upperBound) {
      let group = GroupID(index: index)
      let users = users(of: group)
      listed += users.count
      if isGone(group), !users.isEmpty { return "\(names[group]) is gone and has members" }
      for user in users {
        if isGone(user) { return "\(names[user]) is deleted and in \(names[group])" }
        let isMember = members.contains(group.index, user.index)
        if standing(group, user) == .none || standing(group, user).isMember != isMember {
          return "\(names[user]) has another standing in \(names[group]) than listed"
        }
        if (standing(group, user) == .owner) != (owner(of: group) == user) {
          return "\(names[group]) has another owner than \(names[user])"
        }
      }
      if let owner = owner(of: group), !users.contains(owner) {
        return "\(names[group]) is without \(names[owner]), its owner"
      }
    }
    return listed == standings.count
      ? nil : "\(standings.count) standings for \(listed) listed users"
  }
}

extension Groups {
  /// A user's standing in a group.
  public enum Standing: UInt32, Sendable {
    /// In ascending order. A user with the standing `member` or a higher one belongs to the group.
    case none, requested, invited, member, admin, owner

    /// The name of the standing in answers to queries.
    public var name: String {
      ["none", "requested", "invited", "member", "admin", "owner"][Int(rawValue)]
    }

    /// Whether the user belongs to the group.
    public var isMember: Bool { rawValue >= Self.member.rawValue }
    /// Whether the user may invite users, approve requests and remove plain members.
    public var isAdmin: Bool { rawValue >= Self.admin.rawValue }
  }
}
