/// What happens to a profile, except the deletion of the account.
public enum ProfileEvent: EventFamily, CodedFamily {
  indirect case created(ProfileCreated)
  indirect case edited(ProfileEdited)
  indirect case photoSet(ProfilePhotoSet)
  case photoRemoved(UserReference)
  indirect case baseLocationSet(BaseLocationSet)
  case baseLocationCleared(UserReference)
  indirect case sportSet(SportSet)
  indirect case sportRemoved(SportRemoved)
  indirect case sendLogged(SendLogged)
  indirect case weeklyGoalSet(WeeklyGoalSet)
  indirect case premiumRecorded(PremiumRecorded)

  @inlinable
  public init?(_ event: borrowing Event) {
    switch event {
    case .profile(let event): self = event
    default: return nil
    }
  }

  public var type: EventType {
    switch self {
    case .created: .profileCreated
    case .edited: .profileEdited
    case .photoSet: .profilePhotoSet
    case .photoRemoved: .profilePhotoRemoved
    case .baseLocationSet: .baseLocationSet
    case .baseLocationCleared: .baseLocationCleared
    case .sportSet: .sportSet
    case .sportRemoved: .sportRemoved
    case .sendLogged: .sendLogged
    case .weeklyGoalSet: .weeklyGoalSet
    case .premiumRecorded: .premiumRecorded
    }
  }

  func visitData<V: DataVisitor>(_ visitor: inout V) -> V.Result {
    switch self {
    case .created(let data): visitor.visit(data)
    case .edited(let data): visitor.visit(data)
    case .photoSet(let data): visitor.visit(data)
    case .photoRemoved(let data), .baseLocationCleared(let data): visitor.visit(data)
    case .baseLocationSet(let data): visitor.visit(data)
    case .sportSet(let data): visitor.visit(data)
    case .sportRemoved(let data): visitor.visit(data)
    case .sendLogged(let data): visitor.visit(data)
    case .weeklyGoalSet(let data): visitor.visit(data)
    case .premiumRecorded(let data): visitor.visit(data)
    }
  }

  mutating func mapData(_ map: inout some DataMap) {
    switch self {
    case .created(let data): self = .created(map(data))
    case .edited(let data): self = .edited(map(data))
    case .photoSet(let data): self = .photoSet(map(data))
    case .photoRemoved(let data): self = .photoRemoved(map(data))
    case .baseLocationSet(let data): self = .baseLocationSet(map(data))
    case .baseLocationCleared(let data): self = .baseLocationCleared(map(data))
    case .sportSet(let data): self = .sportSet(map(data))
    case .sportRemoved(let data): self = .sportRemoved(map(data))
    case .sendLogged(let data): self = .sendLogged(map(data))
    case .weeklyGoalSet(let data): self = .weeklyGoalSet(map(data))
    case .premiumRecorded(let data): self = .premiumRecorded(map(data))
    }
  }
}

/// The data of `ProfileCreated` 2: a user appears. Version 1 required a handle.
public struct ProfileCreated: EventData {
  public var user: UserID
  public var handle: String?
  public var displayName: String?
  public var isPublic: Bool

  public init(user: UserID, handle: String?, displayName: String? = nil, isPublic: Bool) {
    self.user = user
    self.handle = handle
    self.displayName = displayName
    self.isPublic = isPublic
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    user = try r.required("user")
    handle = try r.optional("handle")
    displayName = try r.optional("displayName")
    isPublic = try r.required("isPublic")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("user", user)
    w.optional("handle", handle)
    w.optional("displayName", displayName)
    w.member("isPublic", isPublic)
  }

  public var stream: StreamID { .profile(user) }

  mutating func mapIDs(_ map: some IDMap) {
    user = map(user)
  }

  var words: Words? { Words(of: AnyID(user), by: .user(user)) }

  mutating func mapContent(_ map: inout some ContentMap) {
    handle = map.handle(handle)
    displayName = map.text(displayName, "displayName")
  }
}

/// The data of `ProfileEdited`, a merge patch (RFC 7396): what it does not name stays as it was.
public struct ProfileEdited: EventData {
  public var user: UserID
  public var handle: Patch<String>
  public var displayName: Patch<String>
  public var bio: Patch<String>
  public var homeGym: Patch<String>
  public var homeZIP: Patch<String>
  public var climbingSince: Patch<CalendarDate>
  public var favoriteStyle: Patch<String>
  public var boulderGradeScale: Patch<String>
  public var routeGradeScale: Patch<String>
  public var isPublic: Bool?
  public var riderType: Patch<RiderType>

  public init(
    user: UserID, handle: Patch<String> = .keep, displayName: Patch<String> = .keep,
    bio: Patch<String> = .keep, homeGym: Patch<String> = .keep, homeZIP: Patch<String> = .keep,
    climbingSince: Patch<CalendarDate> = .keep, favoriteStyle: Patch<String> = .keep,
    boulderGradeScale: Patch<String> = .keep, routeGradeScale: Patch<String> = .keep,
    isPublic: Bool? = nil, riderType: Patch<RiderType> = .keep
  ) {
    self.user = user
    self.handle = handle
    self.displayName = displayName
    self.bio = bio
    self.homeGym = homeGym
    self.homeZIP = homeZIP
    self.climbingSince = climbingSince
    self.favoriteStyle = favoriteStyle
    self.boulderGradeScale = boulderGradeScale
    self.routeGradeScale = routeGradeScale
    self.isPublic = isPublic
    self.riderType = riderType
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    user = try r.required("user")
    handle = try r.patch("handle")
    displayName = try r.patch("displayName")
    bio = try r.patch("bio")
    homeGym = try r.patch("homeGym")
    homeZIP = try r.patch("homeZIP")
    climbingSince = try r.patch("climbingSince")
    favoriteStyle = try r.patch("favoriteStyle")
    boulderGradeScale = try r.patch("boulderGradeScale")
    routeGradeScale = try r.patch("routeGradeScale")
    isPublic = try r.optional("isPublic")
    riderType = try r.patch("riderType")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("user", user)
    w.patch("handle", handle)
    w.patch("displayName", displayName)
    w.patch("bio", bio)
    w.patch("homeGym", homeGym)
    w.patch("homeZIP", homeZIP)
    w.patch("climbingSince", climbingSince)
    w.patch("favoriteStyle", favoriteStyle)
    w.patch("boulderGradeScale", boulderGradeScale)
    w.patch("routeGradeScale", routeGradeScale)
    w.optional("isPublic", isPublic)
    w.patch("riderType", riderType)
  }

  public var stream: StreamID { .profile(user) }

  mutating func mapIDs(_ map: some IDMap) {
    user = map(user)
  }

  var words: Words? { Words(of: AnyID(user), by: .user(user)) }

  mutating func mapContent(_ map: inout some ContentMap) {
    handle = map.handle(handle)
    displayName = map.text(displayName, "displayName")
    bio = map.text(bio, "bio")
    homeGym = map.text(homeGym, "homeGym")
    homeZIP = map.text(homeZIP, "homeZIP")
    favoriteStyle = map.text(favoriteStyle, "favoriteStyle")
    boulderGradeScale = map.text(boulderGradeScale, "boulderGradeScale")
    routeGradeScale = map.text(routeGradeScale, "routeGradeScale")
  }
}

/// The members of a profile that an edit can set.
public protocol ProfileMembers {
  var handle: String? { get set }
  var displayName: String? { get set }
  var bio: String? { get set }
  var homeGym: String? { get set }
  var homeZIP: String? { get set }
  var climbingSince: CalendarDate? { get set }
  var favoriteStyle: String? { get set }
  var boulderGradeScale: String? { get set }
  var routeGradeScale: String? { get set }
  var isPublic: Bool { get set }
  var riderType: RiderType? { get set }
}

extension ProfileMembers {
  /// Applies a merge patch: what it does not name stays as it was.
  public mutating func apply(_ edit: ProfileEdited) {
    edit.handle.apply(to: &handle)
    edit.displayName.apply(to: &displayName)
    edit.bio.apply(to: &bio)
    edit.homeGym.apply(to: &homeGym)
    edit.homeZIP.apply(to: &homeZIP)
    edit.climbingSince.apply(to: &climbingSince)
    edit.favoriteStyle.apply(to: &favoriteStyle)
    edit.boulderGradeScale.apply(to: &boulderGradeScale)
    edit.routeGradeScale.apply(to: &routeGradeScale)
    isPublic = edit.isPublic ?? isPublic
    edit.riderType.apply(to: &riderType)
  }
}

/// The data of `ProfilePhotoSet` 2: where the photo is; of one in this core's storage also its path
/// there, its size in bytes and its type. Version 1 required all of it.
public struct ProfilePhotoSet: EventData {
  public var user: UserID
  public var url: String
  public var path: String?
  public var bytes: Int64?
  public var contentType: String?

  public init(
    user: UserID, url: String, path: String? = nil, bytes: Int64? = nil, contentType: String? = nil
  ) {
    self.user = user
    self.url = url
    self.path = path
    self.bytes = bytes
    self.contentType = contentType
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    user = try r.required("user")
    url = try r.required("url")
    path = try r.optional("path")
    bytes = try r.optional("bytes")
    contentType = try r.optional("contentType")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("user", user)
    w.member("url", url)
    w.optional("path", path)
    w.optional("bytes", bytes)
    w.optional("contentType", contentType)
  }

  public var stream: StreamID { .profile(user) }

  mutating func mapIDs(_ map: some IDMap) {
    user = map(user)
  }

  var words: Words? { Words(of: AnyID(user), by: .user(user)) }

  mutating func mapContent(_ map: inout some ContentMap) {
    url = map.text(url, "url", .address)
    path = path.flatMap { map.path($0) }
  }
}

/// The data of the events that name a user and nothing else: `ProfilePhotoRemoved`,
/// `BaseLocationCleared`, `AccountDeleted`.
public struct UserReference: WordlessData {
  public var user: UserID

  public init(user: UserID) {
    self.user = user
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    user = try r.required("user")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("user", user)
  }

  public var stream: StreamID { .profile(user) }

  mutating func mapIDs(_ map: some IDMap) {
    user = map(user)
  }
}
