import Events

extension StatePath.Kind {
  /// `chups/WORKOUT`, and the big ones among them.
  public static let chups = StatePath.Kind(
    "chups", "who liked it, newest first; .big: who very much", of: ["WORKOUT"],
    root: .list(of: .user), members: ["big": .list(of: .user)],
    types: Chups.handles, visible: .chup, sources: [.workout, .chups])
}

extension Chups: ExplainedProjection {
  public static let kinds: [StatePath.Kind] = [.chups, .workout]

  public static func touches(_ event: borrowing Event, _ names: Names) -> [Touch] {
    func both(_ workout: WorkoutID) -> [Touch] {
      kinds.map { .path($0, workout, names) }
    }
    switch event {
    case .workout(let event): return Event.workout(event).ids.only(WorkoutID.self).flatMap(both)
    case .chup(let event): return Event.chup(event).ids.only(WorkoutID.self).flatMap(both)
    case .accountDeleted(let data):
      return [EventIndex.Role.owner, .giver].map { role in
        .each(EventIndex.Key(role, data.user)) { touches($0, names) }
      }
    default: return []
    }
  }

  public func facts(_ names: Names) -> [Fact] {
    names.workouts().flatMap { facts(about: $0, names) }
  }

  func facts(about id: WorkoutID, _ names: Names) -> [Fact] {
    let users = users(of: id)
    let big = names.list(users.filter { isBig(id, $0) })
    var facts = [
      Fact(names.path("chups", id), list: names.list(users)),
      Fact(names.path("chups", id) + ".big", list: big),
    ].compactMap { $0 }
    if !users.isEmpty || ownership.owner(of: id) != nil {
      facts.append(Fact(names.path("workout", id) + ".chups", .int(users.count)))
    }
    return facts
  }

  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    guard path.kind == .workout, let id = names.find(workout: path.ids[0]) else { return Values() }
    return Values(facts(about: id, names).filter { path.contains($0.path) })
  }

  public func lists(under path: StatePath, _ names: Names) -> [StateList] {
    guard path.kind == .chups, let id = names.find(workout: path.ids[0]) else { return [] }
    let users = users(of: id)
    let big = users.filter { isBig(id, $0) }
    return [
      StateList(names.path("chups", id), users, names) { hasChupped(id, $0) },
      StateList(names.path("chups", id) + ".big", big.reversed(), names),
    ]
  }
}
