import Events
import UseCases

/// The description of the interface, OpenAPI 3.1, made from the registry.
enum OpenAPI {
  static func document(_ bounds: Bounds, _ useCases: UseCaseList) -> JSONValue {
    var paths: [JSONValue.Member] = []
    for entry in useCases.all {
      var operations = [JSONValue.Member("post", command(entry))]
      if !entry.writes { operations.insert(.init("get", query(entry)), at: 0) }
      paths.append(.init("/v1/do/\(entry.about.name)", .object(operations)))
    }
    for entry in useCases.all where !entry.writes {
      paths.append(.init("/v1/updates/\(entry.about.name)", .of(["get": updates(entry)])))
    }
    paths += others
    return .of([
      "openapi": .string("3.1.0"),
      "info": .of([
        "title": .string("eventlog"), "version": .string("1"),
        "description": .string(
          "Every use case of the domain by name. Commands are durable when they are answered; "
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

  static var components: JSONValue {
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

  static func command(_ entry: Registry.Entry) -> JSONValue {
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

  static func query(_ entry: Registry.Entry) -> JSONValue {
    let asOf = parameter(
      Service.asOf, "query", "The answer as of a past revision; for services.", text("a revision"))
    let operation =
      common(entry, "get\(entry.about.name)") + [
        .init("parameters", .array(entry.fields.map(item) + [asOf])),
        .init("responses", answers(entry, isCached: true)),
      ]
    return .object(operation)
  }

  static func updates(_ entry: Registry.Entry) -> JSONValue {
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
  static var event: JSONValue {
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

  static func common(_ entry: Registry.Entry, _ name: String) -> [JSONValue.Member] {
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

  static func answers(_ entry: Registry.Entry, isCached: Bool = false) -> JSONValue {
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

  static func errors(_ statuses: [Int]) -> [JSONValue.Member] {
    statuses.map { .init("\($0)", reference("responses/Error")) }
  }

  static var idempotencyKey: JSONValue {
    parameter(
      "Idempotency-Key", "header",
      "Makes a retry answer as the first try did; new for each command.",
      .of(["type": .string("string"), "pattern": .string("^[!-~]{1,255}$")]))
  }
}
