import FaultTesting
import Foundation
import Testing

/// The rules that a log records: `init --rules`, `rules`, and every command that needs rules.
@Suite struct LogRulesTests {
  @Test("A log with rules needs no --rules, and other rules give exit status 64")
  func recorded() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let made = try shell.run("eventlog init rows --rules erg; cat rows/rules.json")
    #expect(
      made.output == #"{"rules":[{"after":0,"rules":{"base":"erg","edition":2}}]}"# + "\n",
      "\(made)")
    #expect(made.error.contains("with the rules erg"))
    // A capital letter, which erg does not allow.
    let refused = try shell.run("eventlog do CreateProfile user=q handle=QQQ --as q --log rows")
    #expect(refused.code == 1 && refused.error.contains("invalidHandle"), "\(refused)")
    let done = try shell.run("eventlog do CreateProfile user=q handle=qqq --as q --log rows")
    #expect(done.code == 0, "\(done)")
    #expect(try shell.run("eventlog do GetProfile user=q --rules erg --log rows").code == 0)
    try #"{"do":"GetFeed","as":"q"}"#.write(
      to: shell.folder.appending(path: "c.jsonl"), atomically: true, encoding: .utf8)
    for command in [
      "do CreateProfile user=r handle=RRR --as r", "do GetProfile user=q",
      "do GetProfile user=q --as-of 1", "run c.jsonl", "check", "replay --judge", "import c.jsonl",
      "page --out p.html", "forget q --dry-run", "notify --position n", "janitor --position j",
      "gen-test 0..1",
    ] {
      let other = try shell.run("eventlog \(command) --rules climb --log rows")
      #expect(other.code == 64, "\(command): \(other)")
      #expect(
        other.error.contains("the log has the rules erg (rows/rules.json), not climb"),
        "\(command): \(other.error)")
    }
    // `what-if` appends nothing and exists to try other rules.
    #expect(try shell.run("eventlog what-if --rules climb --log rows").code == 0)
    #expect(try shell.run("eventlog verify --log rows").code == 0)
    let again = try shell.run("eventlog init rows --rules erg")
    #expect(again.code == 73, "\(again)")
    let wrong = try shell.run("eventlog init new --rules row; ls -d new")
    #expect(wrong.output.isEmpty && wrong.error.contains("rules"), "\(wrong)")
  }

  @Test("An empty log records the rules of its first command; a log without rules does not")
  func firstCommand() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let first = try shell.run(
      """
      eventlog init rows; eventlog do CreateProfile user=q handle=qqq --as q --rules erg --log rows
      eventlog rules --log rows --format jsonl
      """)
    let rules = #"{"base":"erg","edition":2}"#
    #expect(first.output.hasSuffix(#"{"after":0,"name":"erg","rules":\#(rules)}"# + "\n"))
    let plain = try shell.run(
      """
      eventlog init old; eventlog do CreateProfile user=q handle=QQQ --as q --log old
      eventlog do GetProfile user=q --rules erg --log old >/dev/null && ls old
      eventlog rules --log old --format json
      """)
    #expect(plain.code == 0 && plain.output.hasSuffix("[]\n"), "\(plain)")
    #expect(!plain.output.contains("rules.json"), "\(plain)")
    #expect(plain.error.contains("the log records no rules"), "\(plain)")
  }

  @Test("A log of an earlier edition keeps its events, and gets the latest with its next command")
  func editions() throws {
    let shell = try Shell()
    defer { shell.remove() }
    // Bob takes a handle that Ann has just left, and posts a comment that shows nothing.
    let lines = [
      ("ProfileCreated", "ann", #""user":"ann","handle":"ann","isPublic":true"#),
      ("ProfileEdited", "ann", #""user":"ann","handle":"anna""#),
      ("ProfileCreated", "bob", #""user":"bob","handle":"ann","isPublic":true"#),
      (
        "WorkoutShared", "bob",
        #""workout":"w1","owner":"bob","localID":"1","date":"2026-01-05T08:00:00Z","#
          + #""workoutType":"2k","totalTime":"07:00.0","totalDistance":2000,"#
          + #""averageSplit":"01:45.0","isErgTest":false,"audience":"friends""#
      ),
      ("CommentPosted", "bob", #""comment":"c1","workout":"w1","user":"bob","text":"\u200b""#),
    ].map { type, actor, data in
      let time = "2026-01-06T08:00:00.000Z"
      return #"{"type":"\#(type)","time":"\#(time)","actor":"\#(actor)","data":{\#(data)}}"#
    }
    try lines.joined(separator: "\n").write(
      to: shell.folder.appending(path: "a.jsonl"), atomically: true, encoding: .utf8)
    let made = try shell.run(
      """
      set -e
      eventlog init l; eventlog import a.jsonl --strict --log l
      echo '{"rules":[{"after":0,"rules":{"base":"climb"}}]}' >l/rules.json
      eventlog check --log l && eventlog replay --judge --log l >judged
      eventlog do GetProfile user=bob --log l >profile; cat l/rules.json
      """)
    #expect(made.code == 0, "\(made)")
    #expect(made.output.hasSuffix(#"{"rules":[{"after":0,"rules":{"base":"climb"}}]}"# + "\n"))
    let comment = "eventlog do PostComment workout=w1 text='\u{200b}' --as bob --log l"
    let refused = try shell.run(comment)
    #expect(refused.code == 1 && refused.error.contains("commentEmpty"), "\(refused)")
    let taken = try shell.run("eventlog do UpdateProfile handle=anna --as bob --log l")
    #expect(taken.code == 1 && taken.error.contains("handleAlreadyTaken"), "\(taken)")
    let later = try shell.run(
      """
      set -e
      eventlog do UpdateProfile handle=bob --as bob --log l >profile
      eventlog check --log l && cat l/rules.json
      """)
    #expect(later.code == 0, "\(later)")
    #expect(later.output.hasSuffix(#","rules":{"base":"climb","edition":2}}]}"# + "\n"), "\(later)")
    #expect(later.output.contains(#"{"after":5,"rules":{"#), "\(later)")
  }

  @Test("Changed rules apply from the next event on, and check uses each event's own rules")
  func changed() throws {
    let shell = try Shell()
    defer { shell.remove() }
    try #"{"name":"gym","base":"climb","bioLimit":5,"sports":["bouldering"]}"#.write(
      to: shell.folder.appending(path: "gym.json"), atomically: true, encoding: .utf8)
    let made = try shell.run(
      """
      set -e
      eventlog init l --rules climb
      eventlog do CreateProfile user=q handle=Ann --as q --log l
      eventlog do UpdateProfile bio='a long text' --as q --log l
      eventlog rules gym.json --log l
      """)
    #expect(made.code == 0 && made.error.contains("the rules gym hold after event 2"), "\(made)")
    let refused = try shell.run("eventlog do UpdateProfile bio='longer' --as q --log l")
    #expect(refused.code == 1 && refused.error.contains("bioTooLong"), "\(refused)")
    #expect(try shell.run("eventlog do UpdateProfile bio=short --as q --log l").code == 0)
    #expect(try shell.run("eventlog check --log l").code == 0)
    #expect(try shell.run("eventlog check --rules gym.json --log l").code == 0)
    let replayed = try shell.run("eventlog replay --judge --log l")
    #expect(replayed.error.contains("no event breaks a rule"), "\(replayed)")
    let list = try shell.run("eventlog rules --log l --format jsonl").output.split(separator: "\n")
    #expect(list.count == 2)
    #expect(list.last?.contains(#""after":2,"name":"gym""#) == true, "\(list)")
    #expect(try shell.run("eventlog rules gym.json --log l").error.contains("already"))
    // An event that the present rules forbid, and that did not exist when they began.
    try Data(
      (#"{"type":"ProfileEdited","actor":"q","data":{"user":"q","bio":"much longer"}}"# + "\n").utf8
    ).write(to: shell.folder.appending(path: "in.jsonl"))
    #expect(try shell.run("eventlog import in.jsonl --strict --clamp-times --log l").code == 1)
    #expect(
      try shell.run("eventlog import in.jsonl --clamp-times --log l && eventlog check --log l").code
        == 1)
  }

  @Test("Unreadable rules stop only the commands that need them, with exit status 65")
  func unreadable() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let texts = [
      "", "{", "[]", #"{"rules":[{"rules":{}}]}"#,
      #"{"rules":[{"after":0,"rules":{"base":"no"}}]}"#,
      #"{"rules":[{"after":0,"rules":{"base":"erg","fromTheFuture":1}}]}"#,
    ]
    _ = try shell.run(
      """
      cp -R eventlogs/demo/ l; rm -rf l/checkpoints
      echo '{"type":"UserFollowed","actor":"a","data":{"follower":"a","followee":"b"}}' > f.jsonl
      """)
    let before = try shell.run("cat l/0*.jsonl | cksum").output
    for text in texts {
      try Data(text.utf8).write(to: shell.folder.appending(path: "l/rules.json"))
      for command in [
        "do ToggleFollow followee=bob --as lena", "do GetProfile user=lena", "run f.jsonl", "check",
        "import f.jsonl", "replay --judge", "verify", "rules", "rules erg",
        "do GetProfile user=lena --rules climb", "forget lena --yes",
      ] {
        let result = try shell.run("eventlog \(command) --log l")
        #expect(result.code == 65, "\(text): \(command): \(result)")
        #expect(result.error.contains("l/rules.json"), "\(text): \(command): \(result.error)")
      }
      for command in [
        "log -n 1", "show 1", "stats", "export", "project followers", "paths", "replay",
      ] {
        let result = try shell.run("eventlog \(command) --log l")
        #expect(result.code == 0, "\(text): \(command): \(result)")
      }
    }
    #expect(try shell.run("cat l/0*.jsonl | cksum").output == before)
    // Rules that begin after the log's end show that the log lost its end.
    try Data(#"{"rules":[{"after":301,"rules":{"base":"climb"}}]}"#.utf8).write(
      to: shell.folder.appending(path: "l/rules.json"))
    let cut = try shell.run("eventlog verify --log l")
    #expect(cut.code == 65 && cut.error.contains("the log ends at 300"), "\(cut)")
  }

  @Test("Repair keeps the event after which rules were recorded, also if earlier events are lost")
  func repaired() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let result = try shell.run(
      """
      set -e
      eventlog init l --rules climb
      for user in a b c d; do
        eventlog do CreateProfile user=$user handle=User_$user --as $user --log l
      done
      eventlog rules erg --log l
      eventlog do CreateProfile user=e handle=eee --as e --log l
      eventlog do CreateProfile user=f handle=fff --as f --log l
      eventlog rules climb --log l
      sed -i 's/User_b/User_x/; 3s/User_c/User_y/; /"fff"/d' l/0000000000000001.jsonl
      eventlog repair mended --log l
      eventlog rules --log mended --format jsonl
      eventlog check --log mended
      eventlog verify --log mended
      """)
    #expect(result.code == 0, "\(result)")
    let lines = result.output.split(separator: "\n").filter { $0.hasPrefix(#"{"after""#) }
    let places = lines.map { $0.prefix { $0 != "," } }
    #expect(places == [#"{"after":0"#, #"{"after":2"#, #"{"after":3"#], "\(result)")
  }

  @Test("Repair writes nothing if the rules are unreadable")
  func unreadableRepair() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let refused = try shell.run(
      """
      cp -R eventlogs/demo/ l; sed -i 100d l/0000000000000001.jsonl; echo x > l/rules.json
      eventlog repair mended --log l
      """)
    #expect(refused.code == 65 && refused.error.contains("l/rules.json"), "\(refused)")
    let repaired = try shell.run("rm l/rules.json; eventlog repair mended --log l")
    #expect(repaired.code == 0, "\(repaired)")
  }

  /// The addresses of a test's shared log: a folder, and a server in builds that have it.
  @Test("Clones have the rules of their shared log", arguments: CloneTests.addresses())
  func clones(_ address: String) throws {
    let shell = try Shell()
    defer { shell.remove() }
    let made = try shell.run(
      """
      set -e
      eventlog init mine --rules erg
      eventlog do CreateProfile user=q handle=qqq --as q --log mine
      eventlog remote init '\(address)' --log mine
      eventlog clone '\(address)' team
      cmp mine/rules.json team/rules.json
      eventlog rules climb --log team
      """)
    #expect(made.code == 0, "\(made)")
    // The other clone gets them when it is opened.
    let other = try shell.run(
      """
      eventlog do CreateProfile user=r handle=RRR --as r --log mine && cat mine/rules.json
      eventlog check --log mine && eventlog pull --log team && eventlog check --log team
      """)
    #expect(other.code == 0, "\(other)")
    #expect(other.output.contains(#"{"after":1,"rules":{"base":"climb","edition":2}}"#), "\(other)")
    // A damaged file is fetched again.
    let mended = try shell.run(
      "echo x > team/rules.json; eventlog pull --log team; cmp team/rules.json mine/rules.json")
    #expect(mended.code == 0, "\(mended)")
    let whole = try shell.run("eventlog repair mended --log team; eventlog verify --log team")
    #expect(whole.code == 0, "\(whole)")
  }
}
