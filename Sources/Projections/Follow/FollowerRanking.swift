import Events

/// The answer to `project followers`: users by number of followers, with their handles.
public struct FollowerRanking: Projection {
  public static let name = "followers"
  public static let version = 3
  public static let handles = FollowCounts.handles.union(Handles.handles)

  public internal(set) var followers = FollowCounts()
  public internal(set) var handles = Handles()

  public init() {}

  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    followers.apply(event, at: moment)
    handles.apply(event, at: moment)
  }

  public mutating func apply(_ batch: borrowing EventBatch) {
    followers.apply(batch)
    handles.apply(batch)
  }

  public mutating func settle() {
    followers.settle()
    handles.settle()
  }

  public func brokenInvariant(_ names: Names) -> String? { followers.brokenInvariant(names) }

  public struct Row: Equatable, Sendable {
    public var user: UserID
    public var handle: String?
    public var followerCount: Int
    public var followingCount: Int
  }

  /// The users who have an account or appear in an edge; most followed first, ties by the bytes of
  /// the id.
  public func rows(limit: Int?, names: Names) -> [Row] {
    followers.ranking(limit: limit, names: names) { user in
      isKnown(user)
    }.map { row($0) }
  }

  /// Whether the user has an account or appears in an edge.
  public func isKnown(_ user: UserID) -> Bool {
    let counts = followers.counts(of: user)
    return handles.isOpen(user) || counts.followers + counts.following > 0
  }

  public func row(_ user: UserID) -> Row {
    let counts = followers.counts(of: user)
    return Row(
      user: user, handle: handles[user], followerCount: counts.followers,
      followingCount: counts.following)
  }
}
