import Events

/// The groups, with their members and the users who are invited or have requested to join.
///
/// ```swift
/// groups[crew]?.name  // "Tuesday crew"
/// Array(groups.members(of: crew))  // [bob, alice]: newest first
/// groups.standing(crew, bob)  // .member
/// ```
/// A group disappears for good when it is deleted or when its owner's account is deleted. Deleting
/// an account also ends the user's memberships.
/// - Complexity: see `Edges`; deleting a group costs O(its members).
public struct Groups: Projection {
  public static let name = "groups"
  public static let version = 1
  public static let handles = Memberships.handles

  /// A group that was not deleted.
  public struct Group: Equatable, Sendable {
    /// The group's name.
    public var name: String
    /// The group's description; nil if there is none.
    public var description: String?
    /// Whether any user may join without approval.
    public var isPublic: Bool
    /// The current owner.
    public var owner: UserID
    /// The time at which the group was created.
    public var createdAt: Timestamp
  }

  /// The groups by id. Their `owner` is ignored, because `memberships` has the current owner.
  private var states = Records<Group>()
  private var memberships = Memberships()

  public init() {}

  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    switch event {
    case .group(let event): apply(event, moment)
    case .member(let event): memberships.apply(event, at: moment)
    case .accountDeleted(let data): memberships.removeAccount(data.user)
    default: break
    }
  }

  private mutating func apply(_ event: GroupEvent, _ moment: Moment) {
    memberships.apply(event, at: moment)
    switch event {
    case .created(let data):
      guard !states.has(data.group.index), !memberships.isGone(data.group) else { return }
      states[data.group.index] = Group(
        name: data.name, description: data.description, isPublic: data.isPublic,
        owner: data.owner, createdAt: moment.time)
    case .edited(let data):
      guard var group = states[data.group.index] else { return }
      if let name = data.name { group.name = name }
      data.description.apply(to: &group.description)
      if let isPublic = data.isPublic { group.isPublic = isPublic }
      states[data.group.index] = group
    case .transferred, .deleted: break
    }
  }

  public mutating func code(with coder: inout StateCoder) {
    states.code(with: &coder)
    memberships.code(with: &coder)
  }

  /// The group with this id; nil if it was deleted or never created.
  public subscript(id: GroupID) -> Group? {
    guard let owner = memberships.owner(of: id), var group = states[id.index] else { return nil }
    group.owner = owner
    return group
  }

  /// Returns the user's standing in the group; `none` if there is no such group.
  public func standing(_ group: GroupID, _ user: UserID) -> Standing {
    memberships.owner(of: group) == nil ? .none : memberships.standing(group, user)
  }

  /// Returns the members of a group, newest first.
  public func members(of group: GroupID) -> Users { memberships.members(of: group) }

  /// Returns the users who are invited or have requested to join, newest first.
  public func waiting(for group: GroupID) -> Users { memberships.waiting(for: group) }

  /// Returns the time at which the user became a member, was invited or requested to join; nil for
  /// all other users.
  public func since(_ group: GroupID, _ user: UserID) -> Timestamp? {
    memberships.since(group, user)
  }

  /// Returns the groups that the user is a member of, the most recently joined first.
  public func groups(of user: UserID) -> [GroupID] { memberships.groups(of: user) }

  /// Returns the groups that the user is invited to or has requested to join, the last one first.
  public func groupsAwaited(by user: UserID) -> [GroupID] { memberships.groupsAwaited(by: user) }

  public func brokenInvariant(_ names: Names) -> String? { memberships.brokenInvariant(names) }
}

extension Groups.Group: Storable {
  public static var blank: Self {
    Self(
      name: "", description: nil, isPublic: false, owner: UserID(index: 0), createdAt: .earliest)
  }

  public mutating func code(with coder: inout RecordCoder) {
    coder(&name)
    coder(&description)
    coder(&isPublic)
    coder(&owner)
    coder(&createdAt)
  }
}
