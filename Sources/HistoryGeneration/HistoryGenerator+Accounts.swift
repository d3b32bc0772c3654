import Events

extension HistoryGenerator {
  /// The next user joins; one in forty takes a handle that somebody gave up.
  mutating func join(_ names: inout Names) -> Act {
    let user = world.userIDs.count
    guard let id = try? names.user("u\(user + 1)") else {
      preconditionFailure("u\(user + 1) is an id")
    }
    let handle = takeFreeHandle() ?? newHandle(user, version: 0)
    let displayName = Texts.displayName(&random)
    let isPublic = !random.oneIn(7)
    world.userIDs.append(id)
    world.isAlive.append(true)
    world.ownedGroups.append(0)
    world.handles.append(handle)
    world.friends.append([])
    world.profiles.append(
      ProfileMarks(displayName: fingerprint(displayName), isPublic: isPublic))
    world.ranks.append(UInt32(user))
    world.ranks.swapAt(random.below(user + 1), user)
    let data = ProfileCreated(
      user: id, handle: handle, displayName: displayName, isPublic: isPublic)
    return Act(event: .profile(.created(data)), user: user)
  }

  /// Deletes an account, if ten users have joined and at most one in five hundred is deleted.
  mutating func deleteAccount() -> Act? {
    let count = world.userIDs.count
    let user = random.below(count)
    guard count >= 10, world.deletions <= count / 500, world.isAlive[user],
      world.ownedGroups[user] == 0
    else { return nil }
    world.isAlive[user] = false
    world.deletions += 1
    free(world.handles[user])
    world.handles[user] = ""
    world.friends[user] = []
    return Act(event: .accountDeleted(UserReference(user: id(user))), user: user)
  }

  /// Another handle for the user, held by nobody.
  mutating func changeHandle(_ user: Int) -> String? {
    let version = Int(world.profiles[user].handleCount)
    guard version < 1_000 else { return nil }
    world.profiles[user].handleCount += 1
    let handle = takeFreeHandle() ?? newHandle(user, version: version)
    free(world.handles[user])
    world.handles[user] = handle
    return handle
  }

  /// A unique new handle: letters, the user's number and, after the first, the version.
  private mutating func newHandle(_ user: Int, version: Int) -> String {
    let start = random.pick(Phrases.handleStarts)
    return version == 0 ? "\(start)\(user + 1)" : "\(start)\(user + 1)_\(version)"
  }

  private mutating func takeFreeHandle() -> String? {
    guard random.oneIn(40), !world.freeHandles.isEmpty else { return nil }
    return world.freeHandles.remove(at: random.below(world.freeHandles.count))
  }

  /// Keeps the handle for somebody else; a few of those kept for long are dropped.
  private mutating func free(_ handle: String) {
    if world.freeHandles.count < 64 {
      world.freeHandles.append(handle)
    } else {
      world.freeHandles[random.below(64)] = handle
    }
  }
}
