import Events
import UseCases

// Schemas and examples of fields, and the literals in which the document is written.
extension OpenAPI {
  /// A pattern for ids: printable ASCII without space, quote, backslash and slash; not `.` or `..`.
  static let idPattern = "(?!\\.{1,2}$)(?!service:)[!#-.0-\\[\\]-~]{1,128}"

  /// Returns the pattern of a text field. Returns nil if every text is valid, or if the use case
  /// has its own error code for invalid texts.
  static func pattern(_ useCase: String, _ field: String) -> String? {
    switch (useCase, field) {
    case ("CreateProfile", "user"), ("ShareWorkout", "workout"), ("ShareWorkouts", "workout"),
      ("CreateGroup", "group"), ("PostComment", "comment"), ("SendMessage", "message"),
      ("ReportContent", "report"):
      "^\(idPattern)$"
    case ("SetPhotoURL", "url"), ("CreateProfile", "photoURL"), ("UpdateProfile", "photoURL"):
      "^https://[!-~]{1,2040}$"
    case ("MarkNotificationsRead", "upTo"):
      "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-7[0-9A-Fa-f]{3}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$"
    // A place in a list: a time and a row's identifier.
    case (_, "after"):
      "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])T([01][0-9]|2[0-3])(:[0-5][0-9]){2}"
        + "(\\.[0-9]{1,3})?Z,[!-~]{1,300}$"
    default: nil
    }
  }

  /// Returns the schema of an input, or of an object in an input. The schema refuses other fields.
  static func object(_ fields: [Field], ofInput useCase: String) -> JSON {
    let properties = fields.reduce([:] as JSON) { properties, field in
      let pattern: JSON = pattern(useCase, field.name).map { ["pattern": "\($0)"] } ?? [:]
      let kind = field.isRequired ? field.kind : .optional(field.kind)
      return properties.with([
        field.name: schema(kind, ofInput: useCase).with(pattern).with([
          "description": "\(field.summary)"
        ])
      ])
    }
    return [
      "type": "object", "properties": properties, "required": required(fields),
      "additionalProperties": false,
    ]
  }

  /// Returns the schema of an answer. The schema allows other fields: a newer server may add some.
  static func object(_ fields: [Field]) -> JSON {
    let properties = fields.reduce([:] as JSON) { properties, field in
      properties.with([field.name: schema(field.kind).with(["description": "\(field.summary)"])])
    }
    return ["type": "object", "properties": properties, "required": required(fields)]
  }

  private static func required(_ fields: [Field]) -> JSON {
    JSON(fields.filter(\.isRequired).map { JSON(.string($0.name)) })
  }

  /// Returns the schema of a kind of values.
  /// - Parameter useCase: the use case's name if the values are in its input; nil in an answer.
  static func schema(_ kind: Field.Kind, ofInput useCase: String? = nil) -> JSON {
    switch kind {
    case .text: ["type": "string"]
    case .flag: ["type": "boolean"]
    case .integer:
      ["type": "integer", "minimum": JSON(.int(Int64.min)), "maximum": JSON(.int(Int64.max))]
    case .number: ["type": "number"]
    case .date: ["type": "string", "format": "date"]
    case .dateTime: ["type": "string", "format": "date-time"]
    case .dateOrTime: ["type": "string", "anyOf": [["format": "date"], ["format": "date-time"]]]
    case .image:
      [
        "type": "string",
        "pattern": "^data:[a-z/]*;base64,([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2,3})?={0,2}$",
      ]
    // The server ignores the case of an input's word.
    case .choice(let words): ["type": "string", "enum": JSON(words.map { JSON(.string($0)) })]
    case .list(let kind): ["type": "array", "items": schema(kind, ofInput: useCase)]
    case .object(let name?, _): reference("schemas/\(name)")
    case .object(nil, let fields):
      useCase.map { object(fields, ofInput: $0) } ?? object(fields)
    case .optional(let kind): nullable(schema(kind, ofInput: useCase))
    case .nothing: ["type": "null"]
    }
  }

  /// Returns a schema that also accepts null.
  private static func nullable(_ schema: JSON) -> JSON {
    guard case .object(let members) = schema.value, let type = schema.value["type"] else {
      return ["anyOf": [schema, ["type": "null"]]]
    }
    return JSON(
      .object(
        members.map { member in
          switch (member.name, member.value) {
          case ("type", _): .init("type", .array([type, .string("null")]))
          case ("enum", .array(let words)): .init("enum", .array(words + [.null]))
          default: member
          }
        }))
  }

  /// Returns a value of a kind, for an example.
  static func example(_ kind: Field.Kind, _ name: String) -> JSON {
    switch kind {
    case .text: exampleText(name)
    case .flag: true
    case .integer: JSON(.int(20))
    case .number: JSON(.double(0.5))
    case .date: "2026-01-31"
    case .dateTime, .dateOrTime: "2026-01-31T12:00:00.000Z"
    case .image: "data:image/png;base64,iVBORw0KGgo="
    case .choice(let words): JSON(.string(words.first ?? ""))
    case .list(let kind): [example(kind, name)]
    case .object(_, let fields):
      fields.reduce([:] as JSON) { $0.with([$1.name: example($1.kind, $1.name)]) }
    case .optional(let kind): example(kind, name)
    case .nothing: JSON(.null)
    }
  }

  private static func exampleText(_ name: String) -> JSON {
    switch name {
    case "user", "owner", "follower", "sender": "alice"
    case "followee", "other", "receiver", "friend", "with": "bob"
    case "handle": "alice_sends"
    case "url", "photoURL": "https://example.com/alice.jpg"
    case "workout": "w1"
    case "totalTime", "time": "07:30.0"
    case "averageSplit", "splitPer500m": "01:52.5"
    case "workoutType": "2000m"
    default: "text"
    }
  }
}

/// A JSON value that can be written with Swift literals.
struct JSON: ExpressibleByStringInterpolation, ExpressibleByDictionaryLiteral,
  ExpressibleByArrayLiteral, ExpressibleByBooleanLiteral
{
  let value: JSONValue

  init(_ value: JSONValue) { self.value = value }
  init(_ values: [JSON]) { value = .array(values.map(\.value)) }
  init(stringLiteral text: String) { value = .string(text) }
  init(booleanLiteral flag: Bool) { value = .bool(flag) }
  init(arrayLiteral values: JSON...) { self.init(values) }
  init(dictionaryLiteral members: (String, JSON)...) {
    value = .object(members.map { JSONValue.Member($0, $1.value) })
  }

  /// Returns an object with this object's fields, followed by the fields of `other`.
  func with(_ other: JSON) -> JSON {
    guard case .object(let members) = value, case .object(let more) = other.value else {
      return self
    }
    return JSON(.object(members + more))
  }
}
