#if PostgreSQL
  import EventLog
  import Events
  import FaultTesting
  import Foundation
  import PostgreSQL
  import PostgresTesting
  import Synchronization
  import Testing

  /// The server behind a proxy that cuts connections.
  @Suite(.serialized) struct LostConnectionTests {
    private let server = PostgresServer.shared

    private func proxied(_ address: String, _ proxy: Proxy, _ server: PostgresServer) -> String {
      // The proxy reads only unencrypted messages.
      address.replacingOccurrences(of: ":\(server.port)/", with: ":\(proxy.port)/")
        .replacingOccurrences(of: "#", with: "?sslmode=disable&gssencmode=disable#")
    }

    @Test(
      "If the connection is cut at any message of an append, the append is done and reported once")
    func everyMessage() async throws {
      let server = try #require(server)
      let (proxy, scratch) = (try Proxy(to: server.port), try Scratch())
      let address = try await newLog(server)
      let direct = try await scratch.clone(address, "direct")
      let count = Mutex(0)
      proxy.judge { message in
        count.withLock { $0 = max($0, message.number) }
        return .pass
      }
      let through = proxied(address, proxy, server)
      let log = try await scratch.clone(through, "through")
      try await log.append(Commit([following("a", "b")]))
      log.close()
      let messages = count.withLock { $0 }
      #expect(messages > 20)
      var expected: UInt64 = 1
      for number in 1...messages {
        for verdict in [Proxy.Verdict.cut, .passAndCut] {
          // A client of its own, whose first connection is cut.
          let log = try await reopened(through, scratch, proxy, number, verdict)
          let appended = try await log.append(Commit([following("a", "n\(number)")]))
          expected += 1
          #expect(appended.last == expected, "message \(number), \(verdict)")
          #expect(proxy.connections <= 3)
          log.close()
        }
      }
      try await direct.pull()
      #expect(await direct.head() == expected)
      #expect(try direct.view().verify().head.seq == expected)
    }

    /// Opens a clone through the proxy, then makes the proxy cut the next connection.
    private func reopened(
      _ address: String, _ scratch: Scratch, _ proxy: Proxy, _ number: Int,
      _ verdict: Proxy.Verdict
    ) async throws -> FileLog {
      proxy.judge { _ in .pass }
      let log = try await scratch.clone(address, "through")
      let isCut = Mutex(false)
      proxy.judge { message in
        isCut.withLock { isCut in
          if isCut || message.number < number { return .pass }
          isCut = true
          return verdict
        }
      }
      return log
    }

    @Test(
      "If the answer is lost without retries, the outcome is unknown, and the next try finds it")
    func unknown() async throws {
      let server = try #require(server)
      let (proxy, scratch) = (try Proxy(to: server.port), try Scratch())
      let address = proxied(try await newLog(server), proxy, server)
      let log = try await scratch.clone(address, "log", patience: .zero)
      try await log.append(Commit([following("a", "b")]))
      // The append's is the second CommandComplete of a connection, and the third ReadyForQuery.
      for (number, (letter, times)) in [("C" as Character, 2), ("Z", 3)].enumerated() {
        let seen = Mutex(0)
        let id = EventID(time: systemTime(), random: (UInt64(number), 7))
        let commit = Commit([following("a", "n\(number)", id: id)])
        proxy.judge { message in
          guard message.from == .server, message.letter == letter else { return .pass }
          return seen.withLock { seen in
            seen += 1
            return seen == times ? .cut : .pass
          }
        }
        try server.sql(
          """
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = 'eventlog'
          """
        )
        // The first try finds its connection ended, and the second one loses its answer.
        var lost = 0
        while true {
          do {
            let appended = try await log.append(commit)
            #expect(appended.last == UInt64(number) + 2)
            break
          } catch {
            guard case .unknownOutcome? = error.remoteFault else { throw error }
            lost += 1
          }
        }
        #expect(lost == 2 && seen.withLock { $0 } > times, "\(letter): \(lost)")
      }
      #expect(await log.head() == 3)
    }

    @Test("If a server does not answer, the client connects again, and the append is done once")
    func silent() async throws {
      let server = try #require(server)
      let (proxy, scratch) = (try Proxy(to: server.port), try Scratch())
      let address = proxied(try await newLog(server), proxy, server)
      let log = try await scratch.clone(address, "log", timeout: .milliseconds(300))
      try await log.append(Commit([following("a", "b")]))
      // The append's is the second CommandComplete of the first connection.
      let seen = Mutex(0)
      proxy.judge { message in
        guard message.connection == 1, message.from == .server else { return .pass }
        return seen.withLock { seen in
          if message.letter == "C" { seen += 1 }
          return seen >= 2 ? .swallow : .pass
        }
      }
      try server.sql(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'eventlog'
        """)
      let appended = try await log.append(Commit([following("a", "c")]))
      #expect(appended.last == 2 && seen.withLock { $0 } == 2 && proxy.connections == 2)
      #expect(await log.head() == 2)
    }

    @Test(
      "Eight writers lose nothing while backends are killed and the server is restarted",
      arguments: [false, true])
    func chaos(_ isPooled: Bool) async throws {
      if isPooled, !Pooler.isThere { return }
      let server = try PostgresServer(settings: ["max_connections": "60"])
      let pooler = isPooled ? try Pooler(server) : nil
      let scratch = try Scratch()
      let direct = try await newLog(server)
      let address = server.log(String(direct.split(separator: "#")[1]), port: pooler?.port)
      var logs: [FileLog] = []
      for number in 0..<8 { logs.append(try await scratch.clone(address, "l\(number)")) }
      let writers = Writers()
      async let writing: Void = writers.run(logs)
      for round in 0..<Sweep.kills(6, 10, 200) {
        try await Task.sleep(for: .milliseconds(Int.random(in: 50...400)))
        if round % 3 == 2 {
          try server.restart("QUIT")
        } else {
          _ = try? server.sql(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE query LIKE '%append%' AND pid <> pg_backend_pid()
            """)
        }
      }
      try await Task.sleep(for: .milliseconds(300))
      writers.end()
      await writing
      #expect(writers.count > 20)
      for log in logs { log.close() }
      try await writers.check(direct, scratch)
    }
  }
#endif
