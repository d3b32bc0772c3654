#if SQLite
  import CSQLite

  /// The reason why SQLite did not do its work. It contains no values of parameters.
  package struct SQLiteFault: Error, Equatable, CustomStringConvertible {
    /// SQLite's primary result code, such as 5 for SQLITE_BUSY.
    package let code: Int32
    /// The file and SQLite's message.
    package let description: String

    /// Another connection holds a lock.
    package var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
    /// The disk has no space. Nothing was changed.
    package var isFull: Bool { code == SQLITE_FULL }
    /// The disk did not read or write. A transaction that was being committed may be committed.
    package var isDiskError: Bool { code == SQLITE_IOERR }
  }

  /// An error of SQLite's caller, which a connection throws in place of `SQLiteFault`.
  package protocol SQLiteFailure: Error {
    /// Creates the error from SQLite's fault.
    init(_ fault: SQLiteFault)
  }
#endif
