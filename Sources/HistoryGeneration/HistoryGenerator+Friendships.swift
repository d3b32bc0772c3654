import Events

extension HistoryGenerator {
  /// A user sends a friend request, every other time to a friend of a friend.
  mutating func requestFriend() -> Act? {
    for _ in 0..<6 {
      let sender = anyone()
      let receiver = friendOfFriend(of: sender) ?? anyone()
      guard sender != receiver, world.isAlive[receiver] else { continue }
      let state = world.friendship(sender, receiver)
      guard state == PairStates.unknown || state == GeneratedWorld.FriendState.ended,
        world.sees(sender, profileOf: receiver)
      else { continue }
      world.setFriendship(sender, receiver, GeneratedWorld.FriendState.requested)
      world.requests.append(
        GeneratedWorld.Request(sender: UInt32(sender), receiver: UInt32(receiver)))
      let request = FriendRequest(sender: id(sender), receiver: id(receiver))
      return Act(event: .friendship(.requested(request)), user: sender)
    }
    return nil
  }

  private mutating func friendOfFriend(of user: Int) -> Int? {
    guard random.oneIn(2), let friend = randomFriend(of: user) else { return nil }
    return randomFriend(of: friend)
  }

  /// One of the user's friends, whose account may be deleted.
  @inline(__always)
  mutating func randomFriend(of user: Int) -> Int? {
    let count = world.friends[user].count
    return count == 0 ? nil : Int(world.friends[user][random.below(count)])
  }

  mutating func acceptRequest() -> Act? {
    guard let request = takeRequest() else { return nil }
    let (sender, receiver) = (Int(request.sender), Int(request.receiver))
    world.setFriendship(sender, receiver, GeneratedWorld.FriendState.friends)
    world.friends[sender].append(request.receiver)
    world.friends[receiver].append(request.sender)
    return act(FriendshipEvent.accepted, request, by: receiver)
  }

  mutating func rejectRequest() -> Act? {
    guard let request = endRequest() else { return nil }
    return act(FriendshipEvent.rejected, request, by: Int(request.receiver))
  }

  mutating func cancelRequest() -> Act? {
    guard let request = endRequest() else { return nil }
    return act(FriendshipEvent.cancelled, request, by: Int(request.sender))
  }

  /// Takes an open request, often a recent one, between living users; drops requests of other
  /// users.
  private mutating func takeRequest() -> GeneratedWorld.Request? {
    for _ in 0..<4 where !world.requests.isEmpty {
      let last = world.requests.count - 1
      world.requests.swapAt(last - random.skewed(last + 1), last)
      let request = world.requests.removeLast()
      if world.isAlive[Int(request.sender)] && world.isAlive[Int(request.receiver)] {
        return request
      }
    }
    return nil
  }

  private mutating func endRequest() -> GeneratedWorld.Request? {
    guard let request = takeRequest() else { return nil }
    world.setFriendship(
      Int(request.sender), Int(request.receiver), GeneratedWorld.FriendState.ended)
    return request
  }

  private func act(
    _ event: (FriendRequest) -> FriendshipEvent, _ request: GeneratedWorld.Request, by user: Int
  ) -> Act {
    let data = FriendRequest(
      sender: id(Int(request.sender)), receiver: id(Int(request.receiver)))
    return Act(event: .friendship(event(data)), user: user)
  }

  mutating func removeFriend() -> Act? {
    for _ in 0..<4 {
      let user = anyone()
      guard let friend = randomFriend(of: user), world.isAlive[friend] else { continue }
      world.setFriendship(user, friend, GeneratedWorld.FriendState.ended)
      forget(friend, from: user)
      forget(user, from: friend)
      let data = FriendRemoved(user: id(user), friend: id(friend))
      return Act(event: .friendship(.removed(data)), user: user)
    }
    return nil
  }

  private mutating func forget(_ friend: Int, from user: Int) {
    guard let at = world.friends[user].firstIndex(of: UInt32(friend)) else { return }
    world.friends[user].swapAt(at, world.friends[user].count - 1)
    world.friends[user].removeLast()
  }
}
