import Events

/// A cell of a result: what it is decides how each format writes it.
enum Cell: Sendable {
  case text(String)
  case int(Int)
  case bool(Bool)
  case null
  /// JSON as it is; for tables and CSV its text.
  case json(String)

  var json: String {
    switch self {
    case .text(let text): jsonString(text)
    case .int(let value): String(value)
    case .bool(let value): value ? "true" : "false"
    case .null: "null"
    case .json(let text): text
    }
  }

  /// For people: thousands grouped, nothing for null.
  var table: String {
    switch self {
    case .text(let text), .json(let text): text
    case .int(let value): grouped(value)
    case .bool(let value): value ? "yes" : "no"
    case .null: "–"
    }
  }

  var csv: String {
    switch self {
    case .text(let text), .json(let text): text
    case .int(let value): String(value)
    case .bool(let value): value ? "true" : "false"
    case .null: ""
    }
  }
}

func jsonString(_ text: String) -> String {
  var out = ByteBuffer(capacity: 64)
  out.appendJSON(text)
  return out.text
}

/// How a result is printed.
enum Format: String, CaseIterable, Sendable { case table, json, jsonl, csv }

extension Invocation {
  func format() throws(Failure) -> Format {
    guard let text = value("--format") else { return .table }
    guard let format = Format(rawValue: text) else {
      let near = suggestion(for: text, among: Format.allCases.map(\.rawValue))
      throw .usage(
        "--format takes table, json, jsonl or csv, not \(quoted(text))"
          + (near.map { "; did you mean '\($0)'?" } ?? ""))
    }
    return format
  }
}

/// A result of rows and columns, printed in any format.
struct Rows {
  struct Column {
    /// The member in JSON and the heading in CSV.
    var name: String
    /// The heading in a table.
    var title: String
    var alignment = Table.Alignment.left
  }

  let columns: [Column]
  var rows: [[Cell]] = []

  init(_ columns: [Column]) { self.columns = columns }

  mutating func add(_ cells: [Cell]) { rows.append(cells) }

  /// - Parameter footer: a line for people below the table.
  func write(_ format: Format, footer: String? = nil) {
    switch format {
    case .table:
      var table = Table(columns.map { Table.Column(title: $0.title, alignment: $0.alignment) })
      for row in rows { table.add(row.map(\.table)) }
      Output.write(table.render(width: Terminal.isOutputTTY ? Terminal.width : nil))
      if let footer { Output.line(styled(footer, .dim)) }
    case .json:
      Output.write("[")
      for (index, row) in rows.enumerated() {
        Output.write(index == 0 ? "\n" : ",\n")
        Output.write(object(row))
      }
      Output.write(rows.isEmpty ? "]\n" : "\n]\n")
    case .jsonl:
      for row in rows { Output.line(object(row)) }
    case .csv:
      Output.write(CSV.row(columns.map(\.name)))
      for row in rows { Output.write(CSV.row(row.map(\.csv))) }
    }
  }

  private func object(_ row: [Cell]) -> String {
    let members = zip(columns, row).map { jsonString($0.name) + ":" + $1.json }
    return "{" + members.joined(separator: ",") + "}"
  }
}
