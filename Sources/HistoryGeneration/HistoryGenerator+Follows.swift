import Events

extension HistoryGenerator {
  /// A user follows another, who is often famous and sometimes was followed before.
  mutating func follow() -> Act? {
    if random.oneIn(24), let act = followAgain() { return act }
    for attempt in 0..<6 {
      let follower = anyone()
      let followee = attempt < 3 ? someoneFamous() : anyone()
      guard follower != followee,
        world.follows[follower, followee] == PairStates.unknown,
        world.sees(follower, profileOf: followee)
      else { continue }
      world.follows[follower, followee] = GeneratedWorld.FollowState.following
      return act(FollowEvent.followed, follower, followee)
    }
    return nil
  }

  private mutating func followAgain() -> Act? {
    guard let pair = livingPair(GeneratedWorld.FollowState.ended),
      world.sees(pair.first, profileOf: pair.second)
    else { return nil }
    world.follows[pair.first, pair.second] = GeneratedWorld.FollowState.following
    return act(FollowEvent.followed, pair.first, pair.second)
  }

  mutating func unfollow() -> Act? {
    guard let pair = livingPair(GeneratedWorld.FollowState.following) else { return nil }
    world.follows[pair.first, pair.second] = GeneratedWorld.FollowState.ended
    return act(FollowEvent.unfollowed, pair.first, pair.second)
  }

  private mutating func livingPair(_ state: UInt8) -> (first: Int, second: Int)? {
    guard let pair = world.follows.sample(state...state, &random), world.isAlive[pair.first],
      world.isAlive[pair.second]
    else { return nil }
    return pair
  }

  private func act(_ event: (Follow) -> FollowEvent, _ follower: Int, _ followee: Int) -> Act {
    Act(
      event: .follow(event(Follow(follower: id(follower), followee: id(followee)))), user: follower)
  }
}
