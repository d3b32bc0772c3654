#if SQLite
  import EventLog
  import SQLite
  import Tables
  import UseCases

  extension MirrorFault: SQLiteFailure {
    package init(_ fault: SQLiteFault) {
      let text = fault.description
      self =
        if fault.isBusy {
          .unreachable(text)
        } else if fault.isFull {
          .full(text)
        } else if fault.isDiskError {
          .lost(text)
        } else {
          .refused(text)
        }
    }
  }

  /// A mirror in an SQLite file. Other programs may read the file at any time.
  ///
  /// A change is in the file when its function returns. After a loss of power, the last changes may
  /// be missing; then the mirror's position is an earlier one.
  package final class SQLiteMirror: MirrorDatabase {
    typealias Database = SQLiteDatabase<MirrorFault>

    let path: String
    /// The open connection, and the identity of its file.
    private var opened: (database: Database, file: UInt64?)?
    /// Whether the open connection has its settings for changes.
    private var isReadyToWrite = false
    /// Whether the write-ahead log may have rows as they were before a rewriting.
    private var mayHaveOldVersions = true

    /// Creates a mirror in the file at `path`, which `build` creates if there is none.
    package init(_ path: String) { self.path = path }

    package var name: String { "sqlite:\(path)" }

    package func state() throws(MirrorFault) -> MirrorState? {
      guard let database = try open(creates: false) else { return nil }
      return try database.reading { () throws(MirrorFault) in try row(database)?.state }
    }

    package func build(
      _ schemas: [TableSchema],
      _ fill: (_ writer: any MirrorWriter) throws(MirrorFault) -> MirrorState
    ) throws(MirrorFault) {
      guard let database = try open(creates: true) else { return }
      let isNew = try database.rows("PRAGMA page_count").first?.int(0) == 0
      try database.script(isNew ? Self.settingsForNewFile : Self.settings)
      // Pages with random keys stay in memory, at most 256 MiB of them.
      try database.script("PRAGMA cache_size = -262144")
      try database.transaction { () throws(MirrorFault) in
        for table in try row(database)?.created ?? [] {
          try database.script("DROP TABLE IF EXISTS \(SQLiteDialect.quoted(table))")
        }
        try database.script(
          "DROP TABLE IF EXISTS \(SQLiteDialect.quoted(MirrorStateTable.schema.name))")
        try checkNames(schemas, database)
        for text in SQLiteDialect.tables(schemas) { try database.script(text) }
        let state = try fill(try Writer(schemas, database))
        for text in SQLiteDialect.indexes(schemas) { try database.script(text) }
        try save(MirrorStateTable.Row(state, created: schemas.map(\.name)), database)
      }
      // The new tables are complete: the next connection repeats a setting that fails here.
      try? database.script("PRAGMA cache_size = -16384; PRAGMA shrink_memory")
      isReadyToWrite = (try? database.script(Self.settings)) != nil
      mayHaveOldVersions = true
      dropOldVersions(database)
    }

    package func write(_ changes: MirrorChanges) throws(MirrorFault) -> Bool {
      guard let database = try open(creates: false) else { return false }
      if !isReadyToWrite { try database.script(Self.settings) }
      isReadyToWrite = true
      let before = try database.transaction { () throws(MirrorFault) -> MirrorState? in
        guard let row = try row(database), row.state.position == changes.from else { return nil }
        for table in changes.tables { try write(table, database) }
        try save(MirrorStateTable.Row(changes.state, created: row.created), database)
        return row.state
      }
      if let before, before.rewritings != changes.state.rewritings { mayHaveOldVersions = true }
      dropOldVersions(database)
      return before != nil
    }

    package func forEachRow(
      of schema: TableSchema, at position: UInt64,
      _ body: ([TableValue]) throws(MirrorFault) -> Void
    ) throws(MirrorFault) {
      guard let database = try open(creates: false) else { throw .refused("\(path): no mirror") }
      try database.reading { () throws(MirrorFault) in
        guard let found = try row(database)?.state.position else {
          throw .refused("\(path): no mirror")
        }
        guard found == position else {
          throw .refused(
            "\(path): the mirror is at position \(found), not \(position); another program "
              + "changes it: try again")
        }
        try database.statement(SQLiteDialect.select(schema)).forEachRow {
          (row) throws(MirrorFault) in
          try body(zip(row.values, schema.columns).map { TableValue($0, in: $1) })
        }
      }
    }

    package func removeOldVersions(patience: Int32) throws(MirrorFault) -> Bool {
      guard let database = try open(creates: false), mayHaveOldVersions else { return true }
      if try database.emptyWriteAheadLog(patience: patience) {
        mayHaveOldVersions = false
        return true
      }
      // Without a rewriting, the old versions have no erased texts.
      return try state()?.rewritings ?? 0 == 0
    }

    package func text(_ value: TableValue, in column: TableSchema.Column) -> String {
      if column.isEnd, case .text(let text) = SQLiteValue(value, in: column) { return text }
      return value.plainText
    }

    // MARK: The connection

    private static let settings = """
      PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = OFF; PRAGMA secure_delete = ON;
      PRAGMA journal_mode = WAL;
      """

    /// A new file has no earlier state to keep, so that its pages are written once: this saves a
    /// fifth of the time.
    private static let settingsForNewFile = """
      PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF; PRAGMA secure_delete = ON;
      PRAGMA journal_mode = DELETE;
      """

    /// Returns the connection to the file that is at the path now; nil if there is none.
    func open(creates: Bool) throws(MirrorFault) -> Database? {
      let file = try identity()
      if let opened, let file, opened.file == file { return opened.database }
      opened = nil
      if file == nil {
        if !creates { return nil }
        try checkFolder()
        try createFile()
      }
      // An earlier process leaves a log only if another program used the file at its end.
      let hasLog = try status(of: "\(path)-wal").map { $0.size > 0 } ?? false
      let database = try Database(path)
      opened = (database, try identity())
      (isReadyToWrite, mayHaveOldVersions) = (false, hasLog)
      return database
    }

    /// - Throws: `.refused` if the file's folder does not exist. SQLite would not name the reason.
    private func checkFolder() throws(MirrorFault) {
      guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
      let folder = String(path[..<slash])
      if try status(of: folder) == nil {
        throw .refused(
          "\(path): the folder \(folder) does not exist; create it, or mirror into another file")
      }
    }

    /// Creates an empty file, with the permissions of any file that this package creates. SQLite
    /// would use others.
    private func createFile() throws(MirrorFault) {
      do throws(FileError) {
        try FileSystem.posix.close(FileSystem.posix.open(path, .createNew), path)
      } catch {
        if !error.isExisting { throw .refused("\(error)") }
      }
    }

    private func identity() throws(MirrorFault) -> UInt64? { try status(of: path)?.identity }

    private func status(of path: String) throws(MirrorFault) -> FileSystem.Status? {
      do throws(FileError) {
        return try ifFound(FileSystem.posix.status(path))
      } catch {
        throw .refused("\(error)")
      }
    }

    /// Removes earlier versions of rows from the write-ahead log. If another program reads them
    /// now, the next change tries again.
    private func dropOldVersions(_ database: Database) {
      if !mayHaveOldVersions { return }
      // A long query must not delay changes.
      mayHaveOldVersions = (try? database.emptyWriteAheadLog(patience: 0)) != true
    }

    // MARK: The state

    /// Returns the row of `eventlog_mirror`; nil if there is no mirror.
    private func row(_ database: Database) throws(MirrorFault) -> MirrorStateTable.Row? {
      let schema = MirrorStateTable.schema
      let isThere = try !database.rows(
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", [.text(schema.name)]
      ).isEmpty
      guard isThere else { return nil }
      let formats = try database.rows("SELECT max(\"format\") FROM \"\(schema.name)\"")
      guard let format = formats.first?.int(0) else {
        throw .refused(
          "\(path): the table \(schema.name) has no state of a mirror; delete or rename it")
      }
      guard format <= MirrorStateTable.format else {
        throw .refused(
          "\(path): a newer eventlog wrote this mirror (format \(format)); update eventlog, or "
            + "mirror into another file")
      }
      let values = try database.rows(SQLiteDialect.select(schema)).first?.values ?? []
      let row = MirrorStateTable.Row(zip(values, schema.columns).map { TableValue($0, in: $1) })
      guard let row else {
        throw .refused(
          "\(path): the table \(schema.name) is damaged; mirror into another file")
      }
      return row
    }

    private func save(
      _ row: MirrorStateTable.Row, _ database: Database
    ) throws(MirrorFault) {
      let schema = MirrorStateTable.schema
      let columns = schema.columns
      try database.statement(SQLiteDialect.upsert(schema)).run(row.values, in: columns)
    }

    /// Checks that no table or index of the user has the name of a new one.
    private func checkNames(
      _ schemas: [TableSchema], _ database: Database
    ) throws(MirrorFault) {
      for name in SQLiteDialect.names(schemas) {
        let found = try database.rows(
          "SELECT type, name FROM sqlite_schema WHERE name = ? COLLATE NOCASE", [.text(name)])
        guard let other = found.first else { continue }
        throw .refused(
          "\(path): the \(other.text(0) ?? "") \(other.text(1) ?? "") does not belong to the "
            + "mirror; rename it, or mirror into another file")
      }
    }

    // MARK: Rows

    private func write(
      _ changes: MirrorChanges.Table, _ database: Database
    ) throws(MirrorFault) {
      let (schema, history) = (changes.schema, changes.schema.history)
      let key = schema.key.map { schema.columns[$0] }
      if !changes.removed.isEmpty {
        let delete = try database.statement(SQLiteDialect.delete(schema))
        for values in changes.removed { try delete.run(values, in: key) }
      }
      if !changes.rows.isEmpty {
        let upsert = try database.statement(SQLiteDialect.upsert(schema))
        for values in changes.rows { try upsert.run(values, in: schema.columns) }
      }
      if !changes.ended.isEmpty {
        let update = try database.statement(SQLiteDialect.end(schema))
        let columns = TableSchema.endColumns + key
        for end in changes.ended {
          try update.run([.int(end.position), .time(end.time)] + end.key, in: columns)
        }
      }
      if !changes.versions.isEmpty {
        let insert = try database.statement(SQLiteDialect.insert(history))
        for values in changes.versions { try insert.run(values, in: history.columns) }
      }
    }

    /// Inserts the rows of new tables.
    private final class Writer: MirrorWriter {
      private let tables: [(insert: SQLiteStatement<MirrorFault>, columns: [TableSchema.Column])]

      init(_ schemas: [TableSchema], _ database: Database) throws(MirrorFault) {
        var tables: [(SQLiteStatement<MirrorFault>, [TableSchema.Column])] = []
        for schema in schemas {
          tables.append((try database.statement(SQLiteDialect.insert(schema)), schema.columns))
        }
        self.tables = tables
      }

      func append(_ row: [TableValue], to table: Int) throws(MirrorFault) {
        try tables[table].insert.run(row, in: tables[table].columns)
      }
    }
  }

  extension SQLiteStatement<MirrorFault> {
    /// Runs the statement with the stored forms of values, one for each column.
    fileprivate func run(
      _ values: [TableValue], in columns: [TableSchema.Column]
    ) throws(MirrorFault) {
      guard values.count == columns.count else {
        throw .refused("a row has \(values.count) values for \(columns.count) columns")
      }
      for index in values.indices {
        try bind(SQLiteValue(values[index], in: columns[index]), at: index)
      }
      try run()
    }
  }
#endif
