import Events

/// A cell of an answer; its kind decides how each format writes it.
public enum Cell: Sendable {
  case text(String)
  case int(Int)
  case bool(Bool)
  case null
  /// When something happened; for people, how long before the time of the state.
  case time(Timestamp, before: Timestamp)
  /// A value relative to the greatest one, as a bar; for people only.
  case bar(Int, of: Int)
  /// Raw JSON; its text in tables and CSV.
  case json(String)
  /// A list; separated by commas for people and in CSV.
  case list(JSONValue)

  public init(_ value: JSONValue) {
    switch value {
    case .array: self = .list(value)
    case .string(let text): self = .text(text)
    case .number(let text): self = Int(text).map(Cell.int) ?? .json(text)
    // As in conditions, not the yes and no of answers.
    case .bool, .null, .object: self = .json(value.text)
    }
  }

  /// Also where an `Int` has 32 bits only.
  public static func number(_ value: Int64) -> Cell {
    Int(exactly: value).map(Cell.int) ?? .json("\(value)")
  }

  public static func optional(_ text: String?) -> Cell { text.map(Cell.text) ?? .null }

  public var json: String {
    switch self {
    case .text(let text): jsonString(text)
    case .int(let value): "\(value)"
    case .bool(let value): value ? "true" : "false"
    case .null, .bar: "null"
    case .time(let time, _): jsonString("\(time)")
    case .json(let text): text
    case .list(let value): value.text
    }
  }
}

/// A text as JSON, in quotes.
public func jsonString(_ text: String) -> String {
  var out = ByteBuffer(capacity: 64)
  out.appendJSON(text)
  return out.text
}

/// An answer of rows and columns: what the command prints in any format, and the page shows.
public struct Rows: Sendable {
  public enum Alignment: Sendable { case left, right }

  public struct Column: Sendable {
    /// The member's name in JSON and the heading in CSV.
    public var name: String
    /// The heading in a table.
    public var title: String
    public var alignment: Alignment
    /// Whether it is shown only in tables on a terminal.
    public var isOrnament: Bool
    /// Whether it identifies the rows, alone or with other columns.
    public var isKey: Bool
    public var isTruth: Bool
    /// The path of the value in the state, with column names in braces: `followers/{user}.count`.
    public var path: String?

    public init(
      name: String, title: String, alignment: Alignment = .left, isOrnament: Bool = false,
      isKey: Bool = false, isTruth: Bool = false, path: String? = nil
    ) {
      (self.name, self.title, self.alignment) = (name, title, alignment)
      (self.isOrnament, self.isKey, self.isTruth) = (isOrnament, isKey, isTruth)
      self.path = path
    }

    public var isNumber: Bool { alignment == .right }
  }

  public let columns: [Column]
  public var rows: [[Cell]] = []

  public init(_ columns: [Column]) { self.columns = columns }

  public mutating func add(_ cells: [Cell]) { rows.append(cells) }

  /// All rows as one JSON array.
  public var json: String {
    "[" + rows.map { Self.object(columns, $0) }.joined(separator: ",") + "]"
  }

  /// A row as a JSON object.
  public static func object(_ columns: [Column], _ row: [Cell]) -> String {
    let members = zip(columns, row).filter { !$0.0.isOrnament }.map {
      jsonString($0.name) + ":" + $1.json
    }
    return "{" + members.joined(separator: ",") + "}"
  }
}
