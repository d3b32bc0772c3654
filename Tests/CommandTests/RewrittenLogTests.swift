import Foundation
import Testing

/// The positions that programs keep outside a log stay valid when the log is rewritten.
@Suite struct RewrittenLogTests {
  /// A log of three people, with positions of `notify` and `janitor` at event 3.
  private static let threePeople = """
    eventlog init --log my
    say() { eventlog do "$@" --log my > /dev/null; }
    for user in ann ben zoe; do
      say CreateProfile user=$user handle=$user --as $user
    done
    eventlog notify --log my --position notified
    eventlog janitor --log my --position cleaned
    """

  /// The receivers and senders of the notifications in lines of JSON.
  private func pushes(_ output: String) -> [String] {
    output.split(separator: "\n").compactMap { line in
      let words = line.split(separator: "\"").map(String.init)
      guard let to = words.firstIndex(of: "to"), let user = words.firstIndex(of: "user") else {
        return nil
      }
      return "\(words[user + 2]) to \(words[to + 2])"
    }
  }

  @Test("After a forgetting, notify continues where it stopped, and repeats nothing")
  func forgetting() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let result = try shell.run(
      """
      set -e
      \(Self.threePeople)
      cp notified behind
      say FollowUser followee=ann --as ben
      eventlog notify --log my --position notified > /dev/null
      eventlog forget zoe --log my --yes
      say FollowUser followee=ben --as ann
      eventlog notify --log my --position notified
      eventlog janitor --log my --position cleaned
      eventlog notify --log my --position notified
      """)
    #expect(result.code == 0, "\(result)")
    #expect(pushes(result.output) == ["ann to ben"])
    // A position before events that came before the forgetting.
    let behind = try shell.run("eventlog notify --log my --position behind")
    #expect(pushes(behind.output) == ["ben to ann", "ann to ben"], "\(behind)")
    #expect(try shell.run("cmp notified behind").code == 0)
  }

  @Test("A position is carried over several forgettings, also one that an earlier version saved")
  func several() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let result = try shell.run(
      """
      set -e
      \(Self.threePeople)
      head -1 notified > earlier
      eventlog forget zoe --log my --yes
      say FollowUser followee=ann --as ben
      eventlog forget --texts-of profile/ann --log my --yes || true
      say CreateProfile user=eve handle=eve --as eve
      eventlog forget eve --log my --yes
      test $(wc -l < my/rewritings) -gt 1
      eventlog notify --log my --position notified
      eventlog notify --log my --position earlier
      """)
    #expect(result.code == 0, "\(result)")
    #expect(pushes(result.output) == ["ben to ann", "ben to ann"])
  }

  @Test("After a forgetting, a position of another log is refused")
  func foreign() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let made = try shell.run(
      """
      set -e
      \(Self.threePeople)
      eventlog forget zoe --log my --yes
      eventlog generate --events 3 --users 3 --seed 1 --log other
      eventlog notify --log other --position foreign
      head -1 foreign > old
      """)
    #expect(made.code == 0, "\(made)")
    for position in ["foreign", "old"] {
      let refused = try shell.run("eventlog notify --log my --position \(position)")
      #expect(refused.code == 65 && refused.error.contains("belongs to another log"), "\(refused)")
    }
  }

  @Test("After a repair of times, notify continues where it stopped")
  func repairedTimes() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let result = try shell.run(
      """
      set -e
      \(Self.threePeople)
      say FollowUser followee=ann --as ben --time 2099-01-01T00:00:00Z --future
      eventlog notify --log my --position notified > /dev/null
      say FollowUser followee=ben --as ann
      eventlog repair right --times-after $(date -u +%Y-%m-%dT%H:%M:%SZ -d '+1 hour') --log my
      eventlog notify --log right --position notified
      """)
    #expect(result.code == 0, "\(result)")
    #expect(pushes(result.output) == ["ann to ben"], "\(result)")
  }

  @Test("After a repair, positions and bookmarks are those of the same events in the new log")
  func repair() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let result = try shell.run(
      """
      set -e
      \(Self.threePeople)
      eventlog forget zoe --log my --yes
      say FollowUser followee=ann --as ben
      eventlog notify --log my --position notified > /dev/null
      eventlog bookmark followed --log my > /dev/null
      eventlog bookmark lost 3 --log my > /dev/null
      cp -R my whole; eventlog backup saved --log my > /dev/null
      cp -R my shared; eventlog clone shared clone
      sed -i '3s/zoe/Zoe/; 3s/gone_/lost_/' my/0*.jsonl
      eventlog repair new --log my > /dev/null; rm -r my; mv new my
      say FollowUser followee=ben --as ann
      eventlog verify --log my > /dev/null
      eventlog notify --log my --position notified
      eventlog janitor --log my --position cleaned
      eventlog bookmark --log my
      """)
    #expect(result.code == 0, "\(result)")
    #expect(result.output.hasPrefix(#"{"id":"#) && pushes(result.output) == ["ann to ben"])
    #expect(result.output.hasSuffix("followed         4\nlost             2\n"))
    let ledger = try shell.run("cat my/rewritings")
    #expect(ledger.output.contains(#""reason":"repair","lost":[[3,3]]"#), "\(ledger)")
    // Other copies may have the lost event, so they are not replaced.
    let backup = try shell.run("eventlog backup saved --log my")
    #expect(backup.code == 65 && backup.error.contains("lacks events from event 3"), "\(backup)")
    let pull = try shell.run("rm -r shared; cp -R my shared; eventlog pull --log clone")
    #expect(pull.code == 65 && pull.error.contains("lacks events from event 3"), "\(pull)")
    #expect(try shell.run("cat clone/0*.jsonl | cmp - whole/0*.jsonl").code == 0)
  }
}
