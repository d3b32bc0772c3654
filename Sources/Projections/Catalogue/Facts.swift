import Events

/// One piece of a projection's state: its path and its value.
///
/// ```swift
/// views.facts(names)  // [Fact(path: "followers/alice.count", value: .int(10)), …]
/// ```
/// Lists are arrays, counts numbers, names and texts strings. Missing values have no fact.
public struct Fact: Equatable, Sendable {
  public var path: String
  public var value: JSONValue

  public init(_ path: String, _ value: JSONValue) {
    self.path = path
    self.value = value
  }

  /// A list; nil for an empty one.
  init?(_ path: String, list: [String]) {
    if list.isEmpty { return nil }
    self.init(path, .array(list.map { .string($0) }))
  }
}

extension JSONValue {
  /// The value for people: texts without quotes, lists separated by commas.
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
  /// The members that have a value.
  init(_ path: String, _ members: [(String, JSONValue?)]) {
    self.init(members.compactMap { member, value in value.map { Fact("\(path).\(member)", $0) } })
  }
}

/// A text, if there is one.
func text(_ value: String?) -> JSONValue? { value.map { .string($0) } }
