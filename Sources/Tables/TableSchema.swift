import UseCases

/// A table's name, columns and keys, without its rows: the part of its declaration that SQL needs.
///
/// ```swift
/// Table.follows.schema.key  // [1, 2]: follower_id and followee_id
/// ```
package struct TableSchema: Equatable, Sendable {
  /// A column.
  package struct Column: Equatable, Sendable {
    /// The column's name.
    package var name: String
    /// The type of the column's values.
    package var type: ColumnType
    /// A sentence about the values.
    package var about: String
    /// Whether a value may be null.
    package var isOptional: Bool
    /// Whether the value is the end of a period: the first moment after it, or null for a period
    /// that has not ended. The database stores the period's last moment, or a moment far ahead.
    package var isEnd = false

    package init(
      _ name: String, _ type: ColumnType, _ about: String, isOptional: Bool, isEnd: Bool = false
    ) {
      (self.name, self.type, self.about) = (name, type, about)
      (self.isOptional, self.isEnd) = (isOptional, isEnd)
    }
  }

  /// A column that names a row of another table, whose key is one column.
  package struct Reference: Equatable, Sendable {
    /// The index of the column.
    package var column: Int
    /// The name of the other table.
    package var table: String

    package init(column: Int, table: String) { (self.column, self.table) = (column, table) }
  }

  /// The table's name.
  package var name: String
  /// A sentence about the rows.
  package var about: String
  /// The columns.
  package var columns: [Column]
  /// The indexes of the columns that identify a row.
  package var key: [Int]
  /// The foreign keys.
  package var references: [Reference]
  /// The columns of the table's further indexes.
  package var indexes: [[Int]]

  package init(
    name: String, about: String, columns: [Column], key: [Int], references: [Reference] = [],
    indexes: [[Int]] = []
  ) {
    (self.name, self.about, self.columns, self.key) = (name, about, columns, key)
    (self.references, self.indexes) = (references, indexes)
  }

  /// The table of all versions of this table's rows, with the period in which each was valid.
  ///
  /// Its columns are those of this table and then `periodColumns`. A version is valid at the
  /// positions from `from_position` to `to_position`, both included.
  package var history: TableSchema {
    let count = columns.count
    var key = key
    key.append(count)
    return TableSchema(
      name: "\(name)_history", about: "All versions of the rows of \(name), with their periods.",
      columns: columns + Self.periodColumns, key: key, indexes: [[count], [count + 1]])
  }

  /// The columns that a history table has after those of its table.
  package static let periodColumns: [Column] = [
    Column(
      "from_position", .integer, "The position of the event that made this version.",
      isOptional: false),
    Column(
      "to_position", .integer,
      "The last position at which this version is valid; 9223372036854775807 for a current one.",
      isOptional: false),
    Column("valid_from", .time, "The time of the event that made this version.", isOptional: false),
    Column(
      "valid_to", .time, "The last moment at which this version is valid, far ahead if current.",
      isOptional: false, isEnd: true),
    Column("changed_by", .text, "The id of the user or service who acted.", isOptional: false),
    Column("event_type", .text, "The type of the event that made this version.", isOptional: false),
    Column("event_id", .uuid, "The id of the event that made this version.", isOptional: false),
  ]

  /// The columns of a version's end: its last position and its last moment.
  package static let endColumns = [periodColumns[1], periodColumns[3]]

  /// The value of `to_position` in a current version.
  package static let noEnd = Int64.max
}
