import Events
import Tables
import UseCases

/// A difference between a mirror and its log.
package struct MirrorDifference: Equatable, Sendable {
  /// Whether the database lacks a whole table.
  var isAbsentTable: Bool {
    if case .object("table \(table)", mirrored: nil, _) = kind { true } else { false }
  }

  /// The difference's kind.
  package enum Kind: Equatable, Sendable {
    /// The log has the row, but the mirror does not.
    case missing
    /// The mirror has the row, but the log does not.
    case extra
    /// Both have the row, with other values in a column.
    case value(column: TableSchema.Column, mirrored: TableValue, logged: TableValue)
    /// A table, index or trigger, such as `trigger audit`. The database's SQL differs from the SQL
    /// that the mirror declares; nil stands for no SQL.
    case object(String, mirrored: String?, declared: String?)
  }

  /// The table's name.
  package var table: String
  /// The values of the row's key; empty for an object.
  package var key: [TableValue]
  /// The difference.
  package var kind: Kind
}

/// The rows of a table according to the log, for comparison with the rows of a mirror.
/// - Complexity: it holds all rows in memory.
struct RowComparison {
  private let schema: TableSchema
  private let stored: (TableValue) -> TableValue
  private var rows: [[TableValue]] = []
  /// The index of each row by its key, until a row of the mirror has this key.
  private var places: [String: Int] = [:]

  /// Creates a comparison without rows.
  /// - Parameter stored: returns the form in which the database stores a value.
  init(_ schema: TableSchema, _ stored: @escaping (TableValue) -> TableValue) {
    (self.schema, self.stored) = (schema, stored)
  }

  /// Adds a row of the log.
  mutating func add(_ row: [TableValue]) {
    let row = row.map(stored)
    places[text(ofKeyIn: row)] = rows.count
    rows.append(row)
  }

  /// Compares a row of the mirror with the log's row.
  mutating func compare(_ row: [TableValue], _ found: (MirrorDifference) -> Void) {
    guard let place = places.removeValue(forKey: text(ofKeyIn: row)) else {
      return found(MirrorDifference(table: schema.name, key: key(of: row), kind: .extra))
    }
    let logged = rows[place]
    for (index, column) in schema.columns.enumerated()
    where !row[index].isSame(as: logged[index]) {
      found(
        MirrorDifference(
          table: schema.name, key: key(of: row),
          kind: .value(column: column, mirrored: row[index], logged: logged[index])))
    }
  }

  /// Reports the log's rows whose keys the mirror does not have, sorted by key.
  func reportMissing(_ found: (MirrorDifference) -> Void) {
    for (_, place) in places.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      found(MirrorDifference(table: schema.name, key: key(of: rows[place]), kind: .missing))
    }
  }

  private func key(of row: [TableValue]) -> [TableValue] { schema.key.map { row[$0] } }

  private func text(ofKeyIn row: [TableValue]) -> String {
    key(of: row).reduce(into: "") { $0 += "\($1.plainText.utf8.count):\($1.plainText)" }
  }
}

extension TableValue {
  /// The value as plain text, such as `true` or `2026-01-19T09:00:00.000Z`; for null, `null`.
  package var plainText: String {
    switch self {
    case .null: "null"
    case .text(let text): text
    case .int(let number): "\(number)"
    case .double(let number): JSONValue.double(number).text
    case .bool(let flag): flag ? "true" : "false"
    case .time(let time): "\(time)"
    case .json(let json): json.text
    }
  }

  /// Returns whether two values of a column are equal. Ignores the forms of numbers, and the order
  /// of the fields in JSON.
  fileprivate func isSame(as other: TableValue) -> Bool {
    switch (self, other) {
    case (.json(let a), .json(let b)): a.isSame(as: b)
    case (.int(let a), .double(let b)), (.double(let b), .int(let a)): Double(a) == b
    default: self == other
    }
  }
}

extension JSONValue {
  fileprivate func isSame(as other: JSONValue) -> Bool {
    switch (self, other) {
    case (.number(let a), .number(let b)): return a == b || Double(a) == Double(b)
    case (.array(let a), .array(let b)):
      return a.count == b.count && zip(a, b).allSatisfy { $0.isSame(as: $1) }
    case (.object(let a), .object(let b)):
      guard a.count == b.count else { return false }
      return a.allSatisfy { other[$0.name]?.isSame(as: $0.value) ?? false }
    default: return self == other
    }
  }
}
