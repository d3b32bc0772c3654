import Events

/// Who follows whom: counts, lists newest first, and single edges.
///
/// ```swift
/// var followers = Followers()
/// followers.apply(.userFollowed(Follow(follower: alice, followee: bob)), at: moment)
/// followers.counts(of: bob)              // (followers: 1, following: 0)
/// followers.isFollowing(alice, bob)      // true
/// ```
/// Following again after unfollowing is a new edge, first in the lists again. A deleted account
/// takes its edges along, and nothing by or at it counts from then on. Not a judge: an edge that
/// the domain would have refused counts like any other.
/// - Complexity: O(1) an event; O(edges) in `settle` after deletions. Memory: 12 to 24 bytes an
///   edge and 9 a user.
public struct Followers: Projection {
  public static let name = "followers"
  public static let version = 1
  public static let handles: EventTypes = [.userFollowed, .userUnfollowed, .accountDeleted]

  /// Follower and followee to the edge's age: edges are numbered as they are made.
  var edges = PairTable()
  var followerCounts: [UInt32] = []
  var followingCounts: [UInt32] = []
  var isDeleted: [Bool] = []
  private var made: UInt32 = 0
  private var needsSweep = false

  public init() {}

  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    switch event {
    case .userFollowed(let edge): follow(edge.follower, edge.followee)
    case .userUnfollowed(let edge): unfollow(edge.follower, edge.followee)
    case .accountDeleted(let deleted): delete(deleted.user)
    case .profileCreated, .profileEdited, .profilePhotoSet, .profilePhotoRemoved,
      .baseLocationSet, .baseLocationCleared, .sportSet, .sportRemoved, .sendLogged,
      .friendRequested, .friendRequestCancelled, .friendRequestAccepted, .friendRequestRejected,
      .friendRemoved, .workoutShared, .workoutEdited, .workoutDetailAttached, .workoutRemoved,
      .chupGiven, .chupWithdrawn, .commentPosted, .commentEdited, .commentRemoved,
      .commentHearted, .commentUnhearted:
      break
    }
  }

  private mutating func follow(_ follower: UserID, _ followee: UserID) {
    makeRoom(for: max(follower.index, followee.index))
    let (a, b) = (Int(follower.index), Int(followee.index))
    guard !isDeleted[a], !isDeleted[b],
      edges.insert(PairTable.key(follower.index, followee.index), made)
    else { return }
    made += 1
    followingCounts[a] += 1
    followerCounts[b] += 1
  }

  private mutating func unfollow(_ follower: UserID, _ followee: UserID) {
    makeRoom(for: max(follower.index, followee.index))
    let (a, b) = (Int(follower.index), Int(followee.index))
    guard !isDeleted[a], !isDeleted[b],
      edges.remove(PairTable.key(follower.index, followee.index))
    else { return }
    followingCounts[a] -= 1
    followerCounts[b] -= 1
  }

  /// Marks the account; its edges are swept out once, in `settle`, however many accounts went.
  private mutating func delete(_ user: UserID) {
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
      following[Int(a)] -= 1
      followers[Int(b)] -= 1
      return true
    }
    (followerCounts, followingCounts) = (followers, following)
  }

  private mutating func makeRoom(for index: UInt32) {
    guard Int(index) >= isDeleted.count else { return }
    let missing = max(Int(index) + 1, isDeleted.count * 2) - isDeleted.count
    isDeleted.append(contentsOf: repeatElement(false, count: missing))
    followerCounts.append(contentsOf: repeatElement(0, count: missing))
    followingCounts.append(contentsOf: repeatElement(0, count: missing))
  }
}

extension Followers {
  /// How many follow the user and how many the user follows; 0 and 0 for one never met.
  public func counts(of user: UserID) -> (followers: Int, following: Int) {
    let index = Int(user.index)
    guard index < isDeleted.count else { return (0, 0) }
    return (Int(followerCounts[index]), Int(followingCounts[index]))
  }

  public func isFollowing(_ follower: UserID, _ followee: UserID) -> Bool {
    edges[PairTable.key(follower.index, followee.index)] != nil
  }

  /// Who follows the user, newest first.
  /// - Complexity: O(edges).
  public func followers(of user: UserID) -> [UserID] {
    list { follower, followee in followee == user.index ? follower : nil }
  }

  /// Whom the user follows, newest first.
  /// - Complexity: O(edges).
  public func following(of user: UserID) -> [UserID] {
    list { follower, followee in follower == user.index ? followee : nil }
  }

  private func list(_ other: (UInt32, UInt32) -> UInt32?) -> [UserID] {
    var found: [(user: UInt32, age: UInt32)] = []
    edges.visit { a, b, age in
      if let user = other(a, b) { found.append((user, age)) }
    }
    return found.sorted { $0.age > $1.age }.map { UserID(index: $0.user) }
  }

  /// The users for whom `isListed` is true, most followed first, ties by the bytes of the id.
  /// - Parameter limit: at most so many; nil is all.
  /// - Complexity: O(users · log limit).
  public func ranking(
    limit: Int?, names: Names, isListed: (UserID) -> Bool
  ) -> [UserID] {
    func count(_ user: UserID) -> Int { counts(of: user).followers }
    func precedes(_ a: UserID, _ b: UserID) -> Bool {
      let (x, y) = (count(a), count(b))
      return x != y ? x > y : names.precedes(a, b)
    }
    let users = (0..<UInt32(names.userCount)).lazy.map { UserID(index: $0) }
    guard let limit else { return users.filter(isListed).sorted(by: precedes) }
    // The best so far, in order; a user worse than the last of them is passed over.
    var best: [UserID] = []
    for user in users {
      if best.count == limit {
        guard let last = best.last, precedes(user, last), isListed(user) else { continue }
        best.removeLast()
      } else if !isListed(user) {
        continue
      }
      var low = 0
      var high = best.count
      while low < high {
        let middle = (low + high) / 2
        if precedes(best[middle], user) { low = middle + 1 } else { high = middle }
      }
      best.insert(user, at: low)
    }
    return best
  }
}
