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

  func visit<V: EventVisitor>(_ visitor: inout V) -> V.Result {
    switch self {
    case .created(let data): visitor.visit(.profileCreated, data) { .profile(.created($0)) }
    case .edited(let data): visitor.visit(.profileEdited, data) { .profile(.edited($0)) }
    case .photoSet(let data): visitor.visit(.profilePhotoSet, data) { .profile(.photoSet($0)) }
    case .photoRemoved(let data):
      visitor.visit(.profilePhotoRemoved, data) { .profile(.photoRemoved($0)) }
    case .baseLocationSet(let data):
      visitor.visit(.baseLocationSet, data) { .profile(.baseLocationSet($0)) }
    case .baseLocationCleared(let data):
      visitor.visit(.baseLocationCleared, data) { .profile(.baseLocationCleared($0)) }
    case .sportSet(let data): visitor.visit(.sportSet, data) { .profile(.sportSet($0)) }
    case .sportRemoved(let data): visitor.visit(.sportRemoved, data) { .profile(.sportRemoved($0)) }
    case .sendLogged(let data): visitor.visit(.sendLogged, data) { .profile(.sendLogged($0)) }
    case .weeklyGoalSet(let data):
      visitor.visit(.weeklyGoalSet, data) { .profile(.weeklyGoalSet($0)) }
    case .premiumRecorded(let data):
      visitor.visit(.premiumRecorded, data) { .profile(.premiumRecorded($0)) }
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

  init() { self.init(user: .blank, handle: nil, isPublic: false) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("user", &user)
    try members("handle", &handle)
    try members("displayName", &displayName)
    try members("isPublic", &isPublic)
  }

  public var stream: StreamID { .profile(user) }

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

  init() { self.init(user: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("user", &user)
    try members("handle", &handle)
    try members("displayName", &displayName)
    try members("bio", &bio)
    try members("homeGym", &homeGym)
    try members("homeZIP", &homeZIP)
    try members("climbingSince", &climbingSince)
    try members("favoriteStyle", &favoriteStyle)
    try members("boulderGradeScale", &boulderGradeScale)
    try members("routeGradeScale", &routeGradeScale)
    try members("isPublic", &isPublic)
    try members("riderType", &riderType)
  }

  public var stream: StreamID { .profile(user) }

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

  init() { self.init(user: .blank, url: "") }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("user", &user)
    try members("url", &url)
    try members("path", &path)
    try members("bytes", &bytes)
    try members("contentType", &contentType)
  }

  public var stream: StreamID { .profile(user) }

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

  init() { self.init(user: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("user", &user)
  }

  public var stream: StreamID { .profile(user) }
}
