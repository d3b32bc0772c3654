import Events

extension StatePath.Kind {
  /// The paths `chups/WORKOUT` (all chups of a workout) and `chups/WORKOUT.big` (big chups only).
  public static let chups = StatePath.Kind(
    "chups", "users who chupped it, newest first; .big: big chups only", of: ["WORKOUT"],
    root: .list(of: .user), members: ["big": .list(of: .user)],
    types: Chups.handles, visible: .chup, sources: [.workout, .chups])
}

extension Chups: ExplainedProjection {
  public static let kinds: [StatePath.Kind] = [.chups, .workout]

  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    guard path.kind == .workout, let id = names.find(workout: path.ids[0]) else { return Values() }
    let users = users(of: id)
    guard !users.isEmpty || ownership.owner(of: id) != nil else { return Values() }
    return Values(Fact(names.path("workout", id) + ".chups", .int(users.count)))
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
