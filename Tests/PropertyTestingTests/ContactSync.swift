import UseCases

/// Asks the people in somebody's address book to be friends. There is a mistake in it.
struct ContactSync {
  let core: Core
  let log: InMemoryLog

  func add(_ contact: String, to user: String) async throws {
    for name in [user, contact] {
      let profile = try? await GetProfile(core).execute(.init(user: name), as: Caller(user))
      if profile == nil { return }
    }
    switch try await GetRelationship(core).execute(.init(other: contact), as: Caller(user)) {
    case .known(.self), .known(.requestSent), .known(.requestReceived), .unknown: return
    case .known(.none), .known(.friends): break
    }
    // Straight into the log: a use case would be a round trip for each contact.
    var names = Names()
    let request = FriendRequest(
      sender: try names.user(user), receiver: try names.user(contact))
    try await log.append(
      Commit([NewEvent(.friendship(.requested(request)), actor: user, names: names)]))
    try await core.catchUp()
  }
}
