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

  public var type: EventType {
    switch self {
    case .created: .groupCreated
    case .edited: .groupEdited
    case .transferred: .groupTransferred
    case .deleted: .groupDeleted
    }
  }

  func visitData<V: DataVisitor>(_ visitor: inout V) -> V.Result {
    switch self {
    case .created(let data): visitor.visit(data)
    case .edited(let data): visitor.visit(data)
    case .transferred(let data): visitor.visit(data)
    case .deleted(let data): visitor.visit(data)
    }
  }

  mutating func mapData(_ map: inout some DataMap) {
    switch self {
    case .created(let data): self = .created(map(data))
    case .edited(let data): self = .edited(map(data))
    case .transferred(let data): self = .transferred(map(data))
    case .deleted(let data): self = .deleted(map(data))
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

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    group = try r.required("group")
    owner = try r.required("owner")
    name = try r.required("name")
    description = try r.optional("description")
    isPublic = try r.required("isPublic")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("group", group)
    w.member("owner", owner)
    w.member("name", name)
    w.optional("description", description)
    w.member("isPublic", isPublic)
  }

  public var stream: StreamID { .group(group) }

  mutating func mapIDs(_ map: some IDMap) {
    group = map(group)
    owner = map(owner)
  }

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

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    group = try r.required("group")
    name = try r.optional("name")
    description = try r.patch("description")
    isPublic = try r.optional("isPublic")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("group", group)
    w.optional("name", name)
    w.patch("description", description)
    w.optional("isPublic", isPublic)
  }

  public var stream: StreamID { .group(group) }

  mutating func mapIDs(_ map: some IDMap) {
    group = map(group)
  }

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

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    group = try r.required("group")
    owner = try r.required("owner")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("group", group)
    w.member("owner", owner)
  }

  public var stream: StreamID { .group(group) }

  mutating func mapIDs(_ map: some IDMap) {
    group = map(group)
    owner = map(owner)
  }
}

/// The data of `GroupDeleted`: a group and nothing else.
public struct GroupReference: WordlessData {
  public var group: GroupID

  public init(group: GroupID) {
    self.group = group
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    group = try r.required("group")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("group", group)
  }

  public var stream: StreamID { .group(group) }

  mutating func mapIDs(_ map: some IDMap) {
    group = map(group)
  }
}
