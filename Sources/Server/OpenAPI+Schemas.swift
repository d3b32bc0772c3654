import Events
import UseCases

// Schemas of fields, and what all descriptions are made of.
extension OpenAPI {
  // MARK: Fields

  static func item(_ field: Field) -> JSONValue {
    var schema = schema(field.kind)
    if case .object(let members) = schema, let pattern = pattern("", field.name) {
      schema = .object(members + [.init("pattern", .string(pattern))])
    }
    return .of([
      "name": .string(field.name), "in": .string("query"), "required": .bool(field.isRequired),
      "description": .string(field.summary), "schema": schema,
    ])
  }

  static func parameter(
    _ name: String, _ place: String, _ summary: String, _ schema: JSONValue
  ) -> JSONValue {
    .of([
      "name": .string(name), "in": .string(place), "required": .bool(false),
      "description": .string(summary), "schema": schema,
    ])
  }

  /// An id: printable ASCII without space, quote, backslash and slash; not . and .. alone.
  static let idPattern = "(?!\\.{1,2}$)(?!service:)[!#-.0-\\[\\]-~]{1,128}"

  /// What texts must be, beside those that a use case answers with a code of its own.
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
    // A time and what identifies a row.
    case (_, "after"):
      "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])T([01][0-9]|2[0-3])(:[0-5][0-9]){2}"
        + "(\\.[0-9]{1,3})?Z,[!-~]{1,300}$"
    default: nil
    }
  }

  static func object(_ fields: [Field], of useCase: String) -> JSONValue {
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

  static func schema(
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

  // MARK: Parts

  static func text(_ description: String) -> JSONValue {
    .of(["type": .string("string"), "description": .string(description)])
  }

  static func reference(_ place: String) -> JSONValue {
    .of(["$ref": .string("#/components/" + place)])
  }

  static func content(_ type: String, _ schema: JSONValue) -> JSONValue {
    .object([.init(type, .of(["schema": schema]))])
  }

  static func schema(_ members: [(String, JSONValue)]) -> JSONValue {
    .of([
      "type": .string("object"),
      "properties": .object(members.map { .init($0.0, $0.1) }),
      "required": .array(members.map { .string($0.0) }),
    ])
  }
}
