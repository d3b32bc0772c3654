/// Comma-separated values as in RFC 4180, except that lines end with a bare `\n`.
enum CSV {
  /// Returns a row of cells as one line, with its newline.
  ///
  /// A cell that a spreadsheet could treat as a formula gets the prefix `'`, unless it is a number.
  /// Control characters, and characters that hide or reorder text, are escaped as in a table. Line
  /// ends and tabs are not escaped.
  static func row(_ cells: [String]) -> String {
    // An unquoted empty cell alone would be an empty line, which is not a row.
    if cells == [""] { return "\"\"\n" }
    return cells.map { field(shown($0)) }.joined(separator: ",") + "\n"
  }

  /// The characters that can begin a formula, from OWASP's page on CSV injection. They are signs,
  /// also in full width, and white space that spreadsheets skip.
  private static let formulaStarts = Set("=+-@＝＋－＠\t\r\n".unicodeScalars)

  /// Returns a cell's text as it is printed, without the quotes.
  static func shown(_ cell: String) -> String { guarded(sanitizedCell(cell)) }

  private static func guarded(_ cell: String) -> String {
    guard let first = cell.unicodeScalars.first, formulaStarts.contains(first),
      !isPlainNumber(cell)
    else { return cell }
    return "'" + cell
  }

  /// Whether the cell is a number in JSON syntax.
  private static func isPlainNumber(_ cell: String) -> Bool {
    cell.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?/) != nil
  }

  private static func field(_ cell: String) -> String {
    guard cell.utf8.contains(where: ",\"\n\r".utf8.contains) else { return cell }
    var quoted = "\""
    // Compares scalars, because a quote with a combining mark is a quote too.
    for scalar in cell.unicodeScalars { quoted += scalar == "\"" ? "\"\"" : String(scalar) }
    return quoted + "\""
  }
}
