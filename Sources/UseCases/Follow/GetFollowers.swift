import Events
import Projections

/// Whether one user follows another.
public struct IsFollowing: Query {
  public struct Input: UseCaseInput {
    public var follower: String?
    public var followee: String

    public init(follower: String? = nil, followee: String) {
      self.follower = follower
      self.followee = followee
    }

    public init(from fields: inout Fields) throws(InputError) {
      follower = try fields.optional("follower", "Who follows; the caller by default.")
      followee = try fields.required("followee", "Who is followed.")
    }
  }

  public static let about = About(
    "IsFollowing", .follow, "Say whether one user follows another", result: "true or false",
    errors: ["unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> Bool {
    guard let follower = try model.subject(input.follower, caller),
      let followee = model.existing(input.followee)
    else { return false }
    return model.views.following.isFollowing(follower, followee)
  }
}

/// The input of the use cases that page through a user's list.
public struct PageInput: UseCaseInput {
  public var user: String?
  public var limit: Int?
  public var offset: Int?

  public init(user: String? = nil, limit: Int? = nil, offset: Int? = nil) {
    self.user = user
    self.limit = limit
    self.offset = offset
  }

  public init(from fields: inout Fields) throws(InputError) {
    user = try fields.optional("user", "Whose; the caller's by default.")
    limit = try fields.limit()
    offset = try fields.offset()
  }
}

/// Who follows a user.
public struct GetFollowers: Query {
  public static let about = About(
    "GetFollowers", .follow, "List who follows a user", result: "rows, the newest follow first",
    errors: ["unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func answer(
    _ input: PageInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [ProfileRow] {
    guard let user = try model.subject(input.user, caller) else { return [] }
    return model.page(
      model.views.following.followers(of: user), limit: input.limit, offset: input.offset,
      for: caller)
  }
}

public typealias RefreshFollowers = Refresh<GetFollowers>

/// Whom a user follows.
public struct GetFollowing: Query {
  public static let about = About(
    "GetFollowing", .follow, "List whom a user follows", result: "rows, the newest follow first",
    errors: ["unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func answer(
    _ input: PageInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [ProfileRow] {
    guard let user = try model.subject(input.user, caller) else { return [] }
    return model.page(
      model.views.following.following(of: user), limit: input.limit, offset: input.offset,
      for: caller)
  }
}

public typealias RefreshFollowing = Refresh<GetFollowing>

/// How many follow a user, and how many the user follows.
public struct GetFollowCounts: Query {
  public struct Counts: Answer {
    public var followers: Int
    public var following: Int

    public init(followers: Int, following: Int) {
      self.followers = followers
      self.following = following
    }

    public var json: JSONValue {
      .object(["followers": .int(followers), "following": .int(following)])
    }
  }

  public static let about = About(
    "GetFollowCounts", .follow, "Count a user's followers and followed",
    result: "followers and following; 0 and 0 for an unknown user", errors: ["unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func answer(
    _ input: UserInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> Counts {
    guard let user = try model.subject(input.user, caller) else {
      return Counts(followers: 0, following: 0)
    }
    return Counts(
      followers: model.views.following.followers(of: user).count,
      following: model.views.following.following(of: user).count)
  }
}

public typealias RefreshFollowCounts = Refresh<GetFollowCounts>
