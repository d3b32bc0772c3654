import Events
import UseCases

/// The description of the interface, OpenAPI 3.1, made from the registry.
enum OpenAPI {
  static func document(_ bounds: Bounds) -> JSONValue {
    var paths: [JSONValue.Member] = []
    for entry in Registry.all {
      var operations = [JSONValue.Member("post", command(entry))]
      if !entry.writes { operations.insert(.init("get", query(entry)), at: 0) }
      paths.append(.init("/v1/do/\(entry.about.name)", .object(operations)))
    }
    for entry in Registry.all where !entry.writes {
      paths.append(.init("/v1/updates/\(entry.about.name)", .of(["get": updates(entry)])))
    }
    paths += others
    return .of([
      "openapi": .string("3.1.0"),
      "info": .of([
        "title": .string("eventlog"), "version": .string("1"),
        "description": .string(
          "Every use case of the log's domain by name. Commands are durable when they are answered; "
            + "queries can be followed as Server-Sent Events."),
        "license": .of([
          "name": .string("Apache 2.0"), "identifier": .string("Apache-2.0"),
        ]),
      ]),
      "security": .array([.of(["token": .array([])])]),
      "paths": .object(paths),
      "components": components,
    ])
  }

  private static var components: JSONValue {
    .of([
      "securitySchemes": .of([
        "token": .of([
          "type": .string("http"), "scheme": .string("bearer"), "bearerFormat": .string("JWT"),
        ])
      ]),
      "schemas": .of([
        "Error": schema(
          [("error", text("a code for programs")), ("message", text("a sentence for people"))]),
        "Reply": schema([
          ("result", .of(["description": .string("what the use case answers")])),
          (
            "seq",
            .of([
              "type": .string("array"), "items": .of(["type": .string("integer")]),
              "description": .string("the positions of the events appended"),
            ])
          ),
          (
            "position",
            .of([
              "type": .string("integer"),
              "description": .string("the last event that the answer knows"),
            ])
          ),
        ]),
      ]),
      "responses": .of([
        "Error": .of([
          "description": .string("a refusal"),
          "content": content("application/json", reference("schemas/Error")),
        ])
      ]),
    ])
  }

  // MARK: Use cases

  private static func command(_ entry: Registry.Entry) -> JSONValue {
    var operation = common(entry, entry.writes ? entry.about.name : "post\(entry.about.name)")
    if entry.writes {
      operation.append(.init("parameters", .array([idempotencyKey])))
    }
    operation.append(
      .init(
        "requestBody",
        .of([
          "required": .bool(entry.fields.contains { $0.isRequired }),
          "content": content("application/json", object(entry.fields, of: entry.about.name)),
        ])))
    return .object(operation + [.init("responses", answers(entry))])
  }

  private static func query(_ entry: Registry.Entry) -> JSONValue {
    let asOf = parameter(
      Service.asOf, "query", "The answer as of a past revision; for services.", text("a revision"))
    let operation =
      common(entry, "get\(entry.about.name)") + [
        .init("parameters", .array(entry.fields.map(item) + [asOf])),
        .init("responses", answers(entry, isCached: true)),
      ]
    return .object(operation)
  }

  private static func updates(_ entry: Registry.Entry) -> JSONValue {
    let last = parameter(
      "Last-Event-ID", "header", "The id of the last event that one had.", text("an id"))
    var operation: [JSONValue.Member] = [
      .init("operationId", .string("follow\(entry.about.name)")),
      .init("tags", .array([.string(entry.about.area.rawValue)])),
      .init("summary", .string("\(entry.about.name), and again with each change")),
      .init("parameters", .array(entry.fields.map(item) + [last])),
    ]
    operation.append(
      .init(
        "responses",
        .object(
          [
            .init(
              "200",
              .of([
                "description": .string("events of type message with an answer each"),
                "content": content("text/event-stream", event),
              ]))
          ] + errors([400, 401, 429, 503]))))
    return .object(operation)
  }

  /// One event of a stream.
  private static var event: JSONValue {
    .of([
      "type": .string("object"), "required": .array([.string("data")]),
      "properties": .of([
        "event": .of(["enum": .array([.string("message"), .string("error")])]),
        "id": .of(["type": .string("string")]), "retry": .of(["type": .string("integer")]),
        "data": .of([
          "type": .string("string"), "contentMediaType": .string("application/json"),
        ]),
      ]),
    ])
  }

  private static func common(_ entry: Registry.Entry, _ name: String) -> [JSONValue.Member] {
    let about = entry.about
    let codes =
      about.errors.isEmpty ? "" : ". Refuses with: " + about.errors.joined(separator: ", ")
    return [
      .init("operationId", .string(name)),
      .init("tags", .array([.string(about.area.rawValue)])),
      .init("summary", .string(about.summary)),
      .init("description", .string("Answers: \(about.result)\(codes).")),
    ]
  }

  private static func answers(_ entry: Registry.Entry, isCached: Bool = false) -> JSONValue {
    var answers: [JSONValue.Member] = [
      .init(
        "200",
        .of([
          "description": .string(entry.about.result),
          "content": content("application/json", reference("schemas/Reply")),
        ]))
    ]
    if isCached {
      answers.append(.init("304", .of(["description": .string("as the ETag given says")])))
    }
    return .object(answers + errors([400, 401, 403, 404, 409, 413, 415, 422, 429, 503]))
  }

  private static func errors(_ statuses: [Int]) -> [JSONValue.Member] {
    statuses.map { .init("\($0)", reference("responses/Error")) }
  }

  private static var idempotencyKey: JSONValue {
    parameter(
      "Idempotency-Key", "header",
      "Makes a retry answer as the first try did; new for each command.",
      .of(["type": .string("string"), "pattern": .string("^[!-~]{1,255}$")]))
  }

  // MARK: Fields

  private static func item(_ field: Field) -> JSONValue {
    .of([
      "name": .string(field.name), "in": .string("query"), "required": .bool(field.isRequired),
      "description": .string(field.summary), "schema": schema(field.kind),
    ])
  }

  private static func parameter(
    _ name: String, _ place: String, _ summary: String, _ schema: JSONValue
  ) -> JSONValue {
    .of([
      "name": .string(name), "in": .string(place), "required": .bool(false),
      "description": .string(summary), "schema": schema,
    ])
  }

  /// What texts must be, beside those that a use case answers with a code of its own.
  private static func pattern(_ useCase: String, _ field: String) -> String? {
    switch (useCase, field) {
    case ("CreateProfile", "user"), ("ShareWorkout", "workout"), ("ShareWorkouts", "workout"),
      ("CreateGroup", "group"), ("PostComment", "comment"), ("SendMessage", "message"),
      ("ReportContent", "report"):
      // An id: printable ASCII without space, quote, backslash and slash; not . and .. alone.
      "^(?!\\.{1,2}$)(?!service:)[!#-.0-\\[\\]-~]{1,128}$"
    case ("SetPhotoURL", "url"), ("CreateProfile", "photoURL"): "^https://[!-~]{1,2040}$"
    case ("MarkNotificationsRead", "upTo"):
      "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-7[0-9A-Fa-f]{3}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$"
    default: nil
    }
  }

  private static func object(_ fields: [Field], of useCase: String) -> JSONValue {
    .of([
      "type": .string("object"),
      "properties": .object(
        fields.map { field in
          guard
            case .object(var members) = schema(
              field.kind, isNullable: !field.isRequired, of: useCase)
          else { return .init(field.name, .of([:])) }
          if let pattern = pattern(useCase, field.name) {
            members.append(.init("pattern", .string(pattern)))
          }
          members.append(.init("description", .string(field.summary)))
          return .init(field.name, .object(members))
        }),
      "required": .array(fields.filter(\.isRequired).map { .string($0.name) }),
      "additionalProperties": .bool(false),
    ])
  }

  private static func schema(
    _ kind: Field.Kind, isNullable: Bool = false, of useCase: String = ""
  ) -> JSONValue {
    var type = "string"
    var more: [JSONValue.Member] = []
    switch kind {
    case .text: break
    case .flag: type = "boolean"
    case .integer:
      type = "integer"
      more = [.init("minimum", .int(Int64.min)), .init("maximum", .int(Int64.max))]
    case .number: type = "number"
    case .date: more = [.init("format", .string("date"))]
    case .dateTime: more = [.init("format", .string("date-time"))]
    case .dateOrTime:
      more = [
        .init(
          "anyOf",
          .array(["date", "date-time"].map { .of(["format": .string($0)]) }))
      ]
    case .image:
      more = [
        .init(
          "pattern", .string("^data:[a-z/]*;base64,([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2,3})?={0,2}$")
        )
      ]
    case .choice(let names):
      // Read without regard to case.
      more = [.init("enum", .array(names.map { .string($0) } + (isNullable ? [.null] : [])))]
    case .list(let fields):
      type = "array"
      more = [.init("items", object(fields, of: useCase))]
    }
    let types: JSONValue =
      isNullable ? .array([.string(type), .string("null")]) : .string(type)
    return .object([.init("type", types)] + more)
  }

  // MARK: What is no use case

  private static var others: [JSONValue.Member] {
    func operation(
      _ name: String, _ summary: String, body: String? = nil, answers: String,
      isOpen: Bool = false, errors codes: [Int], _ parameters: [JSONValue] = []
    ) -> JSONValue {
      var members: [JSONValue.Member] = [
        .init("operationId", .string(name)), .init("summary", .string(summary)),
      ]
      if isOpen { members.append(.init("security", .array([]))) }
      if !parameters.isEmpty { members.append(.init("parameters", .array(parameters))) }
      if let body {
        members.append(
          .init(
            "requestBody",
            .of([
              "required": .bool(name != "run"), "content": content(body, text("the body")),
            ])))
      }
      members.append(
        .init(
          "responses",
          .object(
            [
              .init(
                "200",
                .of([
                  "description": .string("done"),
                  "content": content(
                    answers, answers == "application/json" ? .of([:]) : text("lines")),
                ]))
            ] + errors(codes))))
      return .object(members)
    }
    func path(_ path: String, _ method: String, _ operation: JSONValue) -> JSONValue.Member {
      .init(path, .object([.init(method, operation)]))
    }
    let number = JSONValue.of([
      "type": .string("integer"), "minimum": .int(0), "maximum": .int(Int64.max),
    ])
    return [
      path(
        "/v1/run", "post",
        operation(
          "run", "Perform many use cases, a line of JSON each", body: "application/x-ndjson",
          answers: "application/x-ndjson", errors: [400, 401, 413, 415, 429, 503])),
      path(
        "/v1/log", "get",
        operation(
          "readLog", "The log's lines after a position; for services",
          answers: "application/x-ndjson", errors: [400, 401, 403, 429, 503],
          [
            parameter("after", "query", "Lines after this position.", number),
            parameter("limit", "query", "At most so many, 10,000 at most.", number),
          ])),
      path(
        "/v1/photo", "put",
        operation(
          "putPhoto", "Set one's photo: the body is a JPEG or PNG", body: "image/jpeg",
          answers: "application/json",
          errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503], [idempotencyKey])),
      path(
        "/healthz", "get",
        operation(
          "health", "Whether the process lives", answers: "text/plain", isOpen: true, errors: [503])
      ),
      path(
        "/readyz", "get",
        operation(
          "readiness", "Whether the log can be written and read", answers: "application/json",
          isOpen: true, errors: [503])),
      path(
        "/metrics", "get",
        operation(
          "metrics", "Counts and times for Prometheus", answers: "text/plain", isOpen: true,
          errors: [503])),
    ]
  }

  // MARK: Parts

  private static func text(_ description: String) -> JSONValue {
    .of(["type": .string("string"), "description": .string(description)])
  }

  private static func reference(_ place: String) -> JSONValue {
    .of(["$ref": .string("#/components/" + place)])
  }

  private static func content(_ type: String, _ schema: JSONValue) -> JSONValue {
    .object([.init(type, .of(["schema": schema]))])
  }

  private static func schema(_ members: [(String, JSONValue)]) -> JSONValue {
    .of([
      "type": .string("object"),
      "properties": .object(members.map { .init($0.0, $0.1) }),
      "required": .array(members.map { .string($0.0) }),
    ])
  }
}
