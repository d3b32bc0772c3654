import Aggregates
import Events
import Testing

@Suite struct FollowTests {
  private let followed = Event.follow(.followed(Follow(follower: alice, followee: bob)))
  private let unfollowed = Event.follow(.unfollowed(Follow(follower: alice, followee: bob)))

  private func command(
    _ action: FollowDecider.Command.Action, _ followee: UserID = bob, isSeen: Bool = true
  ) -> FollowDecider.Command { .init(action, followee, isSeen: isSeen) }

  @Test("Following makes an edge, once")
  func follow() {
    Given(FollowDecider.self).when(command(.follow), by: alice).then(followed)
    Given(FollowDecider.self, followed).when(command(.follow), by: alice).thenNothing()
  }

  @Test("Unfollowing removes the edge, and without one it is no error")
  func unfollow() {
    Given(FollowDecider.self, followed).when(command(.unfollow), by: alice).then(unfollowed)
    Given(FollowDecider.self).when(command(.unfollow), by: alice).thenNothing()
  }

  @Test("Following again is a new edge")
  func again() {
    Given(FollowDecider.self, followed, unfollowed)
      .when(command(.follow), by: alice).then(followed)
  }

  @Test(
    "Nobody can follow themselves, and a follow needs a profile and visibility of the other user")
  func refusals() {
    for action: FollowDecider.Command.Action in [.follow, .unfollow] {
      Given(FollowDecider.self).when(command(action, alice), by: alice)
        .thenRefused(.cannotFollowSelf)
      Given(FollowDecider.self)
        .when(.init(action, bob, hasProfile: false, isSeen: true), by: alice)
        .thenRefused(.profileNotFound)
      Given(FollowDecider.self).when(command(action), by: nil).thenRefused(.unauthorized)
    }
    Given(FollowDecider.self).when(command(.follow, isSeen: false), by: alice)
      .thenRefused(.profileNotFound)
    Given(FollowDecider.self, followed).when(command(.follow, isSeen: false), by: alice)
      .thenRefused(.profileNotFound)
  }

  @Test("A hidden, deleted or missing user can be unfollowed")
  func takeBack() {
    let unfollow = command(.unfollow, isSeen: false)
    Given(FollowDecider.self, followed).when(unfollow, by: alice).then(unfollowed)
    Given(FollowDecider.self).when(unfollow, by: alice).thenNothing()
  }
}

@Suite struct FriendshipTests {
  private typealias Action = FriendshipDecider.Command.Action
  private let requested = Event.friendship(.requested(FriendRequest(sender: alice, receiver: bob)))
  private let accepted = Event.friendship(.accepted(FriendRequest(sender: alice, receiver: bob)))
  private let rejected = Event.friendship(.rejected(FriendRequest(sender: alice, receiver: bob)))
  private let cancelled = Event.friendship(.cancelled(FriendRequest(sender: alice, receiver: bob)))
  private func removed(_ user: UserID, _ friend: UserID) -> Event {
    .friendship(.removed(FriendRemoved(user: user, friend: friend)))
  }
  private func command(
    _ action: Action, _ other: UserID, isSeen: Bool = true
  ) -> FriendshipDecider.Command { .init(action, other, isSeen: isSeen) }

  @Test("A request between strangers becomes pending")
  func request() {
    Given(FriendshipDecider.self).when(command(.request, bob), by: alice).then(requested)
  }

  @Test("Repeating a pending request is refused as already requested")
  func again() {
    Given(FriendshipDecider.self, requested).when(command(.request, bob), by: alice)
      .thenRefused(.alreadyRequested)
  }

  @Test("A request to a user who already sent one is refused as already received")
  func crossed() {
    Given(FriendshipDecider.self, requested).when(command(.request, alice), by: bob)
      .thenRefused(.alreadyReceived)
  }

  @Test("A request between friends is refused as already friends")
  func friends() {
    for (me, other) in [(alice, bob), (bob, alice)] {
      Given(FriendshipDecider.self, requested, accepted)
        .when(command(.request, other), by: me).thenRefused(.alreadyFriends)
    }
  }

  @Test("The receiver accepts or rejects a pending request, and the sender cancels it")
  func answers() {
    let given = Given(FriendshipDecider.self, requested)
    given.when(command(.accept, alice), by: bob).then(accepted)
    given.when(command(.reject, alice), by: bob).then(rejected)
    given.when(command(.cancel, bob), by: alice).then(cancelled)
  }

  @Test("Either friend can end the friendship")
  func remove() {
    let given = Given(FriendshipDecider.self, requested, accepted)
    given.when(command(.remove, bob), by: alice).then(removed(alice, bob))
    given.when(command(.remove, alice), by: bob).then(removed(bob, alice))
  }

  @Test("Every other step is refused as no such request or not friends")
  func else_() {
    for action: Action in [.accept, .reject, .cancel] {
      for events in [[], [requested, accepted], [requested, rejected], [requested, cancelled]] {
        var state = FriendshipDecider.initial
        for event in events { FriendshipDecider.evolve(&state, event) }
        #expect(throws: DomainError.noSuchRequest) {
          try FriendshipDecider.decide(command(action, alice), state, by: bob, .climb)
        }
      }
    }
    Given(FriendshipDecider.self, requested).when(command(.accept, bob), by: alice)
      .thenRefused(.noSuchRequest)
    Given(FriendshipDecider.self, requested).when(command(.reject, bob), by: alice)
      .thenRefused(.noSuchRequest)
    Given(FriendshipDecider.self, requested).when(command(.cancel, alice), by: bob)
      .thenRefused(.noSuchRequest)
    Given(FriendshipDecider.self).when(command(.remove, bob), by: alice).thenRefused(.notFriends)
    Given(FriendshipDecider.self, requested).when(command(.remove, bob), by: alice)
      .thenRefused(.notFriends)
  }

  @Test("After a rejection, a cancellation or an end, either user may ask again")
  func askAgain() {
    for end in [rejected, cancelled] {
      Given(FriendshipDecider.self, requested, end).when(command(.request, bob), by: alice)
        .then(requested)
      Given(FriendshipDecider.self, requested, end).when(command(.request, alice), by: bob)
        .then(.friendship(.requested(FriendRequest(sender: bob, receiver: alice))))
    }
    Given(FriendshipDecider.self, requested, accepted, removed(bob, alice))
      .when(command(.request, bob), by: alice).then(requested)
  }

  @Test("A request needs a caller, another user, and visibility of that user")
  func refusals() {
    for action: Action in [.request, .cancel, .accept, .reject, .remove] {
      let given = Given(FriendshipDecider.self, requested, accepted)
      given.when(command(action, bob), by: nil).thenRefused(.unauthorized)
      given.when(.init(action, bob, hasProfile: false, isSeen: true), by: alice)
        .thenRefused(.profileNotFound)
    }
    for action: Action in [.cancel, .accept, .reject] {
      Given(FriendshipDecider.self).when(command(action, alice), by: alice)
        .thenRefused(.noSuchRequest)
    }
    Given(FriendshipDecider.self).when(command(.remove, alice), by: alice)
      .thenRefused(.notFriends)
    Given(FriendshipDecider.self).when(command(.request, alice), by: alice)
      .thenRefused(.cannotFriendSelf)
    Given(FriendshipDecider.self).when(command(.request, bob, isSeen: false), by: alice)
      .thenRefused(.profileNotFound)
    Given(FriendshipDecider.self, requested, accepted)
      .when(command(.remove, bob, isSeen: false), by: alice).then(removed(alice, bob))
    Given(FriendshipDecider.self, requested).when(command(.reject, alice, isSeen: false), by: bob)
      .then(rejected)
    Given(FriendshipDecider.self, requested).when(command(.accept, alice, isSeen: false), by: bob)
      .thenRefused(.profileNotFound)
  }
}
