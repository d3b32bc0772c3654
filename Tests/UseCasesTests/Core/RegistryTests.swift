import Aggregates
import Events
import FaultTesting
import Foundation
import Testing
import UseCases

@Suite struct RegistryTests {
  @Test("Every use case has a unique name and declares only existing error codes")
  func names() {
    let names = Registry.all.map(\.about.name)
    #expect(Set(names).count == names.count)
    #expect(names.count { !$0.hasPrefix("Refresh") } == 92)
    #expect(names.count { $0.hasPrefix("Refresh") } == 29)
    let codes = Set(DomainError.samples.map(\.code)).union([
      "uploadFailed", "profileUpdateFailed", "storageFailed",
    ])
    for entry in Registry.all {
      #expect(Set(entry.about.errors).isSubset(of: codes), "\(entry.about.name)")
      #expect(Set(entry.about.errors).count == entry.about.errors.count, "\(entry.about.name)")
      #expect(!entry.about.summary.hasSuffix("."))
      for field in entry.fields { #expect(field.summary.hasSuffix("."), "\(field)") }
    }
    #expect(Registry.find("ToggleFollow")?.writes == true)
    #expect(Registry.find("toggleFollow") == nil)
  }

  @Test(
    "A use case refuses only with the error codes that it declares",
    arguments: Registry.all.map(\.about.name))
  func declared(_ name: String) async throws {
    let entry = try #require(Registry.find(name))
    let test = try await TestCore()
    try await test.people("alice", "bob", "carol")
    try await test.befriend("alice", "bob")
    await test.share("w1", by: "alice")
    _ = await test.do("PostComment", as: "bob", #"{"workout":"w1","text":"x","comment":"c1"}"#)
    // All existing ids, and some others, in every field that takes a text.
    for text in ["alice", "bob", "nobody", "w1", "c1", "a b", "", "x"] {
      for user in ["alice", "bob", "carol", "nobody"] {
        let members = entry.fields.filter { $0.isRequired || text == "w1" }.map { field in
          field.kind == .text ? "\"\(field.name)\":\"\(text)\"" : pair(sample(field))
        }
        let reply = await test.reply(name, as: user, "{" + members.joined(separator: ",") + "}")
        guard case .failure(let error) = reply.result else { continue }
        let isDeclared = entry.about.errors.contains(error.code) || error.code == "invalidInput"
        #expect(isDeclared, "\(name) \(members) as \(user): \(error.code)")
      }
    }
    #expect(test.core.brokenInvariant() == nil)
  }

  private func pair(_ member: JSONMember) -> String { "\"\(member.name)\":\(member.json)" }

  @Test(
    "An error of an input names the field and the expected value",
    arguments: [
      ("FollowUser", "{}", "followee: missing: a text is expected"),
      ("FollowUser", #"{"followee":3}"#, "followee: a text is expected, not 3"),
      (
        "FollowUser", #"{"followee":"b","x":1}"#,
        "x: there is no such field; known fields: followee"
      ),
      ("DeleteAccount", #"{"x":1}"#, "x: there is no such field; this takes none"),
      ("GetFeed", #"{"limit":"2"}"#, "limit: an integer is expected, not this text"),
      ("GetFeed", #"{"limit":1.5}"#, "limit: an integer is expected, not 1.5"),
      (
        "GetFeed", #"{"limit":9223372036854775808}"#,
        "limit: an integer is expected, not 9223372036854775808"
      ),
      (
        "SetSport", #"{"sport":"ski","level":"pro"}"#,
        "level: one of beginner, intermediate, advanced, expert is expected, not this text"
      ),
      ("ShareWorkouts", #"{"workouts":[1]}"#, "workouts[0]: an object is expected"),
      (
        "ShareWorkouts", #"{"workouts":[{}]}"#,
        "workouts[0].date: missing: a date and time such as 2026-01-31T12:00:00Z is expected"
      ),
      ("Fly", "{}", "do: there is no use case Fly"),
    ])
  func wrongInput(_ name: String, _ input: String, _ message: String) async throws {
    let test = try await TestCore()
    let reply = await test.reply(name, as: "a", input)
    guard case .failure(let error) = reply.result else {
      Issue.record("it was taken")
      return
    }
    #expect(error.code == "invalidInput")
    #expect("\(error)" == message)
  }

  @Test(
    "An invalid request line is refused with its reason",
    arguments: [
      ("", "line: a blank line"), ("[]", "line: "), (#"{"as":"a"}"#, "do: missing"),
      (#"{"do":1}"#, "do: a text is expected"), (#"{"do":"X","with":[]}"#, "with: an object"),
      (#"{"do":"X","time":"now"}"#, "time: a time such as"),
      (#"{"do":"X","to":1}"#, "to: there is"),
      (#"{"do":"X","do":"Y"}"#, "line: "), ("\u{0}", "line: "),
    ])
  func wrongLine(_ line: String, _ message: String) {
    let error = #expect(throws: InputError.self) { try Request(line: Array(line.utf8)) }
    #expect("\(error.map { "\($0)" } ?? "")".hasPrefix(message))
  }

  private func type(_ kind: Field.Kind) -> String {
    switch kind {
    case .list(.object(nil, _)): "list"
    case .list(let kind): "list of \(type(kind))"
    case .optional(let kind): "\(type(kind)) or null"
    case .object(let name?, _): "[\(name)](#\(name.lowercased()))"
    default: kind.word.split(separator: "|").joined(separator: " or ")
    }
  }

  /// Adds the objects in a kind to those found before.
  private func addObjects(in kind: Field.Kind, to all: inout [String: [Field]]) {
    switch kind {
    case .list(let kind), .optional(let kind): addObjects(in: kind, to: &all)
    case .object(let name?, let fields):
      guard all.updateValue(fields, forKey: name) == nil else { return }
      for field in fields { addObjects(in: field.kind, to: &all) }
    default: break
    }
  }

  private func document() throws -> String {
    var text = """
      # The use cases

      A test generates this page from the registry. An optional field may be omitted or null; if
      its row says so, null clears the value. The caller is not a field: it is `as:` in Swift and
      `--as` on the command line. If `user` is omitted, it is the caller.

      Besides its own errors, a use case can fail with `invalidInput` (a field is invalid),
      `timeGoesBack` (a time before the last event's) and `logFailed` (the log cannot be read or
      written).

      `Refresh…` first reads the events that others appended to the same log, then answers like
      `Get…`. It fetches nothing from another machine.

      | use case | fields | answer | errors |
      |---|---|---|---|

      """
    for entry in Registry.all {
      let takes = entry.fields.map { $0.isRequired ? "`\($0.name)`" : "`\($0.name)`?" }
      let errors = entry.about.errors.map { "`\($0)`" }
      text += "| [\(entry.about.name)](#\(entry.about.name.lowercased())) "
      text += "| \(takes.joined(separator: ", ")) | \(entry.about.result) "
      text += "| \(errors.joined(separator: ", ")) |\n"
    }
    for area in About.Area.allCases {
      text += "\n## \(area.rawValue.prefix(1).uppercased() + area.rawValue.dropFirst())\n"
      for entry in Registry.all where entry.about.area == area {
        text += "\n### \(entry.about.name)\n\n\(entry.about.summary).\n"
        text += table(entry.fields)
        for field in entry.fields {
          if case .list(.object(_, let fields)) = field.kind {
            text += "\nEach of `\(field.name)`:\n" + table(fields)
          }
        }
        if entry.result != .nothing { text += "\nIt answers with: \(type(entry.result)).\n" }
      }
    }
    text += """

      ## Answers

      The fields of answers that are objects. The names are the same in JSON and in Swift. A field
      that may be null is always present; an optional one is omitted.

      """
    var objects: [String: [Field]] = [:]
    for entry in Registry.all { addObjects(in: entry.result, to: &objects) }
    for (name, fields) in objects.sorted(by: { $0.key < $1.key }) {
      text += "\n### \(name)\n" + table(fields)
    }
    return text
  }

  private func table(_ fields: [Field]) -> String {
    guard !fields.isEmpty else { return "" }
    let rows = fields.map { field in
      let need = field.isRequired ? "" : field.isClearable ? "; null clears" : "; optional"
      return "| `\(field.name)` | \(type(field.kind))\(need) | \(field.summary) |\n"
    }
    return "\n| field | type | meaning |\n|---|---|---|\n" + rows.joined()
  }

  @Test("docs/use-cases.md matches the registry")
  func isCurrent() throws {
    let file = repository.appending(path: "docs/use-cases.md")
    let document = try document()
    if ProcessInfo.processInfo.environment["EVENTLOG_UPDATE_GOLDEN"] == "1" {
      try document.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == document)
  }

  @Test("The documentation's landing page lists every use case")
  func landingPage() throws {
    let file = repository.appending(path: "Sources/UseCases/UseCases.docc/UseCases.md")
    let page = try String(contentsOf: file, encoding: .utf8)
    for entry in Registry.all where !entry.about.name.hasPrefix("Refresh") {
      #expect(page.contains("- ``\(entry.about.name)``\n"), "\(entry.about.name)")
    }
  }
}

extension DomainError {
  static let samples: [DomainError] = [
    .unauthorized, .notAuthorized, .profileNotFound, .profileExists, .invalidHandle(.character),
    .handleAlreadyTaken, .displayNameTooLong(limit: 1, actual: 2), .displayNameRequired,
    .bioTooLong(limit: 1, actual: 2), .outOfRange, .unknownSport, .invalidImage,
    .imageTooLarge(.bytes(1)), .invalidText(.homeGym, .character),
    .cannotFollowSelf, .cannotBlockSelf, .blockIncomplete, .cannotFriendSelf, .alreadyRequested,
    .alreadyReceived, .alreadyFriends,
    .noSuchRequest, .notFriends, .workoutNotFound, .notVisible, .invalidWorkout(field: "date"),
    .commentEmpty, .commentTooLong(limit: 1, actual: 2), .commentNotFound, .unknownReaction,
    .queryTooShort, .groupNotFound, .alreadyMember, .notMember, .ownerCannotLeave, .nameEmpty,
    .nameTooLong(limit: 1, actual: 2), .descriptionTooLong(limit: 1, actual: 2), .messageEmpty,
    .messageTooLong(limit: 1, actual: 2), .messageNotFound, .reasonTooLong(limit: 1, actual: 2),
    .reportNotFound,
  ]
}
