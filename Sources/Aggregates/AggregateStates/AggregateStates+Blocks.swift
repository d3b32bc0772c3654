import Events

extension AggregateStates {
  /// Judges a block at the end of its commit.
  /// - Throws: `blockIncomplete` if it stands, and so does something that it ends.
  package func finish(_ block: Block) throws(DomainError) {
    guard isBlocking(block.user, block.other) else { return }
    try BlockDecider.finish(isTied: isTied(block.user, block.other))
  }

  /// Whether something stands between two users that a block ends.
  package func isTied(_ a: UserID, _ b: UserID) -> Bool {
    isFollowing(a, b) || isFollowing(b, a) || friendship(a, b) != .none
  }
}
