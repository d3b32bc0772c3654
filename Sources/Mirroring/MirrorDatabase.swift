import Events
import Tables
import UseCases

/// A database with a mirror: tables that repeat the projections of a log at one position.
///
/// Every method either performs its work in one transaction or changes nothing. The methods block
/// the calling thread.
package protocol MirrorDatabase: AnyObject {
  /// The database's address without its password, for messages.
  var name: String { get }

  /// Returns the mirror's state; nil if the database has no mirror.
  /// - Throws: `.refused` if a newer eventlog wrote the mirror.
  func state() throws(MirrorFault) -> MirrorState?

  /// Replaces the mirror by new tables, in one transaction. Readers see the old tables until the
  /// transaction ends.
  /// - Parameters:
  ///   - schemas: the new tables.
  ///   - fill: writes the rows and returns the state that they reflect.
  func build(
    _ schemas: [TableSchema],
    _ fill: (_ writer: any MirrorWriter) throws(MirrorFault) -> MirrorState
  ) throws(MirrorFault)

  /// Writes changes in one transaction.
  /// - Returns: false, without a change, if the database is not at the position `changes.from`.
  func write(_ changes: MirrorChanges) throws(MirrorFault) -> Bool

  /// Removes rows as they were before a rewriting of the log from the database's files, if the
  /// mirror can do that.
  /// - Parameter patience: the longest wait for other programs that read them, in milliseconds.
  /// - Returns: false if another program still reads such rows.
  func removeOldVersions(patience: Int32) throws(MirrorFault) -> Bool

  /// Calls `body` with each row of a table, sorted by the key's columns as bytes, in one
  /// transaction that also reads the mirror's state.
  /// - Throws: `.refused` if the mirror is at another position than `position`.
  func forEachRow(
    of schema: TableSchema, at position: UInt64,
    _ body: ([TableValue]) throws(MirrorFault) -> Void
  ) throws(MirrorFault)

  /// Returns the differences between the database's tables, indexes and triggers and those of a
  /// mirror with these tables. Further views and indexes are no difference.
  func objectDifferences(_ schemas: [TableSchema]) throws(MirrorFault) -> [MirrorDifference]

  /// Returns a value of a column for people, in the form in which the database stores it.
  func text(_ value: TableValue, in column: TableSchema.Column) -> String
}

/// Writes the rows of new tables.
package protocol MirrorWriter: AnyObject {
  /// Adds a row to the table with this index in the list of the new tables.
  func append(_ row: [TableValue], to table: Int) throws(MirrorFault)
}

/// The state of a mirror, which its database stores in the table `eventlog_mirror`.
package struct MirrorState: Equatable, Sendable {
  /// The position of the last event that the tables reflect.
  package var position: UInt64
  /// The checksum of that event, which identifies the log.
  package var sum: UInt64
  /// The time of that event.
  package var time: Timestamp
  /// The number of rewritings of the log that the tables reflect.
  package var rewritings: Int
  /// The rules that the tables reflect, as JSON.
  package var rules: String
  /// Whether there are history tables.
  package var hasHistory: Bool
  /// The names of the mirrored tables, separated by commas.
  package var tables: String
  /// A hash of the tables' declarations. A mirror with another hash is built again.
  package var layout: String
  /// The kind of row-level security; empty without any.
  package var policies: String

  package init(
    position: UInt64, sum: UInt64, time: Timestamp, rewritings: Int, rules: String,
    hasHistory: Bool, tables: String, layout: String, policies: String
  ) {
    (self.position, self.sum, self.time) = (position, sum, time)
    (self.rewritings, self.rules, self.hasHistory) = (rewritings, rules, hasHistory)
    (self.tables, self.layout, self.policies) = (tables, layout, policies)
  }
}

/// The changes of a mirror by consecutive events.
package struct MirrorChanges: Sendable {
  /// The position of the mirror before the changes.
  package var from: UInt64
  /// The mirror's state after the changes.
  package var state: MirrorState
  /// The changes of each table that changed.
  package var tables: [Table]

  package init(from: UInt64, state: MirrorState, tables: [Table]) {
    (self.from, self.state, self.tables) = (from, state, tables)
  }

  /// The changes of one table. No key occurs in two rows, or in a row and in `removed`.
  package struct Table: Sendable {
    package var schema: TableSchema
    /// The rows to insert, or to update if the key exists.
    package var rows: [[TableValue]] = []
    /// The keys of rows to delete, if they exist.
    package var removed: [[TableValue]] = []
    /// Versions to end: the version of each key whose `to_position` is `TableSchema.noEnd`. The
    /// database ends them before it inserts `versions`.
    package var ended: [End] = []
    /// Versions to insert into the table's history.
    package var versions: [[TableValue]] = []

    package init(schema: TableSchema) { self.schema = schema }
  }

  /// The end of a version.
  package struct End: Sendable {
    /// The row's key.
    package var key: [TableValue]
    /// The last position at which the version is valid.
    package var position: Int64
    /// The time of the next event; the value of a column with `isEnd`.
    package var time: Timestamp

    package init(key: [TableValue], position: Int64, time: Timestamp) {
      (self.key, self.position, self.time) = (key, position, time)
    }
  }
}

/// The reason why a mirror's database did not do its work.
package enum MirrorFault: Error, Equatable {
  /// The database could not be reached; nothing was sent.
  case unreachable(String)
  /// The connection ended before the answer. The transaction may have been committed or not.
  case lost(String)
  /// The database's disk is full; nothing was changed.
  case full(String)
  /// The database or the mirror's state does not allow the work. The text says what to do.
  case refused(String)
  /// The log cannot be read.
  case log(LogError)
}
