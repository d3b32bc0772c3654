import Events
import FaultTesting
import Foundation
import Testing

/// `eventlog scan`: rows of typed columns, of a whole log and of pieces.
@Suite struct ScanTests {
  private let events = GeneratedLog.small.events

  /// Copies a log of one segment, and returns its size in bytes.
  private func makeLog(_ shell: Shell) throws -> Int {
    try GeneratedLog.small.copy(to: "g.log", in: shell)
    let made = try shell.run("cat g.log/*.jsonl | wc -c")
    return try #require(Int(made.output.trimmingCharacters(in: .whitespacesAndNewlines)))
  }

  /// Returns the rows that a command line prints.
  private func rows(_ shell: Shell, _ arguments: String) throws -> String {
    let result = try shell.run("eventlog scan --format jsonl \(arguments)")
    #expect(result.code == 0, "\(arguments): \(result.error)")
    return result.output
  }

  @Test("Columns of one name have one type in all event types, and no name occurs twice")
  func columns() {
    var kinds: [String: String] = [:]
    for type in EventType.allCases {
      for member in Schema(type).members {
        let kind = ["integer", "number", "boolean"].first { $0 == member.type } ?? "text"
        #expect(kinds[member.name] ?? kind == kind, "\(member.name) of \(type)")
        kinds[member.name] = kind
      }
    }
    let names = EventColumn.all.map(\.name)
    #expect(Set(names).count == names.count && names.count > 60)
    for column in EventColumn.all {
      guard let kind = kinds[column.name], !["data_id", "id"].contains(column.name) else {
        continue
      }
      #expect(column.kind.rawValue == kind, "\(column.name)")
    }
  }

  @Test("A name that is no event type is refused; one with a dot may be an app's")
  func unknownType() throws {
    let shell = try Shell()
    defer { shell.remove() }
    for command in ["scan --format jsonl", "log"] {
      for (name, hint) in [
        ("UserFolowed", "; did you mean 'UserFollowed'?"),
        ("NoSuchThing", "; docs/events.md lists them"),
      ] {
        let refused = try shell.run("eventlog \(command) --type \(name)")
        #expect(refused.code == 64 && refused.output.isEmpty, "\(command)")
        #expect(refused.error == "eventlog: unknown event type '\(name)'\(hint)\n")
      }
      let none = try shell.run("eventlog \(command) --type climbr.RouteSet")
      #expect(none.code == 0 && none.output.isEmpty, "\(none.error)")
    }
    let empty = try shell.run("eventlog export --cloudevents --source ''")
    #expect(empty.code == 64 && empty.output.isEmpty)
  }

  @Test("A damaged line of a single file ends the scan after the rows before it")
  func damagedFile() throws {
    let shell = try Shell()
    defer { shell.remove() }
    _ = try makeLog(shell)
    let columns = "--columns seq,type --format jsonl"
    let whole = try rows(shell, "--log g.log --columns seq,type")
    let before = whole.split(separator: "\n").prefix(29).map { $0 + "\n" }.joined()
    _ = try shell.run(
      "eventlog export --log g.log | sed '30s/\"seq\":30,/\"seq\":31,/' > sealed.jsonl; "
        + "eventlog export --log g.log | sed 's/\"seq\":[0-9]*,//; 30s/type/tipe/' > other.jsonl")
    for (name, option) in [("sealed", ""), ("other", ""), ("sealed", " ..100"), ("other", " 9..")] {
      let result = try shell.run("eventlog scan --log \(name).jsonl \(columns)\(option)")
      #expect(result.code == 65, "\(name)")
      #expect(result.error.contains("\(name).jsonl, line 30"), "\(result.error)")
      if option.isEmpty { #expect(result.output == before, "\(name)") }
    }
  }

  @Test("A row has each field of its line, with the same value")
  func values() throws {
    let shell = try Shell()
    defer { shell.remove() }
    _ = try makeLog(shell)
    let found = try rows(shell, "--log g.log").split(separator: "\n")
    let lines = try shell.run("eventlog export --log g.log").output.split(separator: "\n")
    #expect(found.count == events && lines.count == events)
    func object(_ text: Substring) throws -> [String: Any] {
      try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }
    for (row, line) in zip(found, lines) {
      var (row, line) = (try object(row), try object(line))
      var data = try #require(line.removeValue(forKey: "data") as? [String: Any])
      let text = try #require(row.removeValue(forKey: "data") as? String)
      #expect(try object(text[...]) as NSDictionary == data as NSDictionary)
      line["sum"] = nil
      let cleared = data.filter { $0.value is NSNull }.keys.sorted()
      let names = (row.removeValue(forKey: "cleared") as? String)?.split(separator: ",")
      #expect((names ?? []).map(String.init).sorted() == cleared)
      for name in cleared { data[name] = nil }
      if let intervals = data.removeValue(forKey: "intervals") as? NSArray {
        let text = try #require(row.removeValue(forKey: "intervals") as? String)
        #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSArray == intervals)
      }
      for (name, value) in data { line[line[name] == nil ? name : "data_" + name] = value }
      #expect(row as NSDictionary == line as NSDictionary)
    }
  }

  @Test(
    "The rows of any division of a log into pieces are those of the whole log",
    arguments: Array((1...3 as ClosedRange<UInt64>).prefix(Sweep.size(1, 3, 3))))
  func pieces(seed: UInt64) throws {
    let shell = try Shell()
    defer { shell.remove() }
    let size = try makeLog(shell)
    let options = "--columns seq,time,type,actor,user,follower --jobs 2"
    let whole = try rows(shell, "--log g.log \(options)")
    var state = seed
    var cuts = [0, size]
    for _ in 0..<12 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      cuts.append(Int(state >> 33) % size)
    }
    // A piece may also be inside one line.
    cuts += [cuts[2] + 1, cuts[2] + 2].filter { $0 < size }
    cuts.sort()
    var parts = ""
    for (from, to) in zip(cuts, cuts.dropFirst()) {
      parts += try rows(shell, "--log g.log --bytes \(from)-\(to) \(options)")
    }
    #expect(parts == whole)
    let planned = try shell.run(
      """
      eventlog scan --plan 50000 --log g.log | while read -r piece; do
        field() { echo "$piece" | sed "s/.*\\"$1\\":\\"*\\([^,\\"}]*\\).*/\\1/"; }
        eventlog scan --log "$(field file)" --bytes "$(field from)-$(field to)" --format jsonl \
          --after "$(field seq):$(field sum)" \(options)
      done
      """)
    #expect(planned.output == whole && planned.error == "")
  }

  @Test("A folder, its segment, an exported file and standard input give the same rows")
  func inputs() throws {
    let shell = try Shell()
    defer { shell.remove() }
    _ = try makeLog(shell)
    let whole = try rows(shell, "--log g.log")
    #expect(try rows(shell, "--log g.log/0000000000000001.jsonl") == whole)
    #expect(
      try shell.run("cat g.log/*.jsonl | eventlog scan --log - --format jsonl").output == whole)
    #expect(
      try shell.run(
        "eventlog export --log g.log > e.jsonl; eventlog scan --log e.jsonl --format jsonl"
      )
      .output == whole)
    let part = try shell.run(
      """
      sum=$(sed -n 1000p g.log/*.jsonl | sed 's/.*"sum":"//; s/".*//')
      eventlog export 1000.. --log g.log | eventlog scan --log - --after 1000:$sum --format jsonl
      """)
    #expect(part.output == whole.split(separator: "\n").dropFirst(1000).map { $0 + "\n" }.joined())
    let refused = try shell.run("eventlog export 1000.. --log g.log | eventlog scan --log -")
    #expect(refused.code == 65)
  }

  @Test("Filters by type, time and position keep the rows that log prints")
  func filters() throws {
    let shell = try Shell()
    defer { shell.remove() }
    _ = try makeLog(shell)
    let middle = try shell.run("eventlog log --log g.log 2000..2001 --format jsonl").output
    let time = try #require(middle.firstMatch(of: #/"time":"([^"]*)"/#)?.output.1)
    for filter in [
      "--type UserFollowed --type WorkoutShared", "--since \(time)", "--until \(time)",
      "100..300 --type ChupGiven", "3990..",
    ] {
      let expected = try shell.run("eventlog log --reverse --format jsonl --log g.log \(filter)")
      let found = try rows(shell, "--columns seq --log g.log \(filter)")
      let seqs = expected.output.matches(of: #/"seq":(\d+),/#).map { "{\"seq\":\($0.output.1)}\n" }
      #expect(!seqs.isEmpty && found == seqs.joined(), "\(filter)")
    }
    // An event of a known type may have a version that this program does not know.
    let unknown =
      #"{"type":"UserFollowed","v":7,"stream":"x/y","actor":"u1","data":{},"#
      + #""time":"2030-01-01T00:00:00Z"}"#
    _ = try shell.run("echo '\(unknown)' | eventlog import - --log g.log --keep-unknown")
    let count = try shell.run("eventlog log --reverse --oneline --type UserFollowed --log g.log")
    let followed = try rows(shell, "--columns seq --log g.log --type UserFollowed")
    #expect(followed.contains(#"{"seq":4001}"#) && count.output.contains("4001"), "\(count)")
    #expect(followed.split(separator: "\n").count == count.output.split(separator: "\n").count)
    // Both people of a block are named in it.
    let blocked = try shell.run(
      "eventlog log --reverse --type UserBlocked --format jsonl --log g.log | head -1"
    ).output
    let other = try #require(blocked.firstMatch(of: #/"other":"([^"]*)"/#)?.output.1)
    let named = try shell.run("eventlog log --reverse --user \(other) --format jsonl --log g.log")
    #expect(named.output.contains(blocked), "\(other)")
  }

  @Test("A changed byte ends the scan of its piece with file, line and offset")
  func damage() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let size = try makeLog(shell)
    let file = shell.folder.appending(path: "g.log/0000000000000001.jsonl")
    let whole = try Data(contentsOf: file)
    for step in 0..<24 {
      let at = size / 25 * step + step
      var damaged = whole
      damaged[at] ^= 1 << (step % 8)
      try damaged.write(to: file)
      let half = size / 2
      let results = try ["0-\(half)", "\(half)-\(size)"].map {
        try shell.run("eventlog scan --log g.log --columns seq --bytes \($0) >/dev/null")
      }
      let failed = results.filter { $0.code == 65 }
      #expect(!failed.isEmpty, "byte \(at)")
      for result in failed {
        #expect(result.error.contains("0000000000000001.jsonl, line "), "\(result.error)")
        #expect(result.error.contains("offset "), "\(result.error)")
      }
    }
  }

  @Test("A damaged line ends the scan after all rows before it", arguments: [1, 3])
  func rowsBefore(jobs: Int) throws {
    let shell = try Shell()
    defer { shell.remove() }
    // The lines of a folder are chunks of 256 KiB. A batch of rows is made of 4 MiB.
    try GeneratedLog.medium.copy(to: "g.log", in: shell)
    let file = shell.folder.appending(path: "g.log/0000000000000001.jsonl")
    // No scan gets to the end, so it need not be that of a commit.
    let whole = try Data(contentsOf: file).prefix(5 << 20)
    try #require(whole.count > 9 << 19)
    for at in [whole.count / 20 * 19, whole.count / 50, whole.count / 2].prefix(Sweep.size(2, 3, 3))
    {
      var damaged = whole
      damaged[at] ^= 1
      try damaged.write(to: file)
      let line = whole[..<at].count { $0 == 0x0a } + 1
      let expected = (1..<line).map { "{\"seq\":\($0)}\n" }.joined()
      for log in ["g.log", "- < g.log/0000000000000001.jsonl"] {
        let scan = "eventlog scan --jobs \(jobs) --columns seq --format jsonl --log \(log)"
        let result = try shell.run(scan)
        #expect(result.code == 65, "\(scan)")
        let place = "line \(line) (seq \(line), offset "
        #expect(result.error.contains(place), "\(scan): \(result.error)")
        let hasAll = result.output == expected
        #expect(hasAll, "\(scan): line \(line), \(result.output.suffix(20))")
      }
    }
  }

  /// Writes a log with these lines, and adds the checksum to each.
  private func write(_ lines: [String], _ shell: Shell) throws {
    var (sum, text) = (0 as UInt64, "")
    for line in lines {
      sum = XXH64.hash(Array(line.utf8), seed: sum)
      let digits = String(sum, radix: 16)
      let zeros = String(repeating: "0", count: 16 - digits.count)
      text += line + #","sum":"\#(zeros)\#(digits)"}"# + "\n"
    }
    #expect(try shell.run("eventlog init s.log").code == 0)
    let file = shell.folder.appending(path: "s.log/0000000000000001.jsonl")
    try text.write(to: file, atomically: true, encoding: .utf8)
    #expect(try shell.run("eventlog verify --log s.log").code == 0)
  }

  @Test("Ids of events are in lower case in lines of any layout, like in the command log")
  func cases() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let id = "019BD569-2A80-7000-8000-0000000000A"
    func line(_ seq: Int, _ space: String) -> String {
      #"{\#(space)"seq":\#(seq),"time":"2026-02-01T00:00:00.000Z","type":"NotificationsRead","#
        + #""v":1,"stream":"notifications/u1","rev":\#(seq),"actor":"u1","id":"\#(id)\#(seq)","#
        + #""cause":"\#(id)0","data":{"user":"u1","upTo":"\#(id)0"}"#
    }
    try write([line(1, ""), line(2, " ")], shell)
    let rows = try rows(shell, "--columns id,cause,upTo,data --log s.log")
    let low = id.lowercased()
    let expected = (1...2).map { seq in
      #"{"id":"\#(low)\#(seq)","cause":"\#(low)0","upTo":"\#(low)0","#
        + #""data":"{\"user\":\"u1\",\"upTo\":\"\#(low)0\"}"}"# + "\n"
    }
    #expect(rows == expected.joined())
    let log = try shell.run("eventlog log --format csv --log s.log").output
    for seq in 1...2 { #expect(log.contains("u1,\(low)\(seq),\(low)0,,"), "\(log)") }
  }

  @Test("Confidences of intervals may have any number of digits, and exponents")
  func confidences() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let interval =
      #"{"orderIndex":0,"time":"03:58.2","meters":1302,"splitPer500m":"01:31.5, ]\"}","#
      + #""strokeRate":26,"timeConfidence":0.12345678901234566,"metersConfidence":1e-07,"#
      + #""splitConfidence":1,"rateConfidence":0.5}"#
    let data =
      #"{"workout":"w1","intervals":[\#(interval),\#(interval)],"wasManuallyEdited":true}"#
    let line =
      #"{"seq":1,"time":"2026-02-01T00:00:00.000Z","type":"WorkoutDetailAttached","v":1,"#
      + #""stream":"workout/w1","rev":1,"actor":"u1","id":"019bd569-2a80-7000-8000-00000000000a","#
      + #""data":\#(data)"#
    try write([line], shell)
    let row = try rows(shell, "--columns workout,intervals,wasManuallyEdited,data --log s.log")
    let found = try #require(try JSONValue(row)["intervals"])
    #expect(found == .string("[\(interval),\(interval)]"))
  }

  @Test("A negative version is an unknown version")
  func negativeVersion() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let line =
      #"{"seq":1,"time":"2026-02-01T00:00:00.000Z","type":"UserFollowed","v":-1,"#
      + #""stream":"follow/u1/u2","rev":1,"actor":"u1","#
      + #""id":"019bd569-2a80-7000-8000-00000000000a","data":{"follower":"u1","followee":"u2"}"#
    try write([line], shell)
    #expect(
      try rows(shell, "--columns type,v,follower --log s.log")
        == #"{"type":"UserFollowed","v":-1}"# + "\n")
  }

  @Test("A stated event before a piece must be the one with which the piece was written")
  func joints() throws {
    let shell = try Shell()
    defer { shell.remove() }
    _ = try makeLog(shell)
    let command = "eventlog scan --plan 200000 --log g.log | sed -n 2p"
    let piece = try shell.run(command).output
    func field(_ name: String) throws -> Substring {
      let found = piece.firstMatch(of: try Regex("\"\(name)\":\"?([^,\"}]*)"))
      return try #require(found?.output[1].substring)
    }
    let (from, to) = (try field("from"), try field("to"))
    let (seq, sum) = (try field("seq"), try field("sum"))
    let options = "--log g.log --bytes \(from)-\(to) --columns seq"
    #expect(try shell.run("eventlog scan \(options) --after \(seq):\(sum)").code == 0)
    for wrong in ["\(seq)0:\(sum)", "\(seq):0000000000000001"] {
      let result = try shell.run("eventlog scan \(options) --after \(wrong) >/dev/null")
      #expect(result.code == 65 && result.error.contains("offset \(from)"), "\(result.error)")
    }
  }

  @Test(
    "Wrong input is a usage error that says what to give",
    arguments: [
      ("--columns seq,folower", "there is no column 'folower'. Did you mean 'follower'?"),
      ("--columns seq,seq", "--columns names 'seq' twice"),
      ("--type UserFolowed", "did you mean 'UserFollowed'?"),
      ("--format csv", "--format takes arrow or jsonl, not 'csv'"),
      ("--bytes 5", "--bytes takes offsets A-B with A up to B, not '5'"),
      ("--bytes 9-5", "--bytes takes offsets A-B with A up to B, not '9-5'"),
      ("--after 5", "--after takes a position and a checksum, such as 42:8f0c3a5d9be17264"),
      ("--after 18446744073709551615:0000000000000000", "--after takes a position"),
      ("--plan 0", "--plan takes a number of bytes from 1, not '0'"),
    ])
  func wrong(arguments: String, message: String) throws {
    let shell = try Shell()
    defer { shell.remove() }
    let result = try shell.run("eventlog scan \(arguments)")
    #expect(result.code == 64 && result.error.contains(message), "\(result.error)")
    #expect(try shell.run("eventlog scan --bytes 0-99999999 >/dev/null").code == 65)
  }
}
