#if SQLite
  import CSQLite

  /// A prepared statement of a connection. It is ready for its next use when a function returns or
  /// throws.
  package final class SQLiteStatement<Failure: SQLiteFailure> {
    private let handle: OpaquePointer
    private let path: String

    init(
      _ text: String, _ connection: OpaquePointer, _ path: String
    ) throws(Failure) {
      var handle: OpaquePointer?
      let code = sqlite3_prepare_v2(connection, text, -1, &handle, nil)
      guard code == SQLITE_OK, let handle else { throw fault(code, connection, path) }
      (self.handle, self.path) = (handle, path)
    }

    deinit { sqlite3_finalize(handle) }

    /// Sets the parameter with this index; the first has the index 0. Parameters that are not set
    /// are null.
    package func bind(_ value: SQLiteValue, at index: Int) throws(Failure) {
      let place = Int32(clamping: index + 1)
      let code =
        switch value {
        case .null: sqlite3_bind_null(handle, place)
        case .int(let number): sqlite3_bind_int64(handle, place, number)
        case .double(let number): sqlite3_bind_double(handle, place, number)
        case .text(let text):
          sqlite3_bind_text64(
            handle, place, text, UInt64(text.utf8.count), sqlite_copies(), UInt8(SQLITE_UTF8))
        }
      if code != SQLITE_OK {
        let failure: Failure = lastFault(code)
        reset()
        throw failure
      }
    }

    /// Runs the statement with the parameters that were set.
    package func run() throws(Failure) { try forEachRow { _ throws(Failure) in } }

    /// Runs the statement, and calls `body` with each row. `body` must not run the same statement.
    package func forEachRow(_ body: (SQLiteRow) throws(Failure) -> Void) throws(Failure) {
      defer { reset() }
      while true {
        switch sqlite3_step(handle) {
        case SQLITE_ROW:
          try body(SQLiteRow(values: (0..<sqlite3_column_count(handle)).map { value($0) }))
        case SQLITE_DONE: return
        case let code: throw lastFault(code)
        }
      }
    }

    private func reset() {
      sqlite3_reset(handle)
      sqlite3_clear_bindings(handle)
    }

    private func value(_ column: Int32) -> SQLiteValue {
      switch sqlite3_column_type(handle, column) {
      case SQLITE_INTEGER: return .int(sqlite3_column_int64(handle, column))
      case SQLITE_FLOAT: return .double(sqlite3_column_double(handle, column))
      case SQLITE_TEXT:
        // SQLite wants the text before its length. The bytes stay valid until the next step.
        let start = sqlite3_column_text(handle, column)
        let count = Int(sqlite3_column_bytes(handle, column))
        return .text(
          String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
      default: return .null
      }
    }

    private func lastFault(_ code: Int32) -> Failure {
      fault(code, sqlite3_db_handle(handle), path)
    }
  }

  /// Returns a connection's last error, which a function reported with this code.
  func fault<Failure: SQLiteFailure>(
    _ code: Int32, _ connection: OpaquePointer?, _ path: String
  ) -> Failure {
    let reason = connection.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
    let text = reason.map { String(cString: $0) } ?? "SQLite's error \(code)"
    // The byte above the primary code says more about it.
    return Failure(SQLiteFault(code: code & 0xff, description: "\(path): \(text)"))
  }
#endif
