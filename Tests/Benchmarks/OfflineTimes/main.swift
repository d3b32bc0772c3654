import EventLog
import EventlogClient
import Events
import Foundation
import Synchronization
import UseCases
import UseCasesTesting

// The times of an OfflineStore with pending commands, on a personal log from a log in a folder.
//
// usage: offlinetimes LOG [PENDING...]
//
// Takes the person with the most friends, up to 500. For each number of PENDING commands (0, 1000
// and 20000) it prints the times of taps, of queries, of opening the folder again, and of deciding
// the commands again after a sync. Then it prints the time of a sync of 1,000 commands with a
// server that is 100 ms away. Taps end with a sync of the disk: choose a folder with TMPDIR.

let arguments = CommandLine.arguments
guard arguments.count > 1 else {
  print("usage: offlinetimes LOG [PENDING...]")
  exit(64)
}
let amounts =
  arguments.count > 2 ? arguments.dropFirst(2).compactMap { Int($0) } : [0, 1_000, 20_000]
let folder = FileManager.default.temporaryDirectory.appendingPathComponent("offline-\(getpid())")

func milliseconds(_ duration: Duration) -> String {
  String(format: "%.2f ms", duration / .milliseconds(1))
}

func timed<R>(_ name: String, _ body: () async throws -> R) async throws -> R {
  let start = ContinuousClock.now
  let result = try await body()
  print("\(name)\t\(milliseconds(ContinuousClock.now - start))")
  return result
}

/// Prints the median, the 99th percentile and the longest of the times of calls.
func times(_ name: String, _ count: Int, _ body: (Int) async throws -> Void) async throws {
  var times: [Duration] = []
  for number in 0..<count {
    let start = ContinuousClock.now
    try await body(number)
    times.append(ContinuousClock.now - start)
  }
  times.sort()
  let shown = [times[count / 2], times[count * 99 / 100], times[count - 1]].map(milliseconds)
  print("\(name)\tp50 \(shown[0])\tp99 \(shown[1])\tmost \(shown[2])")
}

/// A server in this process, at a distance.
final class NearServer: OfflineServer {
  private let core: Core
  private let journal = RetryJournal(nil, now: { DateTime.now.instant })
  private let distance: Duration
  private let sent = Mutex(0)

  init(_ core: Core, distance: Duration = .zero) { (self.core, self.distance) = (core, distance) }

  var bytes: Int { sent.withLock { $0 } }

  func perform(
    _ commands: [OutboxCommand], as user: String
  ) async throws(UseCaseError) -> [OutboxReply] {
    try? await Task.sleep(for: distance)
    let keyed = commands.map { command in
      let tail = XXH64.hash(Array((user + command.key).utf8), seed: 0)
      return (command, IdempotencyKey(tail: tail, body: 0))
    }
    let replies = await core.perform(keyed, as: Caller(user), journal, explaining: 10)
    let texts = commands.map(\.json.text) + replies.map(\.json.text)
    sent.withLock { $0 += texts.reduce(0) { $0 + $1.utf8.count + 1 } }
    return replies
  }

  func personalLog(
    of user: String, since earlier: PersonalLog?
  ) async throws(UseCaseError) -> PersonalLog {
    try? await Task.sleep(for: distance)
    let text = try await core.personalLog(of: user).text(since: earlier?.held ?? .init())
    do throws(InputError) { return try PersonalLog(text: text, since: earlier?.parts ?? []) } catch
    {
      throw .invalidInput(error)
    }
  }

  func perform<U: DescribedUseCase>(
    _: U.Type, _ input: U.Input, as user: String
  ) async throws(UseCaseError) -> U.Output { throw .unreachable(reason: "not needed") }

  func answers(
    to queries: [RememberedAnswer], as user: String
  ) async throws(UseCaseError) -> [RememberedAnswer?] {
    queries
  }
}

let core = try await timed("opening the server's core") {
  try await Core.open(reading: LogView(path: arguments[1]), follows: false)
}
/// Returns the person with the most friends, up to 500 of them.
func busiest() async throws -> String {
  var best = ("", -1)
  let users = try LogView(path: arguments[1])
  var names = Names()
  try users.forEachTypedEvent(after: 0, until: 200_000, &names, unknown: .skip) { _, _, _ in }
  for user in names.all(of: .user).prefix(20_000) where !user.hasPrefix("service:") {
    let row = try? await GetProfile(core).execute(.init(user: user), as: Caller(user))
    guard let count = row?.row.friendCount, count <= 510, count > best.1 else { continue }
    best = (user, count)
  }
  print("\(best.0) has \(best.1) friends")
  return best.0
}
let user = try await busiest()
let caller = Caller(user)
let server = NearServer(core)

for amount in amounts {
  print("-- \(amount) pending commands")
  let path = folder.appendingPathComponent("\(amount)").path
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  var phone: OfflineStore? = try await OfflineStore(path, server: server, of: user)
  try await timed("first personal log, stored and read") { try await phone?.sync() }
  let goal = phone!.useCase(SetWeeklyGoal.self)
  let comment = phone!.useCase(PostComment.self)
  let feed = try await phone!.answer(GetFeed.self, .init(limit: 20)).value
  guard let workout = feed.first?.workout else { fatalError("the person's feed is empty") }
  func tap(_ number: Int) async throws {
    if number % 2 == 0 {
      _ = try await goal.execute(.init(meters: Int64(1_000 + number % 9_000)), as: caller)
    } else {
      _ = try await comment.execute(.init(workout: workout, text: "comment \(number)"), as: caller)
    }
  }
  for number in 0..<amount { try await tap(number) }
  try await times("tap", 500, tap)
  try await times("feed of 20", 500) { _ in
    _ = try await phone?.answer(GetFeed.self, .init(limit: 20))
  }
  try await times("profile", 500) { _ in _ = try await phone?.answer(GetProfile.self, .init()) }
  phone = nil
  let again = try await timed("opening the folder") {
    try await OfflineStore(path, server: server, of: user)
  }
  try await timed("first answer, which decides the commands") {
    _ = try await again.answer(GetProfile.self, .init())
  }
  var state = try await OfflineState(
    OfflineFolder(path), of: user, core: .deciding(.standard, .system), .system, writes: false)
  let log = try await core.personalLog(of: user)
  let snapshot = state.snapshot
  _ = try await timed("deciding them again on a new personal log") {
    try OfflineState.prepare(log, snapshot)
  }
  state.release()
}

print("-- a sync of 1,000 commands, 100 ms away")
let log = try FileLog(path: folder.appendingPathComponent("log").path, creating: true)
let writer = try await Core(log, rules: .climb)
for user in ["ann", "ben"] {
  _ = try await CreateProfile(writer).execute(.init(user: user, handle: user), as: Caller(user))
}
let far = NearServer(writer, distance: .milliseconds(100))
let ann = try await OfflineStore(folder.appendingPathComponent("ann").path, server: far, of: "ann")
try await ann.sync()
let share = ann.useCase(ShareWorkout.self)
for number in 0..<1_000 {
  _ = try await share.execute(
    .init(date: DateTime.now, text: "workout \(number)", audience: .friends), as: "ann")
}
try await timed("sync") { try await ann.sync() }
print("bytes for a command and its answer\t\(far.bytes / 1_000)")
let kinds = Dictionary(grouping: ann.outcomes, by: \.kind).mapValues(\.count)
print("outcomes\t\(kinds.map { "\($0.value) \($0.key)" }.sorted().joined(separator: ", "))")
try FileManager.default.removeItem(at: folder)
