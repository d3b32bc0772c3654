import Events

/// The groups, with their members and the users who are invited or have asked to join.
///
/// ```swift
/// groups[crew]?.name  // "Tuesday crew"
/// Array(groups.members(of: crew))  // [bob, alice]: newest first
/// groups.standing(crew, bob)  // .member
/// ```
/// A deleted group is gone for good. So is a group whose owner's account is deleted. Deleting an
/// account ends its memberships.
/// - Complexity: as for `Edges`; deleting a group costs the number of its members.
public struct Groups: Projection {
  public static let name = "groups"
  public static let version = 1
  public static let handles = Memberships.handles

  public struct Group: Equatable, Sendable {
    public var name: String
    public var description: String?
    public var isPublic: Bool
    public var owner: UserID
    public var createdAt: Timestamp
  }

  /// Ignores `owner`; `memberships` has it.
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

  /// The group; nil if it is gone or was never created.
  public subscript(id: GroupID) -> Group? {
    guard let owner = memberships.owner(of: id), var group = states[id.index] else { return nil }
    group.owner = owner
    return group
  }

  /// What a user is to a group; `none` if the group is gone.
  public func standing(_ group: GroupID, _ user: UserID) -> Standing {
    memberships.owner(of: group) == nil ? .none : memberships.standing(group, user)
  }

  /// The members of a group, newest first.
  public func members(of group: GroupID) -> Users { memberships.members(of: group) }

  /// The users who are invited or have asked, newest first.
  public func waiting(for group: GroupID) -> Users { memberships.waiting(for: group) }

  /// When the user became a member, was invited, or asked; nil for other users.
  public func since(_ group: GroupID, _ user: UserID) -> Timestamp? {
    memberships.since(group, user)
  }

  /// The groups of which the user is a member, the last joined first.
  public func groups(of user: UserID) -> [GroupID] { memberships.groups(of: user) }

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
