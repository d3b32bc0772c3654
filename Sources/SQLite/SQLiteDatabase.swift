#if SQLite
  import CSQLite

  /// The longest time for which SQLite waits for other processes, in milliseconds.
  private let patience: Int32 = 5_000

  /// A connection to an SQLite database, whose errors are those of the caller. Values reach the
  /// database only as bound parameters.
  ///
  /// ```swift
  /// let rows = try database.rows("SELECT id FROM users WHERE email = ?", [.text(email)])
  /// rows.first?.text(0)
  /// ```
  /// It is not safe to use from two threads at once. SQLite waits for other processes for at most
  /// five seconds.
  package final class SQLiteDatabase<Failure: SQLiteFailure> {
    private let connection: OpaquePointer
    private var statements: [String: SQLiteStatement<Failure>] = [:]
    /// The path of the file.
    package let path: String

    /// Opens a database, whose file may be empty. SQLite checks the file's content when a statement
    /// needs it. It does not create the file, because the caller decides its permissions.
    package init(_ path: String) throws(Failure) {
      var opened: OpaquePointer?
      let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
      let code = sqlite3_open_v2(path, &opened, flags, nil)
      guard code == SQLITE_OK, let opened else {
        defer { sqlite3_close_v2(opened) }
        throw fault(code, opened, path)
      }
      (connection, self.path) = (opened, path)
      sqlite3_busy_timeout(connection, patience)
    }

    // SQLite closes the file when the last statement has ended too.
    deinit { sqlite3_close_v2(connection) }

    /// Runs several statements without parameters.
    package func script(_ text: String) throws(Failure) {
      let code = sqlite3_exec(connection, text, nil, nil, nil)
      if code != SQLITE_OK { throw fault(code, connection, path) }
    }

    /// Runs one statement and returns its rows. A statement is prepared once.
    @discardableResult
    package func rows(_ text: String, _ values: [SQLiteValue] = []) throws(Failure) -> [SQLiteRow] {
      let statement = try statement(text)
      for (index, value) in values.enumerated() { try statement.bind(value, at: index) }
      var rows: [SQLiteRow] = []
      try statement.forEachRow { row in rows.append(row) }
      return rows
    }

    /// Returns a statement, which is prepared once and kept as long as the connection.
    package func statement(_ text: String) throws(Failure) -> SQLiteStatement<Failure> {
      if let statement = statements[text] { return statement }
      let statement = try SQLiteStatement<Failure>(text, connection, path)
      statements[text] = statement
      return statement
    }

    /// Moves the write-ahead log into the file and empties it, so that no earlier version of a row
    /// remains.
    /// - Parameter patience: the longest wait for other connections that read, in milliseconds.
    /// - Returns: false if another connection still reads earlier versions.
    package func emptyWriteAheadLog(patience limit: Int32) throws(Failure) -> Bool {
      sqlite3_busy_timeout(connection, limit)
      defer { sqlite3_busy_timeout(connection, patience) }
      return try rows("PRAGMA wal_checkpoint(TRUNCATE)").first?.int(0) == 0
    }

    /// The number of rows that the last statement changed.
    package var changes: Int { Int(sqlite3_changes(connection)) }

    /// Performs statements as one transaction. If the closure throws, nothing is changed.
    package func transaction<T>(_ body: () throws(Failure) -> T) throws(Failure) -> T {
      try transaction("BEGIN IMMEDIATE", body)
    }

    /// Performs statements that only read, all of them on the same state of the database.
    package func reading<T>(_ body: () throws(Failure) -> T) throws(Failure) -> T {
      try transaction("BEGIN", body)
    }

    private func transaction<T>(
      _ start: String, _ body: () throws(Failure) -> T
    ) throws(Failure) -> T {
      try rows(start)
      do throws(Failure) {
        let result = try body()
        try rows("COMMIT")
        return result
      } catch {
        _ = try? rows("ROLLBACK")
        throw error
      }
    }
  }
#endif
