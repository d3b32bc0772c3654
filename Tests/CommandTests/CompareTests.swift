import Events
import FaultTesting
import Foundation
import Testing

/// `project NAME --compare FILE`: the rows beside those of another system.
@Suite struct CompareTests {
  private static let projections = [
    "followers", "following", "profiles", "relationships", "friends", "blocks", "workouts",
    "chups", "comments", "leaderboard --period month", "sports", "locations", "search --query li",
    "feed --user lena", "followers --user lena", "following --user lena",
    "relationships --user lena", "friends --user lena",
  ]

  private func shell() throws -> Shell {
    let shell = try Shell()
    try GeneratedLog.tiny.copy(to: "g.log", in: shell)
    return shell
  }

  @Test(
    "The rows that a projection prints are equal to its own, in every format of the answer",
    arguments: projections)
  func same(_ projection: String) throws {
    let shell = try shell()
    defer { shell.remove() }
    for log in ["eventlogs/demo", "g.log", "eventlogs/erg"].prefix(Sweep.size(2, 3, 3)) {
      let rows = try shell.run("eventlog project \(projection) --limit 0 --format csv --log \(log)")
      guard rows.code == 0 else { continue }
      try Data(rows.output.utf8).write(to: shell.folder.appending(path: "rows.csv"))
      let result = try shell.run(
        "eventlog project \(projection) --compare rows.csv --format jsonl --log \(log)")
      #expect(result.code == 0 && result.output == "", "\(log): \(result)")
    }
  }

  @Test("An id that a spreadsheet could take for a formula is found as stored and as printed")
  func guardedKeys() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let create = #"{"type":"ProfileCreated","actor":"+49","data":{"user":"+49","handle":"ann","#
    try Data((create + #""isPublic":true}}"#).utf8)
      .write(to: shell.folder.appending(path: "l.jsonl"))
    for (key, code) in [("+49", 0), ("'+49", 0), ("49", 1), ("''+49", 1)] {
      let result = try shell.run(
        #"printf '%s\n' user,handle "\#(key),ann" > f.csv; "#
          + "eventlog project profiles --compare f.csv --log l.jsonl")
      #expect(result.code == Int32(code), "\(key): \(result)")
    }
  }

  @Test("Each changed number of a file is found, and nothing else")
  func changed() throws {
    let shell = try shell()
    defer { shell.remove() }
    let text = try shell.run("eventlog project followers --limit 0 --format csv --log g.log").output
    let lines = text.split(separator: "\n").map { $0.split(separator: ",").map(String.init) }
    var random = SplitMix64(seed: 7)
    for _ in 0..<12 {
      var lines = lines
      let (row, column) = (
        1 + Int.random(in: 0..<lines.count - 1, using: &random),
        2 + Int.random(in: 0...1, using: &random)
      )
      let was = try #require(Int(lines[row][column]))
      lines[row][column] = "\(was + 1)"
      let file = shell.folder.appending(path: "rows.csv")
      try Data(lines.map { $0.joined(separator: ",") + "\r\n" }.joined().utf8).write(to: file)
      let result = try shell.run(
        "eventlog project followers --compare rows.csv --format jsonl --log g.log")
      #expect(result.code == 1)
      let found = result.output.split(separator: "\n")
      let kind = lines[0][column] == "followerCount" ? "followers" : "following"
      let start =
        #"{"user":"\#(lines[row][0])","member":"\#(lines[0][column])","#
        + #""file":\#(was + 1),"log":\#(was),"in":"both","path":"\#(kind)/"#
      #expect(found.count == 1 && result.output.hasPrefix(start), "\(result)")
      // If all counted events are shown, they are as many as the count.
      func shown(_ part: String) -> Int { result.output.components(separatedBy: part).count - 1 }
      if shown(#""role":"#) < 20 { #expect(shown(#""role":"counts""#) == was) }
    }
  }

  @Test(
    "Quotes, line ends, formulas, booleans and times are read as SQL exports them")
  func values() throws {
    let shell = try Shell()
    defer { shell.remove() }
    func line(_ type: String, _ data: String) -> String {
      #"{"type":"\#(type)","time":"2026-01-31T12:00:00.000Z","actor":"ann","data":\#(data)}"#
    }
    let lines = [
      line("ProfileCreated", #"{"user":"ann","handle":"ann","isPublic":true}"#),
      line("ProfileEdited", #"{"user":"ann","displayName":"=1+1","bio":"a \"b\",\r\nc"}"#),
    ]
    try Data(lines.joined(separator: "\n").utf8)
      .write(to: shell.folder.appending(path: "l.jsonl"))
    let bio = "\"a \"\"b\"\",\r\nc\""
    for (heading, row, code) in [
      ("displayName", "=1+1", 0), ("displayName", "'=1+1", 0), ("displayName", "''=1+1", 1),
      ("bio", bio, 0), ("bio", bio.replacingOccurrences(of: "\r", with: ""), 0),
      ("bio", "a", 1), ("bio", "", 1), ("riderType", "", 0), ("riderType", "rider", 1),
      ("isPublic", "t", 0), ("isPublic", "YES", 0), ("isPublic", "1", 0), ("isPublic", "True", 0),
      ("isPublic", "f", 1), ("isPublic", "0", 1), ("isPublic", "no", 1), ("isPublic", "", 1),
      ("isPublic", "maybe", 65), ("createdAt", "2026-01-31 12:00:00", 0),
      ("createdAt", "2026-01-31 13:00:00+01", 0), ("createdAt", "2026-01-31T12:00:00Z", 0),
      ("createdAt", "2026-01-31 12:00:00.000+00:00", 0), ("createdAt", "2026-01-31 12:00:01", 1),
      ("createdAt", "2026-01-31", 1), ("createdAt", "soon", 1), ("sendCount", "0", 0),
      ("sendCount", "0.0", 0), ("sendCount", "1e0", 1), ("sendCount", "0x0", 65),
      ("sendCount", "nan", 65), ("sendCount", "", 1),
    ] {
      let text = "\u{feff}\(heading),user\r\n\(row),ann\r\n"
      try Data(text.utf8).write(to: shell.folder.appending(path: "f.csv"))
      let result = try shell.run("eventlog project profiles --compare f.csv --log l.jsonl")
      #expect(result.code == Int32(code), "\(heading) \(row): \(result)")
    }
  }
}
