import Events
import Foundation
import Projections
import Testing

@testable import TimeMachine
@testable import UseCases

/// The queries of a page, answered natively; `Tests/TimeMachine/run` asks the same ones in a
/// browser.
@Suite struct TimeMachineTests {
  static let repository = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func bytes(_ log: String) throws -> [UInt8] {
    try [UInt8](
      Data(contentsOf: repository.appending(path: "eventlogs/\(log)/0000000000000001.jsonl")))
  }

  static func view(_ log: String) throws -> LogView {
    try LogView(path: repository.appending(path: "eventlogs/\(log)").path)
  }

  private func ask(_ machine: inout TimeMachine, _ question: String) throws -> JSONValue {
    try JSONValue(machine.reply(to: question).text)
  }

  @Test("Queries about a path have the answers of time travel, at each revision")
  func travel() async throws {
    let view = try Self.view("demo")
    let travel = TimeTravel(view)
    var machine = try TimeMachine(LogBytes(try Self.bytes("demo")))
    for seq in stride(from: UInt64(300), through: 1, by: -23) {
      for path in [
        "followers/lena.count", "profile/erin", "relationship/bob/erin", "chups/w-bob-1",
      ] {
        let parsed = try StatePath(path)
        let timeline = try await travel.timeline(of: parsed, until: seq)
        let expected = [
          ("history", timeline.rows().json), ("blame", timeline.blameRows().json),
          ("facts", Rows(try await travel.facts(at: seq, under: parsed)).json),
        ]
        for (name, rows) in expected {
          let answer = try ask(&machine, #"{"ask":"\#(name)","path":"\#(path)","at":\#(seq)}"#)
          #expect(answer["rows"] == (try JSONValue(rows)), "\(name) \(path) \(seq)")
        }
        guard parsed.type != nil else { continue }
        let why = try await travel.why(parsed, at: seq)
        let answer = try ask(&machine, #"{"ask":"why","path":"\#(path)","at":\#(seq)}"#)
        #expect(answer["rows"] == (try JSONValue(why.rows().json)), "\(path) \(seq)")
      }
      let changes = try await travel.changes(from: 0, to: seq)
      let answer = try ask(&machine, #"{"ask":"diff","from":0,"to":\#(seq)}"#)
      #expect(answer["rows"] == (try JSONValue(Rows(changes).json)), "\(seq)")
    }
  }

  @Test("Every query, as any caller, has the answer of a core at that revision")
  func queries() async throws {
    let view = try Self.view("demo")
    var machine = try TimeMachine(LogBytes(try Self.bytes("demo")))
    let given = [
      "GetWorkout": #"{"workout":"w-erin-3"}"#, "GetComments": #"{"workout":"w-bob-1"}"#,
      "GetMessages": #"{"with":"alice"}"#, "SearchProfiles": #"{"query":"bob"}"#,
      "GetChups": #"{"workout":"w-bob-1"}"#, "GetRelationship": #"{"other":"bob"}"#,
      "GetGroup": #"{"group":"thursday"}"#, "GetGroupFeed": #"{"group":"thursday"}"#,
      "GetGroupMembers": #"{"group":"thursday"}"#, "GetReactions": #"{"workout":"w-bob-1"}"#,
      "GetLeaderboard": #"{"period":"week","containing":"2026-02-10"}"#,
      "IsFollowing": #"{"followee":"bob"}"#, "CheckHandleAvailability": #"{"handle":"bob"}"#,
      "GetWorkoutDetail": #"{"workout":"w-erin-3"}"#,
    ]
    for seq: UInt64 in [300, 178, 40] {
      let past = try await Past(of: view, until: seq)
      for query in Queries.all {
        for caller in [#""as":"lena""#, #""as":"erin""#, #""as":"page","service":true"#, ""] {
          let with = given[query.name] ?? "{}"
          let tail = caller.isEmpty ? "" : "," + caller
          let line = #"{"do":"\#(query.name)","with":\#(with)\#(tail)}"#
          let reply = await past.perform(try Request(line: Array(line.utf8)))
          let found = try ask(
            &machine, #"{"ask":"query","at":\#(seq),"# + line.dropFirst())
          #expect(found["result"] == reply.json["result"], "\(line) \(seq)")
          #expect(found["refused"] == reply.json["error"], "\(line) \(seq)")
        }
      }
    }
  }

  @Test("The page can ask each query of the registry, and nothing else")
  func complete() {
    let registered = Registry.all.filter { !$0.writes && !$0.about.name.hasPrefix("Refresh") }
    #expect(Set(Queries.all.map(\.name)) == Set(registered.map(\.about.name)))
  }

  @Test("A damaged line is reported as by verify, for any wrong byte, and ends the log")
  func damage() throws {
    let bytes = try Self.bytes("demo")
    var random = SplitMix64(seed: 8)
    for _ in 0..<30 {
      var damaged = bytes
      let at = Int(random.next() % UInt64(bytes.count))
      damaged[at] ^= 1 << UInt8(random.next() % 7)
      let line = damaged[..<at].count { $0 == 0x0a } + 1
      var machine = try TimeMachine(LogBytes(damaged, name: "x"))
      let head = try ask(&machine, #"{"ask":"head"}"#)
      guard case .string(let said)? = head["damage"] else {
        // Only the last line feed can be missing without damage: the end is then a tail.
        #expect(head["tail"] != .int(0), "\(at)")
        continue
      }
      #expect(said.hasPrefix("x, line \(line) "), "\(said) \(at)")
      #expect(head["seq"] == .int(line - 1))
    }
  }

  @Test("An invalid query and an unknown id are refused with a sentence")
  func refusals() throws {
    var machine = try TimeMachine(LogBytes(try Self.bytes("demo")))
    for (question, words) in [
      ("nonsense", "no question"), (#"{"ask":"dance"}"#, "no question 'dance'"), ("{}", "'ask'"),
      (#"{"ask":"facts","path":"followers/lnea"}"#, "the log has no user 'lnea'"),
      (#"{"ask":"why","path":"profile/lena"}"#, "a path of one value"),
      (#"{"ask":"history","path":"followers"}"#, "say whose"),
      (#"{"ask":"facts","path":"follwers/x"}"#, "no path begins with 'follwers'"),
      (#"{"ask":"watch","expression":"followers/lena.count >"}"#, "character"),
      (#"{"ask":"query","do":"FollowUser"}"#, "there is no query FollowUser"),
      (#"{"ask":"resolve","text":"HEAD~900"}"#, "before the beginning"),
    ] {
      let answer = try ask(&machine, question)
      guard case .string(let said)? = answer["error"] else {
        Issue.record("\(question): \(answer)")
        continue
      }
      #expect(said.contains(words), "\(said)")
    }
  }

  @Test("The picture's data equal the projections: follows, friendships and existing accounts")
  func tracks() async throws {
    let bytes = LogBytes(try Self.bytes("demo"))
    let tracks = try PictureData(bytes)
    #expect(tracks.times.count == 300 && tracks.types.allSatisfy { $0 != .max })
    for seq in stride(from: UInt64(1), through: 300, by: 7) {
      var replay = Replay<Views>()
      try replay.apply(bytes, until: seq)
      let alive = tracks.tracks.filter { $0.from <= seq && ($0.until == 0 || $0.until > seq) }
      for user in replay.names.all(UserID.self) {
        let name = replay.names[user]
        let number = try #require(tracks.names.find(user: name)).index
        let followers = alive.filter { $0.kind == .follow && $0.b == number }.count
        #expect(
          followers == replay.projection.following.followers(of: user).count, "\(name) \(seq)")
        let friends = alive.filter { $0.kind == .friendship && ($0.a == number || $0.b == number) }
        #expect(friends.count == replay.projection.relationships.friends(of: user).count)
        let isThere = alive.contains { $0.kind == .account && $0.a == number }
        #expect(isThere == replay.projection.profiles.isOpen(user), "\(name) \(seq)")
      }
    }
  }

  @Test("Events of unknown types keep their time and actor in the picture's data")
  func unknownTypes() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).jsonl")
    defer { try? FileManager.default.removeItem(at: path) }
    func line(_ type: String, _ day: Int, _ data: String) -> String {
      #"{"time":"2026-04-0\#(day)T00:00:00.000Z","type":"\#(type)","stream":"\#(type)/ann","#
        + #""actor":"ann","data":\#(data)}"#
    }
    let profile = #"{"user":"ann","handle":"ann","displayName":"Ann","isPublic":true}"#
    let lines = [
      line("Mystery", 1, "{}"),
      line("ProfileCreated", 2, profile).replacing("ProfileCreated/", with: "profile/"),
      line("Mystery", 3, "{}"),
      line("ProfileEdited", 4, #"{"user":"ann","bio":"b"}"#)
        .replacing("ProfileEdited/", with: "profile/"), line("Mystery", 5, "{}"),
    ]
    try lines.joined(separator: "\n").appending("\n").write(
      to: path, atomically: true, encoding: .utf8)
    var policy = ForeignEvents.Policy()
    policy.keepsUnknown = true
    let view = try LogView.unsealed(path: path.path, policy: policy)
    var bytes: [UInt8] = []
    for chunk in try view.chunks(after: 0, until: .max) {
      try view.read(chunk).withBytes { bytes += $0 }
    }
    let tracks = try PictureData(LogBytes(bytes))
    #expect(tracks.times == [1, 2, 3, 4, 5].map { 1_774_915_200_000 + $0 * 86_400_000 })
    #expect(Set(tracks.actors).count == 1 && tracks.types.count { $0 == .max } == 3)
  }

  @Test("The page's core reads the present event catalogue; else run Sources/CTimeMachine/build")
  func digest() throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = [
      Self.repository.appending(path: "Sources/CTimeMachine/build").path, "--digest",
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let found = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let built = try Data(
      contentsOf: Self.repository.appending(path: "Sources/CTimeMachine/built/digest"))
    #expect(String(decoding: found, as: UTF8.self) == String(decoding: built, as: UTF8.self))
  }

  @Test("No text can end its HTML element, and the log in the page equals the log")
  func page() throws {
    var page = LogPage(name: "</script><b>")
    page.bookmarks = [LogPage.Bookmark(name: "</ScRiPt>", seq: 3)]
    page.until = 40
    let html = String(decoding: try page.html(of: try Self.view("demo")), as: UTF8.self)
    #expect(!html.contains("</script><b>") && !html.contains("</ScRiPt>"))
    #expect(html.components(separatedBy: "<script").count == 6)
    #expect(html.contains("default-src 'none'; script-src 'sha256-"))
  }

  @Test("docs/demo.html has the present demo; else run eventlog page --out docs/demo.html")
  func demo() throws {
    let html = try LogPage(name: "demo").html(of: try Self.view("demo"))
    let shown = try Data(contentsOf: Self.repository.appending(path: "docs/demo.html"))
    // Its core may be older, like the one that a page of this build has.
    // The testing library would take hours to print how blocks of this size differ.
    let isSame = try Self.log(in: shown) == Self.log(in: Data(html))
    #expect(isSame)
  }

  /// Returns the log in a page, as the page has it.
  private static func log(in page: Data) throws -> Data {
    let start = try #require(page.range(of: Data(#"<script id="log""#.utf8))).upperBound
    let end = try #require(page[start...].firstIndex(of: UInt8(ascii: "<")))
    return page[start..<end]
  }
}
