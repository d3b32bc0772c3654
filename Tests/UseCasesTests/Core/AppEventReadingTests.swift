import Events
import Projections
import Testing
import UseCases

@Suite("Lines of an app's own types") struct AppEventReadingTests {
  private func log(of lines: [String]) async throws -> InMemoryLog {
    let log = InMemoryLog()
    for line in lines {
      try await log.append(Commit([NewEvent(line: Array(line.utf8))]))
    }
    return log
  }

  private static func line(_ version: Int, _ data: String) -> String {
    #"{"type":"climbr.RouteSet","v":\#(version),"stream":"climbr.route/r","actor":"ann","#
      + #""data":\#(data)}"#
  }

  @Test("An older version of an app's event is upcast")
  func upcast() async throws {
    let log = try await log(of: [Self.line(1, #"{"route":"r","setter":"ben"}"#)])
    var replay = Replay(Ticks())
    try await replay.run(log.view())
    #expect(replay.projection.facts(replay.names) == [Fact("ticks/r", .array([.string("ben")]))])
  }

  @Test("A newer version of an app's event stops reading with its name, or is skipped and counted")
  func newer() async throws {
    let log = try await log(of: [Self.line(3, #"{"route":"r"}"#)])
    await #expect(throws: LogError.unknownType(name: "climbr.RouteSet", version: 3, seq: 1)) {
      var replay = Replay(Ticks())
      try await replay.run(log.view())
    }
    var replay = Replay(Ticks())
    var options = ReplayOptions()
    options.unknown = .skip
    try await replay.run(log.view(), options: options)
    #expect(replay.skipped == [UnknownType(name: "climbr.RouteSet", version: 3): 1])
    // A reader without the type skips it.
    _ = try await Core(log)
  }

  @Test(
    "Data that does not match the type is damage, reported with the member's name",
    arguments: [
      (#"{"route":7}"#, "data.route: expected a text"),
      (#"{"setters":[]}"#, "data.route"),
      (#"{"route":"r","setters":["a b"]}"#, "data.setters"),
      (#"{"route":"r","setters":[],"wall":"roof"}"#, "data.wall"),
      (#"{"route":"r","setters":[],"holds":1.5}"#, "data.holds"),
      (
        #"{"route":"r","setters":[],"holds":1,"height":1,"isOpen":true,"colour":1}"#,
        "data.colour"
      ),
    ])
  func wrong(_ data: String, _ message: String) async throws {
    let log = try await log(of: [Self.line(2, data)])
    var replay = Replay(Ticks())
    do {
      try await replay.run(log.view())
      Issue.record("it was read")
    } catch {
      #expect("\(error)".contains(message) && "\(error)".contains("seq 1"), "\(error)")
    }
  }
}
