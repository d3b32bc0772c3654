#if PostgreSQL
  import Events
  import PostgreSQL
  import Tables
  import UseCases

  /// A mirror in a schema of a PostgreSQL database.
  ///
  /// ```swift
  /// let name = Clone.masked(address)
  /// let mirror = PostgresMirror(address, schema: "public", name: name) { print($0) }
  /// try mirror.state()?.position  // 1200
  /// ```
  /// The mirror opens its connection when it needs it, and again after it was lost. It uses unnamed
  /// statements, no temporary tables and no settings of a session, so a pooler in transaction mode
  /// may be in between.
  package final class PostgresMirror: MirrorDatabase {
    package let name: String
    let schema: String
    let says: (String) -> Void
    private let connection: Connection

    /// Creates a mirror without connecting.
    /// - Parameters:
    ///   - address: the address for libpq.
    ///   - schema: the schema of the tables.
    ///   - name: the address without its password, for messages.
    ///   - says: receives a sentence about something that the mirror could not do and that a person
    ///     should know.
    package init(
      _ address: String, schema: String, name: String, says: @escaping (String) -> Void
    ) {
      (self.schema, self.name, self.says) = (schema, name, says)
      connection = Connection(address)
    }

    /// Runs `body` in one transaction.
    /// - Parameter settings: statements after the one that begins the transaction.
    func transaction<T>(
      _ mode: String = "ISOLATION LEVEL READ COMMITTED", settings: String = "",
      _ body: (Connection.Session) throws(MirrorFault) -> T
    ) throws(MirrorFault) -> T {
      try connection.transaction("BEGIN \(mode); \(settings)", MirrorFault.init, body)
    }

    package func state() throws(MirrorFault) -> MirrorState? {
      try transaction("READ ONLY") { (session) throws(MirrorFault) in
        try stored(session)?.state
      }
    }

    /// Returns the row of `eventlog_mirror`; nil if the schema has no mirror.
    func stored(_ session: Connection.Session) throws(MirrorFault) -> MirrorStateTable.Row? {
      let table = MirrorStateTable.schema
      let found = try session.run(
        """
        SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind = 'r'
        """, [.text(schema), .text(table.name)])
      if found.rows.isEmpty { return nil }
      var version = table
      version.columns.removeSubrange(1...)
      var format: [TableValue] = []
      try read(version, session) { (row) throws(MirrorFault) in format = row }
      guard case .int(let number)? = format.first else { return nil }
      if number > MirrorStateTable.format {
        throw .refused(
          "a newer eventlog wrote the tables in the schema \(schema): use that eventlog, "
            + "or another schema with ?schema=")
      }
      var row: MirrorStateTable.Row?
      try read(table, session) { (values) throws(MirrorFault) in
        row = MirrorStateTable.Row(values)
      }
      return row
    }

    package func forEachRow(
      of table: TableSchema, at position: UInt64,
      _ body: ([TableValue]) throws(MirrorFault) -> Void
    ) throws(MirrorFault) {
      try transaction(
        "ISOLATION LEVEL REPEATABLE READ READ ONLY"
      ) { (session) throws(MirrorFault) in
        // The lock keeps a swap of the tables away, and must come before the snapshot.
        let name = MirrorStateTable.schema.name
        try session.run(
          "LOCK TABLE \(PostgresDialect.qualified(name, in: schema)) IN ACCESS SHARE MODE")
        let found = try stored(session)?.state.position
        if found != position {
          throw .refused(
            "the tables are at position \(found.map { "\($0)" } ?? "none") and not \(position)")
        }
        let order = table.key.map { index in
          let column = table.columns[index]
          let isText = column.type == .text || column.type == .user
          return PostgresDialect.quoted(column.name) + (isText ? " COLLATE \"C\"" : "")
        }
        try read(table, session, order: " ORDER BY " + order.joined(separator: ", "), body)
      }
    }

    /// Compares the tables' indexes and triggers. Other programs may have tables in the schema.
    package func objectDifferences(
      _ schemas: [TableSchema]
    ) throws(MirrorFault) -> [MirrorDifference] {
      let tables = schemas + [MirrorStateTable.schema]
      let found = try transaction("READ ONLY") { (session) throws(MirrorFault) in
        try session.run(
          """
          SELECT t.relname::text, 'trigger ' || g.tgname, pg_get_triggerdef(g.oid)
          FROM pg_trigger g JOIN pg_class t ON t.oid = g.tgrelid
            JOIN pg_namespace n ON n.oid = t.relnamespace
          WHERE n.nspname = $1 AND t.relname = ANY ($2) AND NOT g.tgisinternal
          UNION ALL
          SELECT t.relname::text, 'index ' || c.relname, pg_get_indexdef(c.oid)
          FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
            JOIN pg_class c ON c.oid = i.indexrelid
            JOIN pg_namespace n ON n.oid = t.relnamespace
          WHERE n.nspname = $1 AND t.relname = ANY ($2)
          ORDER BY 1, 2
          """, [.text(schema), .texts(tables.map(\.name))])
      }
      let rows = found.rows.indices.map {
        (found.text($0, 0), found.text($0, 1), found.text($0, 2))
      }
      let triggers = rows.filter { $0.1.hasPrefix("trigger ") }.map { table, name, sql in
        MirrorDifference(
          table: table, key: [], kind: .object(name, mirrored: sql, declared: nil))
      }
      let names = Set(rows.map(\.1))
      return triggers
        + tables.flatMap { table in
          PostgresDialect.names(of: table).dropFirst().map { "index \($0)" }
            .filter { !names.contains($0) }.map { name in
              MirrorDifference(
                table: table.name, key: [],
                kind: .object(name, mirrored: nil, declared: "an index of the mirror"))
            }
        }
    }

    /// Only the server's own VACUUM removes old versions of rows.
    package func removeOldVersions(patience: Int32) throws(MirrorFault) -> Bool { true }

    package func text(_ value: TableValue, in column: TableSchema.Column) -> String {
      column.storedText(value)
    }

    /// Calls `body` with each row of a table.
    private func read(
      _ table: TableSchema, _ session: Connection.Session, order: String = "",
      _ body: ([TableValue]) throws(MirrorFault) -> Void
    ) throws(MirrorFault) {
      let columns = PostgresDialect.columns(Array(table.columns.indices), of: table)
      let name = PostgresDialect.qualified(table.name, in: schema)
      try session.copy(
        from: "COPY (SELECT \(columns) FROM \(name)\(order)) TO STDOUT (FORMAT binary)",
        { fault in
          if case .refused("42703", _) = fault {
            return .refused(
              "the table \(name) is not of a mirror: rename it, or give another schema with "
                + "?schema=")
          }
          return MirrorFault(fault)
        },
        { (reader) throws(MirrorFault) in
          var row: [TableValue] = []
          row.reserveCapacity(table.columns.count)
          for column in table.columns { row.append(column.value(&reader)) }
          try body(row)
        })
    }
  }

  extension MirrorFault {
    /// The mirror's fault for a connection's fault. A transaction that the server chose to end, to
    /// resolve a conflict with another one, is like a lost one: it can be repeated.
    init(_ fault: StatementFault) {
      switch fault {
      case .unreachable(let reason): self = .unreachable(reason)
      case .lost(let reason), .warned(let reason): self = .lost(reason)
      case .refused(let state, let reason):
        self =
          if state.hasPrefix("40") {
            .lost(reason)
          } else if state == "53100" {
            .full(reason)
          } else {
            .refused(reason)
          }
      }
    }
  }

  extension Connection.Session {
    /// Runs a statement of a transaction.
    @discardableResult
    func run(_ statement: String, _ values: [Value] = []) throws(MirrorFault) -> PostgreSQL.Rows {
      do throws(StatementFault) {
        return try execute(statement, values)
      } catch {
        throw MirrorFault(error)
      }
    }
  }
#endif
