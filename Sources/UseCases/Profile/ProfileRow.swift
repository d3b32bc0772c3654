import Events
import Projections

/// A user as the caller sees them, for example as a row of a list.
///
/// The row of a private profile that the caller sees only in part has the user's id, names and
/// number of friends. It also has the caller's relationship with the user. The other properties are
/// nil.
public struct ProfileRow: Answer {
  /// The user's id.
  public var user: String
  /// The user's handle; nil if the user has none.
  public var handle: String?
  /// The user's displayed name.
  public var displayName: String?
  /// The address of the user's photo.
  public var photoURL: String?
  /// The user's text about themselves.
  public var bio: String?
  /// Whether other users can find and see the profile.
  public var isPublic: Bool
  /// The number of the user's followers.
  public var followerCount: Int?
  /// The number of users whom the user follows.
  public var followingCount: Int?
  /// The number of climbs that the user has logged.
  public var sendCount: Int?
  /// The caller's relationship with the user; nil for callers without a profile.
  public var relationship: Choice<Relationships.Relationship>?
  /// Whether the caller follows the user; nil for callers without a profile.
  public var isFollowedByMe: Bool?
  /// The number of the user's friends.
  public var friendCount: Int?
  /// In a list of relationships, the time when the follow, friendship, request, chup or block
  /// began.
  public var createdAt: Timestamp?
  /// Whether the user is hidden from the caller, but has a row in one of the caller's own lists. In
  /// such a row only `user`, `isFollowedByMe` and `createdAt` have meaning.
  public var isHidden = false

  /// Creates a row.
  public init(
    user: String, handle: String?, displayName: String? = nil, photoURL: String? = nil,
    bio: String? = nil, isPublic: Bool = true, followerCount: Int? = nil,
    followingCount: Int? = nil, sendCount: Int? = nil
  ) {
    (self.user, self.handle, self.displayName) = (user, handle, displayName)
    (self.photoURL, self.bio, self.isPublic) = (photoURL, bio, isPublic)
    (self.followerCount, self.followingCount) = (followerCount, followingCount)
    self.sendCount = sendCount
  }

  public static var schema: String? { "ProfileRow" }
  public static var placeholder: ProfileRow { ProfileRow(user: "", handle: nil) }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try codeProfile(with: &fields)
    try fields.nullable(
      "createdAt", "In lists, when the follow, friendship, request, chup or block began.",
      &createdAt)
    var hidden: Bool? = isHidden ? true : nil
    try fields.optional(
      "isHidden", "Whether the user is hidden from the caller, in the caller's own list.", &hidden)
    isHidden = hidden ?? false
  }

  /// Declares the fields that a row and a `Profile` have in common.
  mutating func codeProfile(with fields: inout Fields) throws(InputError) {
    try fields.required("user", "The user's id.", &user)
    try fields.nullable("handle", "The user's handle; null if the user has none.", &handle)
    try fields.nullable("displayName", "The user's displayed name.", &displayName)
    try fields.nullable("photoURL", "The address of the user's photo.", &photoURL)
    try fields.nullable("bio", "The user's text about themselves.", &bio)
    try fields.required("isPublic", "Whether other users can find and see the profile.", &isPublic)
    try fields.nullable(
      "followerCount", "The number of all followers, including hidden ones.", &followerCount)
    try fields.nullable(
      "followingCount", "The number of all followed users, including hidden ones.",
      &followingCount)
    try fields.nullable("sendCount", "The number of climbs that the user has logged.", &sendCount)
    try fields.nullable(
      "relationship",
      "The caller's relationship with the user; null for callers without a profile.", &relationship)
    try fields.nullable(
      "isFollowedByMe", "Whether the caller follows the user; null for callers without a profile.",
      &isFollowedByMe)
    try fields.nullable(
      "friendCount", "The number of all friends, including hidden ones.", &friendCount)
  }
}
