#if PostgreSQL
  import EventLog
  import Events
  import PostgresTesting
  import Testing

  @testable import PostgreSQL

  /// The table of rules, which came with version 2 of the schema.
  @Suite struct RulesTableTests {
    @Test(
      "A schema of version 1 has no rules, is readable, and gets the rules table by remote init")
    func migration() async throws {
      let server = try #require(PostgresServer.shared, "no PostgreSQL server could be started")
      let address = try PostgresAddress(server.newLog())
      let schema = address.schema.name
      let remote = PostgresRemote(address)
      try await remote.prepare()
      try server.sql(
        """
        DROP TABLE \(schema).rules, \(schema).keys, \(schema).lease, \(schema).servers,
          \(schema).secret;
        DROP FUNCTION \(schema).record_rules(integer, bigint, text);
        UPDATE \(schema).log SET version = 1
        """)
      let entry = RecordedRules.Entry(after: 0, rules: .object([.init("base", .string("erg"))]))
      let old = PostgresRemote(address)
      #expect(try await old.rules().entries.isEmpty)
      #expect(try await old.head().seq == 0)
      // A write before the upgrade is refused.
      await #expect {
        try await old.record(RecordedRules([entry]))
      } throws: {
        "\($0)".contains("eventlog remote init brings it to")
      }
      try await old.prepare()
      try await old.prepare()
      let new = PostgresRemote(address)
      try await new.record(RecordedRules([entry]))
      try await new.record(RecordedRules([entry]))
      #expect(try await new.rules().entries == [entry])
      let other = RecordedRules.Entry(after: 0, rules: .object([]))
      await #expect(throws: LogError.self) { try await new.record(RecordedRules([other])) }
      #expect(try await new.rules().entries == [entry])
    }
  }
#endif
