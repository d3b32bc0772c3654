import Events

/// A result of a use case that is an object, such as a profile.
///
/// `code(with:)` declares the object's fields once. From this declaration the library reads and
/// writes the JSON, and generates the OpenAPI schema and the documentation.
public protocol Answer: ObjectValue {}

/// The result of a use case that has nothing to return.
public struct Nothing: FieldValue {
  /// Creates the empty result.
  public init() {}
  public static var kind: Field.Kind { .nothing }
  public static var placeholder: Nothing { Nothing() }
  public init(_ json: JSONValue, _ place: FieldPlace) throws(InputError) {
    guard json == .null else { throw place.expected(.nothing, json) }
  }
  public var json: JSONValue { .null }
}

extension JSONValue {
  /// Returns an object with these fields, in this order.
  package static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
    .object(members.map { Member($0.key, $0.value) })
  }
}
