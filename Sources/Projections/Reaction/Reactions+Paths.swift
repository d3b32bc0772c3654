import Events

extension StatePath.Kind {
  /// The paths `reactions/WORKOUT` and `reactions/WORKOUT.KIND`: the users who reacted to a
  /// workout, all or with one kind of reaction.
  public static let reactions = StatePath.Kind(
    "reactions", "users who reacted, newest first; .fire: only this reaction", of: ["WORKOUT"],
    root: .list(of: .user),
    members: Dictionary(
      uniqueKeysWithValues: ReactionKind.allCases.map { ($0.rawValue, .list(of: .user)) }),
    types: Reactions.handles, visible: .reaction, sources: [.workout, .reactions])
}

extension Reactions: ExplainedProjection {
  public static let kinds: [StatePath.Kind] = [.reactions]

  public func lists(under path: StatePath, _ names: Names) -> [StateList] {
    guard let id = names.find(workout: path.ids[0]) else { return [] }
    let (root, users) = (names.path("reactions", id), users(of: id))
    return [StateList(root, users, names) { !kinds(id, $0).isEmpty }]
      + ReactionKind.allCases.map { kind in
        let found = users.filter { kinds(id, $0).contains(ReactionKinds(kind)) }
        return StateList("\(root).\(kind.rawValue)", found.reversed(), names)
      }
  }
}
