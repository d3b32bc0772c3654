/// Comma-separated values as in RFC 4180, except that lines end with a bare `\n`.
enum CSV {
  /// One line with its newline.
  ///
  /// A cell that a spreadsheet could take for a formula, unless it is a number, is prefixed with
  /// `'`. Control characters, and characters that hide or reorder text, are escaped as in a table;
  /// line ends and tabs are not.
  static func row(_ cells: [String]) -> String {
    // A lone empty cell is quoted, or the line would look like no row at all.
    if cells == [""] { return "\"\"\n" }
    return cells.map { field(shown($0)) }.joined(separator: ",") + "\n"
  }

  /// According to OWASP's page on CSV injection: the signs, also in full width, and white space
  /// that spreadsheets skip.
  private static let formulaStarts = Set("=+-@＝＋－＠\t\r\n".unicodeScalars)

  /// The text of a cell as it is printed, without the quotes.
  static func shown(_ cell: String) -> String { guarded(sanitizedCell(cell)) }

  static func guarded(_ cell: String) -> String {
    guard let first = cell.unicodeScalars.first, formulaStarts.contains(first),
      !isPlainNumber(cell)
    else { return cell }
    return "'" + cell
  }

  /// Whether the cell is a number in JSON syntax.
  private static func isPlainNumber(_ cell: String) -> Bool {
    var rest = cell.utf8[...]
    func digits() -> Bool {
      let count = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
      rest = rest.dropFirst(count)
      return count > 0
    }
    if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
    guard digits() else { return false }
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      guard digits() else { return false }
    }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest.removeFirst()
      if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
      guard digits() else { return false }
    }
    return rest.isEmpty
  }

  private static func field(_ cell: String) -> String {
    let special = cell.utf8.contains { byte in
      byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n")
        || byte == UInt8(ascii: "\r")
    }
    guard special else { return cell }
    var quoted = "\""
    for scalar in cell.unicodeScalars {
      if scalar == "\"" { quoted += "\"" }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }
}
