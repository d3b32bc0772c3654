#if PostgreSQL
  import Events
  import Foundation
  import Mirroring
  import PostgresTesting
  import Synchronization
  import Tables
  import Testing
  import UseCases

  /// Mirrors in a PostgreSQL server, with small tables.
  @Suite(.enabled(if: PostgresServer.programs != nil)) struct PostgresMirrorTests {
    private typealias Samples = PostgresSamples

    private let server: PostgresServer

    init() throws { server = try #require(PostgresServer.shared) }

    @Test("Every type returns as it was written, by COPY and by arrays, with awkward values")
    func values() throws {
      let mirror = Samples.mirror(server, "mirror_values")
      #expect(try mirror.state() == nil)
      let json = JSONValue.object([
        .init("longer", .array([.number("1e2"), .number("-0.5E-2"), .bool(false), .null])),
        .init("b", .string("a\u{0}b\"\\")), .init("a", .number("1")), .init("a", .number("2.50")),
      ])
      let rows = [
        Samples.person("", name: .text("")),
        Samples.person(
          "A'b\"\\,{}", name: .text("nul\u{0}\u{301} é 🧗 \n\t"), count: .min,
          seen: .time(.earliest), score: .double(-0.0), data: .json(json),
          until: .time(.earliest)),
        Samples.person(
          "NULL", name: .text("NULL"), count: .max, seen: .time(.latest),
          score: .double(.leastNonzeroMagnitude),
          data: .json(.null), until: .time(.latest)),
        Samples.person(
          "z", seen: .time(Timestamp(milliseconds: -1)), score: .double(.infinity),
          data: .json(.string("\u{0}")), until: .time(Timestamp(milliseconds: 946_684_800_000))),
        [.text("é")] + [TableValue](repeating: .null, count: 9),
      ]
      let stored = rows.map { $0.map(PostgresText.stored) }
      try mirror.build(Samples.all, Samples.filling([0: rows], Samples.state(5)))
      #expect(try mirror.state() == Samples.state(5))
      #expect(try mirror.rows(Samples.people, at: 5) == stored)
      var changes = MirrorChanges(from: 5, state: Samples.state(6), tables: [])
      var table = MirrorChanges.Table(schema: Samples.people)
      table.removed = rows.prefix(2).map { [$0[0]] }
      changes.tables = [table]
      #expect(try mirror.write(changes))
      #expect(try mirror.rows(Samples.people, at: 6) == Array(stored.dropFirst(2)))
      (changes.from, changes.state.position) = (6, 7)
      table.removed = []
      table.rows = rows
      changes.tables = [table]
      #expect(try mirror.write(changes))
      let found = try mirror.rows(Samples.people, at: 7)
      #expect(found == stored)
      #expect(found[1][6] == .double(-0.0) && "\(found[1][6])".contains("-0.0"))
      #expect(
        try server.sql(
          """
          SELECT until, data::text FROM mirror_values.people WHERE id IN ('', 'z') ORDER BY id
          """) == "infinity|\n1999-12-31 23:59:59.999999+00|\"\u{fffd}\"")
      #expect(throws: MirrorFault.self) { try mirror.rows(Samples.people, at: 6) }
    }

    @Test("All days from the year 0000 to 9999 are the same days in PostgreSQL")
    func days() throws {
      let mirror = Samples.mirror(server, "mirror_days")
      let days = stride(
        from: Timestamp.earliest.daysSinceEpoch, through: Timestamp.latest.daysSinceEpoch, by: 997)
      let rows = days.enumerated().map { number, day in
        let time = Timestamp(milliseconds: day * 86_400_000 + 1)
        var row = Samples.person(
          String(format: "%05d", number), name: .text("\(time)"), seen: .time(time))
        row[3] = .text("\(time.date)")
        return row
      }
      try mirror.build(Samples.all, Samples.filling([0: rows], Samples.state(1)))
      #expect(try mirror.rows(Samples.people, at: 1) == rows)
      #expect(
        try server.sql(
          """
          SELECT count(*) FROM mirror_days.people
          WHERE name >= '0001' AND to_char(seen AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
            = name AND to_char(born, 'YYYY-MM-DD') = left(name, 10)
          """) == "\(rows.count - 1)")
    }

    @Test("A write happens once, only at its position, and also with keys alone")
    func once() throws {
      let mirror = Samples.mirror(server, "mirror_once")
      var changes = MirrorChanges(from: 0, state: Samples.state(2), tables: [])
      #expect(try mirror.write(changes) == false)
      try mirror.build(Samples.all, Samples.filling([:], Samples.state(0)))
      var people = MirrorChanges.Table(schema: Samples.people)
      people.rows = [Samples.person("ana"), Samples.person("bob", name: .text("Bob"))]
      var posts = MirrorChanges.Table(schema: Samples.posts)
      posts.rows = [[.text("ana"), .int(1), .text("first")]]
      var tags = MirrorChanges.Table(schema: Samples.tags)
      tags.rows = [[.text("x"), .text("ana")], [.text("a"), .text("bob")]]
      // The referring table comes first: keys are checked at the end.
      changes.tables = [posts, people, tags]
      #expect(try mirror.write(changes))
      #expect(try mirror.write(changes) == false)
      changes.from = 1
      #expect(try mirror.write(changes) == false)
      (changes.from, changes.state.position) = (2, 3)
      (people.rows, people.removed) = ([Samples.person("bob", count: 7)], [])
      (posts.rows, posts.removed) = ([], [[.text("ana"), .int(1)], [.text("none"), .int(1)]])
      changes.tables = [people, posts, tags]
      #expect(try mirror.write(changes))
      #expect(
        try mirror.rows(Samples.people, at: 3) == [
          Samples.person("ana"), Samples.person("bob", count: 7),
        ])
      #expect(try mirror.rows(Samples.posts, at: 3) == [])
      #expect(try mirror.rows(Samples.tags, at: 3) == tags.rows)
      // A row without the row that it refers to changes nothing.
      (changes.from, changes.state.position) = (3, 4)
      (posts.rows, posts.removed) = ([[.text("nobody"), .int(1), .null]], [])
      changes.tables = [posts]
      #expect(throws: MirrorFault.self) { try mirror.write(changes) }
      #expect(try mirror.state()?.position == 3)
      changes.tables = []
      changes.state.layout = "other"
      #expect(try mirror.write(changes) == false)
    }

    @Test("Versions end at their position and time; many versions of a row end only the last")
    func history() throws {
      let mirror = Samples.mirror(server, "mirror_history")
      let history = Samples.people.history
      let (first, second) = (Samples.person("ana"), Samples.person("ana", count: 1))
      try mirror.build(
        Samples.all,
        Samples.filling(
          [0: [first], 3: [Samples.version(first, from: 1)]], Samples.state(1)))
      var table = MirrorChanges.Table(schema: Samples.people)
      table.rows = [second]
      let end = Timestamp(milliseconds: 2_000)
      table.ended = [
        .init(key: [.text("ana")], position: 1, time: end),
        .init(key: [.text("bob")], position: 1, time: end),
      ]
      let middle = Samples.version(second, from: 2, to: 2, until: .time(end))
      table.versions = [middle, Samples.version(second, from: 3)]
      let changes = MirrorChanges(from: 1, state: Samples.state(3), tables: [table])
      #expect(try mirror.write(changes))
      #expect(
        try mirror.rows(history, at: 3) == [
          Samples.version(first, from: 1, to: 1, until: .time(end)), middle,
          Samples.version(second, from: 3),
        ])
      #expect(
        try server.sql(
          """
          SELECT count FROM mirror_history.people_history
          WHERE timestamptz '1970-01-01 00:00:01.9999Z' BETWEEN valid_from AND valid_to
          """) == "0")
      let validTo = TableSchema.endColumns[1]
      #expect(mirror.text(.time(end), in: validTo) == "1970-01-01T00:00:01.999999Z")
      #expect(mirror.text(.null, in: validTo) == "infinity")
      table = MirrorChanges.Table(schema: Samples.people)
      table.removed = [[.text("ana")]]
      table.ended = [.init(key: [.text("ana")], position: 3, time: end)]
      for position in [3, 4] as [UInt64] {
        // An ended key has no current version to end.
        let changes = MirrorChanges(
          from: position, state: Samples.state(position + 1), tables: [table])
        #expect(try mirror.write(changes))
      }
      let last = Samples.version(second, from: 3, to: 3, until: .time(end))
      #expect(try mirror.rows(history, at: 5).last == last)
    }

    @Test("A build that fails or whose caller throws leaves the old tables")
    func rollback() throws {
      let mirror = Samples.mirror(server, "mirror_rollback")
      let rows = [Samples.person("ana")]
      try mirror.build(Samples.all, Samples.filling([0: rows], Samples.state(1)))
      #expect(throws: MirrorFault.log(.closed(reason: "x"))) {
        try mirror.build(Samples.all) { (writer) throws(MirrorFault) in
          try writer.append(Samples.person("bob"), to: 0)
          throw .log(.closed(reason: "x"))
        }
      }
      let twice = [Samples.person("bob"), Samples.person("bob")]
      for wrong in [
        [0: twice], [0: [[.text("bob")]]], [1: [[.null, .int(1), .null]]],
        [1: [[.text("nobody"), .int(1), .null]]], [1: [[.text("a"), .text("1"), .null]]],
      ] {
        #expect(throws: MirrorFault.self) {
          try mirror.build(Samples.all, Samples.filling(wrong, Samples.state(2)))
        }
      }
      #expect(try mirror.state() == Samples.state(1))
      #expect(try mirror.rows(Samples.people, at: 1) == rows)
      let left = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'mirror_rollback%'"
      #expect(try server.sql(left) == "1")
    }

    @Test("A check finds triggers and dropped indexes")
    func objects() throws {
      let mirror = Samples.mirror(server, "mirror_objects")
      try mirror.build(Samples.all, Samples.filling([:], Samples.state(1)))
      try server.sql("CREATE INDEX ON mirror_objects.tags (name)")
      #expect(try mirror.objectDifferences(Samples.all) == [])
      try server.sql(
        """
        CREATE TRIGGER spy BEFORE UPDATE ON mirror_objects.people
          FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger();
        DROP INDEX mirror_objects.people_name_idx
        """)
      let found = try mirror.objectDifferences(Samples.all)
      #expect(found.count == 2 && found.allSatisfy { $0.table == "people" }, "\(found)")
      #expect("\(found)".contains("trigger spy") && "\(found)".contains("people_name_idx"))
    }

    @Test("Printed statements create the tables with psql")
    func printed() throws {
      let statements = PostgresDialect.statements(Samples.all, schema: "mirror_printed")
      try server.sql(statements.map { $0 + ";\n" }.joined())
      let described = try server.sql(
        """
        SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint
        WHERE connamespace = 'mirror_printed'::regnamespace ORDER BY conname;
        SELECT indexname FROM pg_indexes WHERE schemaname = 'mirror_printed'
          AND indexname LIKE '%idx' ORDER BY indexname;
        SELECT obj_description('mirror_printed.people'::regclass);
        SELECT col_description('mirror_printed.posts'::regclass, 3);
        SELECT has_table_privilege('eventlog_reader', 'mirror_printed.posts', 'SELECT');
        """)
      #expect(
        described == """
          eventlog_mirror_pkey|PRIMARY KEY (format)
          people_history_pkey|PRIMARY KEY (id, from_position)
          people_pkey|PRIMARY KEY (id)
          posts_author_fkey|FOREIGN KEY (author) REFERENCES mirror_printed.people(id) \
          DEFERRABLE INITIALLY DEFERRED
          posts_pkey|PRIMARY KEY (author, number)
          tags_pkey|PRIMARY KEY ("user", name)
          people_history_from_position_idx
          people_history_to_position_idx
          people_is_public_count_idx
          people_name_idx
          People; each one's "rows" are \\unique.
          A column whose name is a reserved word.
          t
          """)
    }
  }
#endif
