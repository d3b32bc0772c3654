import Events

/// A cell in a row of an answer. Its case decides how each output format writes it.
package enum Cell: Sendable {
  case text(String)
  case int(Int)
  case bool(Bool)
  case null
  /// The time of an event. A table shows how much earlier it was than `before`, the state's time.
  case time(Timestamp, before: Timestamp)
  /// A value, and the greatest value (`of`) of its column. Only tables show the value, as a bar.
  case bar(Int, of: Int)
  /// Raw JSON; tables and CSV show its text.
  case json(String)
  /// A list as a JSON array; tables and CSV separate its items by commas.
  case list(JSONValue)

  package init(_ value: JSONValue) {
    switch value {
    case .array: self = .list(value)
    case .string(let text): self = .text(text)
    case .number(let text): self = Int(text).map(Cell.int) ?? .json(text)
    // Values in the state are written as in conditions (true, false), not as in answers (yes, no).
    case .bool, .null, .object: self = .json(value.text)
    }
  }

  /// Returns a cell with a number that may need more than the 32 bits of an `Int` in WebAssembly.
  package static func number(_ value: Int64) -> Cell {
    Int(exactly: value).map(Cell.int) ?? .json("\(value)")
  }

  package static func optional(_ text: String?) -> Cell { text.map(Cell.text) ?? .null }
  package static func optional(_ value: JSONValue?) -> Cell { value.map { Cell($0) } ?? .null }
  package static func optional(_ seq: UInt64?) -> Cell {
    seq.map { .int(Int(clamping: $0)) } ?? .null
  }

  package var json: String {
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

/// Returns a text as a quoted JSON string.
package func jsonString(_ text: String) -> String {
  var out = ByteBuffer(capacity: 64)
  out.appendJSON(text)
  return out.text
}

/// An answer in rows and columns, which the command prints in any format and the web page shows.
///
/// ```swift
/// var rows = Rows([.text("name"), .number("seq", "REVISION")])
/// rows.add([.text("before-the-fix"), .int(200)])
/// rows.json  // [{"name":"before-the-fix","seq":200}]
/// ```
package struct Rows: Sendable {
  package struct Column: Sendable {
    /// The column's name: the field in JSON and the heading in CSV.
    package var name: String
    /// The column's heading in a table.
    package var title: String
    /// Whether the column is aligned to the right, like numbers.
    package var isNumber = false
    package var isTruth = false
    /// Whether only tables on a terminal show the column.
    package var isOrnament = false
    /// Whether the column identifies the rows, alone or with other key columns.
    package var isKey = false
    /// The path of the column's value in the state, with column names in braces:
    /// `followers/{user}.count`.
    package var path: String?

    /// Creates a column of text.
    /// - Parameter title: The heading in a table; by default the name in capitals.
    package static func text(
      _ name: String, _ title: String? = nil, isKey: Bool = false, path: String? = nil
    ) -> Column {
      Column(name: name, title: title ?? name.uppercased(), isKey: isKey, path: path)
    }

    package static func number(
      _ name: String, _ title: String? = nil, path: String? = nil
    ) -> Column {
      Column(name: name, title: title ?? name.uppercased(), isNumber: true, path: path)
    }

    package static func truth(
      _ name: String, _ title: String? = nil, path: String? = nil
    ) -> Column {
      Column(name: name, title: title ?? name.uppercased(), isTruth: true, path: path)
    }

    /// A column of bars for each row's first number, relative to the greatest one.
    package static let bar = Column(name: "bar", title: "", isOrnament: true)
  }

  package let columns: [Column]
  package var rows: [[Cell]] = []
  /// A line above the table; other formats omit it.
  package var title: String?

  package init(_ columns: [Column]) { self.columns = columns }

  package mutating func add(_ cells: [Cell]) { rows.append(cells) }

  package var json: String {
    "[" + rows.map { Self.object(columns, $0) }.joined(separator: ",") + "]"
  }

  package static func object(_ columns: [Column], _ row: [Cell]) -> String {
    let members = zip(columns, row).filter { !$0.0.isOrnament }.map {
      jsonString($0.name) + ":" + $1.json
    }
    return "{" + members.joined(separator: ",") + "}"
  }
}
