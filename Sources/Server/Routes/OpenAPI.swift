import Events
import PersonalLogs
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
    var schemas = commonSchemas.with([
      "AnyError": error(code: text("the error code, for programs")),
      "ErrorDetails": [
        "type": "object", "description": "the values of the error; which ones depends on the code",
        "properties": [
          "limit": integer, "actual": integer,
          "problem": ["type": "string"], "field": ["type": "string"],
          "index": ["type": ["integer", "null"], "format": "int64"], "bytes": integer,
          "pixels": integer, "url": ["type": "string"], "error": ["type": "string"],
          "details": ["anyOf": [reference("schemas/ErrorDetails"), ["type": "null"]]],
        ],
      ],
    ])
    var known: Set<String> = []
    func add(_ kind: Field.Kind) {
      switch kind {
      case .list(let kind), .optional(let kind): add(kind)
      case .object(let name?, let fields):
        guard known.insert(name).inserted else { return }
        schemas = schemas.with([name: object(fields)])
        for field in fields { add(field.kind) }
      case .object(nil, let fields): for field in fields { add(field.kind) }
      default: break
      }
    }
    for entry in useCases.all where !entry.about.name.hasPrefix("Refresh") {
      let name = entry.about.name
      add(entry.result)
      schemas = schemas.with([
        "\(name)Reply": reply(entry, hasEvents: true), "\(name)ErrorCode": errorCode(entry),
        "\(name)Error": error(
          code: reference("schemas/\(name)ErrorCode").with([
            "description": "the error code, for programs"
          ])),
      ])
      schemas = schemas.with(
        entry.writes
          ? ["\(name)Input": object(entry.fields, ofInput: name)]
          : ["\(name)Update": reply(entry, hasEvents: false), "\(name)Event": event(name)])
    }
    return [
      "securitySchemes": ["token": ["type": "http", "scheme": "bearer", "bearerFormat": "JWT"]],
      "schemas": schemas,
      "headers": [
        "Retry-After": [
          "description": "The seconds to wait before the next try.", "schema": integer,
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
          "content": content("application/json", reference("schemas/AnyError")),
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

  /// Returns the schema of the codes of a use case's errors.
  private static func errorCode(_ entry: Registry.Entry) -> JSON {
    let codes = entry.about.errors + commonErrors
    return enumeration(
      codes.enumerated().filter { codes.firstIndex(of: $1) == $0 }.map(\.element))
  }

  private static func error(code: JSON) -> JSON {
    [
      "type": "object",
      "properties": [
        "error": code, "message": text("the error message, for people"),
        "details": reference("schemas/ErrorDetails"),
      ],
      "required": ["error", "message"],
    ]
  }

  /// Returns the schema of an answer. It leaves out a result that is always null, because
  /// generators of clients have no type for it.
  /// - Parameter hasEvents: whether the answer says which events were appended; that of an event
  ///   stream does not.
  private static func reply(_ entry: Registry.Entry, hasEvents: Bool) -> JSON {
    var members: JSON = [
      "position": integer.with(["description": "the position of the last event in the answer"])
    ]
    var names: [JSON] = ["position"]
    if entry.result != .nothing {
      let result = schema(entry.result).with(["description": "\(entry.about.result)"])
      members = (["result": result] as JSON).with(members)
      names.insert("result", at: 0)
    }
    if hasEvents {
      members = members.with([
        "seq": [
          "type": "array", "items": integer, "description": "the positions of the events appended",
        ]
      ])
      names.append("seq")
    }
    return [
      "type": "object", "properties": members, "required": JSON(names),
    ]
  }

  /// Returns the name with which the names of a use case's schemas begin. A use case `Refresh…`
  /// shares the schemas of its query `Get…`.
  private static func schemaName(_ entry: Registry.Entry) -> String {
    let name = entry.about.name
    return name.hasPrefix("Refresh") ? "Get" + name.dropFirst("Refresh".count) : name
  }

  // MARK: Use cases

  private static func command(_ entry: Registry.Entry) -> JSON {
    let name = entry.about.name
    return common(entry, name).with([
      "parameters": [idempotencyKey],
      "requestBody": [
        "required": JSON(.bool(entry.fields.contains { $0.isRequired })),
        "content": content(
          "application/json", reference("schemas/\(name)Input"),
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
      "content": content("text/event-stream", reference("schemas/\(schemaName(entry))Event")),
    ]
    return [
      "operationId": "\(watching(entry.about.name))", "tags": ["\(entry.about.area.rawValue)"],
      "summary": "The answer of \(entry.about.name), and a new one after each change",
      "parameters": JSON(entry.fields.map(item) + [last]),
      "responses": responses(done, errors: [400, 401, 429, 503], of: schemaName(entry)),
    ]
  }

  /// Returns the name of the operation that streams a query's answers: `watchChups` for `GetChups`,
  /// `gymapp.watchVisits` for `gymapp.GetVisits`.
  private static func watching(_ query: String) -> String {
    let parts = query.split(separator: ".")
    guard let name = parts.last else { return query }
    let subject = name.hasPrefix("Get") ? name.dropFirst("Get".count) : name
    return (parts.dropLast() + ["watch\(subject)"]).joined(separator: ".")
  }

  /// Returns the schema of an event in an event stream. The event's data is an answer, or the error
  /// that ends the stream.
  private static func event(_ name: String) -> JSON {
    [
      "type": "object", "required": ["data"],
      "properties": [
        "event": ["type": "string", "enum": ["message", "error"]], "id": text("the event's id"),
        "retry": integer.with(["description": "the pause before a reconnection, in ms"]),
        "data": [
          "type": "string", "contentMediaType": "application/json",
          "description": "result and position, or the error",
          "contentSchema": [
            "anyOf": [reference("schemas/\(name)Update"), reference("schemas/\(name)Error")]
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

  /// Returns the responses of an address: `done` for 200, `more`, and one for each error status.
  /// - Parameter name: the name with which the error schema's name begins; nil for any error.
  private static func responses(
    _ done: JSON, _ more: JSON = [:], errors: [Int], of name: String? = nil
  ) -> JSON {
    errors.reduce((["200": done] as JSON).with(more)) { all, status in
      var error = reference("responses/Error")
      let isBusy = status == 429 || status == 503
      if name != nil || isBusy {
        error = [
          "description": isBusy ? "the server is busy; try again" : "an error",
          "content": content("application/json", reference("schemas/\(name ?? "Any")Error")),
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

  /// The hashes of the parts that a phone has.
  private static let heldParts: JSON = [
    "type": "object", "additionalProperties": false,
    "properties": [
      "parts": [
        "type": "object", "additionalProperties": ["type": "string"],
        "description": "The hash of each part, by its key.",
      ],
      "keys": ["type": "string", "description": "The hash of all keys in order."],
    ],
  ]

  private static var others: JSON {
    func operation(
      _ name: String, _ summary: String, body: String? = nil, schema: JSON? = nil,
      answers: String, answer: JSON? = nil, isOpen: Bool = false, errors: [Int],
      of failure: String? = nil, _ parameters: [JSON] = []
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
      return operation.with(["responses": responses(done, errors: errors, of: failure)])
    }
    let number = integer.with(["minimum": JSON(.int(0)), "maximum": JSON(.int(Int64.max))])
    return [
      "/v1/run": [
        "post": operation(
          "run", "Perform many use cases, one line of JSON each", body: "application/x-ndjson",
          answers: "application/x-ndjson", errors: [400, 401, 413, 415, 429, 503])
      ],
      "/v1/personal-log": [
        "get": operation(
          "getPersonalLog", "All that a user may see, to answer queries without the server",
          answers: "application/x-ndjson", errors: [400, 401, 403, 404, 429, 503]),
        "post": operation(
          "updatePersonalLog", "The parts of the personal log that changed since the given hashes",
          body: "application/json", schema: heldParts, answers: "application/x-ndjson",
          errors: [400, 401, 403, 404, 413, 415, 429, 503]),
      ],
      "/v1/outbox": [
        "post": operation(
          "performOutbox", "Perform a phone's commands in order, each once; only for users",
          body: "application/x-ndjson", schema: lines("a command in each line", outboxCommand),
          answers: "application/x-ndjson",
          answer: lines("the answer to each command, in the same order", outboxReply),
          errors: [400, 401, 403, 413, 415, 429, 503])
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
          body: "application/json", schema: reference("schemas/ForgetInput"),
          answers: "application/json", answer: reference("schemas/ForgetReply"),
          errors: [400, 401, 403, 404, 413, 415, 429, 503])
      ],
      "/v1/photo": [
        "put": operation(
          "putPhoto", "Set the caller's photo; the body is a JPEG or PNG", body: "image/jpeg",
          schema: ["type": "string", "format": "binary"],
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
          answer: reference("schemas/ReadinessReply"), isOpen: true, errors: [503],
          of: "NotReady")
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

  // MARK: Parts

  static func text(_ description: String) -> JSON {
    ["type": "string", "description": "\(description)"]
  }

  static func reference(_ place: String) -> JSON { ["$ref": "#/components/\(place)"] }

  private static func content(_ type: String, _ schema: JSON, example: JSON? = nil) -> JSON {
    let more: JSON = example.map { ["example": $0] } ?? [:]
    return [type: (["schema": schema] as JSON).with(more)]
  }
}
