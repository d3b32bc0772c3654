import UseCases

let core = try await Core.open(FileLog(path: "my.log", creating: true), rules: .climb)
for user in ["alice", "bob"] {
  do {
    _ = try await CreateProfile(core).execute(.init(user: user, handle: user), as: Caller(user))
  } catch UseCaseError.refused(.profileExists) {
    print("\(user) is back")
  }
}
let toggle: any UseCase<ToggleFollow.Input, Bool> = ToggleFollow(core)  // a test passes a double
print(try await toggle.execute(.init(followee: "bob"), as: "alice"))  // true, and durable
for try await counts in core.updates(of: GetFollowCounts(core), .init(user: "bob")) {
  print("\(counts.followers) followers")  // now, and again with each change
  break
}
