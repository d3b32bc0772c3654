import Events

/// Who follows whom: counts and single edges, but no lists.
///
/// ```swift
/// var followers = FollowCounts()
/// followers.apply(.follow(.followed(Follow(follower: alice, followee: bob))), at: moment)
/// followers.counts(of: bob)              // (followers: 1, following: 0)
/// followers.isFollowing(alice, bob)      // true
/// ```
/// Deleting an account removes its edges, and later events by or about it do not count. It enforces
/// no rules: an edge that the domain would have refused counts like any other. `FollowLists` lists
/// the same edges in order.
/// - Complexity: O(1) per event; O(edges) in `settle` after deletions. Memory: 11 to 22 bytes per
///   edge and 9 to 18 per user.
public struct FollowCounts: FamilyProjection {
  public static let name = "followers"
  public static let version = 1
  public static let handles = EventTypes.follow.union([.accountDeleted])

  /// From follower to followee.
  var edges = KeySet()
  var followerCounts = Slab<UInt32>(blank: 0)
  var followingCounts = Slab<UInt32>(blank: 0)
  var isDeleted = Slab(blank: false)
  private var needsSweep = false

  public init() {}

  public mutating func apply(_ event: borrowing FollowEvent, at moment: Moment) {
    switch event {
    case .followed(let edge): follow(edge.follower, edge.followee)
    case .unfollowed(let edge): unfollow(edge.follower, edge.followee)
    }
  }

  /// Most cache misses are in the edges: prefetching them saves a sixth of a replay's time.
  public mutating func prefetch(_ event: borrowing Event) {
    switch event {
    case .follow(.followed(let edge)), .follow(.unfollowed(let edge)):
      edges.prefetch(KeySet.key(edge.follower.index, edge.followee.index))
    default: break
    }
  }

  // Counts wrap rather than trap: a damaged checkpoint is only rejected later.

  private mutating func follow(_ follower: UserID, _ followee: UserID) {
    makeRoom(for: max(follower.index, followee.index))
    let (a, b) = (Int(follower.index), Int(followee.index))
    guard !isDeleted[a], !isDeleted[b], edges.insert(KeySet.key(follower.index, followee.index))
    else { return }
    followingCounts[a] &+= 1
    followerCounts[b] &+= 1
  }

  private mutating func unfollow(_ follower: UserID, _ followee: UserID) {
    makeRoom(for: max(follower.index, followee.index))
    let (a, b) = (Int(follower.index), Int(followee.index))
    guard !isDeleted[a], !isDeleted[b], edges.remove(KeySet.key(follower.index, followee.index))
    else { return }
    followingCounts[a] &-= 1
    followerCounts[b] &-= 1
  }

  /// Marks the account; `settle` removes the edges of all deleted accounts in one pass.
  public mutating func forget(_ user: UserID) {
    makeRoom(for: user.index)
    isDeleted[Int(user.index)] = true
    needsSweep = true
  }

  public mutating func settle() {
    guard needsSweep else { return }
    needsSweep = false
    let isDeleted = self.isDeleted
    var (followers, following) = (followerCounts, followingCounts)
    edges.removeAll { a, b in
      guard isDeleted[Int(a)] || isDeleted[Int(b)] else { return false }
      following[Int(a)] &-= 1
      followers[Int(b)] &-= 1
      return true
    }
    (followerCounts, followingCounts) = (followers, following)
  }

  private mutating func makeRoom(for index: UInt32) {
    guard Int(index) >= isDeleted.count else { return }
    isDeleted.grow(to: Int(index) + 1)
    followerCounts.grow(to: Int(index) + 1)
    followingCounts.grow(to: Int(index) + 1)
  }

  public mutating func code(with coder: inout StateCoder) {
    edges.code(with: &coder)
    coder(&followerCounts)
    coder(&followingCounts)
    coder(&isDeleted)
    if followerCounts.count != isDeleted.count || followingCounts.count != isDeleted.count {
      coder.fail()
    }
  }
}

extension FollowCounts {
  /// How many users follow this one, and how many it follows; 0 and 0 for an unknown user.
  public func counts(of user: UserID) -> (followers: Int, following: Int) {
    let index = Int(user.index)
    guard index < isDeleted.count else { return (0, 0) }
    return (Int(followerCounts[index]), Int(followingCounts[index]))
  }

  public func isFollowing(_ follower: UserID, _ followee: UserID) -> Bool {
    edges.contains(KeySet.key(follower.index, followee.index))
  }

  /// The users for whom `isListed` is true, most followed first, ties by the bytes of the id.
  /// - Parameter limit: at most this many; nil means all.
  /// - Complexity: O(users · log limit).
  public func ranking(
    limit: Int?, names: Names, isListed: (UserID) -> Bool
  ) -> [UserID] {
    func count(_ user: UserID) -> Int { counts(of: user).followers }
    func precedes(_ a: UserID, _ b: UserID) -> Bool {
      let (x, y) = (count(a), count(b))
      return x != y ? x > y : names.precedes(a, b)
    }
    // All of them are looked at: to ask for each page again and again would be half of the time.
    followerCounts.load()
    followingCounts.load()
    isDeleted.load()
    let users = (0..<UInt32(names.userCount)).lazy.map { UserID(index: $0) }
    guard let limit else { return users.filter(isListed).sorted(by: precedes) }
    // The best so far, in order; a user who ranks below the last of them is skipped.
    var best: [UserID] = []
    for user in users {
      if best.count == limit {
        guard let last = best.last, precedes(user, last), isListed(user) else { continue }
        best.removeLast()
      } else if !isListed(user) {
        continue
      }
      best.insert(user, at: best.lowerBound { precedes($0, user) })
    }
    return best
  }
}
