import Events
import Foundation
import Projections
import UseCases

// The time of a query in the process: search over many profiles, and the feeds of a user with many
// friends. `Tests/Benchmarks/questions` runs it beside SQLite and PostgreSQL.
//
// usage: questions PROFILES FRIENDS NAMES-FILE

/// Names of people who do not exist: a given name, a family name of syllables, sometimes a number.
func person(_ index: Int, _ random: inout SplitMix64) -> (handle: String, name: String) {
  let given = [
    "Anna", "Marta", "Jörn", "Zoë", "Luc", "Ines", "Martin", "Chiara", "Noah", "Mia", "Søren",
    "Hana", "Ivo", "Erin", "Kaya", "Ravi", "Aiko", "Pavel", "Lena", "Omar",
  ]
  let syllables = [
    "an", "der", "sen", "ko", "wa", "li", "mar", "ti", "nez", "ber", "gu", "sto", "ra", "vi", "quo",
    "hel", "mut", "zig", "fri", "tho", "mas", "jo", "nas", "el", "ka",
  ]
  let first = given[Int(random.next() % UInt64(given.count))]
  let family = (0..<(2 + random.next() % 3)).map { _ in
    syllables[Int(random.next() % UInt64(syllables.count))]
  }.joined()
  let plain = String(decoding: Folding.fold(first), as: UTF8.self)
  return ("\(plain)_\(family.prefix(12))_\(index)", "\(first) \(family.capitalized)")
}

func median(of runs: Int, _ body: () -> Int) -> (microseconds: Double, count: Int) {
  var times: [Double] = []
  var count = 0
  for _ in 0..<runs {
    let start = ContinuousClock.now
    count = body()
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    times.append(Double(seconds) * 1e6 + Double(attoseconds) / 1e12)
  }
  return (times.sorted()[runs / 2], count)
}

func report(_ what: String, _ result: (microseconds: Double, count: Int)) {
  print("\(what)\t\(String(format: "%.1f", result.microseconds))\t\(result.count)")
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let profiles = Int(arguments[1]), let friends = Int(arguments[2]) else {
  print("usage: questions PROFILES FRIENDS NAMES-FILE")
  exit(64)
}

var random = SplitMix64(seed: 7)
var names = Names()
var search = Search()
var file = ""
var handles: [String] = []
for index in 0..<profiles {
  let (handle, name) = person(index, &random)
  let user = try names.user("u\(index)")
  search.apply(
    .profile(
      .created(
        ProfileCreated(user: user, handle: handle, displayName: name, isPublic: true))),
    at: Moment(seq: UInt64(index) + 1, time: .epoch))
  handles.append(handle)
  file += "\(index)\t\(handle)\t\(name)\n"
}
search.settle()
try file.write(toFile: arguments[3], atomically: true, encoding: .utf8)
for query in ["an", "uo", "zq", "marti", "jorn", "hana_s", "nobodyhasthis"] {
  let result = median(of: 201) { search.matches(query, limit: 50, names).count }
  let found = search.matches(query, limit: 50, names).map { handles[Int($0.index)] }
  print("search \(query)\t\(result.microseconds)\t\(result.count)\t\(found.joined(separator: ","))")
}

// Feeds: `me` has this many friends, each with twenty workouts; the last one of each has three
// chups and a comment.
let log = InMemoryLog()
var table = Names()
var events: [NewEvent] = []
@MainActor func add(_ event: Event, by user: UserID) {
  events.append(NewEvent(event, actor: table[user], names: table))
}
let me = try table.user("me")
add(.profile(.created(ProfileCreated(user: me, handle: "me_self", isPublic: true))), by: me)
var others: [UserID] = []
for index in 0..<friends {
  let user = try table.user("f\(index)")
  others.append(user)
  let (handle, name) = person(index, &random)
  add(
    .profile(
      .created(
        ProfileCreated(user: user, handle: handle, displayName: name, isPublic: true))), by: user)
  let request = FriendRequest(sender: user, receiver: me)
  add(.friendship(.requested(request)), by: user)
  add(.friendship(.accepted(request)), by: me)
}
for index in 0..<friends {
  for number in 0..<20 {
    let minute = (index * 7 + number * 1_009) % 525_600
    let date = Timestamp(milliseconds: 1_735_689_600_000 + Int64(minute) * 60_000)
    let workout = try table.workout("w\(index)-\(number)")
    add(
      .workout(
        .shared(
          WorkoutShared(
            workout: workout, owner: others[index], localID: "l\(number)", date: DateTime(date),
            workoutType: "2000m", totalTime: "07:30.0", totalDistance: 2_000,
            averageSplit: "01:52.5", isErgTest: false))), by: others[index])
    guard number == 19 else { continue }
    add(.chup(.given(ChupGiven(workout: workout, user: me, big: false))), by: me)
    let comment = try table.comment("c\(index)")
    add(
      .comment(
        .posted(CommentPosted(comment: comment, workout: workout, user: me, text: "Strong!"))),
      by: me)
  }
}
for start in stride(from: 0, to: events.count, by: 10_000) {
  let commits = events[start..<min(start + 10_000, events.count)].map { Commit([$0]) }
  for case .failure(let error) in await log.append(commits) { throw error }
}
// The erg rules, whose feeds show friends.
let core = try await Core(log, rules: .erg)
@MainActor func timed<Q: Query>(_ name: String, _ query: Q, _ input: Q.Input) async throws {
  var times: [Double] = []
  var answer = try await query.execute(input, as: "me").json
  for _ in 0..<51 {
    let start = ContinuousClock.now
    let output = try await query.execute(input, as: "me")
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    times.append(Double(seconds) * 1e6 + Double(attoseconds) / 1e12)
    answer = output.json
  }
  guard case .array(let items) = answer else { return }
  precondition(name != "GetFeed" || !items.isEmpty, "nothing was asked for")
  report(name, (times.sorted()[25], items.count))
}
try await timed("GetFeed", GetFeed(core), .init())
try await timed("GetFeed offset 1000", GetFeed(core), .init(offset: 1_000))
try await timed("GetFriendActivity limit 20", GetFriendActivity(core), .init(limit: 20))
try await timed("GetFriendActivity", GetFriendActivity(core), .init())
