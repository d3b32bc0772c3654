// Each library by itself, as a tool would use it: create a log, decide, project, query.
import Aggregates
import EventLog
import Events
import Projections
import UseCases

var names = Names()
let (ann, ben) = (try names.user("ann"), try names.user("ben"))

// Events: a log in memory, and lines.
let log = InMemoryLog()
for (user, handle) in [(ann, "anna"), (ben, "benny")] {
  let created = ProfileCreated(user: user, handle: handle, isPublic: true)
  try await log.append(
    Commit([NewEvent(.profile(.created(created)), actor: names[user], names: names)]))
}
let follow = Follow(follower: ann, followee: ben)
try await log.append(Commit([NewEvent(.follow(.followed(follow)), actor: "ann", names: names)]))
print("events:", await log.head())

// Aggregates: decisions.
let command = FollowDecider.Command(.follow, ann, isSeen: true)
do {
  _ = try FollowDecider.decide(command, FollowDecider.initial, by: ann, .climb)
} catch DomainError.cannotFollowSelf {
  print("refused: nobody follows themselves")
}

// Projections: answers.
func followersOfBen() async throws -> Int {
  var replay = Replay(FollowCounts())
  try await replay.run(log.view())
  guard let ben = replay.names.find(user: "ben") else { return 0 }
  return replay.projection.counts(of: ben).followers
}
let followers = try await followersOfBen()
print("followers of ben:", followers)

// UseCases: the commands and queries of an app.
let core = try await Core(log)
let counts = try await GetFollowCounts(core).execute(.init(user: "ben"), as: nil)
print("the same by use case:", counts.followers == followers)
