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
  /// The column widths of the last block rendered.
  private var blockWidths: [Int] = []

  init(_ columns: [Rows.Column]) { self.columns = columns }

  /// Adds a row with a cell for each column.
  mutating func add(_ cells: [String]) { rows.append(cells.map { Cell(sanitized($0)) }) }

  /// Returns the rows added since the last block as lines, and drops them. Only the first block has
  /// the header. Columns are at least as wide as in the previous block.
  ///
  /// If `width` is given, the widest left-aligned columns are cut until the lines fit, down to 6
  /// columns each.
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

  /// Returns a line without trailing spaces.
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
