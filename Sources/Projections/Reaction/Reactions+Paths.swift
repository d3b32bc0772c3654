import Events

extension StatePath.Kind {
  /// `reactions/WORKOUT`, and those of each kind among them.
  public static let reactions = StatePath.Kind(
    "reactions", "who reacted to it, newest first; .fire: who in this way", of: ["WORKOUT"],
    root: .list(of: .user),
    members: Dictionary(
      uniqueKeysWithValues: ReactionKind.allCases.map { ($0.rawValue, .list(of: .user)) }),
    types: Reactions.handles, visible: .reaction, sources: [.workout, .reactions])
}

extension Reactions: ExplainedProjection {
  public static let kinds: [StatePath.Kind] = [.reactions]

  public static func touches(_ event: borrowing Event, _ names: Names) -> [Touch] {
    switch event {
    case .workout(let event):
      return Event.workout(event).ids.only(WorkoutID.self).map { .path(.reactions, $0, names) }
    case .reaction(.given(let data)), .reaction(.withdrawn(let data)):
      return [.path(.reactions, data.workout, names)]
    case .accountDeleted(let data):
      return [EventIndex.Role.owner, .giver].map { role in
        .each(EventIndex.Key(role, data.user)) { touches($0, names) }
      }
    default: return []
    }
  }

  public func facts(_ names: Names) -> [Fact] {
    names.workouts().flatMap { id in
      let path = names.path("reactions", id)
      let users = users(of: id)
      return [Fact(path, list: names.list(users))].compactMap { $0 }
        + ReactionKind.allCases.compactMap { kind in
          Fact("\(path).\(kind.rawValue)", list: names.list(self.users(of: id, kind)))
        }
    }
  }

  /// Who reacted in one way, newest first.
  private func users(of workout: WorkoutID, _ kind: ReactionKind) -> [UserID] {
    users(of: workout).filter { kinds(workout, $0).contains(ReactionKinds(kind)) }
  }

  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    Values()
  }

  public func lists(under path: StatePath, _ names: Names) -> [StateList] {
    guard let id = names.find(workout: path.ids[0]) else { return [] }
    let root = names.path("reactions", id)
    let all = StateList(root, users(of: id), names) { !kinds(id, $0).isEmpty }
    return [all]
      + ReactionKind.allCases.map { kind in
        StateList("\(root).\(kind.rawValue)", users(of: id, kind).reversed(), names)
      }
  }
}
