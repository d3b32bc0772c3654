import Events
import UseCases

/// The description of the HTTP interface in OpenAPI 3.1, generated from the list of use cases.
enum OpenAPI {
  static func document(_ useCases: UseCaseList) -> JSONValue {
    var paths: JSON = [:]
    for entry in useCases.all {
      let operation: JSON = entry.writes ? ["post": command(entry)] : ["get": query(entry)]
      paths = paths.with(["/v1/do/\(entry.about.name)": operation])
    }
    for entry in useCases.all where !entry.writes {
      paths = paths.with(["/v1/updates/\(entry.about.name)": ["get": updates(entry)]])
    }
    let document: JSON = [
      "openapi": "3.1.0",
      "info": [
        "title": "eventlog", "version": "1",
        "description": """
        The use cases of the domain, by name. A command is durable when it is answered. \
        A query's answer can be followed as Server-Sent Events.
        """,
        "license": ["name": "Apache 2.0", "identifier": "Apache-2.0"],
      ],
      "security": [["token": []]], "paths": paths.with(others),
      "components": components(useCases),
    ]
    return document.value
  }

  private static func components(_ useCases: UseCaseList) -> JSON {
    var schemas: JSON = [
      "Error": error(codes: nil),
      "ErrorDetails": [
        "type": "object", "description": "the values of the error; which ones depends on the code",
        "properties": [
          "limit": ["type": "integer"], "actual": ["type": "integer"],
          "problem": ["type": "string"], "field": ["type": "string"],
          "index": ["type": ["integer", "null"]], "bytes": ["type": "integer"],
          "pixels": ["type": "integer"], "url": ["type": "string"], "error": ["type": "string"],
          "details": ["type": ["object", "null"]],
        ],
      ],
    ]
    var known: Set<String> = []
    func add(_ kind: Field.Kind) {
      switch kind {
      case .list(let kind), .optional(let kind): add(kind)
      case .object(let name?, let fields):
        guard known.insert(name).inserted else { return }
        schemas = schemas.with([name: object(fields)])
        for field in fields { add(field.kind) }
      default: break
      }
    }
    for entry in useCases.all where !entry.about.name.hasPrefix("Refresh") {
      let name = entry.about.name
      add(entry.result)
      schemas = schemas.with([
        "\(name)Reply": reply(entry),
        "\(name)Error": error(codes: entry.about.errors + commonErrors),
      ])
    }
    return [
      "securitySchemes": ["token": ["type": "http", "scheme": "bearer", "bearerFormat": "JWT"]],
      "schemas": schemas,
      "headers": [
        "Retry-After": [
          "description": "The seconds to wait before the next try.", "schema": ["type": "integer"],
        ],
        "ETag": [
          "description": "A tag of the answer, for If-None-Match.", "schema": ["type": "string"],
        ],
        "Idempotent-Replayed": [
          "description": "true if an earlier request with this Idempotency-Key was performed.",
          "schema": ["type": "string", "enum": ["true"]],
        ],
      ],
      "responses": [
        "Error": [
          "description": "an error",
          "content": content("application/json", reference("schemas/Error")),
        ]
      ],
    ]
  }

  /// The codes of errors that any use case can have.
  private static let commonErrors = [
    "invalidInput", "badRequest", "unauthorized", "tokenExpired", "notAuthorized", "notFound",
    "noSuchRevision", "methodNotAllowed", "timeGoesBack", "conflict", "tooLarge",
    "unsupportedType", "unsupportedEncoding", "idempotencyKeyReused", "tooManyRequests",
    "tooManyStreams", "unknownCoding", "busy", "ending", "rewriting", "logFailed", "storageFailed",
  ]

  /// Returns the schema of an error with one of some codes; nil means any code.
  private static func error(codes: [String]?) -> JSON {
    var code = text("the error code, for programs")
    if let codes {
      let distinct = codes.enumerated().filter { codes.firstIndex(of: $1) == $0 }.map(\.element)
      code = code.with(["enum": JSON(distinct.map { JSON(.string($0)) })])
    }
    return [
      "type": "object",
      "properties": [
        "error": code, "message": text("the error message, for people"),
        "details": reference("schemas/ErrorDetails"),
      ],
      "required": ["error", "message"],
    ]
  }

  private static func reply(_ entry: Registry.Entry) -> JSON {
    [
      "type": "object",
      "properties": [
        "result": schema(entry.result).with(["description": "\(entry.about.result)"]),
        "seq": [
          "type": "array", "items": ["type": "integer"],
          "description": "the positions of the events appended",
        ],
        "position": [
          "type": "integer", "description": "the position of the last event in the answer",
        ],
      ],
      "required": ["result", "seq", "position"],
    ]
  }

  /// The part of the names of an entry's schemas. A `Refresh…` has those of its query.
  private static func schemaName(_ entry: Registry.Entry) -> String {
    let name = entry.about.name
    return name.hasPrefix("Refresh") ? "Get" + name.dropFirst("Refresh".count) : name
  }

  // MARK: Use cases

  private static func command(_ entry: Registry.Entry) -> JSON {
    let name = entry.about.name
    let input = object(entry.fields, ofInput: name)
    return common(entry, name).with([
      "parameters": [idempotencyKey],
      "requestBody": [
        "required": JSON(.bool(entry.fields.contains { $0.isRequired })),
        "content": content(
          "application/json", input,
          example: example(.object(nil, entry.fields.filter { $0.isRequired }), "")),
      ],
      "responses": answers(entry),
    ])
  }

  private static func query(_ entry: Registry.Entry) -> JSON {
    let asOf = parameter(
      Service.asOf, "query", "A past revision to answer from; only for services.",
      text("a revision"))
    return common(entry, entry.about.name).with([
      "parameters": JSON(entry.fields.map(item) + [asOf]),
      "responses": answers(entry, isCached: true),
    ])
  }

  private static func updates(_ entry: Registry.Entry) -> JSON {
    let last = parameter(
      "Last-Event-ID", "header", "The id of the last event that the client received.",
      text("an id"))
    let done: JSON = [
      "description": "events of type message, each with an answer",
      "content": content("text/event-stream", event(schemaName(entry))),
    ]
    return [
      "operationId": "follow\(entry.about.name)", "tags": ["\(entry.about.area.rawValue)"],
      "summary": "The answer of \(entry.about.name), and a new one after each change",
      "parameters": JSON(entry.fields.map(item) + [last]),
      "responses": responses(done, errors: [400, 401, 429, 503], of: schemaName(entry)),
    ]
  }

  /// Returns the schema of an event. Its data is JSON: an answer, or the error that ends the stream.
  private static func event(_ name: String) -> JSON {
    [
      "type": "object", "required": ["data"],
      "properties": [
        "event": ["type": "string", "enum": ["message", "error"]], "id": text("the event's id"),
        "retry": ["type": "integer", "description": "the pause before a reconnection, in ms"],
        "data": [
          "type": "string", "contentMediaType": "application/json",
          "description": "result and position, or the error",
          "contentSchema": [
            "anyOf": [reference("schemas/\(name)Reply"), reference("schemas/\(name)Error")]
          ],
        ],
      ],
    ]
  }

  private static func common(_ entry: Registry.Entry, _ name: String) -> JSON {
    let about = entry.about
    let codes =
      about.errors.isEmpty ? "" : ". Error codes: " + about.errors.joined(separator: ", ")
    let post =
      entry.writes ? "" : " The server also answers POST, with the fields as a JSON object."
    return [
      "operationId": "\(name)", "tags": ["\(about.area.rawValue)"],
      "summary": "\(about.summary)", "description": "Result: \(about.result)\(codes).\(post)",
    ]
  }

  private static func answers(_ entry: Registry.Entry, isCached: Bool = false) -> JSON {
    let unchanged: JSON = isCached ? ["304": ["description": "unchanged since If-None-Match"]] : [:]
    let name = schemaName(entry)
    let header = isCached ? "ETag" : "Idempotent-Replayed"
    let done: JSON = [
      "description": "\(entry.about.result)",
      "headers": [header: reference("headers/\(header)")],
      "content": content(
        "application/json", reference("schemas/\(name)Reply"),
        example: [
          "result": example(entry.result, ""), "seq": entry.writes ? [JSON(.int(42))] : [],
          "position": JSON(.int(42)),
        ]),
    ]
    return responses(
      done, unchanged, errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503], of: name)
  }

  /// - Parameter name: the part of the name of the errors' schema; nil for any error.
  private static func responses(
    _ done: JSON, _ more: JSON = [:], errors: [Int], of name: String? = nil
  ) -> JSON {
    errors.reduce((["200": done] as JSON).with(more)) { all, status in
      var error = reference("responses/Error")
      let isBusy = status == 429 || status == 503
      if name != nil || isBusy {
        error = [
          "description": isBusy ? "the server is busy; try again" : "an error",
          "content": content("application/json", reference("schemas/\(name ?? "")Error")),
        ]
        if isBusy {
          error = error.with(["headers": ["Retry-After": reference("headers/Retry-After")]])
        }
      }
      return all.with(["\(status)": error])
    }
  }

  private static let idempotencyKey = parameter(
    "Idempotency-Key", "header",
    "A retry with the same key returns the first answer. Use a new key for each command.",
    ["type": "string", "pattern": "^[!-~]{1,255}$"])

  // MARK: Other addresses

  private static var others: JSON {
    func operation(
      _ name: String, _ summary: String, body: String? = nil, schema: JSON? = nil,
      answers: String, answer: JSON? = nil, isOpen: Bool = false, errors: [Int],
      _ parameters: [JSON] = []
    ) -> JSON {
      let done: JSON = [
        "description": "success",
        "content": content(answers, answer ?? text("lines")),
      ]
      var operation: JSON = ["operationId": "\(name)", "summary": "\(summary)"]
      if isOpen { operation = operation.with(["security": []]) }
      if !parameters.isEmpty { operation = operation.with(["parameters": JSON(parameters)]) }
      if let body {
        let request: JSON = [
          "required": JSON(.bool(name != "run")),
          "content": content(body, schema ?? text("the body")),
        ]
        operation = operation.with(["requestBody": request])
      }
      return operation.with(["responses": responses(done, errors: errors)])
    }
    func list(_ meaning: String, _ pattern: String) -> JSON {
      [
        "type": "array", "minItems": JSON(.int(1)), "description": "\(meaning)",
        "items": ["type": "string", "pattern": "^\(pattern)$"],
      ]
    }
    let items = IDKind.allCases.map(\.itemName).joined(separator: "|")
    let forgetting: JSON = [
      "type": "object", "additionalProperties": false,
      "properties": [
        "users": list("user ids", idPattern),
        "items": list("items such as comment/c17", "(\(items))/" + idPattern),
        "mentions": ["type": "boolean"], "reason": text("the reason, for the ledger"),
      ], "anyOf": [["required": ["users"]], ["required": ["items"]]],
    ]
    let forgotten: JSON = [
      "type": "object",
      "required": ["events", "deleted", "photos", "first", "position", "mentions"],
      "properties": [
        "events": ["type": "integer"], "deleted": ["type": "integer"],
        "photos": ["type": "integer"], "first": ["type": ["integer", "null"]],
        "position": ["type": "integer"],
        "mentions": [
          "type": "array",
          "items": [
            "type": "object", "required": ["seq", "type", "member"],
            "properties": [
              "seq": ["type": "integer"], "type": ["type": "string"],
              "member": ["type": "string"],
            ],
          ],
        ],
      ],
    ]
    let number: JSON = [
      "type": "integer", "minimum": JSON(.int(0)), "maximum": JSON(.int(Int64.max)),
    ]
    return [
      "/v1/run": [
        "post": operation(
          "run", "Perform many use cases, one line of JSON each", body: "application/x-ndjson",
          answers: "application/x-ndjson", errors: [400, 401, 413, 415, 429, 503])
      ],
      "/v1/log": [
        "get": operation(
          "readLog", "The log's lines after a position; only for services",
          answers: "application/x-ndjson", errors: [400, 401, 403, 429, 503],
          [
            parameter("after", "query", "The position before the first line.", number),
            parameter("limit", "query", "The most lines: default 1,000, at most 10,000.", number),
          ])
      ],
      "/v1/forget": [
        "post": operation(
          "forget", "Erase people or the texts of items by rewriting the log; only for services",
          body: "application/json", schema: forgetting, answers: "application/json",
          answer: forgotten,
          errors: [400, 401, 403, 404, 413, 415, 429, 503])
      ],
      "/v1/photo": [
        "put": operation(
          "putPhoto", "Set the caller's photo; the body is a JPEG or PNG", body: "image/jpeg",
          answers: "application/json", answer: reference("schemas/UploadProfilePhotoReply"),
          errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503], [idempotencyKey])
      ],
      "/healthz": [
        "get": operation(
          "health", "Whether the process runs", answers: "text/plain", isOpen: true, errors: [503])
      ],
      "/readyz": [
        "get": operation(
          "readiness", "Whether the log can be written and read", answers: "application/json",
          answer: [
            "type": "object", "required": ["ready", "position"],
            "properties": ["ready": ["type": "boolean"], "position": ["type": "integer"]],
          ], isOpen: true, errors: [503])
      ],
      "/metrics": [
        "get": operation(
          "metrics", "Counts and times for Prometheus", answers: "text/plain", isOpen: true,
          errors: [503])
      ],
    ]
  }

  // MARK: Fields

  private static func item(_ field: Field) -> JSON {
    let pattern: JSON = pattern("", field.name).map { ["pattern": "\($0)"] } ?? [:]
    return parameter(
      field.name, "query", field.summary, schema(field.kind).with(pattern),
      isRequired: field.isRequired)
  }

  private static func parameter(
    _ name: String, _ place: String, _ summary: String, _ schema: JSON, isRequired: Bool = false
  ) -> JSON {
    [
      "name": "\(name)", "in": "\(place)", "required": JSON(.bool(isRequired)),
      "description": "\(summary)", "schema": schema,
    ]
  }

  /// A pattern for ids: printable ASCII without space, quote, backslash and slash; not `.` or `..`.
  private static let idPattern = "(?!\\.{1,2}$)(?!service:)[!#-.0-\\[\\]-~]{1,128}"

  /// Returns the pattern of a text field. Returns nil if every text is valid, or if the use case
  /// has its own error code for invalid texts.
  private static func pattern(_ useCase: String, _ field: String) -> String? {
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

  /// Returns the schema of an input, or of an object in it: other fields are refused.
  private static func object(_ fields: [Field], ofInput useCase: String) -> JSON {
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

  /// Returns the schema of an answer: a newer server may add fields.
  private static func object(_ fields: [Field]) -> JSON {
    let properties = fields.reduce([:] as JSON) { properties, field in
      properties.with([field.name: schema(field.kind).with(["description": "\(field.summary)"])])
    }
    return ["type": "object", "properties": properties, "required": required(fields)]
  }

  private static func required(_ fields: [Field]) -> JSON {
    JSON(fields.filter(\.isRequired).map { JSON(.string($0.name)) })
  }

  /// Returns the schema of a kind of values.
  /// - Parameter useCase: the use case, in an input; nil in an answer.
  private static func schema(_ kind: Field.Kind, ofInput useCase: String? = nil) -> JSON {
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
  private static func example(_ kind: Field.Kind, _ name: String) -> JSON {
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

  // MARK: Parts

  private static func text(_ description: String) -> JSON {
    ["type": "string", "description": "\(description)"]
  }

  private static func reference(_ place: String) -> JSON { ["$ref": "#/components/\(place)"] }

  private static func content(_ type: String, _ schema: JSON, example: JSON? = nil) -> JSON {
    let more: JSON = example.map { ["example": $0] } ?? [:]
    return [type: (["schema": schema] as JSON).with(more)]
  }
}

/// A JSON value that can be written with Swift literals.
private struct JSON: ExpressibleByStringInterpolation, ExpressibleByDictionaryLiteral,
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

  /// Returns an object with this object's fields, followed by the other's.
  func with(_ other: JSON) -> JSON {
    guard case .object(let members) = value, case .object(let more) = other.value else {
      return self
    }
    return JSON(.object(members + more))
  }
}
