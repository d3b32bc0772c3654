import EventlogClient
import Foundation

/// This story has no identity provider that issues new tokens.
struct NoProvider: Error {}

let store = FileTokenStore(URL(filePath: "session.json"))
let session = RefreshingSession(store: store, refresh: { _ in throw NoProvider() })
if CommandLine.arguments.count > 2 {
  let token = try String(contentsOfFile: CommandLine.arguments[2], encoding: .utf8)
  try session.signIn(Tokens(access: token.trimmingCharacters(in: .whitespacesAndNewlines)))
}
let remote = RemoteCore(url: URL(string: CommandLine.arguments[1])!, session: session)

do {
  let create = remote.useCase(CreateProfile.self)
  _ = try await create.execute(.init(user: "alice", handle: "alice_sends"), as: "alice")
} catch UseCaseError.refused(.profileExists) {
  print("alice is back")
}
let follow = remote.useCase(FollowUser.self)
print(try await follow.execute(.init(followee: "bob"), as: "alice"))  // true, and durable
for try await counts in remote.updates(of: GetFollowCounts.self, .init(user: "bob"), as: "alice") {
  print("followers of bob: \(counts.followers)")  // now, and again with each change
  break
}
do {
  let update = remote.useCase(UpdateProfile.self)
  let bio = String(repeating: "x", count: 2_000)
  _ = try await update.execute(.init(bio: .set(bio)), as: "alice")
} catch UseCaseError.refused(.bioTooLong(let limit, let actual)) {
  print("the bio has \(actual) characters, \(limit) are allowed")
}
