import Events

extension HistoryGenerator {
  /// Somebody who may see a workout reacts to it, often to a recent one.
  mutating func giveReaction() -> Act? {
    guard let (workout, user) = visit(),
      !GeneratedWorld.ReactionState.given.contains(world.reactions[workout, user])
    else { return nil }
    let number = random.below(ReactionKind.allCases.count)
    world.reactions[workout, user] = UInt8(number + 1)
    return act(ReactionEvent.given, workout, user, ReactionKind.allCases[number])
  }

  mutating func withdrawReaction() -> Act? {
    guard
      let (workout, user) = world.reactions.sample(GeneratedWorld.ReactionState.given, &random),
      world.exists(workout: workout), world.sees(user, workout: workout)
    else { return nil }
    let kind = ReactionKind.allCases[Int(world.reactions[workout, user]) - 1]
    world.reactions[workout, user] = GeneratedWorld.ReactionState.withdrawn
    return act(ReactionEvent.withdrawn, workout, user, kind)
  }

  private func act(
    _ event: (Reaction) -> ReactionEvent, _ workout: Int, _ user: Int, _ kind: ReactionKind
  ) -> Act {
    let reaction = Reaction(workout: world.workouts[workout].id, user: id(user), kind: kind)
    return Act(event: .reaction(event(reaction)), user: user)
  }
}
