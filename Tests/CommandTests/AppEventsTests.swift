import Foundation
import Testing

/// Every command handles an app's own events, whose types have a dot in their names.
@Suite struct AppEventsTests {
  private static let route = #"""
    {"time":"2026-03-07T08:00:00.000Z","type":"climbr.RouteSet","v":3,"stream":"route/r1",\#
    "actor":"lena","data":{"route":"r1","grade":"7a","by":["lena","ivo"]}}
    """#

  /// The folder with both logs, which are made once.
  private static let logs: Result<URL, any Error> = Result {
    let shell = try Shell.shared.get()
    try Data(route.utf8).write(to: shell.folder.appending(path: "route.jsonl"))
    let made = try shell.run(
      """
      cp -R eventlogs/demo/ plain.log && cp -R eventlogs/demo/ mixed.log \
      && eventlog import route.jsonl --log mixed.log \
      && for log in plain mixed; do eventlog do LogSend climb=Biographie --as lena \
      --time 2026-03-08T08:00:00.000Z --log $log.log || exit 1; done
      """)
    try #require(made.code == 0, "\(made.error)")
    return shell.folder
  }

  /// Copies the demo log, and one with an app's event after it and then one of the core's.
  private func mixed(_ shell: Shell) throws {
    for name in ["plain.log", "mixed.log"] {
      try FileManager.default.copyItem(
        at: try Self.logs.get().appending(path: name), to: shell.folder.appending(path: name))
    }
  }

  @Test(
    "An app's events do not change the answers of commands, without any option",
    arguments: [
      "project followers --limit 0", "project profiles --limit 0", "project feed --user alice",
      "project notifications --user lena", "project leaderboard", "project search --query le",
      "do GetProfile handle=lena", "do GetFeed --as alice", "check --format json",
      "show HEAD followers/lena.count", "why followers/lena.count", "history profile/lena.bio",
      "watch 'followers/lena.count > 5'", "bisect --expr 'not (followers/lena.count > 5)'",
      "what-if --skip 9", "paths profile/lena", "gen-test 250..255",
    ])
  func passedOver(_ command: String) throws {
    let shell = try Shell()
    defer { shell.remove() }
    try mixed(shell)
    func printed(_ log: String) throws -> String {
      let result = try shell.run("eventlog \(command) --log \(log)")
      #expect(result.code == 0, "\(result.error)")
      // The number of events, and the name of the last one, differ by one.
      return (result.output + result.error).replacing(/30[12]/) { _ in "30x" }
    }
    #expect(try printed("mixed.log") == printed("plain.log"))
  }

  @Test("An app's events are verified, counted, shown, filtered and exported unchanged")
  func kept() throws {
    let shell = try Shell()
    defer { shell.remove() }
    try mixed(shell)
    let verified = try shell.run("eventlog verify --log mixed.log")
    #expect(verified.code == 0 && !verified.error.contains("unknown"), "\(verified.error)")
    #expect(try shell.run("eventlog stats --log mixed.log").output.contains("climbr.RouteSet"))
    let shown = try shell.run("eventlog show 301 --log mixed.log")
    #expect(shown.code == 0 && shown.output.contains("climbr.RouteSet"), "\(shown.error)")
    let found = try shell.run("eventlog log --type climbr.RouteSet --oneline --log mixed.log")
    #expect(found.output.split(separator: "\n").count == 1)
    #expect(found.output.contains(#"climbr.RouteSet {"route":"r1""#), "\(found.output)")
    let exported = try shell.run(
      """
      eventlog init copy.log && eventlog export --log mixed.log | eventlog import - --log copy.log \
      && cat mixed.log/*.jsonl | cmp - copy.log/*.jsonl && eventlog export 300..301 --cloudevents \
      --log mixed.log
      """)
    #expect(exported.code == 0, "\(exported.error)")
    #expect(exported.output.contains("climbr.RouteSet"))
    // One flipped bit in them is found like any other.
    let flipped = try shell.run(
      """
      sed -i 's/"grade":"7a"/"grade":"7c"/' mixed.log/*.jsonl; eventlog verify --log mixed.log
      """)
    #expect(flipped.code == 65)
  }

  @Test("shrink can keep one of an app's events and its actor's account")
  func shrunk() throws {
    let shell = try Shell()
    defer { shell.remove() }
    try mixed(shell)
    let result = try shell.run(
      """
      eventlog shrink small.log --log mixed.log --quiet \
      --expect '! eventlog log --oneline | grep -q climbr.RouteSet' >out; \
      eventlog log --oneline --log small.log
      """)
    #expect(result.output.split(separator: "\n").count == 2, "\(result.output)")
    #expect(result.output.contains("climbr.RouteSet"), "\(result.output)\(result.error)")
  }

  @Test("An unknown type without a dot stops every command that answers")
  func unknown() throws {
    let shell = try Shell()
    defer { shell.remove() }
    for (name, code) in [("RouteSet", 65), (".RouteSet", 65), ("climbr.", 65), ("a.B.c", 0)] {
      let line = Self.route.replacing("climbr.RouteSet", with: name)
      try Data(line.utf8).write(to: shell.folder.appending(path: "one.jsonl"))
      let result = try shell.run("eventlog project followers --log one.jsonl")
      #expect(Int(result.code) == code, "\(name): \(result.error)")
      let imported = try shell.run(
        "eventlog init n.log && eventlog import one.jsonl --log n.log; rm -r n.log")
      #expect((imported.error.contains("unknown event type")) == (code == 65), "\(imported.error)")
    }
    let streamless = try shell.run(
      #"""
      printf '{"type":"climbr.RouteSet","actor":"lena","data":{}}\n' > one.jsonl
      eventlog init m.log; eventlog import one.jsonl --log m.log
      """#)
    #expect(streamless.code == 65 && streamless.error.contains("stream"), "\(streamless.error)")
  }
}
