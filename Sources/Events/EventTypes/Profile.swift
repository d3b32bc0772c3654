/// An event about one profile, except the deletion of the account.
public enum ProfileEvent: EventFamily, CodedFamily {
  /// A user created the profile.
  indirect case created(ProfileCreated)
  /// The user, or a service, changed fields of the profile.
  indirect case edited(ProfileEdited)
  /// The user set a photo.
  indirect case photoSet(ProfilePhotoSet)
  /// The user, or a service, removed the photo.
  case photoRemoved(UserReference)
  /// The user set the place where they are based.
  indirect case baseLocationSet(BaseLocationSet)
  /// The user cleared that place.
  case baseLocationCleared(UserReference)
  /// The user set their level in a sport.
  indirect case sportSet(SportSet)
  /// The user removed a sport.
  indirect case sportRemoved(SportRemoved)
  /// The user logged a climb.
  indirect case sendLogged(SendLogged)
  /// The user set or cleared their weekly goal.
  indirect case weeklyGoalSet(WeeklyGoalSet)
  /// A service recorded the user's subscription.
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

/// The data of `ProfileCreated`, version 2; version 1 required a handle.
public struct ProfileCreated: EventData {
  /// The new user.
  public var user: UserID
  /// The unique public name, if there is one.
  public var handle: String?
  /// The display name, if there is one.
  public var displayName: String?
  /// Whether everybody may see the profile.
  public var isPublic: Bool

  /// Creates the data.
  public init(user: UserID, handle: String?, displayName: String? = nil, isPublic: Bool) {
    (self.user, self.handle, self.displayName) = (user, handle, displayName)
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

/// The data of `ProfileEdited`, a merge patch (RFC 7396): absent fields stay unchanged.
public struct ProfileEdited: EventData {
  /// The user whose profile changes.
  public var user: UserID
  /// The change of the unique public name.
  public var handle: Patch<String>
  /// The change of the display name.
  public var displayName: Patch<String>
  /// The change of the text about the user.
  public var bio: Patch<String>
  /// The change of the gym where the user usually climbs.
  public var homeGym: Patch<String>
  /// The change of the user's postal code.
  public var homeZIP: Patch<String>
  /// The change of the date on which the user started climbing.
  public var climbingSince: Patch<CalendarDate>
  /// The change of the favourite climbing style.
  public var favoriteStyle: Patch<String>
  /// The change of the user's scale for boulder grades.
  public var boulderGradeScale: Patch<String>
  /// The change of the user's scale for route grades.
  public var routeGradeScale: Patch<String>
  /// Whether the profile is now public; nil keeps the old value.
  public var isPublic: Bool?
  /// The change of the kind of rider.
  public var riderType: Patch<RiderType>

  /// Creates the data; by default every field keeps its value.
  public init(
    user: UserID, handle: Patch<String> = .keep, displayName: Patch<String> = .keep,
    bio: Patch<String> = .keep, homeGym: Patch<String> = .keep, homeZIP: Patch<String> = .keep,
    climbingSince: Patch<CalendarDate> = .keep, favoriteStyle: Patch<String> = .keep,
    boulderGradeScale: Patch<String> = .keep, routeGradeScale: Patch<String> = .keep,
    isPublic: Bool? = nil, riderType: Patch<RiderType> = .keep
  ) {
    (self.user, self.handle, self.displayName, self.bio) = (user, handle, displayName, bio)
    (self.homeGym, self.homeZIP, self.climbingSince) = (homeGym, homeZIP, climbingSince)
    (self.favoriteStyle, self.boulderGradeScale) = (favoriteStyle, boulderGradeScale)
    (self.routeGradeScale, self.isPublic, self.riderType) = (routeGradeScale, isPublic, riderType)
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

/// The fields of a profile that an edit can set.
public protocol ProfileMembers {
  /// The unique public name.
  var handle: String? { get set }
  /// The display name.
  var displayName: String? { get set }
  /// The text about the user.
  var bio: String? { get set }
  /// The gym where the user usually climbs.
  var homeGym: String? { get set }
  /// The user's postal code.
  var homeZIP: String? { get set }
  /// The date on which the user started climbing.
  var climbingSince: CalendarDate? { get set }
  /// The favourite climbing style.
  var favoriteStyle: String? { get set }
  /// The user's scale for boulder grades.
  var boulderGradeScale: String? { get set }
  /// The user's scale for route grades.
  var routeGradeScale: String? { get set }
  /// Whether everybody may see the profile.
  var isPublic: Bool { get set }
  /// The kind of rider.
  var riderType: RiderType? { get set }
}

extension ProfileMembers {
  /// Applies a merge patch: absent fields stay unchanged.
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

/// The data of `ProfilePhotoSet`, version 2. Only a photo in this core's storage has a path, a size
/// and a content type; version 1 required all three.
public struct ProfilePhotoSet: EventData {
  /// The user whose photo it is.
  public var user: UserID
  /// The photo's address on the web.
  public var url: String
  /// The path in storage, as in `StoredPath`.
  public var path: String?
  /// The size in bytes.
  public var bytes: Int64?
  /// The content type, such as `image/jpeg`.
  public var contentType: String?

  /// Creates the data.
  public init(
    user: UserID, url: String, path: String? = nil, bytes: Int64? = nil, contentType: String? = nil
  ) {
    (self.user, self.url, self.path, self.bytes) = (user, url, path, bytes)
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

/// The data of events that only name a user: `ProfilePhotoRemoved`, `BaseLocationCleared` and
/// `AccountDeleted`.
public struct UserReference: WordlessData {
  /// The user of the profile or account.
  public var user: UserID

  /// Creates the data.
  public init(user: UserID) {
    self.user = user
  }

  init() { self.init(user: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("user", &user)
  }

  public var stream: StreamID { .profile(user) }
}
