#if Server
  import CSQLite
  import EventLog
  import Events

  /// A connection to an SQLite database. All values are texts, whole numbers or null, and reach the
  /// database only as bound parameters.
  ///
  /// ```swift
  /// let rows = try database.rows("SELECT id FROM users WHERE email = ?", [.text(email)])
  /// rows.first?.text(0)
  /// ```
  /// It is not safe to use from two threads at once. SQLite waits for other processes for at most
  /// five seconds.
  final class SQLite {
    /// A value in a row, or for a parameter.
    enum Value: Equatable, Sendable {
      case null
      case int(Int64)
      case text(String)

      static func optional(_ text: String?) -> Value { text.map(Value.text) ?? .null }
      static func time(_ time: Timestamp?) -> Value {
        time.map { .int($0.milliseconds) } ?? .null
      }
      static func bool(_ value: Bool) -> Value { .int(value ? 1 : 0) }
    }

    /// A row of an answer.
    struct Row: Sendable {
      var values: [Value]

      func text(_ column: Int) -> String? {
        if case .text(let text) = values[column] { text } else { nil }
      }
      func int(_ column: Int) -> Int64? {
        if case .int(let number) = values[column] { number } else { nil }
      }
      func time(_ column: Int) -> Timestamp? { int(column).map(Timestamp.init(milliseconds:)) }
      func bool(_ column: Int) -> Bool { int(column) == 1 }
    }

    private let connection: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]
    private let path: String

    /// Opens a database, and creates an empty one if there is no file. Only the owner of the file
    /// may read and write it.
    init(_ path: String) throws(AccountFault) {
      do throws(FileError) {
        let files = FileSystem.posix
        if try ifFound(files.status(path)) == nil {
          try files.close(files.open(path, .createPrivate), path)
        }
      } catch {
        throw AccountFault("\(error)")
      }
      try makePrivate(path)
      var opened: OpaquePointer?
      let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
      let code = sqlite3_open_v2(path, &opened, flags, nil)
      guard code == SQLITE_OK, let opened else {
        sqlite3_close(opened)
        throw AccountFault("\(path): \(String(cString: sqlite3_errstr(code)))")
      }
      (connection, self.path) = (opened, path)
      sqlite3_busy_timeout(connection, 5_000)
    }

    deinit {
      for statement in statements.values { sqlite3_finalize(statement) }
      sqlite3_close(connection)
    }

    /// Runs several statements without parameters.
    func script(_ text: String) throws(AccountFault) {
      if sqlite3_exec(connection, text, nil, nil, nil) != SQLITE_OK { throw fault() }
    }

    /// Runs one statement and returns its rows. A statement is prepared once.
    @discardableResult
    func rows(_ text: String, _ values: [Value] = []) throws(AccountFault) -> [Row] {
      let statement = try prepared(text)
      defer {
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
      }
      for (index, value) in values.enumerated() {
        let place = Int32(index + 1)
        let code =
          switch value {
          case .null: sqlite3_bind_null(statement, place)
          case .int(let number): sqlite3_bind_int64(statement, place, number)
          case .text(let text):
            sqlite3_bind_text(
              statement, place, text, Int32(clamping: text.utf8.count), sqlite_copies())
          }
        if code != SQLITE_OK { throw fault() }
      }
      var rows: [Row] = []
      while true {
        switch sqlite3_step(statement) {
        case SQLITE_ROW:
          rows.append(
            Row(values: (0..<sqlite3_column_count(statement)).map { value(statement, $0) }))
        case SQLITE_DONE: return rows
        default: throw fault()
        }
      }
    }

    /// The number of rows that the last statement changed.
    var changes: Int { Int(sqlite3_changes(connection)) }

    /// Performs statements as one transaction. If the closure throws, nothing is changed.
    func transaction<T>(_ body: () throws(AccountFault) -> T) throws(AccountFault) -> T {
      try rows("BEGIN IMMEDIATE")
      do throws(AccountFault) {
        let result = try body()
        try rows("COMMIT")
        return result
      } catch {
        _ = try? rows("ROLLBACK")
        throw error
      }
    }

    private func prepared(_ text: String) throws(AccountFault) -> OpaquePointer {
      if let statement = statements[text] { return statement }
      var statement: OpaquePointer?
      guard sqlite3_prepare_v2(connection, text, -1, &statement, nil) == SQLITE_OK, let statement
      else { throw fault() }
      statements[text] = statement
      return statement
    }

    private func value(_ statement: OpaquePointer, _ column: Int32) -> Value {
      switch sqlite3_column_type(statement, column) {
      case SQLITE_INTEGER: return .int(sqlite3_column_int64(statement, column))
      case SQLITE_TEXT:
        return sqlite3_column_text(statement, column).map { .text(String(cString: $0)) } ?? .null
      default: return .null
      }
    }

    /// Returns SQLite's last error. Its text has no values of parameters.
    private func fault() -> AccountFault {
      AccountFault("\(path): \(String(cString: sqlite3_errmsg(connection)))")
    }
  }
#endif
