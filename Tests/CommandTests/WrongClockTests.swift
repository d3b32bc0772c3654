import Foundation
import Testing

/// A wrong time does not get into a log by a command, and a log with one can be corrected.
@Suite struct WrongClockTests {
  private static let later = "2099-01-01T00:00:00.000Z"

  @Test("A command's time far ahead of the clock needs --future; an import may have it")
  func future() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let create = "eventlog do CreateProfile user=u handle=uuu --as u --log l"
    let refused = try shell.run("eventlog init l; \(create) --time \(Self.later)")
    #expect(refused.code == 64 && refused.error.contains("add --future"), "\(refused)")
    let line =
      #"{"do":"CreateProfile","as":"u","with":{"user":"u","handle":"uuu"},"time":"\#(Self.later)"}"#
    let run = try shell.run("eventlog run --log l", input: line + "\n")
    #expect(run.code == 65 && run.output.contains("invalidInput"), "\(run)")
    #expect(run.output.contains("add --future"), "\(run)")
    #expect(try shell.run("eventlog export --log l").output.isEmpty)
    let allowed = try shell.run("eventlog run --future --log l", input: line + "\n")
    #expect(allowed.code == 0, "\(allowed)")
    let imported = try shell.run(
      "eventlog init m && eventlog export --log l >l.jsonl && eventlog import l.jsonl --log m "
        + "&& eventlog check --log m")
    #expect(imported.code == 0, "\(imported)")
    let soon = try shell.run("eventlog init n; \(create.dropLast())n --time \(tomorrow)")
    #expect(soon.code == 0, "\(soon)")
  }

  /// A time that is less than a day ahead.
  private var tomorrow: String {
    Date.now.addingTimeInterval(80_000).formatted(.iso8601)
  }

  @Test("Repair corrects the times after a moment, and keeps ids, order, data and rules")
  func repair() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let made = try shell.run(
      """
      set -e
      eventlog init l --rules erg
      eventlog do CreateProfile user=a handle=aaa --as a --log l --time 2026-01-01T00:00:00Z
      eventlog do CreateProfile user=b handle=bbb --as b --log l --time 2026-01-02T00:00:00Z
      eventlog do FollowUser followee=a --as b --log l --time \(Self.later) --future
      eventlog do FollowUser followee=b --as a --log l
      eventlog repair new --log l --times-after 2026-06-01T00:00:00Z
      """)
    #expect(made.code == 0 && made.error.contains("2 events got an earlier time"), "\(made)")
    let checked = try shell.run(
      "eventlog verify --log new && eventlog check --log new && cat new/rules.json")
    #expect(checked.code == 0 && checked.output.contains("erg"), "\(checked)")
    func lines(_ log: String) throws -> [[String: Any]] {
      try shell.run("eventlog export --log \(log)").output.split(separator: "\n").map {
        try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
      }
    }
    let (old, new) = (try lines("l"), try lines("new"))
    func texts(_ lines: [[String: Any]], _ member: String) -> [String] {
      lines.map { "\($0[member] ?? "")" }
    }
    for member in ["id", "seq", "rev", "type", "actor"] {
      #expect(texts(old, member) == texts(new, member), "\(member)")
    }
    let data = [old, new].map { lines in lines.map { $0["data"] as? [String: String] } }
    #expect(data[0].suffix(2) == data[1].suffix(2) && data[0].last??["follower"] == "a")
    let moved = "2026-01-02T00:00:00.000Z"
    #expect(texts(new, "time") == ["2026-01-01T00:00:00.000Z", moved, moved, moved])
    let again = try shell.run("eventlog repair other --log new --times-after 2026-06-01T00:00:00Z")
    #expect(again.code == 0 && again.output.contains("nothing is wrong"), "\(again)")
    let wrong = try shell.run("eventlog repair other --log l --times-after soon")
    #expect(wrong.code == 64 && wrong.error.contains("--times-after takes a time"), "\(wrong)")
  }
}
