import Aggregates
import Events
import Testing

@Suite struct BlockTests {
  private let blocked = Event.block(.blocked(Block(user: alice, other: bob)))
  private let unblocked = Event.block(.unblocked(Block(user: alice, other: bob)))

  private func command(
    _ action: BlockDecider.Command.Action, _ other: UserID = bob, hasProfile: Bool = true,
    exists: Bool = true
  ) -> BlockDecider.Command { .init(action, other, hasProfile: hasProfile, otherExists: exists) }

  @Test("A block lasts until it is taken back, and blocking again changes nothing")
  func block() {
    Given(BlockDecider.self).when(command(.block), by: alice).then(blocked)
    Given(BlockDecider.self, blocked).when(command(.block), by: alice).thenNothing()
    Given(BlockDecider.self, blocked).when(command(.unblock), by: alice).then(unblocked)
    Given(BlockDecider.self, blocked, unblocked).when(command(.block), by: alice).then(blocked)
  }

  @Test("Nobody can block themselves or a missing user, but anybody can be unblocked")
  func refusals() {
    Given(BlockDecider.self).when(command(.block, alice), by: alice)
      .thenRefused(.cannotBlockSelf)
    Given(BlockDecider.self).when(command(.block, exists: false), by: alice)
      .thenRefused(.profileNotFound)
    Given(BlockDecider.self).when(command(.unblock, exists: false), by: alice).thenNothing()
    for action: BlockDecider.Command.Action in [.block, .unblock] {
      Given(BlockDecider.self).when(command(action, hasProfile: false), by: alice)
        .thenRefused(.profileNotFound)
      Given(BlockDecider.self).when(command(action), by: nil).thenRefused(.unauthorized)
    }
  }
}
