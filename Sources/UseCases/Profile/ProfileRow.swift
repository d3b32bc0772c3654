import Events
import Projections

/// A user in a list.
///
/// For a profile that is not public, others see at most the user's identity, if the rules allow
/// even that. The other properties are nil.
public struct ProfileRow: Answer {
  /// The user's id.
  public var user: String
  /// The handle; nil if there is none.
  public var handle: String?
  /// The displayed name.
  public var displayName: String?
  /// The address of the photo.
  public var photoURL: String?
  /// The user's text about themselves.
  public var bio: String?
  /// Whether others find and see the profile.
  public var isPublic: Bool
  /// The number of followers.
  public var followerCount: Int?
  /// The number of users whom the user follows.
  public var followingCount: Int?
  /// The number of logged climbs.
  public var sendCount: Int?
  /// The caller's relationship with the user; nil for callers without a profile.
  public var relationship: Relationships.Relationship?
  /// Whether the caller follows the user; nil for callers without a profile.
  public var isFollowedByMe: Bool?
  /// The number of friends.
  public var friendCount: Int?
  /// In lists, the time when the follow, friendship, request, chup or block began.
  public var createdAt: Timestamp?
  /// Whether the user is hidden from the caller but is in one of the caller's own lists. Then only
  /// `user`, `isFollowedByMe` and `createdAt` have meaning.
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
