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
  public var relationship: Relationships.Relationship?
  /// Whether the caller follows the user; nil for callers without a profile.
  public var isFollowedByMe: Bool?
  /// The number of the user's friends.
  public var friendCount: Int?
  /// In a list of relationships, the time when the follow, friendship, request, chup or block
  /// began.
  public var createdAt: Timestamp?
  /// Whether the user is hidden from the caller, but stands in one of the caller's own lists. In
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

  public var json: JSONValue {
    var members = members + [.init("createdAt", .optional(createdAt.map { "\($0)" }))]
    if isHidden { members.append(.init("isHidden", .bool(true))) }
    return .object(members)
  }

  var members: [JSONValue.Member] {
    [
      .init("user", .string(user)), .init("handle", .optional(handle)),
      .init("displayName", .optional(displayName)), .init("photoURL", .optional(photoURL)),
      .init("bio", .optional(bio)), .init("isPublic", .bool(isPublic)),
      .init("followerCount", .optional(followerCount)),
      .init("followingCount", .optional(followingCount)),
      .init("sendCount", .optional(sendCount)),
      .init("relationship", .optional(relationship?.rawValue)),
      .init("isFollowedByMe", isFollowedByMe.json), .init("friendCount", .optional(friendCount)),
    ]
  }
}
