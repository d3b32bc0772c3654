import Aggregates
import Events
import PropertyTesting
import Testing
import UseCases

@Suite struct FieldsTests {
  /// Returns a random value of a kind, as a use case writes it.
  private func value(_ kind: Field.Kind, _ name: String, _ t: Trial) -> JSONValue {
    switch kind {
    case .text where name == "after": .string("2026-01-31T12:00:00.000Z,\(t.draw(.id))")
    case .text: .string(t.draw(.text()))
    case .flag: .bool(t.draw(.bool))
    case .integer: .int(t.draw(.int(-9_000_000_000_000...9_000_000_000_000)))
    case .number: .double(t.draw(Generator<Double>.double(-1_000...1_000)))
    case .date: .string(t.draw(.element(of: ["2024-02-29", "1970-01-01"])))
    case .dateTime, .dateOrTime:
      .string(t.draw(.element(of: ["2026-01-31T12:00:00.000Z", "1999-12-31T23:59:59.999Z"])))
    case .image: .string("data:;base64,AAEC/w==")
    case .choice(let words): .string(t.draw(.element(of: words)))
    case .list(let kind):
      .array(t.draw(.array(of: Generator { t in self.value(kind, name, t) }, 0...3)))
    case .object(_, let fields): .object(members(fields, t))
    case .optional(let kind): t.draw(.bool) ? value(kind, name, t) : .null
    case .nothing: .null
    }
  }

  private func members(_ fields: [Field], _ t: Trial) -> [JSONValue.Member] {
    fields.compactMap { field in
      // Written only if it is true.
      if field.name == "isHidden" { return t.draw(.bool) ? .init("isHidden", .bool(true)) : nil }
      // The sum of other fields.
      if !field.isRequired, t.draw(.bool) { return nil }
      return .init(field.name, value(field.kind, field.name, t))
    }
  }

  private struct Room: UseCaseInput {
    var room: String
    static var placeholder: Room { Room(room: "") }
    mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.id("room", "The room.", &room)
    }
  }

  @Test("A field for an id refuses other texts by the field's name")
  func ids() throws {
    #expect(try Room(json: .object([.init("room", .string("r-1"))])).room == "r-1")
    for text in ["r 1/2", "", "..", String(repeating: "r", count: 129)] {
      let error = #expect(throws: InputError.self) {
        try Room(json: .object([.init("room", .string(text))]))
      }
      #expect(error?.field == "room")
    }
  }

  @Test("A random result that is read and written again has the same bytes")
  func outputs() async throws {
    @Sendable func again<U: DescribedUseCase>(
      _: U.Type, _ json: JSONValue
    ) throws -> JSONValue {
      try U.Output(json: json).json
    }
    try await check(runs: 2_000, seed: 7) { t in
      let entry = t.draw(.element(of: Registry.all))
      let json = settled(value(entry.result, "", t))
      let written = try again(entry.useCase, json)
      #expect(written.text == json.text)
    }
  }

  /// Makes the fields agree that depend on each other: a week's sum, and a profile's details.
  private func settled(_ json: JSONValue) -> JSONValue {
    guard case .object(var members) = json else {
      if case .array(let items) = json { return .array(items.map(settled)) }
      return json
    }
    func set(_ name: String, _ value: JSONValue) {
      for index in members.indices where members[index].name == name {
        members[index].value = value
      }
    }
    if json["days"] != nil {
      set("days", .array([.int(1), .int(2)]))
      set("meters", .int(3))
    }
    if json["updatedAt"] != nil {
      let details = [
        "homeGym", "homeZIP", "climbingSince", "favoriteStyle", "boulderGradeScale",
        "routeGradeScale", "riderType", "baseLocation", "sports", "createdAt", "updatedAt",
      ]
      if [json["sports"], json["createdAt"], json["updatedAt"]].contains(.null) {
        for name in details { set(name, .null) }
      }
    }
    return .object(members)
  }

  @Test("A random input that is written and read again is the same")
  func inputs() async throws {
    @Sendable func same<U: DescribedUseCase>(_: U.Type, _ json: JSONValue) throws -> Bool {
      let input = try U.Input(json: json)
      return try U.Input(json: input.json) == input
    }
    try await check(runs: 2_000, seed: 7) { t in
      let entry = t.draw(.element(of: Registry.all))
      let json = JSONValue.object(members(entry.fields, t))
      let isSame = try same(entry.useCase, json)
      #expect(isSame)
    }
  }

  @Test("A reader ignores fields it does not know, and keeps words it does not know")
  func newerServer() throws {
    var row = ProfileRow(user: "ann", handle: "ann")
    row.relationship = .known(.friends)
    guard case .object(var members) = row.json else { return }
    members.append(.init("mood", .string("sunny")))
    for index in members.indices where members[index].name == "relationship" {
      members[index].value = .string("rivals")
    }
    let read = try ProfileRow(json: .object(members))
    #expect(read.relationship == .unknown("rivals"))
    #expect(read.relationship?.known == nil)
    #expect(read.user == "ann")
    #expect(throws: InputError("user", "missing: a text is expected")) {
      try ProfileRow(json: .object([.init("isPublic", .bool(true))]))
    }
  }

  @Test("An error that is written and read again is the same", arguments: DomainError.samples)
  func errors(_ error: DomainError) {
    for error in [UseCaseError.refused(error), .profileUpdateFailed(url: "/p", .refused(error))] {
      let read = UseCaseError(code: error.code, message: "\(error)", details: error.details)
      #expect(read == error)
    }
  }

  @Test("Errors with values keep them, and an unknown code is no error of this version")
  func errorValues() {
    let errors: [UseCaseError] = [
      .refused(.invalidHandle(.tooShort(limit: 3, actual: 1))),
      .refused(.invalidHandle(.tooLong(limit: 30, actual: 31))),
      .refused(.invalidHandle(.capital)), .refused(.invalidHandle(.whiteSpace)),
      .refused(.invalidHandle(.firstCharacter)), .refused(.imageTooLarge(.pixels(9))),
      .refused(.invalidText(.bio, .tooLong(limit: 1, actual: 2))),
      .refused(.invalidText(.reason, .notOffered)),
      .refused(.invalidWorkout(field: .init("intervals.meters", ofWorkout: 3))),
      .invalidInput(InputError("a", "b")),
    ]
    for error in errors {
      #expect(
        UseCaseError(code: error.code, message: "\(error)", details: error.details) == error)
    }
    #expect(UseCaseError(code: "tooSunny", message: "", details: nil) == nil)
    #expect(UseCaseError(code: "bioTooLong", message: "", details: nil) == nil)
  }
}
