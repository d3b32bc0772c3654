import EventLog
import Events
import FaultTesting
import Foundation
import Testing

/// The commands of docs/operations.md, taken from the document, in situations that its transcript
/// cannot show: another process writes, is killed, or lacks permission.
@Suite(.serialized) struct OperationsTests {
  /// The commands of a section, in order.
  private func commands(_ section: String) throws -> [String] {
    let file = Shell.repository.appending(path: "docs/operations.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    let parts = text.components(separatedBy: "\n## ")
    let part = try #require(parts.first { $0.hasPrefix(section + "\n") }, "no section \(section)")
    var found: [String] = []
    var block = ""
    for line in part.components(separatedBy: "\n") {
      if line.hasPrefix("```") {
        block = String(line.dropFirst(3))
      } else if block == "sh" {
        found.append(line)
      } else if block == "console", line.hasPrefix("$ ") {
        found.append(String(line.dropFirst(2)))
      }
    }
    return found
  }

  private func command(_ section: String, _ start: String) throws -> String {
    try #require(
      try commands(section).first { $0.hasPrefix(start) }, "\(section) has no \(start)")
  }

  /// A process that appends to `my.log` until it is killed, in commits of one to four events and
  /// segments of the given size. It writes the acknowledged commits to `said`.
  private func appender(
    in shell: Shell, from starts: [Int], segmentSize: Int = 6_000
  ) throws -> Process {
    let process = Process()
    process.executableURL = products.appending(path: "helper")
    process.arguments = ["append", "my.log", "\(starts.count)"] + starts.map(String.init)
    process.currentDirectoryURL = shell.folder
    process.environment = ["APPENDER_SEGMENT_SIZE": "\(segmentSize)"]
    try Data().write(to: shell.folder.appending(path: "said"))
    process.standardOutput = try FileHandle(forWritingTo: shell.folder.appending(path: "said"))
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  /// For each task the number of commits that were acknowledged so far.
  private func said(in shell: Shell) throws -> [Int: Int] {
    let data = try Data(contentsOf: shell.folder.appending(path: "said"))
    var found: [Int: Int] = [:]
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: " ").compactMap { Int($0) }
      if parts.count == 2 { found[parts[0]] = parts[1] + 1 }
    }
    return found
  }

  /// Whole commits of each task, counted; `follow/a/TASK-COMMIT-PLACE-SIZE`.
  private func commits(in path: String) throws -> (events: [RecordedEvent], found: [Int: Int]) {
    var events: [RecordedEvent] = []
    try LogView(path: path).forEachEvent { event in
      events.append(event)
      return true
    }
    var found: [Int: Int] = [:]
    for event in events {
      let parts = event.stream.dropFirst("follow/a/".count).split(separator: "-")
        .compactMap { Int($0) }
      try #require(parts.count == 4)
      if parts[2] == parts[3] - 1 { found[parts[0]] = parts[1] + 1 }
    }
    return (events, found)
  }

  @Test("Back up: a backup has all acknowledged events while a process appends or is killed")
  func backup() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let path = { (name: String) in shell.folder.appending(path: name).path }
    let backup = try command("Back up", "eventlog backup")
    var process = try appender(in: shell, from: [0, 0], segmentSize: 20_000)
    defer { kill(process.processIdentifier, SIGKILL) }
    var random = SplitMix64(seed: 21)
    let rounds = Sweep.size(6, 20, 60)
    var (acknowledged, killed) = (0, 0)
    for round in 0..<rounds {
      kill(process.processIdentifier, SIGCONT)
      while try said(in: shell).isEmpty { usleep(1_000) }
      usleep(UInt32.random(in: 0...60_000, using: &random))
      // The next backup continues a killed one.
      let delay = Double.random(in: 0.005...0.1, using: &random)
      if try shell.run("timeout -s KILL \(delay) \(backup)").output.hasPrefix("exit 137") {
        killed += 1
      }
      let before = try said(in: shell)
      let isKilled = round % 3 == 2
      if isKilled {
        let pid = process.processIdentifier
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(round % 4 * 2)) {
          kill(pid, SIGKILL)
        }
      }
      let result = try shell.run(backup)
      #expect(result.output.hasSuffix("exit 0\n"), "\(result)")
      // The process waits while the copy is read, because otherwise the log would grow faster.
      if isKilled { process.waitUntilExit() } else { kill(process.processIdentifier, SIGSTOP) }
      #expect(try shell.run("eventlog restore my.backup --log again.log").code == 0)
      let (events, found) = try commits(in: path("again.log"))
      for (task, count) in before {
        #expect(found[task, default: 0] >= count, "acknowledged, and not in the backup")
        acknowledged += count
      }
      if isKilled { _ = try FileLog(path: path("my.log")) }
      let (all, now) = try commits(in: path("my.log"))
      #expect(Array(all.prefix(events.count)) == events, "the backup is no prefix of the log")
      if isKilled {
        process = try appender(in: shell, from: [now[0] ?? 0, now[1] ?? 0], segmentSize: 20_000)
      }
      _ = try shell.run("rm -rf again.log")
    }
    #expect(acknowledged > rounds)
    Sweep.tally("backups made while a process appended or was killed", rounds)
    Sweep.tally("backups killed", killed)
  }

  @Test("Back up: photos, bookmarks, rules and the ledger are restored, after a forgetting too")
  func sides() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let backup = try command("Back up", "eventlog backup")
    let made = try shell.run(
      "eventlog init my.log && eventlog import eventlogs/demo/*.jsonl --log my.log && "
        + "eventlog bookmark here HEAD~9 --log my.log && mkdir -p my.log/photos/avatars/lena "
        + "my.log/photos/avatars/gus my.log/retries && "
        + "echo a > my.log/photos/avatars/lena/1.jpg && "
        + "echo b > my.log/photos/avatars/gus/1.jpg && echo c > my.log/retries/1 && "
        + "eventlog rules climb --log my.log")
    #expect(made.code == 0, "\(made)")
    let same =
      "rm -rf again.log; eventlog restore my.backup --log again.log && "
      + "diff -r -x lock -x checkpoints my.log again.log"
    for step in [backup, same] {
      let result = try shell.run(step)
      #expect(result.code == 0, "\(step): \(result)")
    }
    let next = try shell.run(
      "eventlog forget lena --yes --log my.log; \(backup); \(same); "
        + "grep -rl lena my.backup; ls my.backup/photos/avatars")
    #expect(next.output.hasSuffix("restored to again.log\ngus\n"), "\(next)")
    #expect(next.error.contains("the log was rewritten since the last backup"), "\(next)")
    // An earlier state of the log, or another log, does not replace the backup.
    let other = try shell.run(
      "eventlog init other.log; eventlog backup my.backup --log other.log; echo $?; "
        + "eventlog backup my.log/photos/in --log my.log; echo $?; "
        + "eventlog backup eventlogs/demo --log my.log; echo $?; "
        + "eventlog restore other.log --log z.log; echo $?; ls -d z.log*")
    #expect(other.output == "65\n64\n73\n66\n", "\(other)")
    // Nor does another log that was rewritten more often than the backup's.
    try GeneratedLog.tiny.copy(to: "gen.log", in: shell)
    let rewritten = try shell.run(
      "for user in u1 u2; do eventlog forget $user --yes --log gen.log; done; "
        + "eventlog backup my.backup --log gen.log; echo $?"
    )
    #expect(rewritten.output == "65\n", "\(rewritten)")
    #expect(try shell.run("eventlog restore my.backup --check").code == 0)
    // A crash at the end of a restore leaves its mark, which is no file of the log.
    let mark = try shell.run(
      "touch my.log/restoring my.log/photos/restoring; eventlog backup my.backup --log my.log && "
        + "eventlog restore my.backup --log marked.log && ls marked.log marked.log/photos")
    #expect(mark.code == 0 && !mark.output.contains("restoring\n"), "\(mark)")
  }

  @Test("Restore: a damaged log is replaced by the backup, and its later readable events are kept")
  func restore() throws {
    let shell = try Shell()
    defer { shell.remove() }
    _ = try shell.run(
      "eventlog init my.log; eventlog export ..200 --log eventlogs/demo | eventlog import - "
        + "--log my.log; eventlog backup my.backup --log my.log; "
        + "eventlog export 200.. --log eventlogs/demo | eventlog import - --log my.log; "
        + "sed -i 100s/2026/2025/ my.log/*.jsonl")
    #expect(try shell.run("eventlog verify --log my.log").code == 65)
    let steps = try commands("Restore").filter {
      $0.hasPrefix("mv ") || $0.contains("restore my.backup") || $0.contains("export 200..")
    }
    #expect(steps.count == 4)
    for step in [steps[0], steps[1], steps[3]] {
      #expect(try shell.run(step).code == 0, "\(step)")
    }
    #expect(try shell.run("cmp my.log/*.jsonl eventlogs/demo/*.jsonl").code == 0)
  }

  @Test("Ship: after a kill at any moment the next try continues, and both logs become the same")
  func ship() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let line = try command("Ship what is new", #"eventlog export "$("#)
    let events = Sweep.size(6_000, 12_000, 12_000)
    _ = try shell.run(
      "eventlog generate --events \(events) --users 300 --seed 4 --log my.log; "
        + "eventlog init copy.log; "
        + "eventlog export ..3000 --log my.log | eventlog import - --log copy.log")
    var random = SystemRandomNumberGenerator()
    var kills = 0
    for round in 0..<Sweep.size(8, 20, 60) {
      let delay = Double.random(in: 0.01...(round % 2 == 0 ? 0.2 : 1), using: &random)
      let killed = line.replacingOccurrences(
        of: "| eventlog import", with: "| timeout -s KILL \(delay) eventlog import")
      let result = try shell.run(killed)
      #expect(["exit 0\n", "exit 137\n"].contains(result.output), "\(result)")
      if result.output == "exit 137\n" {
        kills += 1
      } else if round % 2 == 0 {
        _ = try shell.run("rm -r copy.log; eventlog init copy.log")
      }
    }
    Sweep.tally("imports of a part of a log killed", kills)
    let last = try shell.run(line)
    #expect(last.output == "exit 0\n", "\(last)")
    let same = try shell.run("cat my.log/*.jsonl > a; cat copy.log/*.jsonl > b; cmp a b")
    #expect(same.code == 0, "\(same)")
    #expect(try shell.run("eventlog verify --log copy.log").code == 0)
  }

  @Test("Ship: whole commits are shipped across segments of any size")
  func shipSegments() async throws {
    let shell = try Shell()
    defer { shell.remove() }
    let process = try appender(in: shell, from: [0, 0, 0])
    while try said(in: shell).values.reduce(0, +) < 150 { usleep(1_000) }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    let log = try FileLog(path: shell.folder.appending(path: "my.log").path)
    #expect(log.view().segmentCount > 3)
    #expect(try shell.run("eventlog init copy.log").code == 0)
    // A log cannot end within a commit, so the export leaves out the commit that it would cut.
    let result = try shell.run(
      "eventlog export ..9 --log my.log | eventlog import - --log copy.log; "
        + (try command("Ship what is new", #"eventlog export "$("#)))
    #expect(result.output == "exit 0\n", "\(result)")
    let same = try shell.run("cat my.log/*.jsonl > a; cat copy.log/*.jsonl > b; cmp a b")
    #expect(same.code == 0, "\(same)")
  }

  @Test(
    "Permissions: a user with read permission reads everything, and a denied file is reported",
    .enabled(if: Shell.canChangeUser, "only root can run a command as somebody else"))
  func permissions() throws {
    let shell = try Shell()
    defer { shell.remove() }
    _ = try shell.run("chmod 755 . && cp -rL eventlogs/demo my.log && chmod 700 my.log")
    let closed = try shell.run("\(Shell.asNobody) eventlog verify --log my.log")
    #expect(closed.code == 66 && closed.error.contains("Permission denied"), "\(closed)")
    for step in try commands("Permissions") { #expect(try shell.run(step).code == 0) }
    for reading in ["verify", "stats", "project followers", "export", "replay"] {
      let result = try shell.run("\(Shell.asNobody) eventlog \(reading) --log my.log")
      #expect(result.code == 0, "\(reading): \(result)")
    }
    let write = try shell.run("\(Shell.asNobody) eventlog import - --log my.log < /dev/null")
    #expect(write.code == 66 && write.error.contains("Permission denied"), "\(write)")
    let make = try shell.run("\(Shell.asNobody) eventlog init my.log/new")
    #expect(make.code == 73, "\(make)")
    // A segment that root began by mistake.
    _ = try shell.run("chown -R 65534 my.log; chown root my.log/*.jsonl")
    let stopped = try shell.run(
      "\(Shell.asNobody) eventlog do LogSend climb=x --as lena --log my.log")
    #expect(stopped.code == 66 && stopped.error.contains("Permission denied"), "\(stopped)")
    _ = try shell.run("chown -R 65534 my.log")
    #expect(
      try shell.run("\(Shell.asNobody) eventlog do LogSend climb=x --as lena --log my.log").code
        == 0
    )
  }

  @Test("Permissions: another writer is named, and a killed writer leaves no lock")
  func locked() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let process = try appender(in: shell, from: [0])
    while try said(in: shell).isEmpty { usleep(1_000) }
    let second = try shell.run("eventlog import - --log my.log < /dev/null")
    #expect(second.code == 73, "\(second)")
    #expect(second.error.contains("pid \(process.processIdentifier) on "), "\(second)")
    #expect(try shell.run("eventlog verify --log my.log").code == 0, "reading goes on")
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    #expect(try shell.run("eventlog import - --log my.log < /dev/null").code == 0)
  }
}
