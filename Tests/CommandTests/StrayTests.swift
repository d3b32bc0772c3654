import Events
import FaultTesting
import Foundation
import Testing

/// Segments that do not belong to the log, and clones of logs that somebody changed.
@Suite struct StrayTests {
  /// One of each command that reads a log, except `page`, which shows damage instead.
  private static let readers = [
    "log", "log 1..3 --format csv", "show 1", "show HEAD", "stats", "verify", "check", "replay",
    "export", "export --cloudevents", "checkpoint", "project followers",
    "project profiles --as-of 3", "paths", "diff 1..3", "history profile/lena",
    "blame profile/lena", "why profile/lena.bio", "watch 'profile/lena.bio != null'",
    "bisect run true", "what-if --skip 5", "gen-test 1..3",
    "do GetFeed --as lena", "do GetProfile user=lena --as lena --as-of 3",
    "do ToggleFollow followee=bob --as lena", "import f.jsonl", "notify --position n.position",
    "forget lena --dry-run", "janitor --position j.position", "run f.jsonl", "bookmark",
  ]

  @Test("Every command that reads the log exits 65 if an empty segment has a wrong name")
  func strayEmptySegment() throws {
    let shell = try Shell()
    defer { shell.remove() }
    _ = try shell.run(
      """
      cp -R eventlogs/demo/ log; rm -rf log/checkpoints; : > log/0000000000000999.jsonl
      echo '{"type":"UserFollowed","actor":"a","data":{"follower":"a","followee":"b"}}' > f.jsonl
      """)
    for command in Self.readers {
      let result = try shell.run("eventlog \(command) --log log </dev/null")
      #expect(result.code == 65, "\(command): \(result)")
      #expect(result.error.contains("0000000000000999.jsonl"), "\(command): \(result.error)")
    }
    let cloned = try shell.run("eventlog clone log other; echo $?; ls")
    #expect(cloned.output == "65\neventlogs\nf.jsonl\nlog\n", "\(cloned)")
    // The same between two segments that follow each other, and with a torn line in it.
    for name in ["0000000000000150", "0000000000000300"] {
      _ = try shell.run("rm log/0000000000000999.jsonl; : > log/\(name).jsonl")
      for command in ["check", "stats", "export", "log", "project followers", "verify"] {
        let result = try shell.run("eventlog \(command) --log log")
        #expect(result.code == 65, "\(name): \(command): \(result)")
      }
      _ = try shell.run("rm log/\(name).jsonl")
    }
    _ = try shell.run("printf '{\"seq\":9' > log/0000000000000999.jsonl")
    #expect(try shell.run("eventlog check --log log").code == 65)
    // An empty segment with the right name is how a killed writer leaves it.
    _ = try shell.run("rm log/0000000000000999.jsonl; : > log/0000000000000301.jsonl")
    #expect(try shell.run("eventlog check --log log").code == 0)
    let next = "eventlog do ToggleFollow followee=bob --as lena --log log"
    #expect(try shell.run(next).code == 0)
  }

  @Test("A clone that is refused because somebody changed the shared log leaves no folder")
  func tampered() throws {
    let shell = try Shell()
    defer { shell.remove() }
    _ = try shell.run("cp -R eventlogs/demo/ log; rm -rf log/checkpoints")
    // A changed text, and a line with a new sum, so that only the next line shows the change.
    let changes = [
      "sed -i '20s/\"actor\":\"/\"actor\":\"x/'", "sed -i '$d; 250s/a/b/'", "sed -i '7d'",
    ]
    for change in changes {
      let result = try shell.run(
        """
        rm -rf bad; cp -R log bad; \(change) bad/0000000000000001.jsonl
        eventlog clone bad team; echo $?; ls -d team
        """)
      #expect(result.output == "65\n", "\(change): \(result)")
    }
    let good = try shell.run("eventlog clone log team && eventlog verify --log team")
    #expect(good.code == 0, "\(good)")
  }

  @Test("Tables and CSV show characters that hide or reorder text as escapes")
  func hiddenCharacters() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let text = "a\u{200b}b\u{9b}c\u{202e}d\u{1b}e"
    try Data(
      (#"{"type":"ProfileCreated","actor":"u","data":{"user":"u","handle":"ann","displayName":"#
        + "\(JSONValue.string(text).text),\"isPublic\":true}}\n").utf8
    ).write(to: shell.folder.appending(path: "in.jsonl"))
    let made = try shell.run("eventlog init l && eventlog import in.jsonl --log l")
    #expect(made.code == 0, "\(made)")
    let shown = #"a\u{200b}b\u{9b}c\u{202e}d\u{1b}e"#
    for format in ["table", "csv"] {
      let rows = try shell.run("eventlog project profiles --log l --format \(format)")
      #expect(rows.output.contains(shown), "\(format): \(rows)")
    }
    let events = try shell.run("eventlog log --log l --format csv").output
    #expect(events.contains(#"a\u200bb\u009bc\u202ed\u001be"#), "\(events)")
    let json = try shell.run("eventlog project profiles --log l --format json").output
    #expect(json.contains("a\u{200b}b"), "\(json)")
    let same = try shell.run(
      "eventlog project profiles --log l --format csv > p.csv; "
        + "eventlog project profiles --log l --compare p.csv")
    #expect(same.code == 0, "\(same)")
  }
}
