import Tables
import UseCases

/// The SQL of a mirror's tables in SQLite.
///
/// Texts, ids, dates and JSON are TEXT. Times are TEXT too, like `2026-01-19T09:00:00.000Z`, which
/// compares like the times. Booleans are 0 and 1.
package enum SQLiteDialect {
  /// Returns the statements that create a mirror's tables and indexes, each without a semicolon.
  package static func statements(_ schemas: [TableSchema]) -> [String] {
    tables(schemas) + indexes(schemas)
  }

  /// Returns the statements that create the tables, first `eventlog_mirror`.
  static func tables(_ schemas: [TableSchema]) -> [String] {
    ([MirrorStateTable.schema] + schemas).map { table($0, among: schemas) }
  }

  /// Returns the statements that create the indexes.
  static func indexes(_ schemas: [TableSchema]) -> [String] {
    schemas.flatMap { schema in
      schema.indexes.map { columns in
        "CREATE INDEX \(quoted(indexName(schema, columns))) ON \(quoted(schema.name))"
          + " (\(list(schema, columns)))"
      }
    }
  }

  /// Returns the objects that `statements` creates, with their names in the form `index NAME`.
  static func objects(
    _ schemas: [TableSchema]
  ) -> [(name: String, table: String, sql: String)] {
    let tables = [MirrorStateTable.schema] + schemas
    let indexes = schemas.flatMap { schema in
      schema.indexes.map { ("index \(indexName(schema, $0))", schema.name) }
    }
    let names = tables.map { ("table \($0.name)", $0.name) } + indexes
    return zip(names, statements(schemas)).map { (name: $0.0, table: $0.1, sql: $1) }
  }

  /// Returns the names of the tables and indexes that `statements` creates.
  static func names(_ schemas: [TableSchema]) -> [String] {
    [MirrorStateTable.schema.name] + schemas.map(\.name)
      + schemas.flatMap { schema in schema.indexes.map { indexName(schema, $0) } }
  }

  /// A foreign key to a table that is not among `schemas` is left out.
  private static func table(_ schema: TableSchema, among schemas: [TableSchema]) -> String {
    var text = "CREATE TABLE \(quoted(schema.name)) ( -- \(line(schema.about))\n"
    for column in schema.columns {
      let needsValue = !column.isOptional || column.isEnd
      text += "  \(quoted(column.name)) \(type(column.type))\(needsValue ? " NOT NULL" : ""),"
      text += " -- \(line(column.about))\n"
    }
    var rules = ["PRIMARY KEY (\(list(schema, schema.key)))"]
    for reference in schema.references {
      guard let other = schemas.first(where: { $0.name == reference.table }) else { continue }
      rules.append(
        "FOREIGN KEY (\(list(schema, [reference.column]))) REFERENCES \(quoted(other.name))"
          + " (\(list(other, other.key))) DEFERRABLE INITIALLY DEFERRED")
    }
    text += rules.map { "  \($0)" }.joined(separator: ",\n")
    // With row numbers and a second tree for the key, 1.5 million inserts take three times as long.
    return text + "\n) STRICT, WITHOUT ROWID"
  }

  private static func indexName(_ schema: TableSchema, _ columns: [Int]) -> String {
    "\(schema.name)_\(columns.map { schema.columns[$0].name }.joined(separator: "_"))_idx"
  }

  /// Returns a column's type in SQLite.
  private static func type(_ type: ColumnType) -> String {
    switch type {
    case .text, .uuid, .date, .time, .json, .user: "TEXT"
    case .bool, .integer: "INTEGER"
    case .double: "REAL"
    }
  }

  // MARK: Rows

  /// Returns the statement that inserts a row.
  static func insert(_ schema: TableSchema) -> String {
    let places = schema.columns.map { _ in "?" }.joined(separator: ", ")
    let all = list(schema, Array(schema.columns.indices))
    return "INSERT INTO \(quoted(schema.name)) (\(all)) VALUES (\(places))"
  }

  /// Returns the statement that inserts a row, or updates the row with its key.
  static func upsert(_ schema: TableSchema) -> String {
    let changes = schema.columns.indices.filter { !schema.key.contains($0) }.map { index in
      let name = quoted(schema.columns[index].name)
      return "\(name) = excluded.\(name)"
    }
    return insert(schema) + " ON CONFLICT (\(list(schema, schema.key))) DO "
      + (changes.isEmpty ? "NOTHING" : "UPDATE SET \(changes.joined(separator: ", "))")
  }

  /// Returns the statement that deletes the row with a key.
  static func delete(_ schema: TableSchema) -> String {
    "DELETE FROM \(quoted(schema.name)) WHERE \(condition(schema, schema.key))"
  }

  /// Returns the statement that ends the current version of a row in its history. Its parameters
  /// are the values of `TableSchema.endColumns` and the key of the row.
  static func end(_ schema: TableSchema) -> String {
    let end = TableSchema.endColumns
    let changes = end.map { "\(quoted($0.name)) = ?" }.joined(separator: ", ")
    return "UPDATE \(quoted(schema.history.name)) SET \(changes)"
      + " WHERE \(condition(schema, schema.key))"
      + " AND \(quoted(end[0].name)) = \(TableSchema.noEnd)"
  }

  /// Returns the statement that reads all rows, sorted by the key.
  static func select(_ schema: TableSchema) -> String {
    let table = quoted(schema.name)
    // Without the table, SQLite reads the name of a missing column as a text.
    let columns = schema.columns.map { "\(table).\(quoted($0.name))" }.joined(separator: ", ")
    return "SELECT \(columns) FROM \(table) ORDER BY \(list(schema, schema.key))"
  }

  private static func condition(_ schema: TableSchema, _ columns: [Int]) -> String {
    columns.map { "\(quoted(schema.columns[$0].name)) = ?" }.joined(separator: " AND ")
  }

  private static func list(_ schema: TableSchema, _ columns: [Int]) -> String {
    columns.map { quoted(schema.columns[$0].name) }.joined(separator: ", ")
  }

  /// Returns a name in quotation marks, so that it may be a keyword of SQL.
  static func quoted(_ name: String) -> String {
    "\"\(name.replacing("\"", with: "\"\""))\""
  }

  /// Returns a text in one line, for a comment.
  private static func line(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}
