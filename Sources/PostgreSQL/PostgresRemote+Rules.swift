#if PostgreSQL
  import EventLog
  import Events

  /// The rules of the log, an entry a row of the table `rules`.
  extension PostgresRemote {
    public func rules() async throws(LogError) -> RecordedRules {
      let statement = "SELECT after, rules FROM \(schema).rules ORDER BY number"
      let rows = try await trying { (session) throws(StatementFault) -> Rows? in
        do throws(StatementFault) {
          return try session.execute(statement, Parameters())
        } catch {
          // A schema of version 1 has no such table.
          if case .refused("42P01", _) = error { return nil }
          throw error
        }
      }
      var recorded = RecordedRules(from: name)
      guard let rows else { return recorded }
      for row in rows.rows.indices {
        let text = rows.text(row, 1)
        guard let value = try? JSONValue(text), case .object = value else {
          throw .store(
            StoreFailure(RulesRefusal.unreadable(name, reason: "row \(row + 1) is no object")))
        }
        recorded.entries.append(.init(after: UInt64(clamping: rows.int(row, 0)), rules: value))
      }
      return recorded
    }

    public func record(_ rules: RecordedRules) async throws(LogError) {
      for (index, entry) in rules.entries.enumerated() {
        var all = Parameters()
        all.add(int4: index + 1)
        all.add(int8: Int64(clamping: entry.after))
        all.add(text: entry.rules.text)
        let parameters = all
        let rows = try await trying { [self] (session) throws(StatementFault) in
          try checkSafety(session)
          return try session.execute("SELECT \(schema).record_rules($1, $2, $3)", parameters)
        }
        guard !rows.rows.isEmpty, rows.int(0, 0) == 0 else {
          throw .store(StoreFailure(RulesRefusal.changed(name)))
        }
      }
    }
  }
#endif
