import UseCases

let core = try await Core(InMemoryLog(), rules: .climb)
let alice = CreateProfile.Input(user: "alice", handle: "alice")
_ = try await CreateProfile(core).execute(alice, as: "alice")

// At top level, of a concrete use case.
do {
  _ = try await CreateProfile(core).execute(alice, as: "alice")
} catch UseCaseError.refused(.profileExists) {
  print("1 exists")
}
do {
  _ = try await CreateProfile(core).execute(alice, as: "alice")
} catch UseCaseError.refused(.handleAlreadyTaken), UseCaseError.refused(.profileExists) {
  print("2 exists")
} catch UseCaseError.log {
  print("the log")
}
do {
  _ = try await CreateProfile(core).execute(alice, as: "alice")
} catch UseCaseError.refused {
  print("3 refused")
}
do {
  _ = try await CreateProfile(core).execute(alice, as: "alice")
} catch UseCaseError.refused(let error) {
  print("4", error.code)
}
do {
  _ = try await CreateProfile(core).execute(alice, as: "alice")
} catch {
  switch error {
  case .refused(.profileExists): print("5 exists")
  case .refused(let error): print(error)
  default: throw error
  }
}
do {
  _ = try await CreateProfile(core).execute(alice, as: "alice")
} catch UseCaseError.invalidInput(let error) {
  print(error.field)
} catch UseCaseError.refused(.bioTooLong(let limit, let actual)) {
  print(limit, actual)
} catch UseCaseError.refused(.profileExists) {
  print("6 exists")
} catch {
  print(error)
}

/// In a function that can end without returning, with a `defer`.
func throwing(_ core: Core, _ name: String?) async throws -> String {
  let name = String(name!)
  defer { print("left") }
  do {
    return try await CreateProfile(core).execute(alice, as: Caller(name)).row.user
  } catch UseCaseError.refused(.profileExists) {
    return name + " exists"
  }
}
print("7", try await throwing(core, "alice"))
func typed(_ core: Core, _ name: String?) async throws(UseCaseError) -> String {
  let name = String(name!)
  do {
    return try await CreateProfile(core).execute(alice, as: Caller(name)).row.user
  } catch .refused(.profileExists) {
    return name + " exists"
  }
}
print("8", try await typed(core, "alice"))
func never(_ core: Core, _ name: String?) async -> String {
  let name = String(name!)
  do {
    return try await CreateProfile(core).execute(alice, as: Caller(name)).row.user
  } catch UseCaseError.refused(.profileExists) {
    return name + " exists"
  } catch {
    return error.code
  }
}
print("9", await never(core, "alice"))
func existential(
  _ toggle: any UseCase<ToggleFollow.Input, Bool>, _ name: String?
) async throws -> String {
  let name = String(name!)
  do {
    let isFollowing = try await toggle.execute(.init(followee: name), as: "alice")
    return isFollowing ? "Following" : "Follow"
  } catch UseCaseError.refused(.cannotFollowSelf) {
    return "that is you"
  }
}
print("10", try await existential(ToggleFollow(core), "alice"))
do {
  print("11", try await existential(ToggleFollow(core), "nobody"))
} catch {
  print("11 thrown on:", error)
}
func generic<U: UseCase>(_ useCase: U, _ input: U.Input, _ name: String?) async throws -> String {
  let name = String(name!)
  do {
    return "\(try await useCase.execute(input, as: Caller(name)))"
  } catch UseCaseError.refused(.cannotFollowSelf) {
    return "that is you"
  } catch UseCaseError.log(.file) {
    return "the log"
  }
}
print("12", try await generic(ToggleFollow(core), .init(followee: "alice"), "alice"))
do {
  print("13", try await generic(ToggleFollow(core), .init(followee: "nobody"), "alice"))
} catch {
  print("13 thrown on:", error)
}
let task = Task {
  do {
    _ = try await ToggleFollow(core).execute(.init(followee: "nobody"), as: "alice")
  } catch UseCaseError.refused(.cannotFollowSelf) {
    print("self")
  }
}
do { try await task.value } catch { print("14 thrown on:", error) }
do {
  _ = try FileLog(path: "/nowhere/at/all")
} catch LogError.locked(_, let holder) {
  print(holder)
} catch LogError.noSuchLog {
  print("15 no such log")
}
do {
  try Rules.climb.checkPhoto([])
} catch DomainError.invalidImage {
  print("16 invalid")
}
for _ in 0..<10_000 {
  do {
    _ = try await generic(ToggleFollow(core), .init(followee: "nobody"), "alice")
  } catch UseCaseError.refused(.profileNotFound) {
  }
}
