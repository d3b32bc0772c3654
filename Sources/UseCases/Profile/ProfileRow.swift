import Events

/// A user in a list.
///
/// If the profile is not public, others see only who the user is: the rest is nil.
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

  public var json: JSONValue { .object(members) }

  var members: [JSONValue.Member] {
    [
      .init("user", .string(user)), .init("handle", .optional(handle)),
      .init("displayName", .optional(displayName)), .init("photoURL", .optional(photoURL)),
      .init("bio", .optional(bio)), .init("isPublic", .bool(isPublic)),
      .init("followerCount", .optional(followerCount)),
      .init("followingCount", .optional(followingCount)),
      .init("sendCount", .optional(sendCount)),
    ]
  }
}
