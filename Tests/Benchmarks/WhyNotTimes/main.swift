import EventLog
import Events
import Foundation
import Replaying
import UseCases

// The time of explanations of random refused commands on a log in a folder.
//
// usage: whynottimes LOG [COUNT]
//
// Draws commands between random users and about random workouts, with a fixed seed, until COUNT of
// them (1,000) were refused. Prints the median, the 99th percentile and the slowest in
// milliseconds, by error code and in all, and the memory of the process.

let arguments = CommandLine.arguments
guard arguments.count > 1, let count = Int(arguments.count > 2 ? arguments[2] : "1000") else {
  print("usage: whynottimes LOG [COUNT]")
  exit(64)
}
let view = try LogView(path: arguments[1])
let travel = TimeTravel(view)
let opening = ContinuousClock.now
var index = try await travel.open()
index.saveIfDue(view)
print(String(format: "the index opened in %.2f s", (ContinuousClock.now - opening) / .seconds(1)))

let names = index.names
let users = Array(names.all(of: .user)).filter { !$0.hasPrefix("service:") }
let workouts = Array(names.all(of: .workout))
guard users.count > 1, !workouts.isEmpty else {
  print("the log has too few users or workouts")
  exit(65)
}
var random = SplitMix64(seed: 5)
@MainActor func pick(_ all: [String]) -> String { all[Int(random.next() % UInt64(all.count))] }

@MainActor func command() -> Request {
  func text(_ name: String, _ value: String) -> JSONValue.Member { .init(name, .string(value)) }
  let (user, workout) = (pick(users), pick(workouts))
  let (name, fields): (String, [JSONValue.Member]) =
    switch random.next() % 12 {
    case 0: ("FollowUser", [text("followee", user)])
    case 1: ("SendFriendRequest", [text("receiver", user)])
    case 2: ("AcceptFriendRequest", [text("sender", user)])
    case 3: ("RemoveFriend", [text("friend", user)])
    case 4: ("SendMessage", [text("to", user), text("text", "hello")])
    case 5: ("PostComment", [text("workout", workout), text("text", "hello")])
    case 6: ("GiveChup", [text("workout", workout)])
    case 7: ("GiveReaction", [text("workout", workout), text("kind", "fire")])
    case 8: ("RemoveWorkout", [text("workout", workout)])
    case 9: ("EditWorkout", [text("workout", workout), text("text", "new")])
    case 10: ("CancelFriendRequest", [text("receiver", user)])
    default: ("UpdateProfile", [text("bio", String(repeating: "x", count: 1_000))])
    }
  return Request(name, as: pick(users), with: .object(fields))
}

let past = try RuleHistory(RecordedRules(folder: arguments[1])) ?? RuleHistory(.climb)
let whyNot = try await WhyNot(travel, past: past)
var times: [String: [Double]] = [:]
var (refused, explained, drawn) = (0, 0, 0)
while refused < count, drawn < 100 * count {
  drawn += 1
  let request = command()
  let start = ContinuousClock.now
  let why = try await whyNot.explain(request)
  let time = (ContinuousClock.now - start) / .milliseconds(1)
  guard let code = why.code else { continue }
  refused += 1
  explained += why.sets.isEmpty ? 0 : 1
  times[code, default: []].append(time)
}

func row(_ name: String, _ times: [Double]) {
  let sorted = times.sorted()
  func at(_ part: Double) -> String {
    let time = sorted[min(Int(Double(sorted.count) * part), sorted.count - 1)]
    return String(format: "%.2f", time)
  }
  print("\(name)\t\(sorted.count)\t\(at(0.5))\t\(at(0.99))\t\(at(1))")
}

print("code\trefused\tmedian ms\tp99 ms\tslowest ms")
for (code, times) in times.sorted(by: { $0.key < $1.key }) { row(code, times) }
row("all", times.values.flatMap(\.self))
print("\(explained) of \(refused) have a set of events")
if let file = FileHandle(forReadingAtPath: "/proc/self/status"),
  let status = try file.readToEnd().map({ String(decoding: $0, as: UTF8.self) })
{
  for line in status.split(separator: "\n") where line.hasPrefix("VmHWM") { print(line) }
}
