/// An event about one profile, except the deletion of the account.
public enum ProfileEvent: EventFamily, CodedFamily {
  /// A user created the profile.
  indirect case created(ProfileCreated)
  /// The user, or a service, changed some fields of the profile, such as the display name.
  indirect case edited(ProfileEdited)
  /// The user set the profile's photo.
  indirect case photoSet(ProfilePhotoSet)
  /// The user, or a service, removed the profile's photo.
  case photoRemoved(UserReference)
  /// The user set the place where they are based.
  indirect case baseLocationSet(BaseLocationSet)
  /// The user cleared the place where they are based.
  case baseLocationCleared(UserReference)
  /// The user added a sport to the profile, or changed their level in a sport.
  indirect case sportSet(SportSet)
  /// The user removed a sport from the profile.
  indirect case sportRemoved(SportRemoved)
  /// The user logged a climb that they completed.
  indirect case sendLogged(SendLogged)
  /// The user set or cleared the distance that they want to cover each week.
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

  /// The user whose profile the event is about.
  public var user: UserID {
    switch self {
    case .created(let data): data.user
    case .edited(let data): data.user
    case .photoSet(let data): data.user
    case .photoRemoved(let data), .baseLocationCleared(let data): data.user
    case .baseLocationSet(let data): data.user
    case .sportSet(let data): data.user
    case .sportRemoved(let data): data.user
    case .sendLogged(let data): data.user
    case .weeklyGoalSet(let data): data.user
    case .premiumRecorded(let data): data.user
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
  /// The id of the new user.
  public var user: UserID
  /// The user's unique public name; nil if there is none.
  public var handle: String?
  /// The user's display name; nil if there is none.
  public var displayName: String?
  /// Whether everybody may see the profile.
  public var isPublic: Bool

  /// Creates the data of a `ProfileCreated` event.
  public init(user: UserID, handle: String?, displayName: String? = nil, isPublic: Bool) {
    (self.user, self.handle, self.displayName) = (user, handle, displayName)
    self.isPublic = isPublic
  }

  init() { self.init(user: .blank, handle: nil, isPublic: false) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("user", &user)
    try members.text("handle", &handle, .handle)
    try members.text("displayName", &displayName, .words)
    try members("isPublic", &isPublic)
  }

  public var stream: StreamID { .profile(user) }

  var words: Words? { Words(of: AnyID(user), by: .user(user)) }
}

/// The data of `ProfileEdited`: a merge patch (RFC 7396) of a profile, in which absent fields stay
/// unchanged.
public struct ProfileEdited: EventData {
  /// The user whose profile changes.
  public var user: UserID
  /// The change of the user's unique public name.
  public var handle: Patch<String>
  /// The change of the user's display name.
  public var displayName: Patch<String>
  /// The change of the user's text about themselves.
  public var bio: Patch<String>
  /// The change of the gym where the user usually climbs.
  public var homeGym: Patch<String>
  /// The change of the user's postal code.
  public var homeZIP: Patch<String>
  /// The change of the date on which the user started climbing.
  public var climbingSince: Patch<CalendarDate>
  /// The change of the user's favourite climbing style.
  public var favoriteStyle: Patch<String>
  /// The change of the grading scale that the user uses for boulders.
  public var boulderGradeScale: Patch<String>
  /// The change of the grading scale that the user uses for routes.
  public var routeGradeScale: Patch<String>
  /// Whether the profile is now public; nil keeps the old value.
  public var isPublic: Bool?
  /// The change of the kind of rider that the user is.
  public var riderType: Patch<RiderType>

  /// Creates the data of a `ProfileEdited` event. A parameter that you omit leaves that field of
  /// the profile unchanged.
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
    try members.text("handle", &handle, .handle)
    try members.text("displayName", &displayName, .words)
    try members.text("bio", &bio, .words)
    try members.text("homeGym", &homeGym, .words)
    try members.text("homeZIP", &homeZIP, .words)
    try members("climbingSince", &climbingSince)
    try members.text("favoriteStyle", &favoriteStyle, .words)
    try members.text("boulderGradeScale", &boulderGradeScale, .words)
    try members.text("routeGradeScale", &routeGradeScale, .words)
    try members("isPublic", &isPublic)
    try members("riderType", &riderType)
  }

  public var stream: StreamID { .profile(user) }

  var words: Words? { Words(of: AnyID(user), by: .user(user)) }
}

/// The state of a profile, with the fields that a `ProfileEdited` event can change.
public protocol ProfileMembers {
  /// The user's unique public name.
  var handle: String? { get set }
  /// The user's display name.
  var displayName: String? { get set }
  /// The user's text about themselves.
  var bio: String? { get set }
  /// The gym where the user usually climbs.
  var homeGym: String? { get set }
  /// The user's postal code.
  var homeZIP: String? { get set }
  /// The date on which the user started climbing.
  var climbingSince: CalendarDate? { get set }
  /// The user's favourite climbing style.
  var favoriteStyle: String? { get set }
  /// The grading scale that the user uses for boulders.
  var boulderGradeScale: String? { get set }
  /// The grading scale that the user uses for routes.
  var routeGradeScale: String? { get set }
  /// Whether everybody may see the profile.
  var isPublic: Bool { get set }
  /// The kind of rider that the user is.
  var riderType: RiderType? { get set }
}

extension ProfileMembers {
  /// Applies the changes of an edit to the profile. Fields that the edit does not contain stay
  /// unchanged.
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

/// The data of `ProfilePhotoSet`, version 2: a user's new profile photo.
///
/// Only a photo in this core's storage has a path, a size and a content type. Version 1 required
/// all three.
public struct ProfilePhotoSet: EventData {
  /// The user who is the owner of the photo.
  public var user: UserID
  /// The photo's URL.
  public var url: String
  /// The photo's path in this core's storage, in the form of a `StoredPath`; nil if it is stored
  /// elsewhere.
  public var path: String?
  /// The photo's size in bytes.
  public var bytes: Int64?
  /// The photo's content type, such as `image/jpeg`.
  public var contentType: String?

  /// Creates the data of a `ProfilePhotoSet` event.
  public init(
    user: UserID, url: String, path: String? = nil, bytes: Int64? = nil, contentType: String? = nil
  ) {
    (self.user, self.url, self.path, self.bytes) = (user, url, path, bytes)
    self.contentType = contentType
  }

  init() { self.init(user: .blank, url: "") }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("user", &user)
    try members.text("url", &url, .address)
    try members.text("path", &path, .path)
    try members("bytes", &bytes)
    try members.text("contentType", &contentType, .plain)
  }

  public var stream: StreamID { .profile(user) }

  var words: Words? { Words(of: AnyID(user), by: .user(user)) }
}

/// The data of events that only name a user. These are `ProfilePhotoRemoved`, `BaseLocationCleared`
/// and `AccountDeleted`.
public struct UserReference: WordlessData {
  /// The user whose profile or account the event is about.
  public var user: UserID

  /// Creates the data of an event that only names a user.
  public init(user: UserID) {
    self.user = user
  }

  init() { self.init(user: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("user", &user)
  }

  public var stream: StreamID { .profile(user) }
}
