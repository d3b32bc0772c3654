import Aggregates
import Events

extension Model {
  mutating func react(
    _ event: (Reaction) -> ReactionEvent, _ input: ReactionInput
  ) throws(UseCaseError) {
    let actor = try actor()
    guard let kind = ReactionKind(rawValue: input.kind.lowercased()) else {
      throw .refused(.unknownReaction)
    }
    let reaction = Reaction(workout: try workout(input.workout), user: actor, kind: kind)
    try decide(event(reaction), by: actor)
  }
}
