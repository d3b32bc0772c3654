#if PostgreSQL
  import EventLog
  import Events
  import Foundation
  import PostgreSQL
  import PostgresTesting
  import Testing

  /// The required settings of a server, and the rights of its roles.
  @Suite struct ServerSettingsTests {
    private func fault(_ body: () async throws -> Void) async -> RemoteFault? {
      do {
        try await body()
        return nil
      } catch {
        return (error as? LogError)?.remoteFault
      }
    }

    @Test("A role that does not wait for its commits is refused, with advice")
    func commits() async throws {
      let server = try #require(PostgresServer.shared)
      let address = try await newLog(server)
      let scratch = try Scratch()
      try server.sql("CREATE ROLE careless LOGIN SUPERUSER")
      try server.sql("ALTER ROLE careless SET synchronous_commit = off")
      let log = try await scratch.clone(
        address.replacingOccurrences(of: "postgres@", with: "careless@"), "log")
      let found = await fault { try await log.append(Commit([following("a", "b")])) }
      guard case .unsafe(_, let reason)? = found else {
        Issue.record("\(String(describing: found))")
        return
      }
      #expect(reason.contains("synchronous_commit is off") && reason.contains("ALTER ROLE"))
      try server.sql("CREATE ROLE serial LOGIN SUPERUSER")
      try server.sql("ALTER ROLE serial SET default_transaction_isolation = 'serializable'")
      let other = try await scratch.clone(
        address.replacingOccurrences(of: "postgres@", with: "serial@"), "other")
      let refused = await fault { try await other.append(Commit([following("a", "b")])) }
      #expect("\(String(describing: refused))".contains("read committed"))
      #expect(
        try server.sql("SELECT count(*) FROM \(address.split(separator: "#")[1]).events") == "0")
    }

    @Test("A writer appends only through the function, a reader reads, and others see nothing")
    func rights() async throws {
      let server = try #require(PostgresServer.shared)
      let address = try await newLog(server)
      let schema = address.split(separator: "#")[1]
      let scratch = try Scratch()
      for (name, role) in [("wanda", "writer"), ("rita", "reader"), ("olga", "")] {
        try server.sql("CREATE ROLE \(name) LOGIN")
        if !role.isEmpty { try server.sql("GRANT \(schema)_\(role) TO \(name)") }
      }
      func named(_ user: String) -> String {
        address.replacingOccurrences(of: "postgres@", with: user + "@")
      }
      let wanda = try await scratch.clone(named("wanda"), "wanda")
      try await wanda.append(Commit([following("a", "b")]))
      let rita = try await scratch.clone(named("rita"), "rita")
      #expect(await rita.head() == 1)
      let refused = await fault { try await rita.append(Commit([following("a", "c")])) }
      #expect("\(String(describing: refused))".contains("permission denied"))
      let olga = await fault { _ = try await scratch.clone(named("olga"), "olga") }
      #expect("\(String(describing: olga))".contains("permission denied"))
      for statement in [
        "DELETE FROM \(schema).events", "UPDATE \(schema).events SET sum = 0",
        "INSERT INTO \(schema).rewritings VALUES (1, '')", "TRUNCATE \(schema).events",
        "SELECT \(schema).rewrite(gen_random_uuid(), 1, 0, 0, 1, 1, 0, '')",
      ] {
        #expect(throws: PostgresServer.Failure.self, "\(statement)") {
          try server.sql("SET ROLE wanda; \(statement)")
        }
      }
    }

    @Test("A schema of a newer version is not changed, and a missing one is reported with advice")
    func versions() async throws {
      let server = try #require(PostgresServer.shared)
      let address = try await newLog(server)
      let schema = address.split(separator: "#")[1]
      let scratch = try Scratch()
      // A second preparation does no harm.
      try await PostgresRemote(try PostgresAddress(address)).prepare()
      let log = try await scratch.clone(address, "log")
      try server.sql("UPDATE \(schema).log SET version = 99")
      let found = await fault { try await log.append(Commit([following("a", "b")])) }
      #expect("\(String(describing: found))".contains("version 99"))
      let prepared = await fault {
        try await PostgresRemote(try PostgresAddress(address)).prepare()
      }
      #expect("\(String(describing: prepared))".contains("newer eventlog"))
      let none = await fault {
        _ = try await scratch.clone(server.log("nothing_here"), "none")
      }
      #expect("\(String(describing: none))".contains("remote init"))
      for name in ["Big", "a b", "pg_x", "1a", "", String(repeating: "a", count: 41), "a;drop"] {
        #expect(throws: LogError.self) { try PostgresAddress("postgresql://x/y#\(name)") }
      }
    }

    @Test(
      "A schema of an earlier version is upgraded, refuses a reused key, and has a lease",
      arguments: [1, 2, 3])
    func upgrade(version: Int) async throws {
      let server = try #require(PostgresServer.shared)
      let address = try await newLog(server)
      let schema = address.split(separator: "#")[1]
      let scratch = try Scratch()
      let log = try await scratch.clone(address, "log")
      try await log.append(Commit([following("a", "b")]))
      let lines = "bytea[], text[], bigint[], uuid[], bigint[]"
      let uses = "bigint[], bigint[], bigint[], bigint[]"
      let last = ["", "", ", \(uses), bigint[]", ", \(uses), bigint[], bigint"][version]
      let lease = "DROP TABLE \(schema).lease, \(schema).servers, \(schema).secret;"
      try server.sql(
        """
        DROP FUNCTION \(schema).append(
          bigint, bigint, \(lines), uuid, integer, \(uses), text[], bigint);
        ALTER TABLE \(schema).keys DROP COLUMN answer;
        \(version < 3 ? lease : "")
        \(version == 1 ? "DROP TABLE \(schema).keys, \(schema).rules;" : "")
        CREATE FUNCTION \(schema).append(bigint, bigint, \(lines), uuid, integer\(last)
          \(version < 3 ? ") RETURNS integer" : ", \(Self.results))") LANGUAGE sql
          AS 'SELECT 0\(version < 3 ? "" : ", 0::bigint, 0::bigint, 0")';
        UPDATE \(schema).log SET version = \(version);
        """)
      let old = try await scratch.clone(address, "old")
      let found = await fault { try await old.append(Commit([following("a", "c")])) }
      #expect("\(String(describing: found))".contains("version \(version)"))
      let remote = PostgresRemote(try PostgresAddress(address))
      try await remote.prepare()
      #expect(try await remote.hold(at: "http://here", for: .seconds(60)).isHeld)
      try await remote.release()
      // A use that is older than a day is deleted again.
      let now = RuntimeEnvironment.system.now()
      let use = KeyUse(tail: 1 << 63, body: 7, position: 1, time: now)
      let other = try await scratch.clone(address, "other")
      try await other.append(Commit([], position: 1, use: use))
      let again = try await scratch.clone(address, "again")
      await #expect(throws: LogError.keyUsed(use)) {
        try await again.append(Commit([following("a", "c")], position: 1, use: use))
      }
      let functions = "SELECT count(*) FROM pg_proc WHERE proname = 'append' AND pronamespace = "
      let count = try server.sql(functions + "'\(schema)'::regnamespace")
      #expect(count == (version == 3 ? "2" : "1"))
      // A server of version 3 that is still connected can append.
      guard version == 3 else { return }
      let head = try await remote.head()
      let stale = """
        SELECT answer FROM \(schema).append(\(head.seq), \(Int64(bitPattern: head.sum)), '{}', '{}',
          '{}', '{}', '{}', gen_random_uuid(), 0, '{5}', '{6}', '{1}',
          '{\(RuntimeEnvironment.system.now().milliseconds)}', '{1}'::bigint[], -1)
        """
      #expect(try server.sql(stale) == "0")
      #expect(try await remote.uses(of: [5]).map(\.answer) == [nil])
    }

    /// The results of the function `append`, since version 2 of the schema.
    private static let results =
      "OUT answer integer, OUT head bigint, OUT head_sum bigint, OUT times integer"

    @Test(
      "Error messages do not contain passwords",
      arguments: [
        "postgresql://ann:geheim@h:1/d#s", "postgres://h/d?user=a&password=geheim#s",
        "postgresql://ann:geheim@h", "postgresql://h/d?password=geheim",
      ])
    func passwords(_ address: String) throws {
      let name = try PostgresAddress(address).name
      #expect(!name.contains("geheim") && name.contains("***"))
    }

    @Test("The server refuses lines with wrong revisions or existing ids")
    func judged() async throws {
      let server = try #require(PostgresServer.shared)
      let address = try await newLog(server)
      let remote = PostgresRemote(try PostgresAddress(address))
      func line(_ revision: UInt64, _ id: UInt64) -> RemoteBatch.Line {
        RemoteBatch.Line(
          bytes: [1], stream: "a/b", revision: revision, id: EventID(high: 0, low: id), sum: id)
      }
      #expect(try await remote.append(RemoteBatch(after: 0, 0, [line(1, 1)])) == .appended)
      // The same lines again are recognised, not appended.
      #expect(try await remote.append(RemoteBatch(after: 0, 0, [line(1, 1)])) == .appended)
      for lines in [[line(1, 2)], [line(3, 2)], [line(2, 2), line(4, 3)], [line(2, 1)]] {
        let found = await fault { _ = try await remote.append(RemoteBatch(after: 1, 1, lines)) }
        guard case .refused? = found else {
          Issue.record("\(lines.map(\.revision)): \(String(describing: found))")
          continue
        }
      }
      let moved = try await remote.append(RemoteBatch(after: 1, 2, [line(2, 2)]))
      #expect(moved == .moved(RemoteHead(seq: 1, sum: 1, rewritings: 0)))
    }
  }
#endif
