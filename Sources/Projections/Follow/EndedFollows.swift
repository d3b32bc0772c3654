import Events

/// The follows that ended and did not begin again, with their start and end times.
///
/// A client that synchronizes its follows must learn which of them ended.
/// - Complexity: see `Edges`. Memory: 16 bytes more for each end of a follow.
struct EndedFollows: Sendable {
  private var edges = Edges()
  private var nextAge: UInt32 = 0
  /// By twice the edge's age: the time at which the follow began, then the time at which it ended,
  /// in milliseconds.
  private var times = Column<Int64>(0)

  mutating func insert(_ follow: Follow, began: Timestamp, ended: Timestamp) {
    // An age above this has no place in `times`; no log has two billion ends of follows.
    guard nextAge < .max / 2,
      edges.insert(follow.follower.index, follow.followee.index, age: nextAge)
    else { return }
    times[nextAge * 2] = began.milliseconds
    times[nextAge * 2 + 1] = ended.milliseconds
    nextAge += 1
  }

  @inline(__always)
  mutating func prefetch(_ follow: Follow) {
    edges.prefetch(follow.follower.index, follow.followee.index)
  }

  mutating func remove(_ follow: Follow) {
    edges.remove(follow.follower.index, follow.followee.index)
  }

  mutating func removeAll(of user: UserID) {
    edges.removeAll(from: user.index)
    edges.removeAll(to: user.index)
  }

  func times(_ follower: UserID, _ followee: UserID) -> (began: Timestamp, ended: Timestamp)? {
    edges.age(follower.index, followee.index).map { age in
      (
        Timestamp(milliseconds: times[age * 2]), Timestamp(milliseconds: times[age * 2 + 1])
      )
    }
  }

  func from(_ user: UserID) -> Users { Users(edges.from(user.index)) }
  func to(_ user: UserID) -> Users { Users(edges.to(user.index)) }
  var brokenInvariant: String? { edges.brokenInvariant }

  mutating func code(with coder: inout StateCoder) {
    edges.code(with: &coder)
    coder(&nextAge)
    times.code(with: &coder)
  }
}
