import EventLog
import Events
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// The process that `KillTests` kills: appends commits of one to four events from several tasks
// until it is, and says of each on standard output when it was acknowledged.
//   appender LOG TASKS START…
// APPENDER_SEGMENT_SIZE is in bytes, 6,000 if it is not set. START is for each task the number of
// its first commit. An event's followee tells its task, its commit, its place in it and the
// commit's size: `2-17-1-3`.

let arguments = CommandLine.arguments
guard arguments.count > 2, let tasks = Int(arguments[2]), arguments.count == 3 + tasks else {
  print("usage: appender LOG TASKS START…")
  exit(64)
}
let starts = arguments[3...].compactMap { Int($0) }
let segmentSize = getenv("APPENDER_SEGMENT_SIZE").flatMap { Int(String(cString: $0)) } ?? 6_000
let log = try FileLog(path: arguments[1], creating: true, segmentSize: segmentSize)
write(STDOUT_FILENO, "open\n", 5)

await withTaskGroup(of: Void.self) { group in
  for task in 0..<tasks {
    group.addTask {
      var commit = starts[task]
      while true {
        let size = 1 + (commit + task) % 4
        var names = Names()
        let events = (0..<size).compactMap { place -> NewEvent? in
          guard let follower = try? names.user("a"),
            let followee = try? names.user("\(task)-\(commit)-\(place)-\(size)")
          else { return nil }
          return NewEvent(
            .follow(.followed(Follow(follower: follower, followee: followee))), actor: "a",
            names: names)
        }
        guard (try? await log.append(Commit(events))) != nil else { exit(74) }
        // A short write to a pipe is whole or absent.
        let line = "\(task) \(commit)\n"
        write(STDOUT_FILENO, line, line.utf8.count)
        commit += 1
      }
    }
  }
}
