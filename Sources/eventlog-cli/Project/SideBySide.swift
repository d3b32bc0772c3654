/// A projection's rows and another system's rows for the same query, matched by key.
///
/// ```swift
/// let sides = try SideBySide(rows, file: "counts.csv", of: "followers", isPartial: false)
/// sides.differences.first?.path   // "followers/ada.count"
/// sides.count                     // 120 different keys
/// ```
/// A missing row equals a row with only zeros, false and empty values. The reason is that an SQL
/// query with GROUP BY has no rows for empty groups.
/// - Complexity: O(rows of both sides), which are all in memory.
struct SideBySide {
  enum Side: String { case both, file, log }

  /// A value that differs between the sides.
  struct Difference {
    /// The row's key, with one cell for each key column.
    var key: [Cell]
    /// The name of the field that differs. It is nil if only one side has the row and the row has
    /// no fields besides its key.
    var member: String?
    var file: Cell
    var log: Cell
    /// The sides that have a row with this key.
    var side: Side
    /// The path of the log's value; nil if the value is not a single piece of state.
    var path: String?
  }

  let keys: [Rows.Column]
  /// The differences in the order of the log's rows. The differences of rows that only the file
  /// has come last, in the file's order.
  private(set) var differences: [Difference] = []
  /// The number of distinct keys on the two sides.
  private(set) var count = 0
  /// The number of keys whose rows differ: in the file only, in the log only, or in both.
  private(set) var differing: [Side: Int] = [:]

  private let columns: [Rows.Column]
  /// The indices of the key columns.
  private let keyFields: [Int]
  /// For each field of the file's lines, the index of the field's column in `columns`.
  private let fields: [Int]

  /// Compares a projection's rows with the rows in a file.
  /// - Parameter isPartial: whether the file may lack rows that the log has.
  /// - Throws: exit 64 if the file's heading does not fit the columns; 65 if a line does not fit
  ///   the heading; 66 if there is no such file.
  init(_ rows: Rows, file path: String, of name: String, isPartial: Bool) throws {
    columns = rows.columns
    keys = columns.filter(\.isKey)
    keyFields = rows.columns.indices.filter { rows.columns[$0].isKey }
    if keys.isEmpty {
      throw Failure.usage(
        "project \(name) has no --compare: its rows have no key to compare them by")
    }
    var reader = try CSVReader(path: path)
    fields = try Self.fields(of: try reader.next(), columns, name, reader.name)
    let file = try read(&reader)
    var seen: Set<[String]> = []
    for row in rows.rows {
      var key = keyFields.map { row[$0].csv }
      // The key in the file may have the form that --format csv writes.
      if file.rows[key] == nil { key = key.map(CSV.shown) }
      seen.insert(key)
      if file.rows[key] == nil, isPartial { continue }
      hold(file.rows[key]?.cells, row)
    }
    for key in file.keys where !seen.contains(key) { hold(file.rows[key]?.cells, nil) }
  }

  /// Returns the indices of the columns that the file's heading names.
  private static func fields(
    of heading: [String]?, _ columns: [Rows.Column], _ name: String, _ file: String
  ) throws(Failure) -> [Int] {
    guard let heading else {
      throw Failure(.data, "\(file) is empty; its first line must name the members")
    }
    let names = columns.filter { !$0.isOrnament }.map(\.name)
    var fields: [Int] = []
    for word in heading {
      guard names.contains(word), let field = columns.firstIndex(where: { $0.name == word }) else {
        throw .usage(
          "\(file): the rows of \(name) have no member \(quoted(word))."
            + "\(didYouMean(word, names)) They have " + names.joined(separator: ", "))
      }
      if fields.contains(field) { throw .usage("\(file): the heading has \(quoted(word)) twice") }
      fields.append(field)
    }
    let missing = columns.indices.filter { columns[$0].isKey && !fields.contains($0) }
      .map { columns[$0].name }
    if !missing.isEmpty {
      throw .usage(
        "\(file): the heading lacks \(missing.joined(separator: " and ")), "
          + "the key of the rows")
    }
    return fields
  }

  private typealias FileRows = (keys: [[String]], rows: [[String]: (line: Int, cells: [Cell])])

  /// Reads the file's rows by key, in file order, with a cell for each column.
  private func read(_ reader: inout CSVReader) throws -> FileRows {
    var file: FileRows = ([], [:])
    while let texts = try reader.next() {
      if texts.count != fields.count {
        throw reader.fault(
          "\(counted(texts.count, "field")), but the heading has \(fields.count)")
      }
      var cells = [Cell](repeating: .null, count: columns.count)
      for (field, text) in zip(fields, texts) {
        guard let cell = Cell(text, as: columns[field]) else {
          throw reader.fault(
            "\(columns[field].name) must be "
              + "\(columns[field].isNumber ? "a number" : "true or false"), not \(quoted(text))")
        }
        cells[field] = cell
      }
      let key = keyFields.map { cells[$0].csv }
      if key.contains("") { throw reader.fault("the key is empty") }
      if let known = file.rows[key] {
        throw reader.fault(
          "\(quoted(key.joined(separator: ","))) is already on line \(known.line)")
      }
      file.keys.append(key)
      file.rows[key] = (reader.line, cells)
    }
    return file
  }

  /// Compares the file's row and the log's row with the same key, and records the differences. Nil
  /// means that the row is missing.
  private mutating func hold(_ file: [Cell]?, _ log: [Cell]?) {
    guard let row = log ?? file else { return }
    count += 1
    let side: Side = file == nil ? .log : log == nil ? .file : .both
    var found: [Difference] = []
    func differ(in field: Int, _ member: String?, _ file: Cell, _ log: Cell) {
      found.append(
        Difference(
          key: keyFields.map { row[$0] }, member: member, file: file, log: log, side: side,
          path: path(columns[field].path, in: row)))
    }
    let members = fields.filter { !columns[$0].isKey }
    for field in members {
      let (file, log) = (file?[field], log?[field])
      let isEqual: Bool =
        if let file, let log { log.isSame(as: file) } else { (file ?? log)?.isNothing ?? true }
      if !isEqual { differ(in: field, columns[field].name, file ?? .null, log ?? .null) }
    }
    if members.isEmpty, side != .both { differ(in: keyFields[0], nil, .null, .null) }
    if found.isEmpty { return }
    differing[side, default: 0] += 1
    differences += found
  }

  /// Replaces the column names in braces by the row's values. Returns nil if a value is missing.
  private func path(_ template: String?, in row: [Cell]) -> String? {
    guard var path = template else { return nil }
    for (column, cell) in zip(columns, row) where path.contains("{\(column.name)}") {
      if cell.csv.isEmpty { return nil }
      path = path.replacing("{\(column.name)}", with: StatePath.word(cell.csv))
    }
    return path
  }
}

extension Cell {
  /// Converts a field of the file to the kind of its column. Returns nil if the text is not a
  /// number or not a truth value, but the column needs one.
  fileprivate init?(_ text: String, as column: Rows.Column) {
    switch text {
    case "": self = .null
    case _ where column.isNumber:
      if let number = Int(text) {
        self = .int(number)
      } else if text.utf8.allSatisfy(Self.numberBytes.contains), let number = Double(text),
        number.isFinite
      {
        self = .json(JSONValue.double(number).text)
      } else {
        return nil
      }
    case _ where column.isTruth:
      switch text.lowercased() {
      case "true", "t", "yes", "y", "1": self = .bool(true)
      case "false", "f", "no", "n", "0": self = .bool(false)
      default: return nil
      }
    default: self = .text(text)
    }
  }

  private static let numberBytes = Set("0123456789+-.eE".utf8)

  fileprivate var isNothing: Bool {
    switch self {
    case .null, .text(""), .int(0), .bool(false): true
    case .json(let text): Double(text) == 0
    default: false
    }
  }

  /// Whether a cell of the log's rows equals a cell of the file.
  fileprivate func isSame(as file: Cell) -> Bool {
    switch (self, file) {
    case (.null, .null): true
    case (.bool(let log), .bool(let file)): log == file
    case (.int(let log), .int(let file)): log == file
    case (.int, .json), (.json, .int), (.json, .json): Double(csv) == Double(file.csv)
    case (.text(let log), .text(let file)):
      lineFeeds(log) == file || CSV.shown(lineFeeds(log)) == file
        || instant(log).map { $0 == instant(file) } ?? false
    case (.time(let log, _), .text(let file)): instant(file) == log
    default: false
    }
  }
}

/// Replaces line ends by `\n`, as the file reader does.
private func lineFeeds(_ text: String) -> String {
  guard text.utf8.contains(UInt8(ascii: "\r")) else { return text }
  var result = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    if scalar == "\n", result.last == "\r" { result.removeLast() }
    result.append(scalar)
  }
  return String(result)
}

/// Parses a time of RFC 3339 or SQL, such as `2026-01-31 12:00:00+00`; UTC if it has no offset.
private func instant(_ text: String) -> Timestamp? {
  guard text.utf8.count >= 19 else { return nil }
  if let time = DateTime(text) { return time.instant }
  var parts = Array(text.unicodeScalars)
  if parts[10] == " " { parts[10] = "T" }
  let sign = parts[19...].firstIndex { $0 == "+" || $0 == "-" }
  if let sign {
    if parts.count - sign == 3 { parts += ":00".unicodeScalars }
  } else if parts.last != "Z" {
    parts.append("Z")
  }
  var time = String.UnicodeScalarView()
  time.append(contentsOf: parts)
  return DateTime(String(time))?.instant
}
