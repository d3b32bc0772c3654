#if PostgreSQL
  import Events
  import Foundation
  import Mirroring
  import PostgresTesting
  import Synchronization
  import Testing
  import UseCases

  /// The replacement of a mirror's tables in PostgreSQL, beside readers and a user's own objects.
  @Suite(.enabled(if: PostgresServer.programs != nil)) struct PostgresSwapTests {
    private typealias Samples = PostgresSamples

    private let server: PostgresServer

    init() throws { server = try #require(PostgresServer.shared) }

    private func refusal(_ body: () throws -> Void) -> String {
      do {
        try body()
        return "nothing was refused"
      } catch {
        if case .refused(let text)? = error as? MirrorFault { return text }
        return "\(error)"
      }
    }

    @Test("Readers see the old rows until the swap, and keep them until their transaction ends")
    func readers() throws {
      let mirror = Samples.mirror(server, "mirror_swap")
      let count = "SELECT count(*) FROM mirror_swap.people;"
      let old = [Samples.person("ana")]
      try mirror.build(Samples.all, Samples.filling([0: old], Samples.state(1)))
      let rows = (0..<20_000).map { Samples.person("user \($0)", name: .text("name \($0)")) }
      let seen = Mutex("")
      let reader = DispatchGroup()
      var state = Samples.state(2)
      // The new tables are fewer and have other columns.
      var people = Samples.people
      people.columns[1].name = "title"
      (state.tables, state.layout) = ("people", "def")
      try mirror.build([people]) { (writer) throws(MirrorFault) in
        for row in rows { try writer.append(row, to: 0) }
        #expect((try? server.sql(count)) == "1")
        // Another process may still write to the old tables.
        #expect(
          try Samples.mirror(server, "mirror_swap").write(
            MirrorChanges(from: 1, state: Samples.state(7), tables: [])))
        DispatchQueue.global().async(group: reader) {
          let text = "BEGIN; \(count) SELECT pg_sleep(3); \(count) COMMIT; \(count)"
          let answer = (try? server.sql(text)) ?? "none"
          seen.withLock { $0 = answer }
        }
        let sleeping = """
          SELECT count(*) FROM pg_stat_activity
          WHERE wait_event = 'PgSleep' AND query LIKE '%pg_sleep(3)%mirror_swap%'
          """
        while (try? server.sql(sleeping)) != "1" {}
        return state
      }
      reader.wait()
      #expect(seen.withLock { $0 } == "1\n\n1\n20000")
      #expect(try mirror.state() == state)
      #expect(
        try mirror.write(MirrorChanges(from: 7, state: Samples.state(8), tables: [])) == false)
      #expect(try mirror.rows(people, at: 2).count == 20_000)
      #expect(
        try server.sql(
          """
          SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class
          WHERE relnamespace = 'mirror_swap'::regnamespace AND relkind = 'r'
          """) == "eventlog_mirror people")
    }

    @Test("A user's table, index or view of the schema is named and stays as it is")
    func usersObjects() throws {
      let mirror = Samples.mirror(server, "mirror_user")
      func build() throws {
        try mirror.build(Samples.all, Samples.filling([:], Samples.state(1)))
      }
      try server.sql("CREATE SCHEMA mirror_user; CREATE TABLE mirror_user.posts (mine text)")
      #expect(refusal(build).contains("already has posts, which is not of the mirror"))
      try server.sql("ALTER TABLE mirror_user.posts RENAME TO mine")
      try server.sql("CREATE INDEX people_name_idx ON mirror_user.mine (mine)")
      #expect(refusal(build).contains("already has people_name_idx"))
      try server.sql("DROP INDEX mirror_user.people_name_idx")
      try build()
      try build()
      try server.sql("CREATE VIEW mirror_user.names AS SELECT name FROM mirror_user.people")
      let view = refusal(build)
      #expect(view.contains("the view mirror_user.names reads the table people"), "\(view)")
      try server.sql(
        """
        DROP VIEW mirror_user.names;
        CREATE TABLE mirror_user.notes (person text REFERENCES mirror_user.people)
        """)
      let key = refusal(build)
      #expect(key.contains("constraint notes_person_fkey on table mirror_user.notes"), "\(key)")
      try server.sql("DROP TABLE mirror_user.notes")
      try build()
      #expect(try server.sql("SELECT count(*) FROM mirror_user.mine") == "0")
      try server.sql("UPDATE mirror_user.eventlog_mirror SET format = 2")
      #expect(refusal(build).contains("a newer eventlog"))
      #expect(refusal { _ = try mirror.state() }.contains("a newer eventlog"))
      #expect(
        try mirror.write(MirrorChanges(from: 1, state: Samples.state(2), tables: [])) == false)
      try server.sql(
        """
        DROP TABLE mirror_user.eventlog_mirror;
        CREATE TABLE mirror_user.eventlog_mirror (mine text)
        """)
      #expect(refusal { _ = try mirror.state() }.contains("not of a mirror"))
    }

    @Test("Writers of two processes take turns")
    func turns() async throws {
      let first = Samples.mirror(server, "mirror_turns")
      try first.build(Samples.all, Samples.filling([:], Samples.state(0)))
      let server = server
      let counts = await withTaskGroup(of: Int.self) { group in
        for _ in 0..<2 {
          group.addTask {
            let mirror = Samples.mirror(server, "mirror_turns")
            var written = 0
            while let position = try? mirror.state()?.position, position < 100 {
              var table = MirrorChanges.Table(schema: Samples.people)
              table.rows = [Samples.person("user \(position)")]
              let changes = MirrorChanges(
                from: position, state: Samples.state(position + 1), tables: [table])
              if (try? mirror.write(changes)) == true { written += 1 }
            }
            return written
          }
        }
        return await group.reduce(into: [Int]()) { $0.append($1) }
      }
      #expect(counts.reduce(0, +) == 100)
      #expect(try first.rows(Samples.people, at: 100).count == 100)
    }

    @Test("A mirror works through a pooler, and after its connection was lost")
    func pooler() throws {
      if !Pooler.isThere { return }
      let pooler = try Pooler(server)
      let mirror = Samples.mirror(server, "mirror_pooler", port: pooler.port)
      try mirror.build(
        Samples.all, Samples.filling([0: [Samples.person("ana")]], Samples.state(1)))
      for position in 1...5 as ClosedRange<UInt64> {
        try server.sql(
          """
          SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
          WHERE pid <> pg_backend_pid() AND query LIKE '%mirror_pooler%'
          """)
        var table = MirrorChanges.Table(schema: Samples.people)
        table.rows = [Samples.person("user \(position)")]
        let changes = MirrorChanges(
          from: position, state: Samples.state(position + 1), tables: [table])
        do throws(MirrorFault) {
          #expect(try mirror.write(changes))
        } catch {
          // The pooler notices the loss late.
          guard case .lost = error else { throw error }
          #expect(try mirror.write(changes))
        }
      }
      #expect(try mirror.rows(Samples.people, at: 6).count == 6)
      let nowhere = Samples.mirror(server, "mirror_pooler", port: 1)
      #expect { try nowhere.state() } throws: { error in
        if case .unreachable? = error as? MirrorFault { true } else { false }
      }
    }
  }
#endif
