import Aggregates

/// The choices for a mirror. A nil keeps the choice of an existing mirror.
package struct MirrorOptions: Sendable {
  /// The names of the tables. The tables to which these refer are added. Nil means all tables if
  /// there is no mirror yet.
  package var tables: [String]?
  /// Whether to keep all versions of the rows.
  package var hasHistory: Bool?
  /// The kind of row-level security, such as `supabase`; empty for none.
  package var policies: String?
  /// Whether to build the mirror again even if it is usable. The choices that are nil are then the
  /// defaults: all tables, no history, no policies.
  package var rebuilds = false
  /// Whether to wait for new events until the task is cancelled.
  package var follows = false
  /// The rules for a log that records none; nil means `climb`.
  package var rules: Rules?
  /// The most events that one transaction writes, at least 1.
  package var batchSize = 5_000
  /// The number of tasks that read the log, at least 1.
  package var jobs = 2
  /// The time for which a mirror that does not follow retries when it cannot reach its database.
  package var patience: Duration = .seconds(30)
  /// The longest pause between two attempts to reach the database.
  package var longestPause: Duration = .seconds(2)
  /// The longest pause between two attempts to write to a full disk.
  package var longestPauseIfFull: Duration = .seconds(60)

  package init() {}
}

/// The work that a mirror did.
package struct MirrorReport: Equatable, Sendable {
  /// The reason why the mirror was built; nil if it was not.
  package var reason: String?
  /// The position of the last event that the mirror reflects.
  package var position: UInt64 = 0
  /// The number of events whose changes were written. The events of a build count too.
  package var events: UInt64 = 0
  /// The number of rows and versions that were written or deleted.
  package var rows = 0
  /// Whether erased texts may still be in the database's files, because another program reads them.
  package var mayHaveErasedTexts = false
}
