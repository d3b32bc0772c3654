#if PostgreSQL
  import EventLog
  import Events
  import FaultTesting
  import Foundation
  import PostgreSQL
  import PostgresTesting
  import Testing

  /// A second server that takes the place of the first.
  @Suite(.serialized) struct StandbyTests {
    private func both(_ primary: PostgresServer, _ standby: PostgresServer, _ schema: String)
      -> String
    {
      "postgresql://postgres@127.0.0.1:\(primary.port),127.0.0.1:\(standby.port)/postgres"
        + "?target_session_attrs=read-write&connect_timeout=2#\(schema)"
    }

    @Test(
      "A synchronous standby replaces a killed primary without losing an acknowledged event",
      .enabled(if: PostgresServer.programs != nil))
    func synchronous() async throws {
      for _ in 0..<max(1, Sweep.kills(2, 10, 200) / 5) {
        let primary = try PostgresServer()
        let standby = try PostgresServer(
          settings: ["synchronous_standby_names": ""], standbyOf: primary)
        try primary.sql("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
        try primary.sql("SELECT pg_reload_conf()")
        let isSynchronous = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
        for _ in 0..<400 where try primary.sql(isSynchronous) != "1" {
          try await Task.sleep(for: .milliseconds(50))
        }
        let direct = try await newLog(primary)
        let schema = String(direct.split(separator: "#")[1])
        let address = both(primary, standby, schema)
        let scratch = try Scratch()
        var logs: [FileLog] = []
        for number in 0..<4 { logs.append(try await scratch.clone(address, "l\(number)")) }
        let writers = Writers()
        async let writing: Void = writers.run(logs)
        for _ in 0..<400 where writers.count < 20 {
          try await Task.sleep(for: .milliseconds(50))
        }
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...400)))
        let before = writers.count
        primary.stop("KILL")
        try standby.promote()
        for _ in 0..<800 where writers.count < before + 50 {
          try await Task.sleep(for: .milliseconds(50))
        }
        #expect(before > 0 && writers.count > before, "nobody went on")
        writers.end()
        await writing
        for log in logs { log.close() }
        try await writers.check(standby.log(schema), scratch)
      }
    }

    @Test(
      "An asynchronous standby without the last commits is refused until a push",
      .enabled(if: PostgresServer.programs != nil))
    func asynchronous() async throws {
      let primary = try PostgresServer()
      let direct = try await newLog(primary)
      let schema = String(direct.split(separator: "#")[1])
      let scratch = try Scratch()
      do {
        let log = try await scratch.clone(direct, "log")
        try await log.append(Commit([following("a", "b")]))
      }
      let standby = try PostgresServer(standbyOf: primary)
      standby.stop()
      let address = both(primary, standby, schema)
      let log = try await scratch.clone(address, "other")
      try await log.append(Commit([following("a", "c")]))
      try await log.append(Commit([following("a", "d")]))
      primary.stop("KILL")
      try standby.start()
      // Before its promotion the standby accepts no events.
      let reading = try await scratch.clone(standby.log(schema), "reading", patience: .zero)
      #expect(await reading.head() == 1)
      await #expect {
        try await reading.append(Commit([following("x", "y")]))
      } throws: {
        if case .unsafe? = ($0 as? LogError)?.remoteFault { true } else { false }
      }
      reading.close()
      try standby.promote()
      await #expect {
        try await log.append(Commit([following("a", "e")]))
      } throws: { error in
        guard case .lost(_, let local, let remote)? = (error as? LogError)?.remoteFault else {
          return false
        }
        return local == 3 && remote == 1
      }
      log.close()
      let remote = PostgresRemote(try PostgresAddress(address))
      #expect(try await FileLog.push(scratch.path + "/other", to: remote) == 2)
      let again = try await scratch.clone(address, "other")
      try await again.append(Commit([following("a", "e")]))
      #expect(await again.head() == 4)
    }
  }
#endif
