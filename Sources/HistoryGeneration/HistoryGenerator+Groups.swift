import Events

extension HistoryGenerator {
  mutating func createGroup(_ names: inout Names) -> Act? {
    let (number, owner) = (world.groups.count, anyone())
    guard number < PairStates.firstLimit, let group = try? names.group("g\(number + 1)") else {
      return nil
    }
    let name = Texts.groupName(&random)
    let isPublic = !random.oneIn(3)
    world.groups.append(
      GroupMarks(id: group, owner: UInt32(owner), isPublic: isPublic, name: fingerprint(name)))
    world.members[number, owner] = GeneratedWorld.MemberState.owner
    world.ownedGroups[owner] += 1
    let data = GroupCreated(
      group: group, owner: id(owner), name: name,
      description: random.oneIn(2) ? random.pick(Phrases.cheers) : nil, isPublic: isPublic)
    return Act(event: .group(.created(data)), user: owner)
  }

  mutating func editGroup() -> Act? {
    guard let group = someGroup() else { return nil }
    let name = Texts.groupName(&random)
    guard fingerprint(name) != world.groups[group].name else { return nil }
    world.groups[group].name = fingerprint(name)
    let marks = world.groups[group]
    return Act(
      event: .group(.edited(GroupEdited(group: marks.id, name: name))), user: Int(marks.owner))
  }

  mutating func transferGroup() -> Act? {
    guard let (group, user) = someMember(GeneratedWorld.MemberState.member) else { return nil }
    let marks = world.groups[group]
    let old = Int(marks.owner)
    world.members[group, old] = GeneratedWorld.MemberState.admin
    world.members[group, user] = GeneratedWorld.MemberState.owner
    world.groups[group].owner = UInt32(user)
    world.ownedGroups[old] -= 1
    world.ownedGroups[user] += 1
    let data = GroupTransferred(group: marks.id, owner: id(user))
    return Act(event: .group(.transferred(data)), user: old)
  }

  /// Few groups come to an end.
  mutating func deleteGroup() -> Act? {
    guard world.groups.count > 3, random.oneIn(8), let group = someGroup() else { return nil }
    world.groups[group].isDeleted = true
    let marks = world.groups[group]
    world.ownedGroups[Int(marks.owner)] -= 1
    return Act(
      event: .group(.deleted(GroupReference(group: marks.id))), user: Int(marks.owner))
  }

  mutating func invite() -> Act? {
    guard let group = someGroup() else { return nil }
    let (owner, user) = (Int(world.groups[group].owner), anyone())
    guard isFree(world.members[group, user]), world.sees(owner, profileOf: user) else { return nil }
    world.members[group, user] = GeneratedWorld.MemberState.invited
    return act(MemberEvent.invited, group, user, by: owner)
  }

  /// Joins a public group, or one to which somebody is invited, or lets somebody in.
  /// - Parameter asking: for a private group instead, where nobody has asked.
  mutating func join(asking: Bool) -> Act? {
    if !asking, random.oneIn(2),
      let (group, user) = world.members.sample(
        GeneratedWorld.MemberState.invited...GeneratedWorld.MemberState.requested, &random)
    {
      guard !world.groups[group].isDeleted, world.isAlive[user] else { return nil }
      let isInvited = world.members[group, user] == GeneratedWorld.MemberState.invited
      world.members[group, user] = GeneratedWorld.MemberState.member
      return act(
        MemberEvent.joined, group, user, by: isInvited ? user : Int(world.groups[group].owner))
    }
    guard let group = someGroup(), world.groups[group].isPublic != asking else { return nil }
    let user = anyone()
    guard isFree(world.members[group, user]) else { return nil }
    world.members[group, user] =
      asking ? GeneratedWorld.MemberState.requested : GeneratedWorld.MemberState.member
    return act(asking ? MemberEvent.requested : MemberEvent.joined, group, user, by: user)
  }

  mutating func leave() -> Act? {
    guard let (group, user) = someMember(GeneratedWorld.MemberState.admin) else { return nil }
    world.members[group, user] = GeneratedWorld.MemberState.ended
    return act(MemberEvent.left, group, user, by: user)
  }

  mutating func removeMember() -> Act? {
    guard let (group, user) = someMember(GeneratedWorld.MemberState.member) else { return nil }
    world.members[group, user] = GeneratedWorld.MemberState.ended
    return act(MemberEvent.removed, group, user, by: Int(world.groups[group].owner))
  }

  mutating func setRole() -> Act? {
    guard let (group, user) = someMember(GeneratedWorld.MemberState.admin) else { return nil }
    let isAdmin = world.members[group, user] == GeneratedWorld.MemberState.admin
    world.members[group, user] =
      isAdmin ? GeneratedWorld.MemberState.member : GeneratedWorld.MemberState.admin
    let marks = world.groups[group]
    let data = MemberRoleSet(
      group: marks.id, user: id(user), role: isAdmin ? .member : .admin)
    return Act(event: .member(.roleSet(data)), user: Int(marks.owner))
  }

  private func isFree(_ state: UInt8) -> Bool {
    state == PairStates.unknown || state == GeneratedWorld.MemberState.ended
  }

  /// A group that is there, often a recent one.
  private mutating func someGroup() -> Int? {
    let count = world.groups.count
    guard count > 0 else { return nil }
    let group = count - 1 - random.skewed(count)
    return world.groups[group].isDeleted ? nil : group
  }

  /// A living plain member of a group that is there, or one up to another standing.
  private mutating func someMember(_ highest: UInt8) -> (group: Int, user: Int)? {
    guard
      let (group, user) = world.members.sample(
        GeneratedWorld.MemberState.member...highest, &random),
      !world.groups[group].isDeleted, world.isAlive[user]
    else { return nil }
    return (group, user)
  }

  private func act(
    _ event: (Membership) -> MemberEvent, _ group: Int, _ user: Int, by actor: Int
  ) -> Act {
    let membership = Membership(group: world.groups[group].id, user: id(user))
    return Act(event: .member(event(membership)), user: actor)
  }
}
