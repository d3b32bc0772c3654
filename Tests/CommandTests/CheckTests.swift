import Foundation
import Testing

/// `check` of the built command, for output that is too long for a transcript.
@Suite struct CheckTests {
  @Test("Every forbidden event is a row in every format, for any number of events")
  func all() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let create = #"{"type":"ProfileCreated","actor":"a","data":{"user":"a","handle":"ann","#
    let follow = #"{"type":"UserFollowed","actor":"a","data":{"follower":"a","followee":"a"}}"#
    // More rows than a table reads to find its column widths.
    let count = 2_050
    let lines = [create + #""isPublic":true}}"#] + Array(repeating: follow, count: count)
    try Data(lines.joined(separator: "\n").utf8)
      .write(to: shell.folder.appending(path: "l.jsonl"))
    for (format, extra) in [("table", 1), ("csv", 1), ("jsonl", 0), ("json", 2)] {
      let result = try shell.run("eventlog check --all --log l.jsonl --format \(format)")
      let rows = result.output.split(separator: "\n").map {
        $0.replacingOccurrences(of: "2,051", with: "2051")
      }
      #expect(result.code == 1 && rows.count == count + extra, "\(format)")
      #expect(rows.count { $0.contains("cannotFollowSelf") } == count, "\(format)")
      #expect(rows.first { $0.contains("cannot") }?.contains("2") == true, "\(format)")
      #expect(rows.last { $0.contains("cannot") }?.contains("\(count + 1)") == true, "\(format)")
    }
    let few = try shell.run("eventlog check --all --limit 3 --log l.jsonl --format csv")
    #expect(few.output.split(separator: "\n").count == 4)
    #expect(few.error == "eventlog: 2,050 events of 2,051 broke a rule\n")
    let summary = try shell.run("eventlog check --summary --log l.jsonl --format csv")
    #expect(summary.output.split(separator: "\n").count == 2)
    #expect(summary.output.contains("\n2050,UserFollowed,cannotFollowSelf,"))
  }
}
