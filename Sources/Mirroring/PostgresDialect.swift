import Events
import Tables
import UseCases

/// The statements that create a mirror's tables in PostgreSQL.
///
/// ```swift
/// PostgresDialect.statements([TableSchema.follows], schema: "public")
/// // ["CREATE SCHEMA IF NOT EXISTS public", "CREATE TABLE public.follows (…)", …]
/// ```
package enum PostgresDialect {
  /// Returns the statements that create empty tables with their keys, indexes and comments, and the
  /// rights of their readers.
  package static func statements(_ schemas: [TableSchema], schema: String) -> [String] {
    let all = schemas + [MirrorStateTable.schema]
    return ["CREATE SCHEMA IF NOT EXISTS \(quoted(schema))"] + tables(all, in: schema)
      + keys(all, in: schema) + references(schemas, in: schema)
      + PostgresAccess.rights(of: all, in: schema)
  }

  /// Returns the statements that create tables without keys, with their comments.
  static func tables(_ schemas: [TableSchema], in schema: String) -> [String] {
    schemas.flatMap { table in
      let name = qualified(table.name, in: schema)
      let columns = table.columns.map { column in
        "  \(quoted(column.name)) \(typeName(of: column))\(column.isOptional ? "" : " NOT NULL")"
      }
      return ["CREATE TABLE \(name) (\n\(columns.joined(separator: ",\n"))\n)"]
        + ["COMMENT ON TABLE \(name) IS \(literal(table.about))"]
        + table.columns.map {
          "COMMENT ON COLUMN \(name).\(quoted($0.name)) IS \(literal($0.about))"
        }
    }
  }

  /// Returns the statements that keep texts and JSON out of the server's statistics, where a
  /// forgotten text would stay. Columns of keys and references keep their statistics, because the
  /// server plans joins by them.
  ///
  /// They are not among `statements`, so that an existing mirror is not built again without them.
  package static func withoutStatistics(_ schemas: [TableSchema], in schema: String) -> [String] {
    schemas.compactMap { table in
      let ids = table.key + table.references.map(\.column)
      let texts = table.columns.indices.filter { index in
        let type = table.columns[index].type
        return (type == .text || type == .json) && !ids.contains(index)
      }
      if texts.isEmpty { return nil }
      let changes = texts.map {
        "ALTER COLUMN \(quoted(table.columns[$0].name)) SET STATISTICS 0"
      }
      return "ALTER TABLE \(qualified(table.name, in: schema)) \(changes.joined(separator: ", "))"
    }
  }

  /// Returns the statements that create primary keys and indexes.
  static func keys(_ schemas: [TableSchema], in schema: String) -> [String] {
    schemas.flatMap { table in
      let name = qualified(table.name, in: schema)
      return [
        "ALTER TABLE \(name) ADD CONSTRAINT \(quoted(keyName(table)))"
          + " PRIMARY KEY (\(columns(table.key, of: table)))"
      ]
        + table.indexes.map {
          "CREATE INDEX \(quoted(indexName($0, of: table))) ON \(name)"
            + " (\(columns($0, of: table)))"
        }
    }
  }

  /// Returns the statements that create foreign keys. A reference to a table that is not in
  /// `schemas` has none.
  static func references(_ schemas: [TableSchema], in schema: String) -> [String] {
    schemas.flatMap { table in
      table.references.compactMap { reference in
        guard let other = schemas.first(where: { $0.name == reference.table }) else { return nil }
        let column = table.columns[reference.column].name
        return "ALTER TABLE \(qualified(table.name, in: schema))"
          + " ADD CONSTRAINT \(quoted(short("\(table.name)_\(column)_fkey")))"
          + " FOREIGN KEY (\(quoted(column)))"
          + " REFERENCES \(qualified(other.name, in: schema)) (\(columns(other.key, of: other)))"
          + " DEFERRABLE INITIALLY DEFERRED"
      }
    }
  }

  /// Returns the names that a table and its indexes have in their schema.
  static func names(of table: TableSchema) -> [String] {
    [table.name, keyName(table)] + table.indexes.map { indexName($0, of: table) }
  }

  private static func keyName(_ table: TableSchema) -> String { short("\(table.name)_pkey") }

  private static func indexName(_ index: [Int], of table: TableSchema) -> String {
    let columns = index.map { table.columns[$0].name }
    return short("\(([table.name] + columns).joined(separator: "_"))_idx")
  }

  /// Returns a generated name without the bytes that PostgreSQL would cut off.
  private static func short(_ name: String) -> String {
    String(decoding: name.utf8.prefix(longestName), as: UTF8.self)
  }

  /// The number of bytes in the longest name.
  static let longestName = 63

  /// Returns the names of some columns, separated by commas.
  static func columns(_ indexes: [Int], of table: TableSchema) -> String {
    indexes.map { quoted(table.columns[$0].name) }.joined(separator: ", ")
  }

  static func typeName(of column: TableSchema.Column) -> String {
    switch column.type {
    case .text, .user: "text"
    case .uuid, .date, .bool, .integer, .double, .json: column.type.rawValue
    case .time: "timestamptz"
    }
  }

  static func qualified(_ name: String, in schema: String) -> String {
    "\(quoted(schema)).\(quoted(name))"
  }

  /// Returns a text as an SQL literal.
  static func literal(_ text: String) -> String {
    let text = doubling("'", in: text)
    return text.unicodeScalars.contains("\\") ? "E'\(doubling("\\", in: text))'" : "'\(text)'"
  }

  /// Returns a name as an SQL identifier, with quotation marks if it needs them.
  static func quoted(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "_")
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    if isPlain, let first = name.utf8.first, first > UInt8(ascii: "9"), !reserved.contains(name) {
      return name
    }
    return "\"\(doubling("\"", in: name))\""
  }

  private static func doubling(_ mark: Unicode.Scalar, in text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in PostgresText.withoutNUL(text).unicodeScalars {
      if scalar == mark { result.append(mark) }
      result.append(scalar)
    }
    return String(result)
  }

  /// The words that PostgreSQL or the SQL standard reserves, and that no column can have bare.
  private static let reserved = Set(
    """
    all analyse analyze and any array as asc asymmetric authorization between bigint binary bit
    boolean both case cast char character check coalesce collate collation column concurrently
    constraint create cross current_catalog current_date current_role current_schema current_time
    current_timestamp current_user dec decimal default deferrable desc distinct do else end except
    exists extract false fetch float for foreign freeze from full grant greatest group grouping
    having ilike in initially inner inout int integer intersect interval into is isnull join lateral
    leading least left like limit localtime localtimestamp national natural nchar none normalize not
    notnull null nullif numeric offset on only or order out outer overlaps overlay placing position
    precision primary real references returning right row select session_user setof similar smallint
    some substring symmetric system_user table tablesample then time timestamp to trailing treat
    trim true union unique user using values varchar variadic verbose when where window with
    xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot
    xmlserialize xmltable
    """.split(whereSeparator: \.isWhitespace).map(String.init))
}
