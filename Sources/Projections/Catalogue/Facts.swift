import Events

/// One value in a projection's state, with its path.
///
/// ```swift
/// views.facts(names)  // [Fact(path: "followers/alice.count", value: .int(10)), …]
/// ```
/// Lists are JSON arrays, counts are numbers, names and texts are strings. A missing value has no
/// fact.
public struct Fact: Equatable, Sendable {
  /// The value's path, such as `followers/alice.count`.
  public var path: String
  /// The value at the path, as JSON.
  public var value: JSONValue

  /// Creates a fact.
  public init(_ path: String, _ value: JSONValue) {
    (self.path, self.value) = (path, value)
  }

  /// Creates a fact whose value is a list; nil for an empty list.
  init?(_ path: String, list: [String]) {
    if list.isEmpty { return nil }
    self.init(path, .array(list.map { .string($0) }))
  }
}

extension JSONValue {
  /// The value as readable text: strings without quotes, list items separated by commas.
  public var words: String {
    switch self {
    case .string(let text): text
    case .array(let values): values.map { $0.words }.joined(separator: ", ")
    default: text
    }
  }
}

extension Names {
  func path(_ kind: String, _ id: some DenseID) -> String { "\(kind)/\(pathWord(self[id]))" }
}

extension Values {
  /// Creates a fact for each field under a path that has a value.
  init(_ path: String, _ members: [(String, JSONValue?)]) {
    self.init(members.compactMap { member, value in value.map { Fact("\(path).\(member)", $0) } })
  }
}

/// Returns a text as a JSON string; nil if the text is nil.
func text(_ value: String?) -> JSONValue? { value.map { .string($0) } }
