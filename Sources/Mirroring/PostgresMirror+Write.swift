#if PostgreSQL
  import Events
  import PostgreSQL
  import Tables
  import UseCases

  // Changes by consecutive events.
  extension PostgresMirror {
    package func write(_ changes: MirrorChanges) throws(MirrorFault) -> Bool {
      // A crash of the server may undo the last transactions. It then also undoes their positions,
      // and the next call continues from there.
      try transaction(
        settings: "SET LOCAL synchronous_commit = off; SET LOCAL jit = off"
      ) { (session) throws(MirrorFault) in
        guard try advance(changes, session) else { return false }
        // One wait for all statements, and not one for each.
        var statements: [Statement] = []
        for table in changes.tables { statements += try self.statements(for: table) }
        do throws(StatementFault) {
          try session.execute(statements)
        } catch {
          throw MirrorFault(error)
        }
        return true
      }
    }

    /// Returns the statements that write a table's changes.
    private func statements(
      for table: MirrorChanges.Table
    ) throws(MirrorFault) -> [Statement] {
      let name = PostgresDialect.qualified(table.schema.name, in: schema)
      let key = table.schema.key.map { table.schema.columns[$0] }
      var statements: [Statement] = []
      if !table.removed.isEmpty {
        statements.append(
          Statement(
            PostgresChanges.delete(key, from: name),
            try PostgresChanges.arrays(table.removed, key)))
      }
      if !table.rows.isEmpty {
        statements.append(
          Statement(
            PostgresChanges.insert(table.schema, into: name),
            try PostgresChanges.arrays(table.rows, table.schema.columns)))
      }
      return statements + (try versionStatements(for: table))
    }

    /// Writes the new state if the mirror is at the position before the changes. The row's lock
    /// lets one writer at a time change the tables.
    private func advance(
      _ changes: MirrorChanges, _ session: Connection.Session
    ) throws(MirrorFault) -> Bool {
      let table = MirrorStateTable.schema
      // The names of the created tables stay.
      let columns = Array(table.columns.dropLast())
      let row = Array(MirrorStateTable.Row(changes.state, created: []).values.dropLast())
      let sets = columns.map { PostgresDialect.quoted($0.name) + " = n.\($0.name)" }
      // Another process may have replaced the tables by others.
      let same = ["format", "layout", "tables", "has_history"].map { "m.\($0) = n.\($0)" }
      let statement = """
        UPDATE \(PostgresDialect.qualified(table.name, in: schema)) m
        SET \(sets.joined(separator: ", "))
        FROM \(PostgresChanges.unnest(columns, as: "n"))
        WHERE m.position = $\(columns.count + 1) AND \(same.joined(separator: " AND "))
        RETURNING m.position
        """
      let values = try PostgresChanges.arrays([row], columns)
      do throws(StatementFault) {
        let found = try session.execute(
          statement, values + [.int8(Int64(bitPattern: changes.from))])
        return !found.rows.isEmpty
      } catch {
        guard case .refused("42P01", _) = error else { throw MirrorFault(error) }
        // There is no mirror. The error ended the transaction, and the caller commits one.
        try session.run("ROLLBACK AND CHAIN")
        return false
      }
    }

    /// Returns the statements that write the changes of a table's history.
    private func versionStatements(
      for table: MirrorChanges.Table
    ) throws(MirrorFault) -> [Statement] {
      var statements: [Statement] = []
      let history = table.schema.history
      let name = PostgresDialect.qualified(history.name, in: schema)
      if !table.ended.isEmpty {
        let columns =
          table.schema.key.map { table.schema.columns[$0] } + TableSchema.endColumns
        let rows = table.ended.map { $0.key + [.int($0.position), .time($0.time)] }
        statements.append(
          Statement(
            PostgresChanges.end(table.schema, in: name, columns),
            try PostgresChanges.arrays(rows, columns)))
      }
      if !table.versions.isEmpty {
        statements.append(
          Statement(
            PostgresChanges.insert(history, into: name),
            try PostgresChanges.arrays(table.versions, history.columns)))
      }
      return statements
    }
  }

  /// The statements of changes. Their parameters are arrays: one for each column, with an element
  /// for each row.
  enum PostgresChanges {
    /// Returns one array for each column.
    static func arrays(
      _ rows: [[TableValue]], _ columns: [TableSchema.Column]
    ) throws(MirrorFault) -> [Value] {
      var arrays = [BinaryFields](repeating: BinaryFields(), count: columns.count)
      for row in rows {
        guard row.count == columns.count else {
          throw .refused("a row has \(row.count) values for \(columns.count) columns")
        }
        for (index, column) in columns.enumerated() {
          try column.append(row[index], to: &arrays[index])
        }
      }
      return zip(columns, arrays).map { .array($0.binaryType, $1) }
    }

    /// Returns a table of the parameters' elements, whose columns have the columns' names.
    static func unnest(_ columns: [TableSchema.Column], as name: String) -> String {
      let parameters = columns.enumerated().map { index, column in
        "$\(index + 1)::\(PostgresDialect.typeName(of: column))[]"
      }
      let names = columns.map { PostgresDialect.quoted($0.name) }
      return "unnest(\(parameters.joined(separator: ", ")))"
        + " AS \(name) (\(names.joined(separator: ", ")))"
    }

    private static func equal(
      _ columns: some Sequence<TableSchema.Column>, _ a: String, _ b: String
    ) -> String {
      columns.map { column in
        let name = PostgresDialect.quoted(column.name)
        return "\(a).\(name) = \(b).\(name)"
      }.joined(separator: " AND ")
    }

    static func delete(_ key: [TableSchema.Column], from name: String) -> String {
      "DELETE FROM \(name) t USING \(unnest(key, as: "d")) WHERE \(equal(key, "t", "d"))"
    }

    static func insert(_ table: TableSchema, into name: String) -> String {
      let all = PostgresDialect.columns(Array(table.columns.indices), of: table)
      let sets = table.columns.indices.filter { !table.key.contains($0) }.map { index in
        let column = PostgresDialect.quoted(table.columns[index].name)
        return "\(column) = excluded.\(column)"
      }
      let action = sets.isEmpty ? "NOTHING" : "UPDATE SET " + sets.joined(separator: ", ")
      return """
        INSERT INTO \(name) (\(all)) SELECT * FROM \(unnest(table.columns, as: "n"))
        ON CONFLICT (\(PostgresDialect.columns(table.key, of: table))) DO \(action)
        """
    }

    /// Returns the statement that ends current versions. The current version of a key is the last
    /// one, so the primary key finds it, however many versions there are. Without `ctid`, the
    /// server would join the keys with all current versions.
    /// - Parameter columns: the columns of the key, and the two of a version's end.
    static func end(
      _ table: TableSchema, in name: String, _ columns: [TableSchema.Column]
    ) -> String {
      let key = columns.dropLast(2)
      return """
        UPDATE \(name) h SET to_position = e.to_position, valid_to = e.valid_to
        FROM \(unnest(columns, as: "e")) CROSS JOIN LATERAL (
          SELECT v.ctid FROM \(name) v WHERE \(equal(key, "v", "e"))
          ORDER BY v.from_position DESC LIMIT 1
        ) l
        WHERE h.ctid = l.ctid AND h.to_position = \(TableSchema.noEnd)
        """
    }
  }
#endif
