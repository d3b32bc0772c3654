import Events
import FaultTesting
import Foundation
import Testing

@Suite(.serialized) struct NotifyTests {
  /// A log of two people, and a position at its end.
  private static let twoPeople = """
    eventlog init --log my
    for user in ann ben; do
      eventlog do CreateProfile user=$user handle=$user --as $user --log my > /dev/null
    done
    eventlog notify --log my --position p
    """

  @Test("notify prints new notifications as lines of JSON, and saves its position")
  func lines() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let result = try shell.run(
      """
      \(Self.twoPeople)
      eventlog do FollowUser followee=ann --as ben --log my > /dev/null
      eventlog notify --log my --position p
      eventlog notify --log my --position p
      cat p
      """)
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(
      lines.first?.contains(#""to":"ann","notification":{"kind":"follow","user":"ben""#) == true)
    #expect(lines[1].hasPrefix("3 ") && lines[2].hasSuffix("Z 0"))
    #expect(result.error.contains("1 new\n") && result.error.hasSuffix("nothing new\n"))
  }

  @Test("A missing, foreign or invalid position is reported")
  func wrong() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let none = try shell.run("eventlog notify")
    #expect(none.code == 64 && none.error.contains("add --position FILE"))
    let other = try shell.run(
      """
      eventlog notify --position p && eventlog init --log my || exit
      eventlog notify --log my --position p
      """)
    #expect(other.code == 65 && other.error.contains("belongs to another log than"))
    let folder = try shell.run("mkdir q && eventlog notify --position q")
    #expect(folder.code == 65, "\(folder.error)")
    let janitor = try shell.run("eventlog janitor --position r && cat r")
    #expect(janitor.code == 0 && janitor.error.contains("removed"))
  }

  @Test("With --follow, another process's events are printed at once")
  func follows() async throws {
    let shell = try Shell()
    defer { shell.remove() }
    let result = try await shell.runAside(
      """
      \(Self.twoPeople)
      eventlog notify --log my --position p --follow > lines &
      sleep 0.5
      eventlog do FollowUser followee=ann --as ben --log my > /dev/null
      for i in $(seq 600); do test -s lines && break; sleep 0.1; done
      kill $!; cat lines
      """)
    #expect(result.output.contains(#""to":"ann""#), "\(result)")
  }

  @Test("Despite repeated kills, each notification is printed at least once")
  func killed() async throws {
    let shell = try Shell()
    defer { shell.remove() }
    let log = shell.folder.appending(path: "log").path
    let position = shell.folder.appending(path: "position").path
    #expect(
      try shell.run("eventlog generate --events 2000 --users 60 --seed 5 --log log").code == 0)
    let wanted = Set(
      try shell.run("eventlog notify --log log --position clean --from-start").output
        .split(separator: "\n"))
    #expect(wanted.count > 300)
    var random = SplitMix64(seed: 5)
    var printed: [Substring] = []
    var kills = 0
    let most = Sweep.size(6, 40, 1_000)
    var longest = 30_000
    while true {
      let process = Process()
      process.executableURL = products.appending(path: "eventlog")
      process.arguments = ["notify", "--log", log, "--position", position, "--from-start"]
      let output = Pipe()
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      try process.run()
      if kills < most {
        usleep(UInt32(random.next() % UInt64(longest)))
        kill(process.processIdentifier, SIGKILL)
      }
      let bytes = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      // A cut last line does not count as printed.
      let text = String(decoding: bytes, as: UTF8.self)
      printed += text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      if kills >= most { break }
      // Starts again from the beginning after the end, so that each kill has something to send.
      if process.terminationReason == .exit {
        #expect(Set(printed) == wanted)
        printed = []
        try? FileManager.default.removeItem(atPath: position)
        longest = max(longest / 2, 5_000)
      } else {
        kills += 1
      }
    }
    #expect(Set(printed) == wanted)
  }
}
