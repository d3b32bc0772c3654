import EventLog
import Events
import FaultTesting
import Foundation
import Testing

/// `eventlog forget` as a user types it, and killed.
@Suite(.serialized) struct ForgetTests {
  @Test("A wrong command line gets advice and changes nothing")
  func wrong() throws {
    let shell = try Shell()
    defer { shell.remove() }
    _ = try shell.run("cp -R eventlogs/demo/ a.log")
    let before = try shell.run("cat a.log/*.jsonl").output
    let cases: [(String, Int32, String)] = [
      ("forget", 64, "name the users to forget"),
      ("forget nobody", 1, "no event is about 'nobody'"),
      ("forget alice nobody", 1, "no event is about 'nobody'"),
      ("forget 'a b'", 64, "cannot be the id of a user"),
      ("forget service:importer", 64, "is a service, not a person"),
      ("forget --texts-of comment", 64, "--texts-of takes an item such as comment/c17"),
      ("forget --texts-of comment/none", 1, "no event is about comment/none"),
      ("forget --again", 64, "--again needs the secret"),
      ("forget alice --again --ledger-key x", 64, "ledger-key"),
      ("forget alice --reason 'alice asked'", 64, "the reason names a person"),
      ("forget alice --jobs 0", 64, "--jobs takes a whole number from 1 to 64"),
    ]
    for (command, code, sentence) in cases {
      let result = try shell.run("eventlog \(command) --log a.log")
      #expect(result.code == code, "\(command): \(result.error)")
      #expect(result.error.contains(sentence), "\(command): \(result.error)")
    }
    #expect(try shell.run("eventlog forget alice").code == 64)
    #expect(try shell.run("eventlog forget alice --log none.log").code == 66)
    #expect(try shell.run("cat a.log/*.jsonl").output == before)
    #expect(try !shell.run("ls a.log").output.contains("rewriting"))
  }

  @Test("On a terminal forget asks for confirmation, and accepts only yes")
  func asks() throws {
    let shell = try Shell()
    defer { shell.remove() }
    guard try shell.run("command -v script").code == 0 else { return }
    _ = try shell.run("cp -R eventlogs/demo/ a.log")
    func answered(_ answer: String) throws -> Shell.Result {
      try shell.run(
        "script -qec 'eventlog forget alice --log a.log' /dev/null", input: answer + "\n")
    }
    let no = try answered("n")
    #expect(no.output.contains("Continue? [y/N]"))
    #expect(no.output.contains("nothing was changed"))
    #expect(try shell.run("eventlog verify --log a.log --format json").output.contains("300"))
    #expect(try answered("y").output.contains("forgot 1 person"))
    #expect(try shell.run("eventlog verify --log a.log --format json").output.contains("301"))
  }

  @Test("After a bystander is forgotten, the three mysteries have the same solutions")
  func mysteries() throws {
    let solutions = [
      "drifting-count": [
        "history followers/ada.count --format csv", "why followers/ada.count --role nothing",
      ],
      "lost-friendship": [
        "watch 'relationship/noor/tess == friends' --reverse",
        "bisect --good 18 --expr 'friends/noor contains tess' --format csv",
      ],
      "stolen-handle": ["history handle/wren", "blame profile/jon"],
    ]
    let shell = try Shell()
    defer { shell.remove() }
    for (name, questions) in solutions.sorted(by: { $0.key < $1.key }) {
      let path = "eventlogs/mysteries/\(name)"
      func answers(_ log: String) throws -> [String] {
        try questions.map { try shell.run("eventlog \($0) --log \(log)").output }
      }
      let before = try answers(path)
      let users = try shell.run("eventlog project followers --log \(path) --limit 0 --format csv")
        .output.split(separator: "\n").dropFirst().map { String($0.prefix { $0 != "," }) }
      // A user in none of the answers.
      let bystander = try #require(users.last { user in !before.contains { $0.contains(user) } })
      _ = try shell.run("cp -R \(path)/ \(name).log")
      let forgotten = try shell.run("eventlog forget \(bystander) --log \(name).log")
      #expect(forgotten.code == 0, "\(name): \(forgotten.error)")
      let after = try answers("\(name).log")
      for (old, new) in zip(before, after) {
        // The deletion of the account adds one event, and changed events have new ids.
        #expect(Self.stable(old) == Self.stable(new), "\(name) without \(bystander)")
      }
    }
  }

  @Test("A process that follows a log reports its rewriting, and continues with later events")
  func followed() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let told = try shell.run(
      """
      cp -R eventlogs/demo/ my; rm -rf my/checkpoints
      eventlog log --log my --follow --oneline -n 1 >lines 2>notes & follower=$!
      for i in $(seq 400); do [ -s lines ] && break; sleep 0.05; done
      eventlog forget lena --log my
      eventlog do UpdateProfile bio=onward --as alice --log my
      for i in $(seq 200); do grep -q onward lines && break; sleep 0.05; done
      kill $follower; cat lines notes
      """)
    #expect(
      told.output.contains("note: my was rewritten; events printed before may be different now"),
      "\(told)")
    #expect(told.output.contains(#""bio":"onward""#), "\(told)")
  }

  /// An answer without the number of events.
  private static func stable(_ answer: String) -> String {
    answer.replacing(/revision [0-9]+/, with: "revision").replacing(/of [0-9]+ events/, with: "")
  }

  private static let kills = Sweep.kills(3, 10, 200)

  @Test(
    "After a kill the log is the old or the new one, and the next forget completes it")
  func kills() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let source: GeneratedLog = Sweep.chosen == .short ? .small : .medium
    try source.copy(to: "old.log", in: shell)
    _ = try shell.run("eventlog do GetProfile user=u1 --log old.log")
    let old = try LogView(path: shell.folder.path + "/old.log").head()
    var random = SplitMix64(seed: 23)
    // The duration of a complete run.
    _ = try shell.run("cp -R old.log a.log")
    let start = ContinuousClock.now
    #expect(try shell.run("eventlog forget u1 --log a.log").code == 0)
    let whole = Int((ContinuousClock.now - start) / .microseconds(1))
    var (kept, done) = (0, 0)
    for round in 0..<Self.kills {
      _ = try shell.run("rm -rf a.log && cp -R old.log a.log")
      let process = Process()
      process.executableURL = products.appending(path: "eventlog")
      process.arguments = ["forget", "u1", "--log", shell.folder.path + "/a.log"]
      process.standardError = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      process.standardInput = FileHandle.nullDevice
      try process.run()
      // Most of the time is reading, so kills happen in the later half.
      usleep(UInt32.random(in: UInt32(whole / 2)...UInt32(whole * 6 / 5), using: &random))
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      let view = try LogView(path: shell.folder.path + "/a.log")
      let head = try view.head()
      let isNew = head.seq > old.seq
      #expect(isNew || head == old, "round \(round)")
      _ = try view.verify()
      // The next command finishes or undoes it.
      #expect(try shell.run("eventlog project followers --log a.log --limit 1").code == 0)
      let left = try shell.run("ls a.log").output
      #expect(!left.contains(".new") && !left.contains("rewriting\n"), "round \(round): \(left)")
      if isNew {
        done += 1
      } else {
        kept += 1
        #expect(try shell.run("eventlog forget u1 --log a.log").code == 0, "round \(round)")
      }
      let found = try shell.run("grep -rlE '\"u1\"|/u1[\"/]' a.log")
      #expect(found.output == "", "round \(round): \(found.output)")
    }
    Sweep.tally("kills while a log forgot", kept + done)
    print("killed \(kept + done) times: \(kept) old, \(done) new")
  }
}
