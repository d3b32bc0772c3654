import Foundation
import Testing

/// Each app's scenario, a file of commands, gives the answers in the file beside it, byte for byte.
/// `EVENTLOG_UPDATE_TRANSCRIPTS=1` rewrites the answers: read the difference.
@Suite struct ScenarioTests {
  private static let folder = Shell.repository.appending(path: "eventlogs/scenarios")

  private func text(_ name: String) throws -> String {
    try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
  }

  @Test("The scenario of each app gives the expected output", arguments: ["climb", "erg", "ride"])
  func expected(_ app: String) throws {
    let shell = try Shell()
    defer { shell.remove() }
    let run = "eventlog run eventlogs/scenarios/\(app).jsonl --rules \(app)"
    let result = try shell.run("eventlog init a.log && \(run) --log a.log")
    #expect(result.code == 0)
    if ProcessInfo.processInfo.environment["EVENTLOG_UPDATE_TRANSCRIPTS"] == "1" {
      try result.output.write(
        to: Self.folder.appending(path: "\(app).expected.jsonl"), atomically: true,
        encoding: .utf8)
    }
    let expected = try text("\(app).expected.jsonl").components(separatedBy: "\n")
    let lines = result.output.components(separatedBy: "\n")
    #expect(lines.count == expected.count)
    for (number, (line, expected)) in zip(lines, expected).enumerated() where line != expected {
      Issue.record("line \(number + 1):\n  \(line)\nexpected\n  \(expected)")
    }
    // As one batch the answers are the same, and the log verifies.
    let grouped = try shell.run("eventlog init b.log && \(run) --log b.log --batch 1000")
    #expect(grouped.output == result.output)
    #expect(try shell.run("eventlog verify --log b.log").code == 0)
  }

  @Test("Each scenario has many refusals, and together they have almost every error code")
  func codes() throws {
    var codes: Set<String> = []
    for app in ["climb", "erg", "ride"] {
      let commands = try text("\(app).jsonl").split(separator: "\n")
      #expect(commands.count > 50)
      for line in try text("\(app).expected.jsonl").split(separator: "\n") {
        let reply = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        if let code = reply?["error"] as? String { codes.insert(code) }
      }
    }
    #expect(
      codes == [
        "alreadyFriends", "alreadyMember", "alreadyReceived", "alreadyRequested", "bioTooLong",
        "cannotBlockSelf",
        "cannotFollowSelf", "cannotFriendSelf", "commentEmpty", "commentNotFound", "commentTooLong",
        "displayNameRequired", "displayNameTooLong", "groupNotFound", "handleAlreadyTaken",
        "invalidHandle",
        "invalidImage", "invalidWorkout", "messageEmpty", "messageNotFound", "messageTooLong",
        "nameEmpty", "nameTooLong", "noSuchRequest", "notAuthorized", "notFriends", "notMember",
        "notVisible", "outOfRange", "ownerCannotLeave", "profileExists", "profileNotFound",
        "queryTooShort",
        "reportNotFound", "unauthorized", "unknownSport", "workoutNotFound",
      ])
  }
}
