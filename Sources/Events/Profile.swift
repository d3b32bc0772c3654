/// The data of `ProfileCreated`: a user appears, with a handle.
public struct ProfileCreated: EventData {
  public var user: UserID
  public var handle: String
  public var displayName: String?
  public var isPublic: Bool

  public init(user: UserID, handle: String, displayName: String? = nil, isPublic: Bool) {
    self.user = user
    self.handle = handle
    self.displayName = displayName
    self.isPublic = isPublic
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    user = try r.required("user")
    handle = try r.required("handle")
    displayName = try r.optional("displayName")
    isPublic = try r.required("isPublic")
  }

  func write(to w: inout MemberWriter) {
    w.member("user", user)
    w.member("handle", handle)
    w.optional("displayName", displayName)
    w.member("isPublic", isPublic)
  }

  public var stream: StreamID { .profile(user) }
}

/// The data of `ProfileEdited`, a merge patch (RFC 7396): what it does not name stays as it was.
public struct ProfileEdited: EventData {
  public var user: UserID
  public var handle: String?
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
    user: UserID, handle: String? = nil, displayName: Patch<String> = .keep,
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
    handle = try r.optional("handle")
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

  func write(to w: inout MemberWriter) {
    w.member("user", user)
    w.optional("handle", handle)
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
}

/// What has the members of a profile that an edit can set.
public protocol ProfileMembers {
  var handle: String { get set }
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
    handle = edit.handle ?? handle
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

/// The data of `ProfilePhotoSet`: where the photo is, and its size in bytes.
public struct ProfilePhotoSet: EventData {
  public var user: UserID
  public var url: String
  public var path: String
  public var bytes: Int64
  public var contentType: String

  public init(user: UserID, url: String, path: String, bytes: Int64, contentType: String) {
    self.user = user
    self.url = url
    self.path = path
    self.bytes = bytes
    self.contentType = contentType
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    user = try r.required("user")
    url = try r.required("url")
    path = try r.required("path")
    bytes = try r.required("bytes")
    contentType = try r.required("contentType")
  }

  func write(to w: inout MemberWriter) {
    w.member("user", user)
    w.member("url", url)
    w.member("path", path)
    w.member("bytes", bytes)
    w.member("contentType", contentType)
  }

  public var stream: StreamID { .profile(user) }
}

/// The data of `BaseLocationSet`: degrees, latitude −90…90 and longitude −180…180 by the rules.
public struct BaseLocationSet: EventData {
  public var user: UserID
  public var latitude: Double
  public var longitude: Double
  public var name: String?

  public init(user: UserID, latitude: Double, longitude: Double, name: String? = nil) {
    self.user = user
    self.latitude = latitude
    self.longitude = longitude
    self.name = name
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    user = try r.required("user")
    latitude = try r.required("latitude")
    longitude = try r.required("longitude")
    name = try r.optional("name")
  }

  func write(to w: inout MemberWriter) {
    w.member("user", user)
    w.member("latitude", latitude)
    w.member("longitude", longitude)
    w.optional("name", name)
  }

  public var stream: StreamID { .profile(user) }
}

/// The data of `SportSet`: the user's level in a sport, and whether they teach it.
public struct SportSet: EventData {
  public var user: UserID
  public var sport: SportID
  public var level: SkillLevel
  public var isMentor: Bool

  public init(user: UserID, sport: SportID, level: SkillLevel, isMentor: Bool) {
    self.user = user
    self.sport = sport
    self.level = level
    self.isMentor = isMentor
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    user = try r.required("user")
    sport = try r.required("sport")
    level = try r.required("level")
    isMentor = try r.required("isMentor")
  }

  func write(to w: inout MemberWriter) {
    w.member("user", user)
    w.member("sport", sport)
    w.member("level", level)
    w.member("isMentor", isMentor)
  }

  public var stream: StreamID { .profile(user) }
}

/// The data of `SportRemoved`.
public struct SportRemoved: EventData {
  public var user: UserID
  public var sport: SportID

  public init(user: UserID, sport: SportID) {
    self.user = user
    self.sport = sport
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    user = try r.required("user")
    sport = try r.required("sport")
  }

  func write(to w: inout MemberWriter) {
    w.member("user", user)
    w.member("sport", sport)
  }

  public var stream: StreamID { .profile(user) }
}

/// The data of `SendLogged`: a climb done; it feeds the send count.
public struct SendLogged: EventData {
  public var user: UserID
  public var climb: String

  public init(user: UserID, climb: String) {
    self.user = user
    self.climb = climb
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    user = try r.required("user")
    climb = try r.required("climb")
  }

  func write(to w: inout MemberWriter) {
    w.member("user", user)
    w.member("climb", climb)
  }

  public var stream: StreamID { .profile(user) }
}

/// The data of the events that name a user and nothing else: `ProfilePhotoRemoved`,
/// `BaseLocationCleared`, `AccountDeleted`.
public struct UserReference: EventData {
  public var user: UserID

  public init(user: UserID) {
    self.user = user
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    user = try r.required("user")
  }

  func write(to w: inout MemberWriter) {
    w.member("user", user)
  }

  public var stream: StreamID { .profile(user) }
}

/// What kind of rider a profile says it is.
public enum RiderType: String, CaseIterable, Sendable, BitwiseCopyable { case rider, mentor, both }

/// A level in a sport.
public enum SkillLevel: String, CaseIterable, Sendable {
  case beginner, intermediate, advanced, expert
}
