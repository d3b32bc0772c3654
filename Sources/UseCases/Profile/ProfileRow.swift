import Events
import Projections

/// A user in a list.
///
/// Of a profile that is not public, others see only who the user is, where the rules let them see
/// that: the rest is nil.
public struct ProfileRow: Answer {
  public var user: String
  /// Nil for a user without one.
  public var handle: String?
  public var displayName: String?
  public var photoURL: String?
  public var bio: String?
  public var isPublic: Bool
  public var followerCount: Int?
  public var followingCount: Int?
  public var sendCount: Int?
  /// As the caller sees it; nil for callers without a profile.
  public var relationship: Relationships.Relationship?
  public var isFollowedByMe: Bool?
  public var friendCount: Int?
  /// In lists: when the follow, friendship, request, chup or block began.
  public var createdAt: Timestamp?
  /// Whether the caller does not see the user, who is in a list of the caller's own: then all but
  /// `user`, `isFollowedByMe` and `createdAt` says nothing.
  public var isHidden = false

  public init(
    user: String, handle: String?, displayName: String? = nil, photoURL: String? = nil,
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
