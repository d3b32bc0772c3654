import FaultTesting
import Foundation
import Testing

@Suite struct ShrinkTests {
  /// The demo, or its first hundred events, with an event at its end that the rules forbid.
  private func broken(_ shell: Shell) throws {
    let made = try shell.run(
      """
      eventlog export \(Sweep.chosen == .short ? "..100" : "") --log eventlogs/demo > broken.jsonl
      echo '{"type":"FriendRequested","actor":"alice","data":{"sender":"alice","receiver":"bob"}}' \
        >> broken.jsonl
      """)
    #expect(made.code == 0, "\(made.error)")
  }

  @Test("shrink writes a log with only the events that the failure needs, with their ids and times")
  func shrinks() throws {
    let shell = try Shell()
    defer { shell.remove() }
    try broken(shell)
    let result = try shell.run(
      "eventlog shrink small --expect 'eventlog check' -q --log broken.jsonl --format jsonl")
    #expect(result.code == 0, "\(result.error)")
    let types = result.output.split(separator: "\n").compactMap { line in
      line.firstMatch(of: /"type":"([A-Za-z]+)"/).map { String($0.output.1) }
    }
    #expect(
      types == [
        "ProfileCreated", "ProfileCreated", "FriendRequested", "FriendRequestAccepted",
        "FriendRequested",
      ], "\(result.output)")
    #expect(result.error.contains("5 events of "))
    let check = try shell.run("eventlog check --log small")
    #expect(check.code == 1 && check.output.contains("alreadyFriends"), "\(check.output)")
    #expect(try shell.run("eventlog verify --log small").code == 0)
    // The first four are lines of the demo, except for their place in the log.
    let ids = try shell.run("eventlog log --log small --format jsonl").output
      .matches(of: /"id":"([0-9a-f-]+)"/).map { String($0.output.1) }
    let demo = try shell.run("eventlog export --log eventlogs/demo").output
    #expect(ids.count == 5 && ids.count { demo.contains($0) } == 4)
    let left = try FileManager.default.contentsOfDirectory(atPath: shell.folder.path)
    #expect(!left.contains("small.part"))
  }

  @Test("Another exit status is another failure, and 125 is no result")
  func statuses() throws {
    let shell = try Shell()
    defer { shell.remove() }
    // 7 while alice follows anybody and bob exists; 9 without bob.
    let command = """
      eventlog log --type UserFollowed --grep '"follower":"alice"' -n 1 | grep -q . || exit 0
      eventlog log --grep '"user":"bob","handle"' --oneline | grep -q . || exit 9
      exit 7
      """
    try command.write(
      to: shell.folder.appending(path: "try.sh"), atomically: true, encoding: .utf8)
    let result = try shell.run("eventlog shrink small --expect 'sh try.sh' --log eventlogs/demo")
    #expect(result.code == 0, "\(result.error)")
    #expect(result.output.contains("bob") && result.output.contains("UserFollowed"))
    #expect(result.output.split(separator: "\n").count <= 5, "\(result.output)")
    let unclear = try shell.run(
      "eventlog shrink other --expect 'sh try.sh || exit 125' --log eventlogs/demo")
    #expect(unclear.code == 1)
    #expect(unclear.error.contains("cannot judge (exit 125) on the whole log"))
    // A command that ends unlike any failure stops the search, and the present result is written.
    let crash = try shell.run(
      """
      eventlog shrink crashed --log eventlogs/demo \
        --expect 'test $(eventlog export | wc -l) -gt 60 && exit 3; kill -9 $$'
      """)
    #expect(crash.code == 1, "\(crash.error)")
    #expect(crash.error.contains("the command ended with status 137"), "\(crash.error)")
    #expect(try shell.run("eventlog verify --log crashed").code == 0)
  }

  @Test("A log that cannot be shrunk is refused with a reason, and nothing is left behind")
  func refusals() throws {
    let shell = try Shell()
    defer { shell.remove() }
    func expect(_ command: String, _ code: Int32, _ reason: String) throws {
      let result = try shell.run(command)
      #expect(result.code == code, "\(command): \(result.error)")
      #expect(result.error.contains(reason), "\(command): \(result.error)")
      #expect(result.output == "")
    }
    try expect(
      "eventlog shrink small --expect true", 1, "does not fail on the whole log")
    try expect("eventlog shrink small", 64, "must keep failing: --expect 'COMMAND'")
    try expect("eventlog shrink --expect false", 64, "needs 1 argument")
    try expect("eventlog shrink eventlogs --expect false", 73, "already exists")
    try expect("eventlog shrink small --expect false --log nowhere", 66, "nowhere")
    try expect("mkdir empty && eventlog shrink no/where --expect false", 73, "no/where")
    let left = try FileManager.default.contentsOfDirectory(atPath: shell.folder.path)
    #expect(!left.contains("small") && !left.contains("small.part"))
  }

  @Test("If the command fails for a reason outside the log, its message is shown")
  func otherReasons() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let cases: [(command: String, code: Int32, reason: String)] = [
      ("nosuchcommand", 64, "cannot be run (exit 127); it printed: sh: "),
      ("./eventlogs", 64, "cannot be run (exit 126); it printed: sh: "),
      ("eventlog chek", 64, "(exit 64); it printed: eventlog: unknown command 'chek'. Did you"),
      (
        "eventlog watch profile/lenna.isPublic", 64,
        "(exit 64); it printed: eventlog: character 9: the log has no user 'lenna'; did you mean"
      ),
      ("eventlog check --log nowhere", 1, "(exit 66); it printed: eventlog: nowhere: no such log"),
      ("echo first; echo last; exit 74", 1, "(exit 74); it printed: last"),
      // Its status is that of the last command in the pipe.
      (
        "eventlog project folowers | grep -q lena", 1,
        "in the same way (exit 1) on an empty log, so it is not the events that make it fail; it "
          + "printed: eventlog: unknown projection 'folowers'."
      ),
      (
        "false", 1,
        "(exit 1) on an empty log, so it is not the events that make it fail; it printed"
      ),
      ("exit 3", 1, "it printed nothing"),
    ]
    for (command, code, reason) in cases {
      for quiet in ["", " --quiet"] {
        let result = try shell.run("eventlog shrink small --expect '\(command)'\(quiet)")
        #expect(result.code == code, "\(command): \(result.error)")
        #expect(result.error.contains(reason), "\(command): \(result.error)")
        #expect(result.error.split(separator: "\n").count == 1 || quiet.isEmpty)
      }
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: shell.folder.path)
    #expect(!left.contains { $0.hasPrefix("small") })
  }

  @Test("The command's output goes to standard error, and with --quiet nowhere")
  func output() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let made = try shell.run(
      """
      for user in alice bob cleo dan eve fay gus hal; do
        echo '{"type":"ProfileCreated","actor":"'$user'","data":{"user":"'$user'",'\
      '"handle":"'$user'_x","isPublic":true}}'
      done > broken.jsonl
      for type in FriendRequested FriendRequestAccepted FriendRequested; do
        echo '{"type":"'$type'","actor":"alice","data":{"sender":"alice","receiver":"bob"}}'
      done >> broken.jsonl
      """)
    #expect(made.code == 0, "\(made.error)")
    let command = "eventlog shrink NEW --expect 'echo out; eventlog check' --log broken.jsonl"
    let shown = try shell.run(command.replacing("NEW", with: "a"))
    #expect(!shown.output.contains("out\n"))
    let runs = shown.error.firstMatch(of: /after ([0-9]+) runs/)
    #expect(Int(runs?.output.1 ?? "") == shown.error.split(separator: "\n").count { $0 == "out" })
    let quiet = try shell.run(command.replacing("NEW", with: "b") + " --quiet")
    #expect(quiet.error.split(separator: "\n").count == 1, "\(quiet.error)")
  }
}
