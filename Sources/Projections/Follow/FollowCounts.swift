import Events

/// The follows between users, with each user's counts, but without ordered lists.
///
/// ```swift
/// var followers = FollowCounts()
/// followers.apply(.follow(.followed(Follow(follower: alice, followee: bob))), at: moment)
/// followers.counts(of: bob)              // (followers: 1, following: 0)
/// followers.isFollowing(alice, bob)      // true
/// ```
/// `project followers` replays this projection, because it is faster and smaller than
/// `FollowLists`. A core keeps `FollowLists`, which has the same follows in order.
///
/// Deleting an account removes its follows, and later follows of it do not count. A follow does not
/// count while one of its users blocks the other.
/// - Complexity: O(1) per event; O(all follows) in `settle` after deletions. Memory: 11 to 22 bytes
///   per follow and 9 to 18 per user.
public struct FollowCounts: Projection {
  public static let name = "followers"
  public static let version = 2
  public static let handles = EventTypes.follow.union(.block).union([.accountDeleted])

  /// A user's flags. Most users have no flag, so one comparison with 0 tests all flags.
  private struct Flags: OptionSet, BitwiseCopyable {
    let rawValue: UInt8
    static let isDeleted = Flags(rawValue: 1)
    /// Whether the user ever blocked somebody or was blocked.
    static let hadBlock = Flags(rawValue: 2)
  }

  /// The follows that count, as edges from follower to followee.
  private var edges = KeySet()
  /// The follows between users with a block. They do not count until the block ends.
  private var parted = KeySet()
  private var blocks = BlockedPairs()
  private var followerCounts = Slab<UInt32>(blank: 0)
  private var followingCounts = Slab<UInt32>(blank: 0)
  private var flags = Slab<UInt8>(blank: 0)
  private var needsSweep = false

  public init() {}

  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    switch event {
    case .follow(let event): apply(event)
    case .block(let event): apply(event)
    case .accountDeleted(let data): removeAccount(data.user)
    default: break
    }
  }

  private mutating func apply(_ event: FollowEvent) {
    switch event {
    case .followed(let edge): follow(edge.follower, edge.followee)
    case .unfollowed(let edge): unfollow(edge.follower, edge.followee)
    }
  }

  private mutating func apply(_ event: BlockEvent) {
    switch event {
    case .blocked(let block): self.block(block.user, block.other)
    case .unblocked(let block): unblock(block.user, block.other)
    }
  }

  /// Prefetches the edge, because most cache misses are there. This makes a replay a sixth faster.
  public mutating func prefetch(_ event: borrowing Event) {
    switch event {
    case .follow(.followed(let edge)), .follow(.unfollowed(let edge)):
      edges.prefetch(KeySet.key(edge.follower.index, edge.followee.index))
    default: break
    }
  }

  // The counts wrap instead of trapping, because a damaged checkpoint is rejected only later.

  private mutating func follow(_ follower: UserID, _ followee: UserID) {
    makeRoom(for: max(follower.index, followee.index))
    let (a, b) = (Int(follower.index), Int(followee.index))
    if flags[a] | flags[b] != 0, isDeleted(a) || isDeleted(b) || isParted(follower, followee) {
      return
    }
    guard edges.insert(KeySet.key(follower.index, followee.index)) else { return }
    followingCounts[a] &+= 1
    followerCounts[b] &+= 1
  }

  private mutating func unfollow(_ follower: UserID, _ followee: UserID) {
    makeRoom(for: max(follower.index, followee.index))
    let (a, b) = (Int(follower.index), Int(followee.index))
    guard !isDeleted(a), !isDeleted(b) else { return }
    let key = KeySet.key(follower.index, followee.index)
    guard edges.remove(key) else {
      if parted.count > 0 { parted.remove(key) }
      return
    }
    followingCounts[a] &-= 1
    followerCounts[b] &-= 1
  }

  /// Returns whether the two users have a block. If so, adds their follow to `parted`.
  private mutating func isParted(_ follower: UserID, _ followee: UserID) -> Bool {
    let both = Flags(rawValue: flags[Int(follower.index)] & flags[Int(followee.index)])
    guard both.contains(.hadBlock), blocks.contains(follower.index, followee.index) else {
      return false
    }
    parted.insert(KeySet.key(follower.index, followee.index))
    return true
  }

  private mutating func block(_ user: UserID, _ other: UserID) {
    makeRoom(for: max(user.index, other.index))
    guard user != other, !isDeleted(Int(user.index)), !isDeleted(Int(other.index)) else { return }
    flags[Int(user.index)] |= Flags.hadBlock.rawValue
    flags[Int(other.index)] |= Flags.hadBlock.rawValue
    guard blocks.insert(user.index, other.index) else { return }
    for (follower, followee) in [(user, other), (other, user)] {
      let key = KeySet.key(follower.index, followee.index)
      guard edges.remove(key) else { continue }
      parted.insert(key)
      followingCounts[Int(follower.index)] &-= 1
      followerCounts[Int(followee.index)] &-= 1
    }
  }

  private mutating func unblock(_ user: UserID, _ other: UserID) {
    guard blocks.remove(user.index, other.index), parted.count > 0 else { return }
    for (follower, followee) in [(user, other), (other, user)]
    where parted.remove(KeySet.key(follower.index, followee.index)) {
      follow(follower, followee)
    }
  }

  private func isDeleted(_ index: Int) -> Bool {
    Flags(rawValue: flags[index]).contains(.isDeleted)
  }

  /// Marks the account as deleted; `settle` removes the edges of all deleted accounts in one pass.
  private mutating func removeAccount(_ user: UserID) {
    makeRoom(for: user.index)
    flags[Int(user.index)] |= Flags.isDeleted.rawValue
    needsSweep = true
  }

  public mutating func settle() {
    guard needsSweep else { return }
    needsSweep = false
    let flags = self.flags
    func isDeleted(_ index: UInt32) -> Bool {
      Flags(rawValue: flags[Int(index)]).contains(.isDeleted)
    }
    var (followers, following) = (followerCounts, followingCounts)
    edges.removeAll { a, b in
      guard isDeleted(a) || isDeleted(b) else { return false }
      following[Int(a)] &-= 1
      followers[Int(b)] &-= 1
      return true
    }
    (followerCounts, followingCounts) = (followers, following)
    if parted.count > 0 { parted.removeAll { isDeleted($0) || isDeleted($1) } }
  }

  private mutating func makeRoom(for index: UInt32) {
    guard Int(index) >= flags.count else { return }
    flags.grow(to: Int(index) + 1)
    followerCounts.grow(to: Int(index) + 1)
    followingCounts.grow(to: Int(index) + 1)
  }

  /// Encodes the state after `settle` into a checkpoint, or decodes it from one.
  public mutating func code(with coder: inout StateCoder) {
    edges.code(with: &coder)
    parted.code(with: &coder)
    blocks.code(with: &coder)
    coder(&followerCounts)
    coder(&followingCounts)
    coder(&flags)
    if followerCounts.count != flags.count || followingCounts.count != flags.count {
      coder.fail()
    }
  }
}

extension FollowCounts {
  /// Returns the numbers of a user's followers and followed users; both 0 for an unknown user.
  public func counts(of user: UserID) -> (followers: Int, following: Int) {
    let index = Int(user.index)
    guard index < flags.count else { return (0, 0) }
    return (Int(followerCounts[index]), Int(followingCounts[index]))
  }

  /// Returns whether the first user follows the second.
  public func isFollowing(_ follower: UserID, _ followee: UserID) -> Bool {
    edges.contains(KeySet.key(follower.index, followee.index))
  }

  /// Returns the users for whom `isListed` is true, most followers first. Ties are sorted by the
  /// bytes of the ids. Returns at most `limit` users; nil means all.
  /// - Complexity: O(users · log limit).
  public func ranking(
    limit: Int?, names: Names, isListed: (UserID) -> Bool
  ) -> [UserID] {
    func count(_ user: UserID) -> Int { counts(of: user).followers }
    func precedes(_ a: UserID, _ b: UserID) -> Bool {
      let (x, y) = (count(a), count(b))
      return x != y ? x > y : names.precedes(a, b)
    }
    // Loads all pages at once. Loading each page on first access would take half of the total time.
    followerCounts.load()
    followingCounts.load()
    flags.load()
    let users = (0..<UInt32(names.userCount)).lazy.map { UserID(index: $0) }
    guard let limit else { return users.filter(isListed).sorted(by: precedes) }
    // The highest users so far, in order. A user who ranks below the last of them is skipped.
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

extension FollowCounts {
  /// Returns nil if the counts match the follows, and no counted follow has a block or a deleted
  /// user; otherwise describes the fault.
  public func brokenInvariant(_ names: Names) -> String? {
    var followers = [UInt32](repeating: 0, count: flags.count)
    var following = followers
    var broken: String?
    func name(_ index: UInt32) -> String { names[UserID(index: index)] }
    edges.forEachPair { a, b in
      following[Int(a)] += 1
      followers[Int(b)] += 1
      if isDeleted(Int(a)) || isDeleted(Int(b)) {
        broken = "edge \(name(a)) → \(name(b)) touches a deleted account"
      }
      if blocks.contains(a, b) { broken = "edge \(name(a)) → \(name(b)) is across a block" }
    }
    for index in flags.indices {
      let user = UInt32(index)
      if followers[index] != followerCounts[index] {
        broken =
          "\(name(user)) counts \(followerCounts[index]) followers and has \(followers[index])"
      }
      if following[index] != followingCounts[index] {
        broken =
          "\(name(user)) counts \(followingCounts[index]) followed and has \(following[index])"
      }
    }
    return broken
  }
}
