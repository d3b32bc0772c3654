import Events
import UseCases

/// The description of the HTTP interface in OpenAPI 3.1, generated from the list of use cases.
enum OpenAPI {
  static func document(_ useCases: UseCaseList) -> JSONValue {
    var paths: JSON = [:]
    for entry in useCases.all {
      let get: JSON = entry.writes ? [:] : ["get": query(entry)]
      paths = paths.with(["/v1/do/\(entry.about.name)": get.with(["post": command(entry)])])
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
      "security": [["token": []]], "paths": paths.with(others), "components": components,
    ]
    return document.value
  }

  private static let components: JSON = [
    "securitySchemes": ["token": ["type": "http", "scheme": "bearer", "bearerFormat": "JWT"]],
    "schemas": [
      "Error": [
        "type": "object",
        "properties": [
          "error": text("the error code, for programs"),
          "message": text("the error message, for people"),
        ],
        "required": ["error", "message"],
      ],
      "Reply": [
        "type": "object",
        "properties": [
          "result": ["description": "the result of the use case"],
          "seq": [
            "type": "array", "items": ["type": "integer"],
            "description": "the positions of the events appended",
          ],
          "position": [
            "type": "integer", "description": "the position of the last event in the answer",
          ],
        ],
        "required": ["result", "seq", "position"],
      ],
    ],
    "responses": [
      "Error": [
        "description": "an error",
        "content": content("application/json", reference("schemas/Error")),
      ]
    ],
  ]

  // MARK: Use cases

  private static func command(_ entry: Registry.Entry) -> JSON {
    let name = entry.about.name
    let parameters: JSON = entry.writes ? ["parameters": [idempotencyKey]] : [:]
    return common(entry, entry.writes ? name : "post\(name)").with(parameters).with([
      "requestBody": [
        "required": JSON(.bool(entry.fields.contains { $0.isRequired })),
        "content": content("application/json", object(entry.fields, of: name)),
      ],
      "responses": answers(entry),
    ])
  }

  private static func query(_ entry: Registry.Entry) -> JSON {
    let asOf = parameter(
      Service.asOf, "query", "A past revision to answer from; only for services.",
      text("a revision"))
    return common(entry, "get\(entry.about.name)").with([
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
      "content": content("text/event-stream", event),
    ]
    return [
      "operationId": "follow\(entry.about.name)", "tags": ["\(entry.about.area.rawValue)"],
      "summary": "The answer of \(entry.about.name), and a new one after each change",
      "parameters": JSON(entry.fields.map(item) + [last]),
      "responses": responses(done, errors: [400, 401, 429, 503]),
    ]
  }

  private static let event: JSON = [
    "type": "object", "required": ["data"],
    "properties": [
      "event": ["enum": ["message", "error"]], "id": ["type": "string"],
      "retry": ["type": "integer"],
      "data": ["type": "string", "contentMediaType": "application/json"],
    ],
  ]

  private static func common(_ entry: Registry.Entry, _ name: String) -> JSON {
    let about = entry.about
    let codes =
      about.errors.isEmpty ? "" : ". Error codes: " + about.errors.joined(separator: ", ")
    return [
      "operationId": "\(name)", "tags": ["\(about.area.rawValue)"],
      "summary": "\(about.summary)", "description": "Result: \(about.result)\(codes).",
    ]
  }

  private static func answers(_ entry: Registry.Entry, isCached: Bool = false) -> JSON {
    let unchanged: JSON = isCached ? ["304": ["description": "unchanged since If-None-Match"]] : [:]
    let done: JSON = [
      "description": "\(entry.about.result)",
      "content": content("application/json", reference("schemas/Reply")),
    ]
    return responses(
      done, unchanged, errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503])
  }

  private static func responses(_ done: JSON, _ more: JSON = [:], errors: [Int]) -> JSON {
    errors.reduce((["200": done] as JSON).with(more)) {
      $0.with(["\($1)": reference("responses/Error")])
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
      answers: String, isOpen: Bool = false, errors: [Int], _ parameters: [JSON] = []
    ) -> JSON {
      let done: JSON = [
        "description": "success",
        "content": content(answers, answers == "application/json" ? [:] : text("lines")),
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
          errors: [400, 401, 403, 404, 413, 415, 429, 503])
      ],
      "/v1/photo": [
        "put": operation(
          "putPhoto", "Set the caller's photo; the body is a JPEG or PNG", body: "image/jpeg",
          answers: "application/json", errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503],
          [idempotencyKey])
      ],
      "/healthz": [
        "get": operation(
          "health", "Whether the process runs", answers: "text/plain", isOpen: true, errors: [503])
      ],
      "/readyz": [
        "get": operation(
          "readiness", "Whether the log can be written and read", answers: "application/json",
          isOpen: true, errors: [503])
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

  private static func object(_ fields: [Field], of useCase: String) -> JSON {
    let properties = fields.reduce([:] as JSON) { properties, field in
      let pattern: JSON = pattern(useCase, field.name).map { ["pattern": "\($0)"] } ?? [:]
      let schema = schema(field.kind, isNullable: !field.isRequired, of: useCase)
      return properties.with([
        field.name: schema.with(pattern).with(["description": "\(field.summary)"])
      ])
    }
    return [
      "type": "object", "properties": properties,
      "required": JSON(fields.filter(\.isRequired).map { JSON(.string($0.name)) }),
      "additionalProperties": false,
    ]
  }

  private static func schema(
    _ kind: Field.Kind, isNullable: Bool = false, of useCase: String = ""
  ) -> JSON {
    var type: JSON = "string"
    var more: JSON = [:]
    switch kind {
    case .text: break
    case .flag: type = "boolean"
    case .integer:
      type = "integer"
      more = ["minimum": JSON(.int(Int64.min)), "maximum": JSON(.int(Int64.max))]
    case .number: type = "number"
    case .date: more = ["format": "date"]
    case .dateTime: more = ["format": "date-time"]
    case .dateOrTime: more = ["anyOf": [["format": "date"], ["format": "date-time"]]]
    case .image:
      more = ["pattern": "^data:[a-z/]*;base64,([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2,3})?={0,2}$"]
    case .choice(let names):
      // The server ignores the case of these words.
      more = ["enum": JSON(names.map { JSON(.string($0)) } + (isNullable ? [JSON(.null)] : []))]
    case .list(let fields):
      type = "array"
      more = ["items": object(fields, of: useCase)]
    }
    return (["type": isNullable ? [type, "null"] : type] as JSON).with(more)
  }

  // MARK: Parts

  private static func text(_ description: String) -> JSON {
    ["type": "string", "description": "\(description)"]
  }

  private static func reference(_ place: String) -> JSON { ["$ref": "#/components/\(place)"] }

  private static func content(_ type: String, _ schema: JSON) -> JSON { [type: ["schema": schema]] }
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
