import EventLog
import Events
import FaultTesting
import Foundation
import Testing

/// Appending processes are killed at any moment: every acknowledged append is in the log, in whole
/// commits, and the log can be used further.
@Suite(.serialized) struct KillTests {
  /// A child process whose standard output is read to its end.
  private struct Child {
    let process = Process()
    let output = Pipe()

    init(_ name: String, _ arguments: [String], input: URL? = nil) throws {
      process.executableURL = products.appending(path: name)
      process.arguments = arguments
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      process.standardInput =
        try input.map(FileHandle.init(forReadingFrom:))
        ?? FileHandle.nullDevice
      try process.run()
    }

    /// Kills the process after some microseconds, from its start or from its first output; returns
    /// its lines.
    func killed(after delay: UInt32, fromFirstWord: Bool) -> [String] {
      var bytes = fromFirstWord ? output.fileHandleForReading.availableData : Data()
      usleep(delay)
      kill(process.processIdentifier, SIGKILL)
      bytes += output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      // A cut last line does not count as acknowledged.
      let text = String(decoding: bytes, as: UTF8.self)
      return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        .map(String.init)
    }
  }

  private func folder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "eventlog-kill-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// The number of commits of each task, which must be whole and in order.
  private func commits(_ events: [RecordedEvent]) -> [Int: Int] {
    var found: [Int: Int] = [:]
    var at = 0
    while at < events.count {
      let parts = events[at].stream.dropFirst("follow/a/".count).split(separator: "-")
        .compactMap { Int($0) }
      guard parts.count == 4 else {
        at += 1
        continue
      }
      let (task, commit, size) = (parts[0], parts[1], parts[3])
      #expect(parts[2] == 0, "a commit begins at its first event")
      #expect(commit == found[task, default: 0], "task \(task): a commit is missing or twice")
      let names = (0..<size).map { "follow/a/\(task)-\(commit)-\($0)-\(size)" }
      #expect(events[at...].prefix(size).map(\.stream) == names, "half a commit")
      found[task] = commit + 1
      at += size
    }
    return found
  }

  @Test(
    "faults 13, 20: after random kills, all acknowledged events are there, in whole commits")
  func killed() async throws {
    let kills = Sweep.size(25, 75, 1_000)
    var random = SystemRandomNumberGenerator()
    var (acknowledged, tails) = (0, 0)
    var place = try folder()
    defer { try? FileManager.default.removeItem(at: place) }
    var known: [Int: Int] = [:]
    for number in 0..<kills {
      // A log outlives some processes; then another begins.
      if number % 20 == 19 {
        try FileManager.default.removeItem(at: place)
        (place, known) = (try folder(), [:])
      }
      let path = place.appending(path: "log").path
      let tasks = number % 3 + 1
      let starts = (0..<tasks).map { "\(known[$0] ?? 0)" }
      let child = try Child("helper", ["append", path, "\(tasks)"] + starts)
      let said = child.killed(
        after: .random(in: 0...40_000, using: &random), fromFirstWord: number % 2 == 0)
      if let view = try? LogView(path: path), view.tail != .none { tails += 1 }
      let log = try FileLog(path: path, creating: true, segmentSize: 6_000)
      let found = commits(try await log.read(after: 0, limit: .max))
      for line in said where line != "open" {
        let parts = line.split(separator: " ").compactMap { Int($0) }
        try #require(parts.count == 2)
        #expect(found[parts[0], default: 0] > parts[1], "acknowledged, and lost: \(line)")
        acknowledged += 1
      }
      for (task, count) in known { #expect(found[task, default: 0] >= count) }
      known = found
      var names = Names()
      let after = Follow(
        follower: try names.user("b"), followee: try names.user("after-\(number)"))
      try await log.append(Commit([NewEvent(.follow(.followed(after)), actor: "b", names: names)]))
      _ = try LogView(path: path).verify()
    }
    #expect(acknowledged > kills, "the processes did not live long enough to append")
    Sweep.tally("processes killed while they appended", kills)
    Sweep.tally("commits acknowledged by them, all there", acknowledged)
    Sweep.tally("torn ends that they left", tails)
  }

  @Test("faults 20: after a kill of eventlog run, its answers hold and the next command works")
  func commands() async throws {
    let kills = Sweep.size(5, 20, 200)
    var random = SystemRandomNumberGenerator()
    let place = try folder()
    defer { try? FileManager.default.removeItem(at: place) }
    let input = place.appending(path: "commands.jsonl")
    var lines = ""
    for number in 0..<3_000 {
      lines +=
        #"{"do":"CreateProfile","as":"u\#(number)","with":{"user":"u\#(number)","#
        + #""handle":"handle_\#(number)","displayName":"N"}}"# + "\n"
    }
    try Data(lines.utf8).write(to: input)
    var answers = 0
    for number in 0..<kills {
      let path = place.appending(path: "log-\(UUID().uuidString)").path
      _ = try FileLog(path: path, creating: true)
      let batch = ["1", "7", "100"].randomElement(using: &random)!
      let child = try Child(
        "eventlog", ["run", "--log", path, "--batch", batch], input: input)
      let said = child.killed(
        after: .random(in: 0...80_000, using: &random), fromFirstWord: number % 5 > 0)
      let log = try FileLog(path: path)
      let events = try await log.read(after: 0, limit: .max)
      for (index, line) in said.enumerated() {
        let answer = try JSONValue(line)
        #expect(answer["ok"] == .bool(true), "\(line)")
        #expect(answer["seq"] == .array([.int(index + 1)]), "\(line)")
        try #require(events.count > index, "answered, and lost: \(line)")
        #expect(events[index].stream == "profile/u\(index)")
        answers += 1
      }
      _ = try LogView(path: path).verify()
    }
    #expect(answers > kills)
    Sweep.tally("eventlog run processes killed", kills)
    Sweep.tally("answers given by them, all true", answers)
  }

  @Test("faults 16, 20: a kill while a core writes a checkpoint in the background loses nothing")
  func backgroundCheckpoints() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let isShort = Sweep.chosen == .short
    try (isShort ? GeneratedLog.small : .medium).copy(to: "my.log", in: shell)
    let users = isShort ? 100 : 900
    _ = try shell.run("eventlog do GetProfile user=u1 --log my.log >/dev/null")
    let input = shell.folder.appending(path: "commands.jsonl")
    let lines = (0..<6_000).map { number in
      #"{"do":"ToggleFollow","as":"u\#(number % users + 1)","#
        + #""with":{"followee":"u\#(users + 1 + number % 97)"}}"#
    }
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: input)
    var random = SystemRandomNumberGenerator()
    for _ in 0..<Sweep.size(2, 12, 100) {
      let pause = Double.random(in: 0.1...2, using: &random)
      _ = try shell.run(
        """
        eventlog run commands.jsonl --log my.log --batch 500 >/dev/null & run=$!
        sleep \(pause); kill -KILL $run; wait $run
        """)
      let result = try shell.run(
        """
        for ask in "project followers --limit 0" "do GetFeed --as u1" \\
          "do GetFollowers user=u\(users + 2)"; do
          eventlog $ask --log my.log --format json >warm
          eventlog $ask --log my.log --format json --cold >cold
          cmp warm cold && echo same
        done
        """)
      #expect(result.output == "same\nsame\nsame\n", "\(result)")
    }
    // Without a kill it leaves a checkpoint, so that the next process reads few of the new events.
    let result = try shell.run(
      """
      eventlog run commands.jsonl --log my.log --batch 500 >/dev/null
      ls my.log/checkpoints | sed -n 's/core-0*\\([0-9]*\\)[.].*/\\1/p' | sort -n | tail -1
      eventlog log -n 1 --log my.log --format csv | tail -1 | cut -d, -f1
      """)
    let numbers = result.output.split(separator: "\n").compactMap { Int($0) }
    try #require(numbers.count == 2, "\(result)")
    #expect(numbers[1] - numbers[0] < 6_000, "\(result)")
  }
}
