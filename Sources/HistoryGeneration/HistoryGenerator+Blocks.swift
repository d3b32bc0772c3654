import Events

extension HistoryGenerator {
  /// A user blocks somebody with whom there is nothing: what else a block ends would be events of
  /// the same commit, and here each has one.
  mutating func block() -> Act? {
    for _ in 0..<6 {
      let (user, other) = (anyone(), anyone())
      let states = [
        world.friendship(user, other), world.follows[user, other],
        world.follows[other, user],
      ]
      guard user != other, states.allSatisfy({ $0 == PairStates.unknown }) else { continue }
      world.setFriendship(user, other, GeneratedWorld.FriendState.blocked)
      world.blocks.append(GeneratedWorld.Request(sender: UInt32(user), receiver: UInt32(other)))
      return act(BlockEvent.blocked, user, other)
    }
    return nil
  }

  mutating func unblock() -> Act? {
    guard !world.blocks.isEmpty else { return nil }
    world.blocks.swapAt(random.below(world.blocks.count), world.blocks.count - 1)
    let block = world.blocks.removeLast()
    let (user, other) = (Int(block.sender), Int(block.receiver))
    guard world.isAlive[user], world.isAlive[other] else { return nil }
    world.setFriendship(user, other, GeneratedWorld.FriendState.ended)
    return act(BlockEvent.unblocked, user, other)
  }

  private func act(_ event: (Block) -> BlockEvent, _ user: Int, _ other: Int) -> Act {
    Act(event: .block(event(Block(user: id(user), other: id(other)))), user: user)
  }
}
