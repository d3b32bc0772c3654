import Events
import Projections

/// A user's profile as the caller sees it: `profile.handle`, `profile.details?.homeGym`.
public struct Profile: Answer {
  /// The user's row, as in lists.
  public var row: ProfileRow
  /// The details; nil if the caller does not see the profile in full.
  public var details: Details?
  /// Whether the user has a paid subscription now; nil unless the caller is the user or a service.
  public var isPremium: Bool?
  /// The user's last recorded purchase of each product; nil unless the caller is the user or a
  /// service.
  public var premium: [Premium]?

  /// The details of a profile.
  public struct Details: Equatable, Sendable {
    /// The gym where the user climbs.
    public var homeGym: String?
    /// The postal code of the gym where the user climbs.
    public var homeZIP: String?
    /// The date when the user began to climb.
    public var climbingSince: CalendarDate?
    /// The user's favourite climbing style.
    public var favoriteStyle: String?
    /// The grading scale that the user uses for boulders.
    public var boulderGradeScale: String?
    /// The grading scale that the user uses for routes.
    public var routeGradeScale: String?
    /// Whether the user is a rider, a mentor or both.
    public var riderType: Choice<RiderType>?
    /// The base location, as the caller sees it.
    public var baseLocation: BaseLocation?
    /// The user's sports, in the order in which they were last set; the latest is last.
    public var sports: [Sport] = []
    /// The time when the account was opened.
    public var createdAt: Timestamp
    /// The time of the last event that changed the profile.
    public var updatedAt: Timestamp

    /// Creates details with only these times.
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
      riderType = profile.riderType.map(Choice.known)
      sports = profile.sports.map(Sport.init)
    }
  }

  /// The user's id.
  public var user: String { row.user }
  /// The user's handle; nil if the user has none.
  public var handle: String? { row.handle }
  /// The user's displayed name.
  public var displayName: String? { row.displayName }
  /// The address of the user's photo.
  public var photoURL: String? { row.photoURL }
  /// The user's text about themselves.
  public var bio: String? { row.bio }
  /// Whether other users can find and see the profile.
  public var isPublic: Bool { row.isPublic }
  /// The number of the user's followers.
  public var followerCount: Int? { row.followerCount }
  /// The number of users whom the user follows.
  public var followingCount: Int? { row.followingCount }
  /// The number of climbs that the user has logged.
  public var sendCount: Int? { row.sendCount }
  /// The number of the user's friends.
  public var friendCount: Int? { row.friendCount }

  /// Creates a profile.
  public init(row: ProfileRow, details: Details? = nil) {
    (self.row, self.details) = (row, details)
  }

  public static var schema: String? { "Profile" }
  public static var placeholder: Profile { Profile(row: .placeholder) }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try row.codeProfile(with: &fields)
    try fields.flattened(&details, mark: "createdAt")
    try fields.nullable(
      "isPremium", "Whether a subscription is paid now; only for the user and services.",
      &isPremium)
    try fields.nullable(
      "premium", "The last record of each product; only for the user and services.", &premium)
  }
}

extension Profile.Details: ObjectValue {
  public static var schema: String? { nil }
  public static var placeholder: Self { Self(createdAt: .epoch, updatedAt: .epoch) }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try fields.nullable("homeGym", "The gym where the user climbs.", &homeGym)
    try fields.nullable("homeZIP", "The postal code of that gym.", &homeZIP)
    try fields.nullable("climbingSince", "The date when the user began to climb.", &climbingSince)
    try fields.nullable("favoriteStyle", "The user's favourite style.", &favoriteStyle)
    try fields.nullable("boulderGradeScale", "The grading scale for boulders.", &boulderGradeScale)
    try fields.nullable("routeGradeScale", "The grading scale for routes.", &routeGradeScale)
    try fields.nullable("riderType", "Whether the user is a rider, a mentor or both.", &riderType)
    try fields.nullable("baseLocation", "The base location, as the caller sees it.", &baseLocation)
    try fields.required("sports", "The user's sports, the most recently set sport last.", &sports)
    try fields.required("createdAt", "The time when the account was opened.", &createdAt)
    try fields.required("updatedAt", "The time of the profile's last event.", &updatedAt)
  }
}

extension Profile {
  /// A recorded purchase of a product, with the time until which it is paid.
  public struct Premium: Answer {
    /// The product's name in the store.
    public var product: String
    /// The time until which the product is paid.
    public var expires: DateTime
    /// The id of the purchase in the store.
    public var transaction: String?

    public static var schema: String? { "Premium" }
    public static var placeholder: Premium { Premium(product: "", expires: .placeholder) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("product", "The product's name in the store.", &product)
      try fields.required("expires", "The time until which the product is paid.", &expires)
      try fields.nullable("transaction", "The id of the purchase in the store.", &transaction)
    }
  }
}
