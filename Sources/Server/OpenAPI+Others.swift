import Events
import UseCases

extension OpenAPI {
  /// What is no use case.
  static var others: [JSONValue.Member] {
    func operation(
      _ name: String, _ summary: String, body: String? = nil, schema: JSONValue? = nil,
      answers: String,
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
              "required": .bool(name != "run"),
              "content": content(body, schema ?? text("the body")),
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
    func list(_ meaning: String, _ pattern: String) -> JSONValue {
      .of([
        "type": .string("array"), "minItems": .int(1), "description": .string(meaning),
        "items": .of(["type": .string("string"), "pattern": .string("^\(pattern)$")]),
      ])
    }
    func requires(_ name: String) -> JSONValue { .of(["required": .array([.string(name)])]) }
    let forgetting = JSONValue.of([
      "type": .string("object"), "additionalProperties": .bool(false),
      "properties": .of([
        "users": list("ids of people", idPattern),
        "items": list(
          "items such as comment/c17",
          "(\(IDKind.allCases.map(\.itemName).joined(separator: "|")))/" + idPattern),
        "mentions": .of(["type": .string("boolean")]), "reason": text("for the ledger"),
      ]), "anyOf": .array([requires("users"), requires("items")]),
    ])
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
        "/v1/forget", "post",
        operation(
          "forget", "Forget people, or the texts of items; for services. The log is written anew",
          body: "application/json", schema: forgetting, answers: "application/json",
          errors: [400, 401, 403, 404, 413, 415, 429, 503])),
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
}
