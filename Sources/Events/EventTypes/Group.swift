/// An event about one group.
public enum GroupEvent: EventFamily, CodedFamily {
  /// A user created the group.
  indirect case created(GroupCreated)
  /// The group's owner changed the group's name, description or visibility.
  indirect case edited(GroupEdited)
  /// The owner made another member the owner of the group.
  case transferred(GroupTransferred)
  /// The group was deleted permanently.
  case deleted(GroupReference)

  @inlinable
  public init?(_ event: borrowing Event) {
    switch event {
    case .group(let event): self = event
    default: return nil
    }
  }

  func visit<V: EventVisitor>(_ visitor: inout V) -> V.Result {
    switch self {
    case .created(let data): visitor.visit(.groupCreated, data) { .group(.created($0)) }
    case .edited(let data): visitor.visit(.groupEdited, data) { .group(.edited($0)) }
    case .transferred(let data): visitor.visit(.groupTransferred, data) { .group(.transferred($0)) }
    case .deleted(let data): visitor.visit(.groupDeleted, data) { .group(.deleted($0)) }
    }
  }
}

/// The data of `GroupCreated`: a new group and its owner.
public struct GroupCreated: EventData {
  /// The new group's id.
  public var group: GroupID
  /// The user who owns the group and is also a member.
  public var owner: UserID
  /// The group's name.
  public var name: String
  /// The group's description; nil if there is none.
  public var description: String?
  /// Whether everybody can see the group and may join it.
  public var isPublic: Bool

  /// Creates the data of a `GroupCreated` event.
  public init(
    group: GroupID, owner: UserID, name: String, description: String? = nil, isPublic: Bool
  ) {
    (self.group, self.owner, self.name, self.description) = (group, owner, name, description)
    self.isPublic = isPublic
  }

  init() { self.init(group: .blank, owner: .blank, name: "", isPublic: false) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("group", &group)
    try members("owner", &owner)
    try members.text("name", &name, .shared)
    try members.text("description", &description, .words)
    try members("isPublic", &isPublic)
  }

  public var stream: StreamID { .group(group) }

  var words: Words? { Words(of: AnyID(group), by: .actor) }
}

/// The data of `GroupEdited`: a merge patch (RFC 7396), in which absent fields stay unchanged.
public struct GroupEdited: EventData {
  /// The id of the edited group.
  public var group: GroupID
  /// The group's new name; nil keeps the old name.
  public var name: String?
  /// The change of the group's description.
  public var description: Patch<String>
  /// Whether the group is now public; nil keeps the old value.
  public var isPublic: Bool?

  /// Creates the data of a `GroupEdited` event.
  public init(
    group: GroupID, name: String? = nil, description: Patch<String> = .keep, isPublic: Bool? = nil
  ) {
    (self.group, self.name, self.description, self.isPublic) = (group, name, description, isPublic)
  }

  init() { self.init(group: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("group", &group)
    try members.text("name", &name, .shared)
    try members.text("description", &description, .words)
    try members("isPublic", &isPublic)
  }

  public var stream: StreamID { .group(group) }

  var words: Words? { Words(of: AnyID(group), by: .actor) }
}

/// The data of `GroupTransferred`: a member becomes the group's owner, and the former owner becomes
/// an admin.
public struct GroupTransferred: WordlessData {
  /// The id of the group whose owner changes.
  public var group: GroupID
  /// The user who becomes the group's owner.
  public var owner: UserID

  /// Creates the data of a `GroupTransferred` event.
  public init(group: GroupID, owner: UserID) {
    (self.group, self.owner) = (group, owner)
  }

  init() { self.init(group: .blank, owner: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("group", &group)
    try members("owner", &owner)
  }

  public var stream: StreamID { .group(group) }
}

/// The data of `GroupDeleted`, which names the deleted group.
public struct GroupReference: WordlessData {
  /// The id of the deleted group.
  public var group: GroupID

  /// Creates the data of a `GroupDeleted` event.
  public init(group: GroupID) {
    self.group = group
  }

  init() { self.init(group: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("group", &group)
  }

  public var stream: StreamID { .group(group) }
}
