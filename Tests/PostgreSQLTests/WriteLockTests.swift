#if PostgreSQL
  import EventLog
  import Events
  import Foundation
  import PostgresTesting
  import Testing

  @testable import PostgreSQL

  /// The lock under which the functions of a shared log write.
  @Suite(.enabled(if: PostgresServer.programs != nil)) struct WriteLockTests {
    /// A session of psql that runs statements as they are sent, until it is ended.
    private final class Session {
      private let process = Process()
      private let (input, output) = (Pipe(), Pipe())

      init(_ server: PostgresServer, user: String = "postgres") throws {
        process.executableURL = URL(filePath: (PostgresServer.programs ?? "") + "/psql")
        process.arguments = [
          "-XAtq", "-h", "127.0.0.1", "-p", "\(server.port)", "-U", user, "-d", "postgres",
        ]
        (process.standardInput, process.standardOutput) = (input, output)
        process.standardError = output
        try process.run()
      }

      func send(_ text: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((text + ";\n").utf8))
      }

      /// Ends the session after its statements, and returns what it printed.
      func end() throws -> String {
        try input.fileHandleForWriting.close()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
      }
    }

    private let server: PostgresServer

    init() throws { server = try #require(PostgresServer.shared) }

    private func wait(until condition: String) async throws {
      for _ in 0..<1_200 {
        if try server.sql("SELECT \(condition)") == "t" { return }
        try await Task.sleep(for: .milliseconds(25))
      }
      Issue.record("never: \(condition)")
    }

    /// Returns the condition that a number of sessions have the advisory lock, or wait for it.
    private func advisory(_ schema: String, isGranted: Bool, _ count: Int) -> String {
      """
      count(*) = \(count) FROM pg_locks WHERE locktype = 'advisory' AND classid = 7106407
        AND objid = '\(schema).events'::regclass AND granted = \(isGranted)
      """
    }

    private func append(_ schema: String, after position: Int) -> String {
      """
      SELECT answer FROM \(schema).append(\(position), \(position), ARRAY['x'::bytea], '{s}',
        '{\(position + 1)}', ARRAY[gen_random_uuid()], '{\(position + 1)}', gen_random_uuid(), 0,
        '{}', '{}', '{}', '{}', '{}'::text[], -1)
      """
    }

    @Test("A login without rights cannot stop appends, whichever locks it takes")
    func stranger() async throws {
      let address = try await newLog(server)
      let schema = try PostgresAddress(address).schema.name
      try server.sql("CREATE ROLE \(schema)_stranger LOGIN")
      try server.sql("GRANT \(schema)_reader TO \(schema)_stranger")
      let stranger = try Session(server, user: "\(schema)_stranger")
      try stranger.send("SELECT pg_advisory_lock(7106407, '\(schema).events'::regclass::oid::int)")
      try await wait(until: advisory(schema, isGranted: true, 1))
      let scratch = try Scratch()
      let log = try await scratch.clone(address, "log")
      try await log.append(Commit([following("a", "b")]))
      let remote = PostgresRemote(try PostgresAddress(address))
      try await remote.prepare()
      #expect(try await remote.hold(at: "http://here", for: .seconds(60)).isHeld)
      for mode in ["ACCESS SHARE", "ROW SHARE", "EXCLUSIVE"] {
        let lock = "LOCK TABLE \(schema).write_lock IN \(mode) MODE"
        try stranger.send("BEGIN; \(lock); COMMIT")
        for role in ["writer", "rewriter"] {
          #expect {
            try server.sql("BEGIN; SET LOCAL ROLE \(schema)_\(role); \(lock)")
          } throws: {
            "\($0)".contains("permission denied")
          }
        }
      }
      #expect(try stranger.end().components(separatedBy: "permission denied").count == 4)
    }

    @Test("Calls of the older version, of an upgrade and of this version exclude each other")
    func upgrade() async throws {
      let address = try await newLog(server)
      let schema = try PostgresAddress(address).schema.name
      let functions = "FROM pg_proc WHERE pronamespace = '\(schema)'::regnamespace AND prosrc LIKE "
      let definitions = try server.sql(
        "SELECT pg_get_functiondef(oid) || ';' \(functions) '%LOCK TABLE write_lock%'")
      let old = definitions.replacing(
        "LOCK TABLE write_lock IN EXCLUSIVE MODE",
        with: "PERFORM pg_advisory_xact_lock(7106407, 'events'::regclass::oid::integer)")
      #expect(old.components(separatedBy: "pg_advisory").count == 5)
      try server.sql(
        "\(old) DROP TABLE \(schema).write_lock; UPDATE \(schema).log SET version = 4")

      let (first, second, third) = (
        try Session(server), try Session(server), try Session(server)
      )
      try first.send("BEGIN; \(append(schema, after: 0))")
      try await wait(until: advisory(schema, isGranted: true, 1))
      let upgrade = Task {
        try await PostgresRemote(try PostgresAddress(address)).prepare()
      }
      try await wait(until: advisory(schema, isGranted: false, 1))
      #expect(try server.sql("SELECT version FROM \(schema).log") == "4")
      // Begins in the middle of the upgrade.
      try second.send("BEGIN; \(append(schema, after: 1))")
      try await wait(until: advisory(schema, isGranted: false, 2))
      try first.send("COMMIT")
      #expect(try first.end() == "0\n")
      try await upgrade.value
      #expect(try server.sql("SELECT version FROM \(schema).log") == "5")
      try await wait(until: advisory(schema, isGranted: true, 1))
      // Begins after the upgrade, while the call before has not ended.
      try third.send(append(schema, after: 2))
      try await wait(
        until: """
          count(*) = 1 FROM pg_locks
            WHERE relation = '\(schema).write_lock'::regclass AND NOT granted
          """)
      try second.send("COMMIT")
      #expect(try second.end() == "0\n")
      #expect(try third.end() == "0\n")
      #expect(try server.sql("SELECT max(position), count(*) FROM \(schema).events") == "3|3")
      #expect(try server.sql("SELECT count(*) \(functions) '%advisory%'") == "0")
    }

    @Test("An upgrade that was interrupted is completed by the next one, and appends work between")
    func interruptedUpgrade() async throws {
      let address = try await newLog(server)
      let schema = try PostgresAddress(address).schema.name
      try server.sql("DROP TABLE \(schema).write_lock; UPDATE \(schema).log SET version = 4")
      let scripts = try PostgresAddress(address).schema.upgrade(from: 4)
      try server.sql(scripts[0])
      #expect(try server.sql(append(schema, after: 0)) == "0")
      try await PostgresRemote(try PostgresAddress(address)).prepare()
      #expect(try server.sql("SELECT version FROM \(schema).log") == "5")
      #expect(try server.sql(append(schema, after: 1)) == "0")
    }
  }
#endif
