import Events
import Projections

/// A user in a list.
///
/// Of a profile that is not public, others see only who it is: the rest is nil.
public struct ProfileRow: Answer {
  public var user: String
  public var handle: String
  public var displayName: String?
  public var photoURL: String?
  public var bio: String?
  public var isPublic: Bool
  public var followerCount: Int?
  public var followingCount: Int?
  public var sendCount: Int?

  public init(
    user: String, handle: String, displayName: String? = nil, photoURL: String? = nil,
    bio: String? = nil, isPublic: Bool = true, followerCount: Int? = nil,
    followingCount: Int? = nil, sendCount: Int? = nil
  ) {
    self.user = user
    self.handle = handle
    self.displayName = displayName
    self.photoURL = photoURL
    self.bio = bio
    self.isPublic = isPublic
    self.followerCount = followerCount
    self.followingCount = followingCount
    self.sendCount = sendCount
  }

  public var json: JSONValue { .object(members) }

  var members: [JSONValue.Member] {
    [
      .init("user", .string(user)), .init("handle", .string(handle)),
      .init("displayName", .optional(displayName)), .init("photoURL", .optional(photoURL)),
      .init("bio", .optional(bio)), .init("isPublic", .bool(isPublic)),
      .init("followerCount", .optional(followerCount)),
      .init("followingCount", .optional(followingCount)),
      .init("sendCount", .optional(sendCount)),
    ]
  }
}

/// Everything that a user shows: `profile.handle`, `profile.details?.homeGym`.
public struct Profile: Answer {
  /// What lists show of the user, too.
  public var row: ProfileRow
  public var friendCount: Int
  /// Nil to others where the profile is not public.
  public var details: Details?

  public struct Details: Equatable, Sendable {
    public var homeGym: String?
    public var homeZIP: String?
    public var climbingSince: CalendarDate?
    public var favoriteStyle: String?
    public var boulderGradeScale: String?
    public var routeGradeScale: String?
    public var riderType: RiderType?
    public var baseLocation: BaseLocation?
    public var sports: [Sport] = []
    public var createdAt: Timestamp
    /// When the last event of the profile was recorded.
    public var updatedAt: Timestamp

    public init(createdAt: Timestamp, updatedAt: Timestamp) {
      self.createdAt = createdAt
      self.updatedAt = updatedAt
    }

    init(_ profile: Profiles.Profile) {
      self.init(createdAt: profile.createdAt, updatedAt: profile.updatedAt)
      homeGym = profile.homeGym
      homeZIP = profile.homeZIP
      climbingSince = profile.climbingSince
      favoriteStyle = profile.favoriteStyle
      boulderGradeScale = profile.boulderGradeScale
      routeGradeScale = profile.routeGradeScale
      riderType = profile.riderType
      baseLocation = profile.location.map(BaseLocation.init)
      sports = profile.sports.map(Sport.init)
    }
  }

  public var user: String { row.user }
  public var handle: String { row.handle }
  public var displayName: String? { row.displayName }
  public var photoURL: String? { row.photoURL }
  public var bio: String? { row.bio }
  public var isPublic: Bool { row.isPublic }
  public var followerCount: Int? { row.followerCount }
  public var followingCount: Int? { row.followingCount }
  public var sendCount: Int? { row.sendCount }

  public init(row: ProfileRow, friendCount: Int, details: Details? = nil) {
    self.row = row
    self.friendCount = friendCount
    self.details = details
  }

  public var json: JSONValue {
    .object(
      row.members + [
        .init("friendCount", .int(friendCount)), .init("homeGym", .optional(details?.homeGym)),
        .init("homeZIP", .optional(details?.homeZIP)),
        .init("climbingSince", .optional((details?.climbingSince).map { "\($0)" })),
        .init("favoriteStyle", .optional(details?.favoriteStyle)),
        .init("boulderGradeScale", .optional(details?.boulderGradeScale)),
        .init("routeGradeScale", .optional(details?.routeGradeScale)),
        .init("riderType", .optional(details?.riderType?.rawValue)),
        .init("baseLocation", (details?.baseLocation).json),
        .init("sports", details?.sports.json ?? .null),
        .init("createdAt", .optional((details?.createdAt).map { "\($0)" })),
        .init("updatedAt", .optional((details?.updatedAt).map { "\($0)" })),
      ])
  }
}

/// Where a user is based, in degrees.
public struct BaseLocation: Answer {
  public var latitude: Double
  public var longitude: Double
  public var name: String?

  public init(latitude: Double, longitude: Double, name: String? = nil) {
    self.latitude = latitude
    self.longitude = longitude
    self.name = name
  }

  init(_ location: BaseLocationSet) {
    self.init(latitude: location.latitude, longitude: location.longitude, name: location.name)
  }

  public var json: JSONValue {
    .object([
      "latitude": .double(latitude), "longitude": .double(longitude), "name": .optional(name),
    ])
  }
}

/// A user's level in a sport.
public struct Sport: Answer {
  public var sport: String
  public var level: SkillLevel
  public var isMentor: Bool

  public init(sport: String, level: SkillLevel, isMentor: Bool) {
    self.sport = sport
    self.level = level
    self.isMentor = isMentor
  }

  init(_ sport: SportSet) {
    self.init(sport: sport.sport.name, level: sport.level, isMentor: sport.isMentor)
  }

  public var json: JSONValue {
    .object([
      "sport": .string(sport), "level": .string(level.rawValue), "isMentor": .bool(isMentor),
    ])
  }
}
