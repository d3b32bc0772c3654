import Events

/// The users sorted by number of followers, with their handles, as `project followers` prints them.
///
/// A core does not keep this projection, because `FollowLists` and `Profiles` have the same state.
public struct FollowerRanking: ExplainedProjection {
  public static let name = "followers"
  public static let version = 3
  public static let handles = FollowCounts.handles.union(Handles.handles)
  /// No kinds of paths, because `FollowLists` has the paths.
  public static let kinds: [StatePath.Kind] = []

  /// The follows, with the counts of followers and followed users.
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

  /// Returns each user's counts as facts, so that states can be compared.
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
    /// The number of the user's followers.
    public var followerCount: Int
    /// The number of users whom the user follows.
    public var followingCount: Int
  }

  /// Returns the users with an account or a follow, most followers first. Ties are sorted by the
  /// bytes of the ids. Returns at most `limit` users; nil means all.
  public func rows(limit: Int?, names: Names) -> [Row] {
    followers.ranking(limit: limit, names: names) { isKnown($0) }.map { row($0) }
  }

  /// Returns the same users as `rows`, but those who follow the most users first. Ties are sorted
  /// by the bytes of the ids. Returns at most `limit` users; nil means all.
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
