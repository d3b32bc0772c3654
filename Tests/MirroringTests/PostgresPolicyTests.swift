#if PostgreSQL
  import Events
  import Foundation
  import Mirroring
  import PostgresTesting
  import Synchronization
  import Tables
  import Testing
  import UseCases

  /// Rights and row-level security of a mirror in PostgreSQL.
  @Suite(.enabled(if: PostgresServer.programs != nil)) struct PostgresPolicyTests {
    private typealias Samples = PostgresSamples
    private typealias Column = TableSchema.Column

    private let server: PostgresServer

    init() throws {
      server = try #require(PostgresServer.shared)
      for role in ["anon", "authenticated", "service_role"] {
        try server.sql(
          """
          DO $$ BEGIN CREATE ROLE \(role) NOLOGIN;
          EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$
          """)
      }
    }

    private static let profiles = TableSchema(
      name: "profiles", about: "Profiles.",
      columns: [
        Column("id", .user, "The user.", isOptional: false),
        Column("is_public", .bool, "Whether everybody may read it.", isOptional: false),
      ],
      key: [0])
    static let follows = TableSchema(
      name: "follows", about: "Follows.",
      columns: [
        Column("id", .integer, "The follow.", isOptional: false),
        Column("follower_id", .user, "The follower.", isOptional: false),
        Column("followee_id", .user, "The followed user.", isOptional: false),
        Column("deleted_at", .time, "The time of its end.", isOptional: true),
      ],
      key: [0], indexes: [[1], [2]])
    private static let exceptions = TableSchema(
      name: "profile_exceptions", about: "Exceptions.",
      columns: [
        Column("viewer_id", .user, "The viewer.", isOptional: false),
        Column("user_id", .user, "The profile.", isOptional: false),
        Column("is_visible", .bool, "Whether the viewer may read it.", isOptional: false),
      ],
      key: [0, 1])
    private static let tables = [profiles, follows, exceptions]

    /// Returns the answer to a statement by a role with the claim `sub`.
    private func ask(_ statement: String, as user: String?, role: String = "authenticated")
      -> String
    {
      let claims = user.map { "SET LOCAL request.jwt.claims = '{\"sub\":\"\($0)\"}';" } ?? ""
      do {
        return try server.sql("BEGIN; SET LOCAL ROLE \(role); \(claims) \(statement); COMMIT")
      } catch {
        return "\(error)"
      }
    }

    @Test("The policies show what the rules of profiles and follows show")
    func matrix() throws {
      let schema = "mirror_policies"
      let mirror = Samples.mirror(server, schema)
      let me = "018F3F3A-0000-7000-8000-00000000000A"
      // Public: a, b, c. Private: p, q, and the user with a UUID.
      let users: [(String, Bool)] = [
        ("a", true), ("b", true), ("c", true), ("p", false), ("q", false), (me, false),
      ]
      let ended = TableValue.time(Timestamp(milliseconds: 5))
      let follows: [(String, String, TableValue)] = [
        ("a", "b", .null), ("b", "a", ended), ("a", "p", .null), ("p", "a", .null),
        (me, "q", ended), ("q", me, .null), ("b", me, ended), ("a", me, .null), ("c", "b", .null),
        ("a", "nobody", .null),
      ]
      // The user is a friend of p, and c has blocked the user.
      let exceptions = [(me, "p", true), (me, "c", false), ("a", "p", true)]
      try mirror.build(
        Self.tables,
        Samples.filling(
          [
            0: users.map { [.text($0), .bool($1)] },
            1: follows.enumerated().map { number, row in
              [.int(Int64(number)), .text(row.0), .text(row.1), row.2]
            },
            2: exceptions.map { [.text($0), .text($1), .bool($2)] },
          ], Samples.state(1, policies: "supabase")))
      let profiles = "SELECT string_agg(id, ' ' ORDER BY id) FROM \(schema).profiles"
      let seen = "SELECT string_agg(id::text, ' ' ORDER BY id) FROM \(schema).follows"
      for spelling in [me, me.lowercased()] {
        #expect(ask(profiles, as: spelling) == "\(me) a b p")
        #expect(ask(seen, as: spelling) == "0 2 3 4 6 7")
      }
      #expect(ask(profiles, as: "a") == "a b c p")
      #expect(ask(seen, as: "a") == "0 1 2 3 7 8 9")
      // Only a UUID's case is ignored.
      #expect(ask(profiles, as: "P") == "a b c")
      #expect(ask(profiles, as: "p") == "a b c p")
      #expect(ask(profiles, as: nil) == "a b c")
      #expect(ask(seen, as: nil) == "0 8")
      for role in ["service_role", "eventlog_reader"] {
        #expect(ask(profiles, as: nil, role: role) == "\(me) a b c p q")
        #expect(ask(seen, as: nil, role: role).split(separator: " ").count == follows.count)
      }
      let denied = [
        (profiles, "anon"), (seen, "anon"),
        ("SELECT FROM \(schema).profile_exceptions", "authenticated"),
        ("SELECT FROM \(schema).eventlog_mirror", "authenticated"),
        ("INSERT INTO \(schema).profiles VALUES ('x', true)", "authenticated"),
        ("UPDATE \(schema).profiles SET is_public = true", "authenticated"),
        ("DELETE FROM \(schema).follows", "service_role"),
        ("SELECT \(schema)_eventlog_policies.exceptions(false)", "authenticated"),
      ]
      for (statement, role) in denied {
        let answer = ask(statement, as: me, role: role)
        #expect(answer.contains("permission denied"), "\(role): \(statement): \(answer)")
      }
      // The next build replaces the policies, and another one removes them.
      try mirror.build(Self.tables, Samples.filling([:], Samples.state(2, policies: "supabase")))
      try mirror.build(Self.tables, Samples.filling([:], Samples.state(3)))
      #expect(ask(profiles, as: me).contains("permission denied"))
      #expect(
        try server.sql("SELECT count(*) FROM pg_namespace WHERE nspname LIKE '\(schema)\\_%'")
          == "0")
    }

    @Test("Quotation marks in the schema's name do no harm")
    func quotation() throws {
      let schema = "Mirror's \"other\" name"
      let mirror = Samples.mirror(server, schema)
      for position in 1...2 as ClosedRange<UInt64> {
        let state = Samples.state(position, policies: "supabase")
        try mirror.build(Self.tables, Samples.filling([0: [[.text("a"), .bool(true)]]], state))
        #expect(try mirror.state() == state)
      }
      let name = "\"Mirror's \"\"other\"\" name\""
      #expect(ask("SELECT id FROM \(name).profiles", as: "b") == "a")
      let long = Samples.mirror(server, String(repeating: "a", count: 46))
      #expect(throws: MirrorFault.self) {
        try long.build(Self.tables, Samples.filling([:], Samples.state(1)))
      }
    }

    @Test("Policies leave the indexes in use")
    func plans() throws {
      let schema = "mirror_plans"
      let mirror = Samples.mirror(server, schema)
      let users = (0..<20_000).map { [TableValue.text("u\($0)"), .bool($0 % 3 > 0)] }
      let follows = (0..<60_000).map { number in
        [
          TableValue.int(Int64(number)), .text("u\(number % 20_000)"),
          .text("u\((number * 7 + 1) % 20_000)"), .null,
        ]
      }
      let exceptions = (0..<1_000).map { number in
        [TableValue.text("u1"), .text("u\(number * 3)"), .bool(number % 2 == 0)]
      }
      try mirror.build(
        Self.tables,
        Samples.filling(
          [0: users, 1: follows, 2: exceptions], Samples.state(1, policies: "supabase")))
      for (statement, index) in [
        ("SELECT * FROM \(schema).profiles WHERE id = 'u5'", "profiles_pkey"),
        ("SELECT * FROM \(schema).follows WHERE followee_id = 'u8'", "follows_followee_id_idx"),
      ] {
        let plan = ask("EXPLAIN (ANALYZE, COSTS off) \(statement)", as: "u1")
        #expect(plan.contains(index), "\(plan)")
      }
    }

    @Test("Without the right to create roles, the tables are built and the caller learns about it")
    func poorRole() throws {
      let own = try PostgresServer()
      try own.sql("CREATE ROLE poor LOGIN")
      try own.sql("CREATE DATABASE poor OWNER poor")
      let said = Mutex<[String]>([])
      let mirror = PostgresMirror(
        "postgresql://poor@127.0.0.1:\(own.port)/poor", schema: "s", name: "poor"
      ) { text in said.withLock { $0.append(text) } }
      try mirror.build(Samples.all, Samples.filling([:], Samples.state(1)))
      #expect(try mirror.state() == Samples.state(1))
      #expect(said.withLock { $0.count } == 1)
      #expect(said.withLock { $0.first?.contains("eventlog_reader was not created") } == true)
    }
  }
#endif
