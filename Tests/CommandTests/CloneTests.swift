import FaultTesting
import Foundation
import Testing

#if PostgreSQL
  import PostgresTesting
#endif

/// `eventlog clone`, `pull`, `push` and `remote` as a user types them, with a folder as the shared
/// log.
@Suite(.serialized) struct CloneTests {
  @Test("A clone is read like any log, and the others pull what one appends")
  func turns() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let made = try shell.run(
      """
      set -e
      cp -R eventlogs/demo/ mine; rm -rf mine/checkpoints
      eventlog remote init shared --log mine
      eventlog clone shared team; cp -R team copy
      eventlog do ToggleFollow followee=bob --as lena --log team
      eventlog pull --log mine; eventlog pull --log copy
      """)
    #expect(made.code == 0, "\(made)")
    #expect(made.error.contains("pushed 300 events to shared"))
    #expect(made.error.components(separatedBy: "1 new event").count == 3, "\(made.error)")
    for log in ["mine", "team", "copy"] {
      let same = try shell.run(
        "cat \(log)/*.jsonl | cmp - shared/0*.jsonl && eventlog verify --log \(log)")
      #expect(same.code == 0, "\(log): \(same)")
    }
    let remote = try shell.run("eventlog remote --log mine --format jsonl")
    #expect(remote.output.components(separatedBy: #""head":301"#).count == 3, "\(remote)")
    #expect(try shell.run("eventlog push --log mine").error.contains("has all events"))
  }

  @Test("Forgetting somebody on one clone removes them from the shared log and the other clones")
  func forgetting() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let made = try shell.run(
      """
      set -e
      cp -R eventlogs/demo/ mine; rm -rf mine/checkpoints
      eventlog remote init shared --log mine; eventlog clone shared team
      eventlog forget lena --log team --yes --mentions
      eventlog do GetFollowCounts user=bob --log mine
      eventlog pull --log mine
      """)
    #expect(made.code == 0, "\(made)")
    for log in ["mine", "team", "shared"] {
      let left = try shell.run("grep -rwil lena \(log)")
      #expect(left.output.isEmpty, "\(log): \(left.output)")
      #expect(try shell.run("eventlog verify --log \(log)").code == 0)
    }
    #expect(try shell.run("cat mine/0*.jsonl | cmp - shared/0*.jsonl").code == 0)
    #expect(try shell.run("cmp mine/rewritings shared/rewritings").code == 0)
  }

  /// The addresses of a test's shared log: a folder, and a server in builds that have it.
  static func addresses() -> [String] {
    #if PostgreSQL
      ["shared"] + (PostgresServer.shared.map { [$0.newLog()] } ?? [])
    #else
      ["shared"]
    #endif
  }

  @Test("Four processes race with many toggles, mutual requests and claims of handles")
  func race() async throws {
    for address in Self.addresses() { try await race(on: address) }
  }

  private func race(on address: String) async throws {
    let shell = try Shell()
    defer { shell.remove() }
    let each = Sweep.size(60, 250, 250)
    var files: [String] = []
    for process in 0..<4 {
      var lines: [String] = []
      for index in 0..<each {
        lines.append(#"{"do":"ToggleFollow","as":"a","with":{"followee":"b"}}"#)
        let (one, other) = process.isMultiple(of: 2) ? ("a", "b") : ("b", "a")
        lines.append(#"{"do":"SendFriendRequest","as":"\#(one)","with":{"receiver":"\#(other)"}}"#)
        let user = "u\(process)x\(index)"
        lines.append(
          #"{"do":"CreateProfile","as":"\#(user)","with":"#
            + #"{"user":"\#(user)","handle":"handle_\#(index)"}}"#)
      }
      let name = "commands\(process)"
      try lines.joined(separator: "\n").write(
        to: shell.folder.appending(path: name), atomically: true, encoding: .utf8)
      files.append(name)
    }
    let run = try await shell.runAside(
      """
      eventlog remote init '\(address)' && eventlog clone '\(address)' first || exit 1
      for user in a b; do
        eventlog do CreateProfile user=$user handle=user_$user --as $user --log first || exit 1
      done
      for number in 0 1 2 3; do eventlog clone '\(address)' c$number || exit 1; done
      for number in 0 1 2 3; do
        eventlog run commands$number --log c$number > out$number 2> err$number &
        eval "p$number=$!"
      done
      for process in $p0 $p1 $p2 $p3; do wait $process || exit 1; done
      eventlog pull --log first
      eventlog check --log first && eventlog verify --log first
      """)
    #expect(run.code == 0, "\(run)")
    func count(_ type: String) throws -> Int {
      let text = try shell.run("cat first/0*.jsonl | grep -c '\"type\":\"\(type)\"'").output
      return Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? -1
    }
    // Each toggle changed the state, and every second one changed it back.
    #expect(try count("UserFollowed") == each * 2)
    #expect(try count("UserUnfollowed") == each * 2)
    #expect(try count("FriendRequested") == 1)
    #expect(try count("ProfileCreated") == each + 2)
    for number in 0..<4 {
      _ = try shell.run("eventlog pull --log c\(number)")
      #expect(try shell.run("cat c\(number)/0*.jsonl | cmp - first/0*.jsonl").code == 0)
    }
  }

  @Test("A clone that is followed stays up to date, and others can use it meanwhile")
  func followed() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let run = try shell.run(
      """
      cp -R eventlogs/demo/ mine; rm -rf mine/checkpoints
      eventlog remote init shared --log mine; eventlog clone shared copy
      eventlog pull --follow --log copy & follower=$!
      for number in 1 2 3; do
        eventlog do ToggleFollow followee=bob --as lena --log mine || exit 1
      done
      for try in $(seq 100); do
        [ "$(cat copy/0*.jsonl | wc -l)" = 303 ] && break; sleep 0.1
      done
      cat copy/0*.jsonl | cmp - shared/0*.jsonl || exit 2
      for try in $(seq 50); do
        eventlog do ToggleFollow followee=bob --as lena --log copy && break; sleep 0.1
      done
      kill $follower; wait $follower
      cat copy/0*.jsonl | cmp - shared/0*.jsonl && wc -l < shared/0000000000000001.jsonl
      """)
    #expect(run.code == 0 && run.output.hasSuffix("304\n"), "\(run)")
  }

  @Test("A wrong command line gets advice and changes nothing")
  func wrong() throws {
    let shell = try Shell()
    defer { shell.remove() }
    _ = try shell.run(
      "cp -R eventlogs/demo/ mine; eventlog remote init shared; eventlog clone shared team")
    let cases: [(String, Int32, String)] = [
      ("pull --log mine", 64, "is not a clone"), ("push --log mine", 64, "is not a clone"),
      ("remote --log mine", 64, "is not a clone"), ("pull", 64, "add --log PATH"),
      ("remote show --log team", 64, "remote takes init ADDRESS"),
      ("remote init", 64, "takes an address"),
      ("clone nowhere here", 66, "nowhere: no such log"),
      ("clone shared team", 73, "team already exists"),
      ("clone team other", 64, "is a clone of"),
      ("clone mysql://a b", 64, "give a folder or postgresql://"),
      ("clone shared", 64, "1 more argument"), ("init team", 64, "is a clone of"),
      ("generate --events 5 --log team", 64, "is a clone of"),
    ]
    for (command, code, sentence) in cases {
      let result = try shell.run("eventlog \(command)")
      #expect(result.code == code, "\(command): \(result.error)")
      #expect(result.error.contains(sentence), "\(command): \(result.error)")
    }
    #expect(try shell.run("ls").output == "eventlogs\nmine\nshared\nteam\n")
    // The shared log is now another one.
    let parted = try shell.run(
      """
      eventlog import eventlogs/demo/0000000000000001.jsonl --log team 2>/dev/null
      rm -rf shared; eventlog init shared 2>/dev/null
      echo '{"type":"UserFollowed","actor":"a","data":{"follower":"a","followee":"b"}}' > f.jsonl
      eventlog import f.jsonl --log shared 2>/dev/null
      eventlog pull --log team
      """)
    #expect(parted.code == 65 && parted.error.contains("are the same up to event 0"), "\(parted)")
    let lost = try shell.run(
      "rm -rf shared; eventlog init shared 2>/dev/null; eventlog pull --log team")
    #expect(lost.code == 65 && lost.error.contains("it lost them"), "\(lost)")
    let pushed = try shell.run("eventlog push --log team && eventlog pull --log team")
    #expect(pushed.error.contains("pushed 300 events") && pushed.error.contains("nothing new"))
    #if !PostgreSQL
      let without = try shell.run("eventlog clone postgresql://a/b c")
      #expect(without.code == 64 && without.error.contains("--traits PostgreSQL"), "\(without)")
    #endif
  }
}
