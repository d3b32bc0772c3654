import Events

/// The users by number of followers, with their handles, as `project followers` prints them.
///
/// A core does not keep it, because `FollowLists` and `Profiles` have its state.
public struct FollowerRanking: ExplainedProjection {
  public static let name = "followers"
  public static let version = 3
  public static let handles = FollowCounts.handles.union(Handles.handles)
  /// Empty, because `FollowLists` has the paths.
  public static let kinds: [StatePath.Kind] = []

  /// The follows and their counts.
  public private(set) var followers = FollowCounts()
  private var handles = Handles()

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

  public mutating func code(with coder: inout StateCoder) {
    followers.code(with: &coder)
    handles.code(with: &coder)
  }

  public func brokenInvariant(_ names: Names) -> String? { followers.brokenInvariant(names) }

  /// Returns the counts of each user, to compare states.
  public func facts(_ names: Names) -> [Fact] {
    names.all(UserID.self).filter(isKnown).flatMap { user in
      let row = row(user)
      return [
        Fact(names.path("followers", user) + ".count", .int(row.followerCount)),
        Fact(names.path("following", user) + ".count", .int(row.followingCount)),
      ].filter { handles.isOpen(user) || $0.value != .int(0) }
    }
  }

  /// A user in the ranking.
  public struct Row: Equatable, Sendable {
    /// The user.
    public var user: UserID
    /// The user's handle; nil if there is none.
    public var handle: String?
    /// The number of followers.
    public var followerCount: Int
    /// The number of users followed.
    public var followingCount: Int
  }

  /// Returns the users with an account or a follow, most followed first, ties by the id's bytes.
  /// Returns at most `limit` users; nil means all.
  public func rows(limit: Int?, names: Names) -> [Row] {
    followers.ranking(limit: limit, names: names) { isKnown($0) }.map { row($0) }
  }

  /// Returns the users that `rows` lists, those who follow most first, ties by the id's bytes.
  /// Returns at most `limit` users; nil means all.
  public func rowsByFollowing(limit: Int?, names: Names) -> [Row] {
    names.all(UserID.self).filter(isKnown)
      .ranked(names) { row($0).followingCount }.prefix(limit ?? .max).map { row($0.user) }
  }

  private func isKnown(_ user: UserID) -> Bool {
    let counts = followers.counts(of: user)
    return handles.isOpen(user) || counts.followers + counts.following > 0
  }

  private func row(_ user: UserID) -> Row {
    let counts = followers.counts(of: user)
    return Row(
      user: user, handle: handles[user], followerCount: counts.followers,
      followingCount: counts.following)
  }
}
