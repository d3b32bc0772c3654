/// What happens to a group.
public enum GroupEvent: EventFamily, CodedFamily {
  indirect case created(GroupCreated)
  indirect case edited(GroupEdited)
  case transferred(GroupTransferred)
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

/// The data of `GroupCreated`: a group, and its owner, who is a member.
public struct GroupCreated: EventData {
  public var group: GroupID
  public var owner: UserID
  public var name: String
  public var description: String?
  /// Whether anybody sees it and may join.
  public var isPublic: Bool

  public init(
    group: GroupID, owner: UserID, name: String, description: String? = nil, isPublic: Bool
  ) {
    self.group = group
    self.owner = owner
    self.name = name
    self.description = description
    self.isPublic = isPublic
  }

  init() { self.init(group: .blank, owner: .blank, name: "", isPublic: false) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("group", &group)
    try members("owner", &owner)
    try members("name", &name)
    try members("description", &description)
    try members("isPublic", &isPublic)
  }

  public var stream: StreamID { .group(group) }

  var words: Words? { Words(of: AnyID(group), by: .actor) }

  mutating func mapContent(_ map: inout some ContentMap) {
    name = map.text(name, "name", .shared)
    description = map.text(description, "description")
  }
}

/// The data of `GroupEdited`: what changes of a group.
public struct GroupEdited: EventData {
  public var group: GroupID
  public var name: String?
  public var description: Patch<String>
  public var isPublic: Bool?

  public init(
    group: GroupID, name: String? = nil, description: Patch<String> = .keep, isPublic: Bool? = nil
  ) {
    self.group = group
    self.name = name
    self.description = description
    self.isPublic = isPublic
  }

  init() { self.init(group: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("group", &group)
    try members("name", &name)
    try members("description", &description)
    try members("isPublic", &isPublic)
  }

  public var stream: StreamID { .group(group) }

  var words: Words? { Words(of: AnyID(group), by: .actor) }

  mutating func mapContent(_ map: inout some ContentMap) {
    name = map.text(name, "name", .shared)
    description = map.text(description, "description")
  }
}

/// The data of `GroupTransferred`: a member becomes the owner, and the former owner an admin.
public struct GroupTransferred: WordlessData {
  public var group: GroupID
  /// The new owner.
  public var owner: UserID

  public init(group: GroupID, owner: UserID) {
    self.group = group
    self.owner = owner
  }

  init() { self.init(group: .blank, owner: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("group", &group)
    try members("owner", &owner)
  }

  public var stream: StreamID { .group(group) }
}

/// The data of `GroupDeleted`: a group and nothing else.
public struct GroupReference: WordlessData {
  public var group: GroupID

  public init(group: GroupID) {
    self.group = group
  }

  init() { self.init(group: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("group", &group)
  }

  public var stream: StreamID { .group(group) }
}
