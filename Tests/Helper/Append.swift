import EventLog
import Events
import Foundation

func fail(_ usage: String) -> Never {
  print("usage: \(usage)")
  exit(64)
}

/// Appends commits of one to four events in several tasks, and prints each commit when it is
/// acknowledged. `KillTests` kills this process.
///
/// APPENDER_SEGMENT_SIZE is in bytes, 6,000 by default. START is each task's first commit number.
/// An event's followee has its task, its commit, its place in the commit and the commit's size:
/// `2-17-1-3`.
func append(_ arguments: [String]) async throws {
  guard arguments.count > 1, let tasks = Int(arguments[1]), arguments.count == 2 + tasks else {
    fail("helper append LOG TASKS START…")
  }
  let starts = arguments[2...].compactMap { Int($0) }
  let segmentSize = getenv("APPENDER_SEGMENT_SIZE").flatMap { Int(String(cString: $0)) } ?? 6_000
  let log = try FileLog(path: arguments[0], creating: true, segmentSize: segmentSize)
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
}
