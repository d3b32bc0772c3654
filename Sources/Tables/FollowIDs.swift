import Events
import Synchronization
import UseCases

/// The ids of follows in the table `follows`: UUIDs of version 8 (RFC 9562), which state the two
/// users.
///
/// Each half of an id has 58 bits of a hash of one user's id. So the id of a follow never changes,
/// and an id leads to its users without a table of follows. Two users have the same hash with a
/// probability of 1 in 600,000 among a million users; then one of them is found.
/// - Complexity: The first lookup hashes the ids of all users. Memory: about 30 bytes per user.
package final class FollowIDs: Sendable {
  private struct State {
    var users: [UInt64: UserID] = [:]
    var counted: UInt32 = 0
  }

  private static let mask: UInt64 = 0x3fff_ffff_ffff_0fff
  private let state = Mutex(State())

  package init() {}

  private static func hash(_ user: UserID, _ names: Names) -> UInt64 {
    XXH64.hash(Array(names[user].utf8), seed: 0) & mask
  }

  /// Returns the id of a follow.
  static func id(_ follower: UserID, _ followee: UserID, _ names: Names) -> String {
    let high = hash(follower, names) | 0x8000
    return "\(EventID(high: high, low: hash(followee, names) | 1 << 63))"
  }

  /// Returns the users whose follow has this id; nil if the text is not the id of a follow.
  func users(of id: String, _ names: Names) -> (follower: UserID, followee: UserID)? {
    guard let id = EventID(id), let follower = user(id.high & Self.mask, names),
      let followee = user(id.low & Self.mask, names)
    else { return nil }
    return (follower, followee)
  }

  private func user(_ hash: UInt64, _ names: Names) -> UserID? {
    state.withLock { state in
      // After a rebuild, users may have other numbers.
      if let user = state.users[hash],
        user.index >= names.userCount || Self.hash(user, names) != hash
      {
        state = State()
      }
      while state.counted < names.userCount {
        let user = UserID(index: state.counted)
        state.users[Self.hash(user, names)] = user
        state.counted += 1
      }
      return state.users[hash]
    }
  }
}
