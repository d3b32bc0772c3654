import TimeMachine

/// Rows below a header, for people to read.
///
///     var table = Table([.init(title: "USER", alignment: .left)])
///     table.add(["alice"])
///     table.render(width: 80)  // "USER\nalice\n"
struct Table {
  typealias Alignment = Rows.Alignment

  struct Column: Sendable {
    var title: String
    var alignment: Alignment = .left
  }

  /// A cell's text and its width in columns, which is needed twice.
  private struct Cell {
    var text: String
    var width: Int

    init(_ text: String) { (self.text, width) = (text, displayWidth(text)) }
  }

  private let columns: [Column]
  private var rows: [[Cell]] = []
  /// The column widths of the last block rendered.
  private var blockWidths: [Int] = []

  init(_ columns: [Column]) {
    self.columns = columns
  }

  /// Adds a row; missing cells are empty and surplus ones are ignored.
  mutating func add(_ cells: [String]) {
    rows.append(
      columns.indices.map { Cell(cells.indices.contains($0) ? sanitized(cells[$0]) : "") })
  }

  /// The header and the rows, each ended by a newline.
  ///
  /// If `width` is given, the widest left-aligned columns are cut until the lines fit, though not
  /// below 6 columns.
  func render(width: Int?) -> String {
    var table = self
    return table.renderBlock(width: width)
  }

  /// The rows added since the last block, which are then dropped; only the first block has the
  /// header. Columns are at least as wide as in the previous block.
  mutating func renderBlock(width: Int?) -> String {
    guard !columns.isEmpty else { return "" }
    let titles = columns.map { Cell(sanitized($0.title)) }
    let isFirst = blockWidths.isEmpty
    let widths = columnWidths(titles: titles, limit: width)
    defer { (blockWidths, rows) = (widths, []) }
    var text = ""
    if isFirst {
      append(titles, widths, to: &text)
      text = styled(text, .bold) + "\n"
    }
    for row in rows {
      append(row, widths, to: &text)
      text += "\n"
    }
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
    let flexible = columns.indices.filter { columns[$0].alignment == .left }
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

  /// Appends a line, without trailing spaces.
  private func append(_ cells: [Cell], _ widths: [Int], to text: inout String) {
    var blanks = 0
    for (index, column) in columns.enumerated() {
      var cell = cells[index]
      if cell.width > widths[index] { cell = Cell(truncated(cell.text, to: widths[index])) }
      let padding = widths[index] - cell.width
      if column.alignment == .right { blanks += padding }
      if !cell.text.isEmpty {
        for _ in 0..<blanks { text += " " }
        blanks = 0
        text += cell.text
      }
      blanks += (column.alignment == .left ? padding : 0) + 2
    }
  }
}
