import Foundation
import Testing

/// Two processes on one log, and a second implementation beside ours.
@Suite struct ProcessTests {
  static let hasPython = (try? Shell().run("python3 -c 'import xxhash'").code) == 0

  private func script(_ name: String) -> String {
    "'" + Shell.repository.appending(path: "Tests/Independent/" + name).path + "'"
  }

  @Test(
    "faults 18, 19: a second writer is refused with the holder's name, and a reader runs meanwhile")
  func twoProcesses() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let result = try shell.run(
      """
      eventlog init my.log 2>/dev/null
      mkfifo lines
      eventlog import lines --log my.log & writer=$!
      exec 9>lines
      echo '{"type":"UserFollowed","actor":"a","data":{"follower":"a","followee":"b"}}' >&9
      i=0; until [ -s my.log/lock ] || [ $i = 50 ]; do sleep 0.1; i=$((i + 1)); done
      echo '{}' | eventlog import - --log my.log; echo "second $?"
      eventlog verify --log my.log --format csv | tail -1; echo "reader $?"
      exec 9>&-
      wait $writer; echo "first $?"
      eventlog verify --log my.log --format csv | tail -1 | cut -d, -f1
      """)
    #expect(result.error.contains("another writer has this log open: pid "))
    #expect(result.output.contains("second 73\n"))
    #expect(result.output.contains("reader 0\n"))
    #expect(result.output.hasSuffix("first 0\n1\n"), "\(result)")
  }

  @Test("The same numbers generate the same bytes, which verify and break no rule")
  func generate() throws {
    let shell = try Shell()
    defer { shell.remove() }
    // Two processes have generated these.
    try GeneratedLog.small.copy(to: "one", in: shell)
    let result = try shell.run(
      """
      eventlog generate --events 4000 --users 200 --seed 3 --log two || exit
      cmp one/0000000000000001.jsonl two/0000000000000001.jsonl && echo same
      eventlog generate --events 1000 --users 200 --seed 8 --log three
      cmp -s one/0000000000000001.jsonl three/0000000000000001.jsonl || echo other
      eventlog verify --log one >/dev/null && echo verified
      eventlog replay --judge --log one >/dev/null
      eventlog stats --log one --format jsonl | wc -l
      """)
    #expect(result.output.contains("same\nother\nverified\n"))
    #expect(result.output.hasSuffix("50\n"), "every type: \(result.output)")
    #expect(result.error.contains("no event breaks a rule"))
  }

  @Test("A second implementation finds every sum correct", .enabled(if: hasPython))
  func independentSums() throws {
    let shell = try Shell()
    defer { shell.remove() }
    try GeneratedLog.small.copy(to: "big", in: shell)
    let result = try shell.run(
      """
      for log in big eventlogs/demo eventlogs/climb eventlogs/erg eventlogs/ride eventlogs/format-1
      do python3 \(script("reference.py")) verify $log || exit 1
        eventlog verify --log $log --format csv | tail -1 | sed 's/.*,//'
      done
      """)
    #expect(result.code == 0, "\(result)")
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 12)
    for index in stride(from: 0, to: lines.count, by: 2) {
      #expect(lines[index].hasSuffix(lines[index + 1]), "\(lines[index])")
    }
  }

  @Test(
    "Followers equal an independent count, now and at earlier revisions and times",
    arguments: [
      "", "60", "100", "50%", "@2026-01-20T00:00:00.000Z", "@2026-02-12T12:00:00.000Z",
    ])
  func independentCount(revision: String) throws {
    let shell = try Shell()
    defer { shell.remove() }
    let asOf = revision.isEmpty ? "" : "--as-of \(revision)"
    let theirs = revision == "50%" ? "150" : revision
    for log in ["eventlogs/demo", "big"] {
      if log == "big", revision.hasPrefix("@2026") || revision == "50%" { continue }
      if log == "big" { try GeneratedLog.small.copy(to: "big", in: shell) }
      let ours = try shell.run(
        "eventlog project followers --format json --limit 0 --log \(log) \(asOf)")
      let other = try shell.run("python3 \(script("reference.py")) followers \(log) \(theirs)")
      func rows(_ text: String) throws -> NSArray? {
        try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSArray
      }
      let expected = try #require(try rows(other.output))
      #expect(try rows(ours.output) == expected, "\(log) as of \(revision)")
      #expect(expected.count > 3)
    }
  }

  @Test("CloudEvents have the attributes that version 1.0 requires")
  func cloudEvents() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let lines = try shell.run("eventlog export --cloudevents").output.split(separator: "\n")
    #expect(lines.count == 300)
    for line in lines {
      let event = try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      #expect(event["specversion"] as? String == "1.0")
      for name in ["id", "source", "type", "time", "subject"] {
        #expect((event[name] as? String)?.isEmpty == false, "\(name) in \(line)")
      }
      #expect(event["data"] is [String: Any])
      #expect(event.keys.allSatisfy { $0.allSatisfy { $0.isLowercase || $0.isNumber } })
    }
  }

  @Test("faults 46: closed and full outputs end with the right exit status")
  func outputs() throws {
    let shell = try Shell()
    defer { shell.remove() }
    #expect(try shell.run("eventlog export | head -1 >/dev/null").error == "")
    let full = try shell.run("eventlog log >/dev/full")
    #expect(full.code == 74)
    #expect(full.error == "eventlog: standard output: No space left on device\n")
    #expect(try shell.run("eventlog log >&-").code == 74)
  }
}
