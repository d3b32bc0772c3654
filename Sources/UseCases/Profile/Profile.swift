import Events
import Projections

/// Everything in a user's profile: `profile.handle`, `profile.details?.homeGym`.
public struct Profile: Answer {
  /// What lists show of the user.
  public var row: ProfileRow
  /// Nil for those who do not see the profile in full.
  public var details: Details?
  /// Whether a subscription is paid for now; nil for others than the user and services.
  public var isPremium: Bool?
  /// The last record of each product; nil for others than the user and services.
  public var premium: [Premium]?

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
      (self.createdAt, self.updatedAt) = (createdAt, updatedAt)
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
      sports = profile.sports.map(Sport.init)
    }
  }

  public var user: String { row.user }
  public var handle: String? { row.handle }
  public var displayName: String? { row.displayName }
  public var photoURL: String? { row.photoURL }
  public var bio: String? { row.bio }
  public var isPublic: Bool { row.isPublic }
  public var followerCount: Int? { row.followerCount }
  public var followingCount: Int? { row.followingCount }
  public var sendCount: Int? { row.sendCount }
  public var friendCount: Int? { row.friendCount }

  public init(row: ProfileRow, details: Details? = nil) {
    (self.row, self.details) = (row, details)
  }

  public var json: JSONValue {
    .object(
      row.members + [
        .init("homeGym", .optional(details?.homeGym)),
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
        .init("isPremium", isPremium.json), .init("premium", premium?.json ?? .null),
      ])
  }
}

extension Profile {
  /// What was bought, and until when it is paid.
  public struct Premium: Answer {
    public var product: String
    public var expires: DateTime
    public var transaction: String?

    public var json: JSONValue {
      .object([
        "product": .string(product), "expires": .string(expires.text),
        "transaction": .optional(transaction),
      ])
    }
  }
}
