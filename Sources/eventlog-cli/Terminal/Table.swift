/// Rows below a header, for people to read.
///
///     var table = Table([.init(title: "USER", alignment: .left)])
///     table.add(["alice"])
///     table.render(width: 80)  // "USER\nalice\n"
struct Table {
  enum Alignment: Sendable {
    case left
    case right
  }

  struct Column: Sendable {
    var title: String
    var alignment: Alignment = .left
  }

  private let columns: [Column]
  private var rows: [[String]] = []

  init(_ columns: [Column]) {
    self.columns = columns
  }

  /// Adds a row; missing cells are empty and surplus ones are ignored.
  mutating func add(_ cells: [String]) {
    rows.append(columns.indices.map { cells.indices.contains($0) ? sanitized(cells[$0]) : "" })
  }

  /// The header and the rows, each ended by a newline.
  ///
  /// Where `width` is given, the widest left-aligned columns are cut, though not below 6 columns,
  /// until the lines fit.
  func render(width: Int?) -> String {
    guard !columns.isEmpty else { return "" }
    let titles = columns.map { sanitized($0.title) }
    let widths = columnWidths(titles: titles, limit: width)
    var text = styled(line(titles, widths), .bold) + "\n"
    for row in rows {
      text += line(row, widths) + "\n"
    }
    return text
  }

  private func columnWidths(titles: [String], limit: Int?) -> [Int] {
    var widths = titles.map { displayWidth($0) }
    for row in rows {
      for index in widths.indices {
        widths[index] = max(widths[index], displayWidth(row[index]))
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

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (index, column) in columns.enumerated() {
      if index > 0 { line += "  " }
      let cell =
        column.alignment == .left ? truncated(cells[index], to: widths[index]) : cells[index]
      let padding = String(repeating: " ", count: widths[index] - displayWidth(cell))
      line += column.alignment == .left ? cell + padding : padding + cell
    }
    while line.utf8.last == UInt8(ascii: " ") { line.removeLast() }
    return line
  }
}
