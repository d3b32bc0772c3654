extension Cell {
  /// Creates a cell with a log's checksum: 16 hexadecimal digits.
  static func sum(_ sum: UInt64) -> Cell { .text(sum.padded(to: 16, radix: 16)) }

  /// The cell's text in a table for people: numbers have separators, null is a dash.
  var table: String {
    switch self {
    case .text(let text), .json(let text): text
    case .list(let value): value.words
    case .int(let value): grouped(value)
    case .bool(let value): value ? "yes" : "no"
    case .null: "–"
    case .time(let time, let now): ago(time, before: now)
    case .bar(let count, let most): barText(count, of: most)
    }
  }

  var csv: String {
    switch self {
    case .text(let text): text
    case .json(let text): escaped(text)
    case .list(let value): value.words
    case .int(let value): String(value)
    case .bool(let value): value ? "true" : "false"
    case .null, .bar: ""
    case .time(let time, _): "\(time)"
    }
  }
}

/// Returns the time since `time` in its largest unit, such as `3 d ago`; after 60 days, the date.
private func ago(_ time: Timestamp, before now: Timestamp) -> String {
  let seconds = (now.milliseconds - time.milliseconds) / 1_000
  switch seconds {
  case ..<0: return "\(time.date)"
  case ..<60: return "\(seconds) s ago"
  case ..<3_600: return "\(seconds / 60) min ago"
  case ..<86_400: return "\(seconds / 3_600) h ago"
  case ..<(60 * 86_400): return "\(seconds / 86_400) d ago"
  default: return "\(time.date)"
  }
}

/// Returns a bar of at most 20 columns, in steps of an eighth of a column.
private func barText(_ count: Int, of most: Int) -> String {
  guard most > 0, count > 0 else { return "" }
  let eighths = max(1, Int(Double(count) / Double(most) * 160))
  let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
  return String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
}

extension Rows {
  /// Prints the rows.
  /// - Parameter footer: a line for people below the table.
  func write(_ format: Format, footer: String? = nil) {
    var stream = RowStream(columns, format)
    for row in rows { stream.add(row) }
    stream.finish(footer: footer)
  }
}

/// Rows that are printed while they are produced, in constant memory.
struct RowStream {
  private let columns: [Rows.Column]
  private let format: Format
  private let shown: [Int]
  private var table: Table
  private(set) var count = 0

  /// The number of rows in a block. The column widths are computed for each block.
  private static let block = 1_000

  init(_ columns: [Rows.Column], _ format: Format) {
    (self.columns, self.format) = (columns, format)
    let isForPeople = format == .table && Terminal.isOutputTTY
    shown = columns.indices.filter { !columns[$0].isOrnament || isForPeople }
    table = Table(shown.map { columns[$0] })
  }

  /// Prints the format's heading or opening bracket.
  private func begin() {
    if format == .csv { Output.write(CSV.row(shown.map { columns[$0].name })) }
    if format == .json { Output.write("[") }
  }

  mutating func add(_ row: [Cell]) {
    if count == 0 { begin() }
    count += 1
    switch format {
    case .table:
      table.add(shown.map { row[$0].table })
      if count.isMultiple(of: Self.block) { writeBlock() }
    case .json:
      Output.write(count == 1 ? "\n" : ",\n")
      Output.data(Rows.object(columns, row))
    case .jsonl: Output.data(Rows.object(columns, row) + "\n")
    case .csv: Output.data(CSV.row(shown.map { row[$0].csv }))
    }
  }

  /// Prints the last rows and the format's closing bracket.
  /// - Parameter footer: a line for people below the table.
  mutating func finish(footer: String? = nil) {
    if count == 0 { begin() }
    if format == .json { Output.write(count == 0 ? "]\n" : "\n]\n") }
    guard format == .table else { return }
    if count == 0 || !count.isMultiple(of: Self.block) { writeBlock() }
    if let footer { Output.line(styled(footer, .dim)) }
  }

  private mutating func writeBlock() {
    Output.write(table.renderBlock(width: Terminal.isOutputTTY ? Terminal.width : nil))
  }
}

/// A table with a header for people, printed in blocks.
struct Table {
  /// A cell's text and its width in terminal columns.
  private struct Cell {
    var text: String
    var width: Int

    init(_ text: String) { (self.text, width) = (text, displayWidth(text)) }
  }

  private let columns: [Rows.Column]
  private var rows: [[Cell]] = []
  /// The column widths of the last block; empty before the first block.
  private var blockWidths: [Int] = []

  init(_ columns: [Rows.Column]) { self.columns = columns }

  /// Adds a row with a cell for each column.
  mutating func add(_ cells: [String]) { rows.append(cells.map { Cell(sanitized($0)) }) }

  /// Returns the rows added since the last block as lines, and removes them from the table. Only
  /// the first block has the header. Columns are at least as wide as in the previous block.
  ///
  /// If a line is wider than `width`, the widest left-aligned columns are cut until it fits. They
  /// keep a width of at least 6.
  mutating func renderBlock(width: Int?) -> String {
    if columns.isEmpty { return "" }
    let titles = columns.map { Cell(sanitized($0.title)) }
    let widths = columnWidths(titles: titles, limit: width)
    var text = ""
    if blockWidths.isEmpty { text = styled(line(titles, widths), .bold) + "\n" }
    for row in rows { text += line(row, widths) + "\n" }
    (blockWidths, rows) = (widths, [])
    return text
  }

  private func columnWidths(titles: [Cell], limit: Int?) -> [Int] {
    var widths = blockWidths.isEmpty ? titles.map(\.width) : blockWidths
    for row in rows {
      for index in widths.indices {
        widths[index] = max(widths[index], row[index].width)
      }
    }
    guard let limit else { return widths }
    let flexible = columns.indices.filter { !columns[$0].isNumber }
    for index in flexible { widths[index] = min(widths[index], max(limit, 6)) }
    var excess = widths.reduce(2 * (widths.count - 1), +) - limit
    while excess > 0, let widest = flexible.max(by: { widths[$0] < widths[$1] }),
      widths[widest] > 6
    {
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }

  /// Returns a row as a line without trailing spaces.
  private func line(_ cells: [Cell], _ widths: [Int]) -> String {
    var text = ""
    var blanks = 0
    for (index, column) in columns.enumerated() {
      var cell = cells[index]
      if cell.width > widths[index] { cell = Cell(truncated(cell.text, to: widths[index])) }
      let padding = widths[index] - cell.width
      if column.isNumber { blanks += padding }
      if !cell.text.isEmpty {
        text += String(repeating: " ", count: blanks) + cell.text
        blanks = 0
      }
      blanks += (column.isNumber ? 0 : padding) + 2
    }
    return text
  }
}
