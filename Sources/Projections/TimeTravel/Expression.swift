import Events

/// A condition on the state, which is true or false at each position of a log.
///
/// ```swift
/// let condition = try Expression("followers/alice.count > 100 and not profile/alice.isPublic")
/// condition.paths.map { $0.text }  // ["followers/alice.count", "profile/alice.isPublic"]
/// ```
/// An expression has:
/// - paths, numbers, texts in quotes or as one word, `true`, `false` and `none`;
/// - the comparisons `==`, `!=`, `<`, `<=`, `>`, `>=` and `contains`;
/// - `not`, `and`, `or` and parentheses.
///
/// A missing value is `none`, which is neither less nor greater than anything. Only values of the
/// same kind can be compared, such as two numbers.
public struct Expression: Sendable, Equatable {
  /// The error if a text is not a valid expression.
  public typealias Fault = StatePath.Fault

  /// The text of the expression.
  public let text: String
  /// The different paths in the expression.
  public let paths: [StatePath]
  /// The ids in the paths, and the texts that are compared with ids.
  public let ids: [NamedID]
  private let root: Node

  /// Parses an expression.
  /// It can contain the paths of the projections in `catalogue`.
  /// - Throws: A fault with a message and the position of the first wrong character.
  public init(_ text: String, in catalogue: Catalogue = .standard) throws(Fault) {
    var parser = Parser(text, catalogue)
    root = try parser.whole()
    self.text = text
    var paths: [StatePath] = []
    for path in parser.paths where !paths.contains(path) { paths.append(path) }
    self.paths = paths
    ids = parser.ids
  }

  /// A value in an expression.
  public enum Value: Equatable, Sendable {
    /// A missing value.
    case none
    /// A number; all numbers are compared as `Double`.
    case number(Double)
    /// A text.
    case text(String)
    /// True or false.
    case truth(Bool)
    /// The items of a list, in no order.
    case list(Set<String>)

    /// Creates the value for a fact's JSON value; nil, null and objects become `none`.
    public init(_ json: JSONValue?) {
      switch json {
      case .number(let text)?: self = Double(text).map(Value.number) ?? .none
      case .string(let text)?: self = .text(text)
      case .bool(let value)?: self = .truth(value)
      case .array(let items)?: self = .list(Set(items.map { $0.words }))
      case nil, .null?, .object?: self = .none
      }
    }
  }

  /// Returns whether the condition is true. `value` returns the value at a path of the condition.
  public func isTrue(_ value: (StatePath) -> Value) -> Bool { root.isTrue(value) }

  enum Comparison: String, CaseIterable {
    case equal = "=="
    case unequal = "!="
    case atMost = "<="
    case atLeast = ">="
    case less = "<"
    case more = ">"
    case contains
  }

  indirect enum Node: Equatable, Sendable {
    case constant(Value)
    case path(StatePath)
    case compare(Comparison, Node, Node)
    case not(Node)
    case and(Node, Node)
    case or(Node, Node)

    func value(_ lookup: (StatePath) -> Value) -> Value {
      switch self {
      case .constant(let value): value
      case .path(let path): lookup(path)
      case .compare, .not, .and, .or: .truth(isTrue(lookup))
      }
    }

    func isTrue(_ lookup: (StatePath) -> Value) -> Bool {
      switch self {
      case .constant, .path: value(lookup) == .truth(true)
      case .not(let node): !node.isTrue(lookup)
      case .and(let a, let b): a.isTrue(lookup) && b.isTrue(lookup)
      case .or(let a, let b): a.isTrue(lookup) || b.isTrue(lookup)
      case .compare(let comparison, let a, let b):
        Self.compare(comparison, a.value(lookup), b.value(lookup))
      }
    }

    private static func compare(_ comparison: Comparison, _ a: Value, _ b: Value) -> Bool {
      switch (comparison, a, b) {
      case (.equal, _, _): a == b
      case (.unequal, _, _): a != b
      case (.less, .number(let a), .number(let b)): a < b
      case (.atMost, .number(let a), .number(let b)): a <= b
      case (.more, .number(let a), .number(let b)): a > b
      case (.atLeast, .number(let a), .number(let b)): a >= b
      case (.less, .text(let a), .text(let b)): a < b
      case (.atMost, .text(let a), .text(let b)): a <= b
      case (.more, .text(let a), .text(let b)): a > b
      case (.atLeast, .text(let a), .text(let b)): a >= b
      case (.contains, .list(let items), .text(let item)): items.contains(item)
      case (.contains, .text(let text), .text(let part)): text.holds(part)
      default: false
      }
    }
  }
}

extension String {
  /// Returns whether `part` occurs in this text, compared character by character. The standard
  /// library's `contains` needs a library that Embedded Swift lacks.
  fileprivate func holds(_ part: String) -> Bool {
    var rest = self[...]
    while !rest.starts(with: part) {
      if rest.isEmpty { return false }
      rest = rest.dropFirst()
    }
    return true
  }
}
