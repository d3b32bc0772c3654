import Events
import Tables
import UseCases

@testable import Mirroring

/// A database in memory, for several connections. Each connection is a `MemoryMirror`.
final class MemoryDatabase {
  /// A table's rows by the texts of their keys.
  struct Stored: Equatable {
    var schema: TableSchema
    var rows: [String: [TableValue]] = [:]

    func key(_ values: [TableValue]) -> String {
      values.map(\.plainText).joined(separator: "\u{1f}")
    }

    mutating func put(_ row: [TableValue]) -> Bool {
      rows.updateValue(row, forKey: key(schema.key.map { row[$0] })) == nil
    }
  }

  var state: MirrorState?
  var tables: [String: Stored] = [:]
  var builds = 0
  var writes = 0

  init() {}

  init(copying other: MemoryDatabase) {
    take(other)
    builds = other.builds
  }

  /// Replaces the state and the tables by those of another database.
  func take(_ other: MemoryDatabase) { (state, tables) = (other.state, other.tables) }

  /// All texts in all tables.
  var texts: Set<String> {
    tables.values.reduce(into: []) { texts, table in
      for row in table.rows.values { texts.formUnion(row.map(\.plainText)) }
    }
  }
}

/// A connection to a database in memory. It is the reference for the other implementations.
final class MemoryMirror: MirrorDatabase {
  /// A failure of one call.
  enum Trouble: CaseIterable {
    case unreachable, full, lostBefore, lostAfter
  }

  enum Call { case state, build, write, read }

  let name = "memory"
  let database: MemoryDatabase
  /// Returns the failure of the next call; nil if it succeeds.
  var trouble: (Call) -> Trouble? = { _ in nil }
  /// Called before each write.
  var beforeWrite: () -> Void = {}
  /// The rules that a call broke.
  private(set) var broken: [String] = []

  init(_ database: MemoryDatabase) { self.database = database }

  private func perform<T>(
    _ call: Call, _ body: () throws(MirrorFault) -> T
  ) throws(MirrorFault) -> T {
    let trouble = trouble(call)
    if trouble == .unreachable { throw .unreachable("no route") }
    if trouble == .full { throw .full("no space") }
    if trouble == .lostBefore { throw .lost("lost before") }
    let result = try body()
    if trouble == .lostAfter { throw .lost("lost after") }
    return result
  }

  func state() throws(MirrorFault) -> MirrorState? {
    try perform(.state) { () throws(MirrorFault) in database.state }
  }

  private final class Writer: MirrorWriter {
    var tables: [MemoryDatabase.Stored]
    var broken: [String] = []

    init(_ schemas: [TableSchema]) { tables = schemas.map { MemoryDatabase.Stored(schema: $0) } }

    func append(_ row: [TableValue], to table: Int) throws(MirrorFault) {
      if row.count != tables[table].schema.columns.count {
        broken.append("a row of \(tables[table].schema.name) has \(row.count) values")
      }
      if !tables[table].put(row) { broken.append("two rows in a build: \(row)") }
    }
  }

  func build(
    _ schemas: [TableSchema],
    _ fill: (_ writer: any MirrorWriter) throws(MirrorFault) -> MirrorState
  ) throws(MirrorFault) {
    try perform(.build) { () throws(MirrorFault) in
      let writer = Writer(schemas)
      let state = try fill(writer)
      broken += writer.broken
      database.tables = Dictionary(
        uniqueKeysWithValues: writer.tables.map { ($0.schema.name, $0) })
      database.state = state
      database.builds += 1
    }
  }

  func write(_ changes: MirrorChanges) throws(MirrorFault) -> Bool {
    beforeWrite()
    return try perform(.write) { () throws(MirrorFault) in
      guard database.state?.position == changes.from else { return false }
      for table in changes.tables { apply(table) }
      database.state = changes.state
      database.writes += 1
      return true
    }
  }

  private func apply(_ change: MirrorChanges.Table) {
    let name = change.schema.name
    guard var table = database.tables[name] else { return broken.append("no table \(name)") }
    for row in change.rows { _ = table.put(row) }
    for key in change.removed { table.rows[table.key(key)] = nil }
    database.tables[name] = table
    guard var history = database.tables[change.schema.history.name] else {
      if !change.versions.isEmpty { broken.append("no history of \(name)") }
      return
    }
    let width = change.schema.columns.count
    for end in change.ended {
      let open = history.rows.filter { _, row in
        row[width + 1] == .int(TableSchema.noEnd) && change.schema.key.map { row[$0] } == end.key
      }
      if open.count != 1 { broken.append("\(open.count) versions of \(name) to end: \(end.key)") }
      for key in open.keys {
        history.rows[key]?[width + 1] = .int(end.position)
        history.rows[key]?[width + 3] = .time(end.time)
      }
    }
    for row in change.versions where !history.put(row) { broken.append("a version again: \(row)") }
    database.tables[history.schema.name] = history
  }

  func removeOldVersions(patience: Int32) throws(MirrorFault) -> Bool { true }

  func objectDifferences(_ schemas: [TableSchema]) throws(MirrorFault) -> [MirrorDifference] { [] }

  func text(_ value: TableValue, in column: TableSchema.Column) -> String { value.plainText }

  func forEachRow(
    of schema: TableSchema, at position: UInt64,
    _ body: ([TableValue]) throws(MirrorFault) -> Void
  ) throws(MirrorFault) {
    try perform(.read) { () throws(MirrorFault) in
      guard database.state?.position == position else { throw .refused("another position") }
      let rows = database.tables[schema.name]?.rows ?? [:]
      for row in rows.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
        try body(row.value)
      }
    }
  }
}
