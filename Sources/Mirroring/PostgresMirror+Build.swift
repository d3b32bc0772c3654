#if PostgreSQL
  import Events
  import PostgreSQL
  import Tables
  import UseCases

  // New tables, beside the old ones until the transaction ends.
  extension PostgresMirror {
    package func build(
      _ schemas: [TableSchema],
      _ fill: (_ writer: any MirrorWriter) throws(MirrorFault) -> MirrorState
    ) throws(MirrorFault) {
      let side = "\(schema)_eventlog_new"
      let longest = max(side.utf8.count, PostgresAccess.schemaOfFunctions(schema).utf8.count)
      if longest > PostgresDialect.longestName {
        throw .refused("the schema's name is longer than 45 bytes: choose a shorter one")
      }
      try transaction { (session) throws(MirrorFault) in
        let all = schemas + [MirrorStateTable.schema]
        let old = try prepare(all, session)
        try session.run("CREATE SCHEMA \(PostgresDialect.quoted(side))")
        let tables =
          PostgresDialect.tables(all, in: side)
          + PostgresDialect.withoutStatistics(schemas, in: side)
        for statement in tables { try session.run(statement) }
        let writer = PostgresWriter(all, in: side, session)
        let state = try fill(writer)
        let row = MirrorStateTable.Row(state, created: all.map(\.name))
        try writer.append(row.values, to: schemas.count)
        try writer.finish()
        let keys =
          PostgresDialect.keys(all, in: side) + PostgresDialect.references(schemas, in: side)
        // With this memory, the indexes of a million rows take 2.5 s and not 3.6 s.
        try session.run(
          """
          SELECT set_config('maintenance_work_mem', '256MB', true)
          WHERE pg_size_bytes(current_setting('maintenance_work_mem')) < 256 << 20
          """)
        for statement in keys { try session.run(statement) }
        let names = all.map { PostgresDialect.qualified($0.name, in: side) }
        try session.run("ANALYZE \(names.joined(separator: ", "))")
        try swap(old, with: all, from: side, session)
        try grant(all, policies: state.policies, session)
      }
    }

    /// Waits for other builds, and checks that only the mirror's tables must make way.
    /// - Returns: the names of the old mirror's tables.
    private func prepare(
      _ all: [TableSchema], _ session: Connection.Session
    ) throws(MirrorFault) -> [String] {
      try session.run("SELECT pg_advisory_xact_lock(7106408, hashtext($1))", [.text(schema)])
      try session.run("CREATE SCHEMA IF NOT EXISTS \(PostgresDialect.quoted(schema))")
      let old = try existing(stored(session)?.created ?? [], session)
      let names = all.flatMap(PostgresDialect.names)
      let others = try session.run(
        """
        SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = $1 AND c.relname = ANY ($2) AND c.relname <> ALL ($3)
          AND NOT EXISTS (
            SELECT FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
            WHERE i.indexrelid = c.oid AND t.relname = ANY ($3))
        ORDER BY c.relname LIMIT 1
        """, [.text(schema), .texts(names), .texts(old)])
      if !others.rows.isEmpty {
        throw .refused(
          "the schema \(schema) already has \(others.text(0, 0)), which is not of the mirror: "
            + "rename it, or give another schema with ?schema=")
      }
      try checkViews(of: old, session)
      return old
    }

    /// Returns those of some tables that exist.
    private func existing(
      _ tables: [String], _ session: Connection.Session
    ) throws(MirrorFault) -> [String] {
      let found = try session.run(
        """
        SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = $1 AND c.relname = ANY ($2) AND c.relkind = 'r'
        """, [.text(schema), .texts(tables)])
      let names = Set(found.rows.indices.map { found.text($0, 0) })
      return tables.filter(names.contains)
    }

    /// - Throws: `.refused` if a view reads one of the tables. The server would refuse to drop them
    ///   only after the work.
    private func checkViews(
      of tables: [String], _ session: Connection.Session
    ) throws(MirrorFault) {
      let views = try session.run(
        """
        SELECT DISTINCT v.oid::regclass::text, t.relname::text
        FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid JOIN pg_class v ON v.oid = r.ev_class
          JOIN pg_class t ON t.oid = d.refobjid JOIN pg_namespace n ON n.oid = t.relnamespace
        WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass
          AND n.nspname = $1 AND t.relname = ANY ($2) AND v.oid <> t.oid
        ORDER BY 1, 2 LIMIT 1
        """, [.text(schema), .texts(tables)])
      if views.rows.isEmpty { return }
      throw Self.dependent(
        "the view \(views.text(0, 0)) reads the table \(views.text(0, 1)), which must be replaced")
    }

    private static func dependent(_ reason: String) -> MirrorFault {
      .refused("\(reason); drop what depends on it, run the mirror again, and create it again")
    }

    /// Replaces the old tables by the new ones.
    private func swap(
      _ old: [String], with all: [TableSchema], from side: String, _ session: Connection.Session
    ) throws(MirrorFault) {
      // A writer locks the state first.
      let state = MirrorStateTable.schema.name
      let sorted = old.filter { $0 == state } + old.filter { $0 != state }
      if !sorted.isEmpty {
        let names = sorted.map { PostgresDialect.qualified($0, in: schema) }
          .joined(separator: ", ")
        try lock(names, session)
        do throws(StatementFault) {
          try session.execute("DROP TABLE \(names)")
        } catch {
          guard case .refused("2BP01", let reason) = error else { throw MirrorFault(error) }
          throw Self.dependent(reason)
        }
      }
      for table in all {
        try session.run(
          "ALTER TABLE \(PostgresDialect.qualified(table.name, in: side))"
            + " SET SCHEMA \(PostgresDialect.quoted(schema))")
      }
      try session.run("DROP SCHEMA \(PostgresDialect.quoted(side))")
    }

    /// Locks tables against all use. While it waits for other transactions, it holds back new
    /// readers for at most 1.5 seconds at a time. After 10 minutes it stops.
    private func lock(_ tables: String, _ session: Connection.Session) throws(MirrorFault) {
      for _ in 0..<380 {
        do throws(StatementFault) {
          try session.script("SAVEPOINT swap; SET LOCAL lock_timeout = 1500")
          try session.execute("LOCK TABLE \(tables) IN ACCESS EXCLUSIVE MODE")
          return
        } catch {
          // The lock is not available, or this transaction and another one wait for each other.
          guard case .refused(let state, _) = error, state == "55P03" || state == "40P01" else {
            throw MirrorFault(error)
          }
        }
        try session.run("ROLLBACK TO SAVEPOINT swap")
        try session.run("SELECT pg_sleep(0.1)")
      }
      throw .refused(
        "other transactions used the old tables for 10 minutes: end them, which the view "
          + "pg_stat_activity lists, and run the command again")
    }

    private func grant(
      _ all: [TableSchema], policies: String, _ session: Connection.Session
    ) throws(MirrorFault) {
      let rights = PostgresAccess.rights(of: all, in: schema)
      for statement in rights + PostgresAccess.withoutPolicies(in: schema) {
        try session.run(statement)
      }
      if try session.run(
        "SELECT FROM pg_roles WHERE rolname = $1", [.text(PostgresAccess.reader)]
      ).rows.isEmpty {
        says(
          "the role \(PostgresAccess.reader) was not created, because this role may not create "
            + "roles: only the tables' owner can read them")
      }
      if policies.isEmpty { return }
      guard policies == PostgresAccess.supabase else {
        throw .refused("there are no policies \(policies), only \(PostgresAccess.supabase)")
      }
      let names = all.map(\.name)
      for table in PostgresAccess.tablesOfPolicies where !names.contains(table) {
        throw .refused("the policies \(policies) need the table \(table)")
      }
      for statement in PostgresAccess.policies(in: schema) { try session.run(statement) }
    }
  }

  /// Writes rows of new tables with COPY, about 1 MiB at a time.
  final class PostgresWriter: MirrorWriter {
    private static let limit = 1 << 20
    private let session: Connection.Session
    private let schemas: [TableSchema]
    private let statements: [String]
    private var rows: [BinaryFields]

    init(_ schemas: [TableSchema], in schema: String, _ session: Connection.Session) {
      (self.schemas, self.session) = (schemas, session)
      // With FREEZE, the rows need no later visit by VACUUM. A reader whose snapshot is older than
      // the swap sees the new rows, and not an empty table.
      statements = schemas.map { table in
        "COPY \(PostgresDialect.qualified(table.name, in: schema))"
          + " (\(PostgresDialect.columns(Array(table.columns.indices), of: table)))"
          + " FROM STDIN (FORMAT binary, FREEZE)"
      }
      rows = schemas.map { _ in BinaryFields() }
    }

    func append(_ row: [TableValue], to table: Int) throws(MirrorFault) {
      let columns = schemas[table].columns
      guard row.count == columns.count else {
        throw .refused("a row has \(row.count) values for \(columns.count) columns")
      }
      rows[table].startRow(fields: columns.count)
      for index in columns.indices {
        try columns[index].append(row[index], to: &rows[table])
      }
      if rows[table].bytes.count >= Self.limit { try flush(table) }
    }

    /// Writes all rows, and waits until the server has stored them.
    func finish() throws(MirrorFault) {
      for table in rows.indices { try flush(table) }
      do throws(StatementFault) {
        try session.finishCopy()
      } catch {
        throw MirrorFault(error)
      }
    }

    private func flush(_ table: Int) throws(MirrorFault) {
      if rows[table].bytes.isEmpty { return }
      do throws(StatementFault) {
        try session.copy(rows[table], to: statements[table])
      } catch {
        throw MirrorFault(error)
      }
      rows[table].removeAll()
    }
  }
#endif
