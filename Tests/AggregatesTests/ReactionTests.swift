import Aggregates
import Events
import Testing

@Suite struct ReactionTests {
  private func given(_ kind: ReactionKind) -> Event {
    .reaction(.given(Reaction(workout: w1, user: bob, kind: kind)))
  }
  private func withdrawn(_ kind: ReactionKind) -> Event {
    .reaction(.withdrawn(Reaction(workout: w1, user: bob, kind: kind)))
  }
  private func command(
    _ action: ReactionDecider.Command.Action, _ kind: ReactionKind = .fire,
    _ visibility: Visibility = .visible
  ) -> ReactionDecider.Command { .init(action, kind, w1, visibility) }

  @Test(
    "Each kind of reaction is given at most once, independent of others, and taken back separately")
  func kinds() {
    Given(ReactionDecider.self).when(command(.give), by: bob).then(given(.fire))
    Given(ReactionDecider.self, given(.fire)).when(command(.give), by: bob).thenNothing()
    Given(ReactionDecider.self, given(.fire)).when(command(.give, .wow), by: bob)
      .then(given(.wow))
    Given(ReactionDecider.self, given(.fire), given(.wow))
      .when(command(.withdraw, .wow), by: bob).then(withdrawn(.wow))
    Given(ReactionDecider.self, given(.fire)).when(command(.withdraw, .wow), by: bob).thenNothing()
    Given(ReactionDecider.self, given(.fire), withdrawn(.fire)).when(command(.give), by: bob)
      .then(given(.fire))
  }

  @Test("A user who does not see the item cannot react, but can withdraw a reaction")
  func visibility() {
    for (visibility, error): (Visibility, DomainError) in [
      (.hidden, .notVisible), (.nothing, .workoutNotFound), (.noProfile, .profileNotFound),
    ] {
      Given(ReactionDecider.self).when(command(.give, .clap, visibility), by: bob).thenRefused(
        error)
    }
    for visibility: Visibility in [.hidden, .nothing] {
      Given(ReactionDecider.self, given(.clap)).when(command(.withdraw, .clap, visibility), by: bob)
        .then(withdrawn(.clap))
    }
    Given(ReactionDecider.self, given(.clap)).when(command(.withdraw, .clap, .noProfile), by: bob)
      .thenRefused(.profileNotFound)
    Given(ReactionDecider.self).when(command(.give), by: nil).thenRefused(.unauthorized)
  }

  @Test("A kind of reaction outside the rules cannot be given, but can be withdrawn")
  func offered() throws {
    let rules = try Rules(json: #"{"reactions":["clap","fire"]}"#)
    #expect(rules.reactions == [.clap, .fire])
    Given(ReactionDecider.self, rules: rules).when(command(.give, .fire), by: bob)
      .then(given(.fire))
    Given(ReactionDecider.self, rules: rules).when(command(.give, .wow), by: bob)
      .thenRefused(.unknownReaction)
    Given(ReactionDecider.self, given(.wow), rules: rules).when(command(.withdraw, .wow), by: bob)
      .then(withdrawn(.wow))
    for (json, says) in [
      (#"{"reactions":["clap","clap"]}"#, "reactions[1]: it is listed twice"),
      (
        #"{"reactions":["grin"]}"#,
        "reactions[0]: one of fire, strong, clap, wow, laugh is expected"
      ),
      (#"{"reactions":"clap"}"#, "reactions: a list is expected"),
    ] {
      #expect {
        try Rules(json: json)
      } throws: {
        "\($0)" == says
      }
    }
  }
}
