import Events

extension HistoryGenerator {
  /// A friend of the owner, sometimes the owner, chups a workout, often a recent one.
  mutating func giveChup() -> Act? {
    for _ in 0..<8 {
      guard let workout = someWorkout(), let user = visitor(of: workout) else { continue }
      let big: Bool
      switch world.chups[workout, user] {
      case GeneratedWorld.ChupState.plain:
        guard random.oneIn(4) else { continue }
        big = true
      case GeneratedWorld.ChupState.big: continue
      default: big = random.oneIn(8)
      }
      world.chups[workout, user] =
        big ? GeneratedWorld.ChupState.big : GeneratedWorld.ChupState.plain
      let chup = ChupGiven(workout: world.workouts[workout].id, user: id(user), big: big)
      return Act(event: .chup(.given(chup)), user: user)
    }
    return nil
  }

  mutating func withdrawChup() -> Act? {
    let given = GeneratedWorld.ChupState.plain...GeneratedWorld.ChupState.big
    guard let (workout, user) = world.chups.sample(given, &random),
      world.exists(workout: workout), world.sees(user, workout: workout)
    else { return nil }
    world.chups[workout, user] = GeneratedWorld.ChupState.withdrawn
    let chup = ChupWithdrawn(workout: world.workouts[workout].id, user: id(user))
    return Act(event: .chup(.withdrawn(chup)), user: user)
  }

  /// A workout and a user who may see it, if a few tries find them.
  mutating func visit() -> (workout: Int, user: Int)? {
    for _ in 0..<4 {
      if let workout = someWorkout(), let user = visitor(of: workout) { return (workout, user) }
    }
    return nil
  }

  /// An existing workout, often a recent one.
  @inline(__always)
  mutating func someWorkout() -> Int? {
    let count = world.workouts.count
    guard count > 0 else { return nil }
    let workout = count - 1 - random.skewed(count)
    return world.exists(workout: workout) ? workout : nil
  }

  /// A living user who may see the workout: one of the owner's friends or, rarely unless nobody
  /// else may see it, the owner.
  @inline(__always)
  mutating func visitor(of workout: Int) -> Int? {
    let owner = Int(world.workouts[workout].owner)
    if world.workouts[workout].isPrivate || random.oneIn(24) { return owner }
    guard let friend = randomFriend(of: owner), world.isAlive[friend] else { return nil }
    return friend
  }
}
