import Events
import PropertyTesting
import Testing

@testable import Aggregates

/// The laws of every decider, for any command in any state.
@Suite struct DeciderLawsTests {
  /// Draws commands one after the other, and checks each decision.
  /// - Parameters:
  ///   - follows: whether a state is right after an event on another state.
  ///   - repeats: whether the result of the same command, repeated after its event, is right.
  ///   - refusal: the expected refusal of a command in a state; nil if there is none.
  static func check<D: Decider & SendableMetatype>(
    _: D.Type, covering floors: [String: Double],
    commands: Generator<(command: D.Command, actor: UserID)>,
    types: Set<EventType>,
    follows: @escaping @Sendable (D.State, Event, D.State, D.Command) -> Bool,
    repeats: @escaping @Sendable (D.Command, Result<Event?, DomainError>) -> Bool,
    refusal: (@Sendable (D.State, D.Command, UserID) -> DomainError?)? = nil
  ) async throws where D.State: Equatable {
    try await PropertyTesting.check(runs: 400, covering: floors) { t in
      var state = D.initial
      t.times(1...25) {
        let (command, actor) = t.draw(commands, "by whom")
        let result = Self.decide(D.self, command, state, actor)
        #expect(Self.decide(D.self, command, state, actor) == result, "deciding twice")
        if let refusal {
          var refused: DomainError?
          if case .failure(let error) = result { refused = error }
          #expect(refused == refusal(state, command, actor))
        }
        #expect(Self.decide(D.self, command, state, nil) == .failure(.unauthorized))
        guard case .success(let event?) = result else {
          t.label(result == .success(nil) ? "nothing" : "refused")
          return
        }
        t.label(event.type.name)
        #expect(types.contains(event.type))
        let before = state
        D.evolve(&state, event)
        #expect(follows(before, event, state, command), "\(before) → \(state)")
        // As bytes, because composed and decomposed letters are equal but not the same.
        #expect(
          !"\(state)".utf8.elementsEqual("\(before)".utf8), "an event that changes nothing")
        #expect(repeats(command, Self.decide(D.self, command, state, actor)), "again")
        // An event of another aggregate changes nothing.
        let mine = state
        for other in Self.others where !types.contains(other.type) { D.evolve(&state, other) }
        #expect(state == mine, "moved by another's event")
      }
    }
  }

  static func decide<D: Decider>(
    _: D.Type, _ command: D.Command, _ state: D.State, _ actor: UserID?
  ) -> Result<Event?, DomainError> {
    do throws(DomainError) {
      return .success(try D.decide(command, state, by: actor, .climb))
    } catch {
      return .failure(error)
    }
  }

  /// Events of several kinds, each unknown to some decider.
  private static let others: [Event] = [
    .follow(.followed(Follow(follower: alice, followee: bob))),
    .follow(.unfollowed(Follow(follower: alice, followee: bob))),
    .friendship(.accepted(FriendRequest(sender: alice, receiver: bob))),
    .profile(.edited(ProfileEdited(user: alice, handle: .set("other")))),
    .workout(.removed(WorkoutReference(workout: w1))),
    .chup(.given(ChupGiven(workout: w1, user: alice, big: true))),
    .reaction(.given(Reaction(workout: w1, user: alice, kind: .fire))),
    .comment(.removed(CommentReference(comment: c1))),
    .heart(.given(Heart(comment: c1, user: alice))),
  ]

  static let people = Generator<UserID>.element(of: [alice, bob])
  static let often = Generator<Bool>.frequency([(9, .just(true)), (1, .just(false))])

  @Test("A follow adds an edge, an unfollow removes it, and repeating either changes nothing")
  func follow() async throws {
    try await Self.check(
      FollowDecider.self,
      covering: ["UserFollowed": 0.5, "UserUnfollowed": 0.3, "nothing": 0.3, "refused": 0.3],
      commands: Generator { t in
        let action = t.draw(
          .element(of: [FollowDecider.Command.Action.follow, .unfollow]))
        let exist = t.draw(Self.often)
        return (.init(action, t.draw(Self.people), isSeen: exist), alice)
      },
      types: [.userFollowed, .userUnfollowed],
      follows: { before, event, after, _ in
        event
          == (before
            ? .follow(.unfollowed(Follow(follower: alice, followee: bob)))
            : .follow(.followed(Follow(follower: alice, followee: bob)))) && after == !before
      },
      repeats: { $1 == .success(nil) })
  }

  @Test("A friendship is a state machine of two users, and one of them may take each step")
  func friendship() async throws {
    typealias State = FriendshipDecider.State
    try await Self.check(
      FriendshipDecider.self,
      covering: [
        "FriendRequested": 0.5, "FriendRequestAccepted": 0.1, "FriendRequestRejected": 0.1,
        "FriendRequestCancelled": 0.1, "FriendRemoved": 0.03, "refused": 0.5,
      ],
      commands: Generator { t in
        let action = t.draw(
          .element(of: [
            FriendshipDecider.Command.Action.request, .accept, .reject, .cancel, .remove,
          ]))
        let actor = t.draw(Self.people)
        let command = FriendshipDecider.Command(
          action, actor == alice ? bob : alice, isSeen: t.draw(Self.often))
        return (command, actor)
      },
      types: [
        .friendRequested, .friendRequestAccepted, .friendRequestRejected,
        .friendRequestCancelled, .friendRemoved,
      ],
      follows: { before, event, after, _ in
        switch (before, event, after) {
        case (.none, .friendship(.requested(let r)), .pending(let sender)):
          r.sender == sender && r.receiver != sender
        case (.pending(let sender), .friendship(.accepted(let r)), .friends),
          (.pending(let sender), .friendship(.rejected(let r)), .none),
          (.pending(let sender), .friendship(.cancelled(let r)), .none):
          r.sender == sender && r.receiver != sender
        case (.friends, .friendship(.removed(let r)), .none): r.user != r.friend
        default: false
        }
      },
      repeats: { command, again in
        let refusal: DomainError =
          switch command.action {
          case .request: .alreadyRequested
          case .remove: .notFriends
          default: .noSuchRequest
          }
        return again == .failure(refusal)
      },
      refusal: { state, command, actor in
        if !command.isSeen, command.action == .request { return .profileNotFound }
        let isMine = state == .pending(sender: actor)
        switch (command.action, state) {
        case (.request, .none): return nil
        case (.request, .pending): return isMine ? .alreadyRequested : .alreadyReceived
        case (.request, .friends): return .alreadyFriends
        case (.cancel, .pending): return isMine ? nil : .noSuchRequest
        case (.accept, .pending) where !isMine && !command.isSeen: return .profileNotFound
        case (.accept, .pending), (.reject, .pending): return isMine ? .noSuchRequest : nil
        case (.cancel, _), (.accept, _), (.reject, _): return .noSuchRequest
        case (.remove, let state): return state == .friends ? nil : .notFriends
        }
      })
  }

  @Test("A chup is given, made big and withdrawn; giving needs visibility")
  func chup() async throws {
    let visibilities: [Visibility] = [.visible, .visible, .visible, .hidden, .nothing, .noProfile]
    try await Self.check(
      ChupDecider.self,
      covering: ["ChupGiven": 0.5, "ChupWithdrawn": 0.3, "nothing": 0.2, "refused": 0.3],
      commands: Generator { t in
        let action = t.draw(
          .element(of: [ChupDecider.Command.Action.give, .giveBig, .withdraw]))
        return (.init(action, w1, t.draw(.element(of: visibilities))), alice)
      },
      types: [.chupGiven, .chupWithdrawn],
      follows: { before, event, after, command in
        switch (event, after) {
        case (.chup(.given(let chup)), .chup):
          before == .none && !chup.big && chup.user == alice && chup.workout == w1
        case (.chup(.given(let chup)), .big):
          before != .big && chup.big && chup.user == alice && command.action == .giveBig
        case (.chup(.withdrawn(let chup)), .none): before != .none && chup.user == alice
        default: false
        }
      },
      repeats: { $1 == .success(nil) })
  }

  @Test("A reaction of each kind is given at most once, and only with visibility")
  func reaction() async throws {
    let visibilities: [Visibility] = [.visible, .visible, .visible, .hidden, .nothing, .noProfile]
    try await Self.check(
      ReactionDecider.self,
      covering: ["ReactionGiven": 0.5, "ReactionWithdrawn": 0.2, "nothing": 0.2, "refused": 0.3],
      commands: Generator { t in
        let action = t.draw(.element(of: [ReactionDecider.Command.Action.give, .withdraw]))
        let kind = t.draw(.element(of: [ReactionKind.fire, .clap]))
        return (.init(action, kind, w1, t.draw(.element(of: visibilities))), alice)
      },
      types: [.reactionGiven, .reactionWithdrawn],
      follows: { before, event, after, command in
        let kind = ReactionKinds(command.kind)
        let data = Reaction(workout: w1, user: alice, kind: command.kind)
        return switch event {
        case .reaction(.given(data)): !before.contains(kind) && after == before.union(kind)
        case .reaction(.withdrawn(data)):
          before.contains(kind) && after == before.subtracting(kind)
        default: false
        }
      },
      repeats: { $1 == .success(nil) })
  }

  @Test("A heart is given only to a visible comment, and repeating changes nothing")
  func heart() async throws {
    try await Self.check(
      HeartDecider.self,
      covering: ["CommentHearted": 0.5, "CommentUnhearted": 0.3, "nothing": 0.2, "refused": 0.2],
      commands: Generator { t in
        let action = t.draw(.element(of: [HeartDecider.Command.Action.give, .withdraw]))
        let visibility = t.draw(
          .element(of: [Visibility.visible, .visible, .visible, .hidden, .nothing]))
        return (.init(action, c1, visibility), alice)
      },
      types: [.commentHearted, .commentUnhearted],
      follows: { before, event, after, _ in
        let heart = Heart(comment: c1, user: alice)
        return event == (before ? .heart(.withdrawn(heart)) : .heart(.given(heart)))
          && after == !before
      },
      repeats: { $1 == .success(nil) })
  }
}
