import Events

/// The result of a use case: a value that can be compared, shown and written as JSON.
public protocol Answer: Equatable, Sendable {
  /// The result as JSON.
  var json: JSONValue { get }
}

/// The answer of a use case that has nothing to return.
public struct Nothing: Answer {
  /// Creates the empty answer.
  public init() {}
  public var json: JSONValue { .null }
}

extension Bool: Answer {
  public var json: JSONValue { .bool(self) }
}

extension String: Answer {
  public var json: JSONValue { .string(self) }
}

extension Int: Answer {
  public var json: JSONValue { .int(self) }
}

extension Optional: Answer where Wrapped: Answer {
  public var json: JSONValue { self?.json ?? .null }
}

extension Array: Answer where Element: Answer {
  public var json: JSONValue { .array(map { $0.json }) }
}

extension JSONValue {
  /// Returns a JSON object with these fields, in this order.
  static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
    .object(members.map { Member($0.key, $0.value) })
  }

  static func optional(_ value: (some BinaryInteger)?) -> JSONValue {
    value.map { .int($0) } ?? .null
  }
}
