import Events
import UseCases

// Schemas and examples of fields, and the literals in which the document is written.
extension OpenAPI {
  /// A pattern for ids: printable ASCII without space, quote, backslash and slash; not `.` or `..`.
  static let idPattern = "(?!\\.{1,2}$)[!#-.0-\\[\\]-~]{1,128}"
  /// A pattern for ids of users, which do not begin like the actor of a service.
  private static let userPattern = "(?!\(Names.servicePrefix))" + idPattern

  /// A pattern for the dates that exist: months have 28, 30 or 31 days, and 29 February is in years
  /// that can be divided by 4, but by 100 only if by 400.
  private static let datePattern =
    "([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)"
    + "|02-(0[1-9]|1[0-9]|2[0-8]))"
    + "|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)"

  /// Returns the pattern of a text field. Returns nil if every text is valid, or if the use case
  /// has its own error code for invalid texts.
  static func pattern(_ useCase: String, _ field: String) -> String? {
    switch (useCase, field) {
    case ("CreateProfile", "user"): "^\(userPattern)$"
    case ("ShareWorkout", "workout"), ("ShareWorkouts", "workout"),
      ("CreateGroup", "group"), ("PostComment", "comment"), ("SendMessage", "message"),
      ("ReportContent", "report"):
      "^\(idPattern)$"
    case ("SetPhotoURL", "url"), ("CreateProfile", "photoURL"), ("UpdateProfile", "photoURL"):
      "^https://[!-~]{1,2040}$"
    case ("MarkNotificationsRead", "upTo"):
      "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-7[0-9A-Fa-f]{3}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$"
    // A place in a list: a time and a row's identifier.
    case (_, "after"):
      "^\(datePattern)T([01][0-9]|2[0-3])(:[0-5][0-9]){2}"
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
      integer.with(["minimum": JSON(.int(Int64.min)), "maximum": JSON(.int(Int64.max))])
    case .number: ["type": "number"]
    case .date: ["type": "string", "format": "date"]
    case .dateTime: ["type": "string", "format": "date-time"]
    case .dateOrTime: reference("schemas/DateOrTime")
    case .image:
      [
        "type": "string",
        "pattern": "^data:[a-z/]*;base64,([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2,3})?={0,2}$",
      ]
    // The server ignores the case of an input's word.
    case .choice(let words):
      enumerations.first { $0.kind == kind }.map { reference("schemas/\($0.name)") }
        ?? enumeration(words)
    case .list(let kind): ["type": "array", "items": schema(kind, ofInput: useCase)]
    case .object(let name?, _): reference("schemas/\(name)")
    case .object(nil, let fields):
      useCase.map { object(fields, ofInput: $0) } ?? object(fields)
    case .optional(let kind): nullable(schema(kind, ofInput: useCase))
    case .nothing: ["type": "null"]
    }
  }

  static let integer: JSON = ["type": "integer", "format": "int64"]

  /// The enumerations whose schemas have names in the document. For an enumeration without a name,
  /// generators of clients would invent a poor one.
  private static let enumerations: [(name: String, kind: Field.Kind)] = [
    ("Audience", Audience.kind), ("Availability", CheckHandleAvailability.Availability.kind),
    ("Joining", JoinGroup.Joining.kind), ("MemberRole", MemberRole.kind),
    ("Membership", Groups.Standing.kind),
    ("NotificationKind", GetNotifications.Notification.Kind.kind),
    ("Period", GetLeaderboard.Period.kind), ("ReactionKind", ReactionKind.kind),
    ("Relationship", Relationships.Relationship.kind), ("ReportOutcome", ReportOutcome.kind),
    ("ReportedKind", ReportedContent.Kind.kind), ("RiderType", RiderType.kind),
    ("SkillLevel", SkillLevel.kind),
  ]

  static func enumeration(_ words: [String]) -> JSON {
    ["type": "string", "enum": JSON(words.map { JSON(.string($0)) })]
  }

  /// The schemas that every document has, beside those of the use cases.
  static var commonSchemas: JSON {
    let schemas: JSON = [
      "DateOrTime": [
        "anyOf": [
          ["type": "string", "format": "date"], ["type": "string", "format": "date-time"],
        ]
      ],
      "ForgetInput": forgetInput, "ForgetReply": forgetReply, "NotReadyError": notReadyError,
      "ReadinessReply": [
        "type": "object", "required": ["ready", "position", "role"],
        "properties": [
          "ready": ["type": "boolean"], "position": integer,
          "role": ["type": "string", "enum": ["writer", "reader"]],
        ],
      ],
    ]
    return enumerations.reduce(schemas) { schemas, entry in
      guard case .choice(let words) = entry.kind else { return schemas }
      return schemas.with([entry.name: enumeration(words)])
    }
  }

  /// The schema of the answer 503 of `/readyz`.
  private static let notReadyError: JSON = [
    "type": "object", "required": ["error", "message"],
    "properties": [
      "error": text("the error code, for programs"),
      "message": text("the error message, for people"),
      "role": enumeration(["catching-up"]).with([
        "description": "present if the server is too far behind the log"
      ]),
    ],
  ]

  private static var forgetInput: JSON {
    func list(_ meaning: String, _ pattern: String) -> JSON {
      [
        "type": "array", "minItems": JSON(.int(1)), "description": "\(meaning)",
        "items": ["type": "string", "pattern": "^\(pattern)$"],
      ]
    }
    let items = IDKind.allCases.map(\.itemName).joined(separator: "|")
    return [
      "type": "object", "additionalProperties": false,
      "properties": [
        "users": list("user ids", userPattern),
        "items": list("items such as comment/c17", "(\(items))/" + idPattern),
        "mentions": ["type": "boolean"], "reason": text("the reason, for the ledger"),
      ], "anyOf": [["required": ["users"]], ["required": ["items"]]],
    ]
  }

  private static let forgetReply: JSON = [
    "type": "object",
    "required": ["events", "deleted", "photos", "first", "position", "mentions"],
    "properties": [
      "events": integer, "deleted": integer, "photos": integer,
      "first": ["type": ["integer", "null"], "format": "int64"], "position": integer,
      "mentions": [
        "type": "array",
        "items": [
          "type": "object", "required": ["seq", "type", "member"],
          "properties": [
            "seq": integer, "type": ["type": "string"],
            "member": ["type": "string"],
          ],
        ],
      ],
    ],
  ]

  /// Returns the schema of lines of JSON.
  /// - Parameter line: the schema of one line.
  static func lines(_ description: String, _ line: JSON) -> JSON {
    text(description).with([
      "contentMediaType": "application/x-ndjson", "contentSchema": line,
    ])
  }

  /// The schema of a line of `/v1/outbox`.
  static let outboxCommand: JSON = [
    "type": "object", "additionalProperties": false, "required": ["key", "do"],
    "properties": [
      "key": text("the command's key; the server performs a key of a user once").with([
        "pattern": "^[!-~]{1,255}$"
      ]),
      "do": text("the name of the command's use case"),
      "with": ["type": "object", "description": "the input, with the ids of new items"],
    ],
  ]

  /// The schema of a line of an answer to `/v1/outbox`.
  static let outboxReply: JSON = [
    "type": "object", "required": ["key", "ok", "position"],
    "properties": [
      "key": text("the command's key"),
      "ok": flag("whether the command was performed"),
      "result": [
        "description": "the result; missing if an earlier request performed the command"
      ],
      "isRepeat": flag("true if an earlier request performed the command and appended events"),
      "error": text("the error code, for programs"),
      "message": text("the error message, for people"),
      "details": reference("schemas/ErrorDetails"),
      "again": flag("true if the answer is not final; send the command again"),
      "position": integer.with(["description": "the position of the last event in the answer"]),
      "events": text("a hash of the types and streams of the events appended"),
      "explanation": ["type": "object", "description": "why the command was refused"],
    ],
  ]

  private static func flag(_ description: String) -> JSON {
    ["type": "boolean", "description": "\(description)"]
  }

  /// Returns a schema that also accepts null.
  private static func nullable(_ schema: JSON) -> JSON {
    guard case .object(let members) = schema.value, let type = schema.value["type"],
      schema.value["enum"] == nil
    else {
      return ["anyOf": [schema, ["type": "null"]]]
    }
    return JSON(
      .object(
        members.map { $0.name == "type" ? .init("type", .array([type, .string("null")])) : $0 }))
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
