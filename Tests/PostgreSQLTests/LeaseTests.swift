#if PostgreSQL
  import EventLog
  import Events
  import Foundation
  import PostgresTesting
  import Testing

  @testable import PostgreSQL

  /// The lease by which servers agree which of them appends.
  @Suite(.enabled(if: PostgresServer.programs != nil)) struct LeaseTests {
    private func batch(after seq: UInt64, _ sum: UInt64) -> RemoteBatch {
      let line = RemoteBatch.Line(
        bytes: Array("line \(seq + 1)".utf8), stream: "s", revision: seq + 1,
        id: EventID(high: seq + 1, low: 1), sum: seq + 1)
      return RemoteBatch(after: seq, sum, [line])
    }

    /// Returns a client that waits for long, because other tests keep the machine busy.
    private func remote(_ address: PostgresAddress) -> PostgresRemote {
      PostgresRemote(address, timeout: .seconds(240))
    }

    private func isNotWriter(_ body: () async throws(LogError) -> RemoteAnswer) async -> Bool {
      do throws(LogError) {
        _ = try await body()
        return false
      } catch {
        if case .notWriter? = error.remoteFault { return true }
        return false
      }
    }

    @Test("A holder whose lease another client took appends nothing, and one without a lease may")
    func fencing() async throws {
      let server = try #require(PostgresServer.shared)
      let address = try PostgresAddress(try await newLog(server))
      let (first, second) = (remote(address), remote(address))
      let long = Duration.seconds(600)
      let taken = try await first.hold(at: "http://first", for: long)
      #expect(taken == LeaseState(term: 1, holder: "http://first", isHeld: true))
      let refused = try await second.hold(at: "http://second", for: long)
      #expect(refused == LeaseState(term: 1, holder: "http://first", isHeld: false))
      #expect(try await first.append(batch(after: 0, 0)) == .appended)
      #expect(
        await isNotWriter { () throws(LogError) in try await second.append(batch(after: 1, 1)) })
      // The first client is paused for longer than its lease.
      try server.sql("UPDATE \(address.schema.name).lease SET until = '-infinity'")
      let next = try await second.hold(at: "http://second", for: long)
      #expect(next == LeaseState(term: 2, holder: "http://second", isHeld: true))
      #expect(
        await isNotWriter { () throws(LogError) in try await first.append(batch(after: 1, 1)) })
      #expect(try await second.append(batch(after: 1, 1)) == .appended)
      // Its answer was lost, and its lease has ended: the lines are there.
      try await second.release()
      #expect(try await second.append(batch(after: 1, 1)) == .appended)
      #expect(try await remote(address).append(batch(after: 2, 2)) == .appended)
    }

    @Test("A released lease is free at once, and a server that only looks does not take it")
    func release() async throws {
      let server = try #require(PostgresServer.shared)
      let address = try PostgresAddress(try await newLog(server))
      let (first, second) = (remote(address), remote(address))
      _ = try await first.hold(at: "http://first", for: .seconds(60))
      try await first.release()
      #expect(try await first.hold(at: "http://first", for: .zero).holder == nil)
      #expect(try await second.hold(at: "http://second", for: .seconds(60)).isHeld)
      #expect(try await first.hold(at: "http://first", for: .zero).holder == "http://second")
      let secret = try await first.secret()
      #expect(try await second.secret() == secret && secret.count == 32)
    }

    @Test("Of eight servers that want the lease at once, one gets it, and all learn which")
    func race() async throws {
      let server = try #require(PostgresServer.shared)
      let address = try PostgresAddress(try await newLog(server))
      let states = try await withThrowingTaskGroup(of: LeaseState.self) { group in
        for number in 0..<8 {
          group.addTask {
            try await remote(address).hold(at: "http://\(number)", for: .seconds(60))
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(states.count { $0.isHeld } == 1)
      #expect(Set(states.map(\.holder)).count == 1 && states.allSatisfy { $0.term == 1 })
    }

    @Test("A clone hears of another clone's events, and does not wait without events")
    func announcements() async throws {
      let server = try #require(PostgresServer.shared)
      let address = try PostgresAddress(try await newLog(server))
      let listener = remote(address)
      #expect(await listener.awaitEvents(within: .milliseconds(1)) == nil)
      async let heard = listener.awaitEvents(within: .seconds(30))
      #expect(try await remote(address).append(batch(after: 0, 0)) == .appended)
      #expect(await heard == 1)
    }
  }
#endif
