import Events

/// The answer to `project followers`: users by number of followers, with their handles.
///
/// A core does not keep it: `FollowLists` and `Profiles` have what it has.
public struct FollowerRanking: ExplainedProjection {
  public static let name = "followers"
  public static let version = 3
  public static let handles = FollowCounts.handles.union(Handles.handles)
  /// `FollowLists` has the paths.
  public static let kinds: [StatePath.Kind] = []

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

  /// The counts of each user, to compare states.
  public func facts(_ names: Names) -> [Fact] {
    names.all(UserID.self).filter(isKnown).flatMap { user in
      let row = row(user)
      return [
        Fact(names.path("followers", user) + ".count", .int(row.followerCount)),
        Fact(names.path("following", user) + ".count", .int(row.followingCount)),
      ].filter { handles.isOpen(user) || $0.value != .int(0) }
    }
  }

  public struct Row: Equatable, Sendable {
    public var user: UserID
    public var handle: String?
    public var followerCount: Int
    public var followingCount: Int
  }

  /// The users who have an account or appear in an edge; most followed first, ties by the bytes of
  /// the id.
  /// - Parameter limit: at most this many; nil means all.
  public func rows(limit: Int?, names: Names) -> [Row] {
    followers.ranking(limit: limit, names: names) { isKnown($0) }.map { row($0) }
  }

  /// The users that `rows` lists, by how many they follow, most first, ties by the bytes of the id.
  /// - Parameter limit: at most this many; nil means all.
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
