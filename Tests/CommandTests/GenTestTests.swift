import Events
import Foundation
import Testing

@Suite struct GenTestTests {
  @Test("The generated test of the demo's events 67 to 76 is the one in this suite, which passes")
  func golden() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let made = try shell.run("eventlog gen-test 66..76")
    #expect(made.code == 0 && made.error == "")
    let path = "Tests/UseCasesTests/WhatIf/FromHistoryTests.swift"
    let kept = try String(contentsOf: Shell.repository.appending(path: path), encoding: .utf8)
    // The formatter has broken its lines.
    #expect(made.output.filter { !$0.isWhitespace } == kept.filter { !$0.isWhitespace })
    // No name or text of the people remains.
    for word in ["alice", "bob", "\"erin", "w-alice", "uncles"] {
      #expect(!made.output.contains(word), "\(word)")
    }
  }

  /// The texts of events that say nothing about a person, which a generated test may show.
  private static let plain: Set<String> = [
    "product", "contentType", "totalTime", "averageSplit", "time", "splitPer500m",
  ]

  @Test(
    "A generated test shows no text of any event type, except those that are no person's words",
    arguments: EventType.allCases)
  func texts(_ type: EventType) throws {
    func data(_ schema: Schema) -> String {
      let members = schema.members.map { member -> String in
        "\"\(member.name)\":" + value(member)
      }
      return "{\(members.joined(separator: ","))}"
    }
    func value(_ member: Schema.Member) -> String {
      switch member.type {
      case "string": "\"zq-\(member.name)\""
      case "boolean": "true"
      case "integer", "number": "1"
      case "RFC 3339 date and time": "\"2026-01-05T06:58:08.806Z\""
      case "date, YYYY-MM-DD": "\"2026-01-05\""
      case "event id": "\"019b8cf2-eb26-7b2c-b252-6d56d72b7e5a\""
      case "array of intervals": "[\(data(.interval))]"
      case let text where text.hasSuffix("id") || text.hasSuffix("id of that kind"):
        text == "sport id" ? "\"rowing\"" : "\"zq-\(member.name)\""
      case let text: "\"\(text.prefix { $0 != "," && $0 != " " })\""
      }
    }
    let shell = try Shell()
    defer { shell.remove() }
    let line =
      #"{"type":"\#(type.name)","v":\#(type.version),"actor":"zq-actor","#
      + #""data":\#(data(Schema(type)))}"#
    let made = try shell.run("eventlog gen-test 1 --log -", input: line)
    #expect(made.code == 0, "\(made.error) \(line)")
    #expect(made.output.contains("\"type\":\"\(type.name)\""))
    let shown = Set(made.output.matches(of: /zq-([A-Za-z0-9]+)/).map { String($0.1) })
    #expect(shown.subtracting(Self.plain) == [], "\(made.output)")
  }

  @Test("The generated test names rules other than the climb app's")
  func rules() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let lines = """
      {"type":"ProfileCreated","actor":"a","data":{"user":"a","handle":"anna","isPublic":true}}
      {"type":"SendLogged","actor":"a","data":{"user":"a","climb":"x"}}
      """
    let made = try shell.run("eventlog gen-test 2 --rules erg --log -", input: lines)
    #expect(made.output.contains("Scenario(\n    rules: .erg, given:"), "\(made.output)")
    let plain = try shell.run("eventlog gen-test 2 --log -", input: lines)
    #expect(plain.code == 0 && !plain.output.contains("rules:"), "\(plain.error)")
  }

  @Test("bash completes paths by kind, id and member")
  func completions() throws {
    let shell = try Shell()
    defer { shell.remove() }
    func complete(_ line: String) throws -> [String] {
      let words = line.split(separator: " ", omittingEmptySubsequences: false)
      let script = """
        . <(eventlog completions bash)
        COMP_WORDS=(\(words.map { "'\($0)'" }.joined(separator: " ")))
        COMP_CWORD=\(words.count - 1)
        _eventlog
        printf '%s\\n' "${COMPREPLY[@]}"
        """
      let result = try shell.run("exec bash", input: script)
      return result.output.split(separator: "\n").map(String.init)
    }
    #expect(try complete("eventlog history follow") == ["followers/", "following/"])
    #expect(try complete("eventlog why followers/le") == ["followers/lena"])
    #expect(
      try complete("eventlog blame profile/lena.b") == [
        "profile/lena.bio", "profile/lena.boulderGradeScale",
      ])
    #expect(
      try complete("eventlog why --log eventlogs/mysteries/stolen-handle profile/ma") == [
        "profile/marla"
      ])
    #expect(try complete("eventlog histo") == ["history"])
    #expect(try complete("eventlog history --as-").contains("--as-of"))
  }
}
