#if Server
  import EventlogClient
  import Foundation
  import Synchronization
  import Testing

  @Suite struct FaultTests {
    private enum Fault: CaseIterable {
      /// The connection is cut before the request reaches the server, or in the middle of it.
      case beforeRequest, inRequest
      /// The answer is lost after the commit, or in the middle of it.
      case answerLost, inAnswer
      /// The request reaches the server twice, or late.
      case twice, late
    }

    @Test("Each of 500 commands is in the log once, whatever happens to their connections")
    func commands() async throws {
      let server = try await TestServer()
      try await server.people("ann")
      let port = server.listener.port
      let random = Mutex(Numbers(seed: 7))
      let proxy = try Peer { request in
        let fault = random.withLock { random -> Fault? in
          Bool.random(using: &random) ? nil : Fault.allCases.randomElement(using: &random)
        }
        func answer() -> [UInt8] { Peer.forward(request, to: port) ?? [] }
        switch fault {
        case .beforeRequest: return .cut([])
        case .inRequest:
          _ = Peer.forward(request, to: port, part: 0.7)
          return .cut([])
        case .answerLost:
          _ = answer()
          return .cut([])
        case .inAnswer:
          // In the body: if an answer ends in its head, Foundation on Linux ends the process.
          let whole = answer()
          let head = whole.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound ?? 0
          return .cut(Array(whole.prefix((head + whole.count) / 2)))
        case .twice:
          _ = answer()
          return .answer(answer())
        case .late:
          usleep(30_000)
          return .answer(answer())
        case nil: return .answer(answer())
        }
      }
      let remote = server.remote(as: "ann", port: proxy.port) {
        $0.tries = 20
        // Foundation on Linux waits in vain if a connection is cut before it has sent the body.
        $0.silence = .seconds(1)
      }
      let log = remote.useCase(LogSend.self)
      let answered = try await withThrowingTaskGroup(of: [String].self) { group in
        for part in 0..<8 {
          group.addTask {
            var climbs: [String] = []
            for number in stride(from: part, to: 500, by: 8) {
              do throws(UseCaseError) {
                _ = try await log.execute(.init(climb: "c\(number)"), as: "ann")
                climbs.append("c\(number)")
              } catch {
                // It may be in the log or not, but the error says so.
                #expect(error.code == "unreachable" || error.code == "serverError")
              }
            }
            return climbs
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      let counts = try await server.climbs()
      for climb in answered { #expect(counts[climb] == 1, "\(climb)") }
      #expect(counts.values.allSatisfy { $0 == 1 })
      #expect(answered.count > 490)
      #expect(remote.underWay == 0)
      remote.close()
      proxy.end()
      await server.end()
    }

    @Test("A busy server is asked again after its Retry-After; a refusal is never repeated")
    func busy() async throws {
      let asked = Mutex<[ContinuousClock.Instant]>([])
      let peer = try Peer { _ in
        let count = asked.withLock { asked in
          asked.append(.now)
          return asked.count
        }
        if count > 2 {
          return .answer(
            Peer.json(
              #"{"error":"profileNotFound","message":"there is no such profile"}"#,
              status: "404 Not Found"))
        }
        return .answer(
          Peer.json(
            #"{"error":"busy","message":"try again"}"#,
            status: "503 Service Unavailable\r\nRetry-After: 1"))
      }
      let tokens = TestTokens()
      var options = RemoteCore.Options()
      options.firstPause = .milliseconds(10)
      let remote = RemoteCore(
        url: URL(string: "http://127.0.0.1:\(peer.port)")!,
        session: StaticSession(token: tokens.make("ann")), options: options)
      await #expect(throws: UseCaseError.refused(.profileNotFound)) {
        try await remote.useCase(GetProfile.self).execute(.init(user: "bob"), as: "ann")
      }
      let times = asked.withLock { $0 }
      #expect(times.count == 3)
      #expect(times[1] - times[0] >= .seconds(1) && times[2] - times[1] >= .seconds(1))
      // A pause beyond the deadline is not waited for.
      asked.withLock { $0 = [] }
      options.deadline = .milliseconds(500)
      let hasty = RemoteCore(
        url: URL(string: "http://127.0.0.1:\(peer.port)")!,
        session: StaticSession(token: tokens.make("ann")), options: options)
      await #expect(throws: UseCaseError.serverError(status: 503, message: "busy: try again")) {
        try await hasty.useCase(GetProfile.self).execute(.init(user: "bob"), as: "ann")
      }
      remote.close()
      hasty.close()
      peer.end()
    }

    @Test("A closed client fails its calls by name, and does not try again")
    func closed() async throws {
      let peer = try Peer { _ in .silence }
      let remote = RemoteCore(
        url: URL(string: "http://127.0.0.1:\(peer.port)")!,
        session: StaticSession(token: TestTokens().make("ann")))
      let counts = remote.useCase(GetFollowCounts.self)
      let call = Task { try await counts.execute(.init(), as: "ann") }
      let updates = Task {
        for try await _ in remote.updates(of: GetFollowCounts.self, .init(), as: "ann") {}
      }
      for _ in 0..<500 where remote.underWay < 2 { try await Task.sleep(for: .milliseconds(10)) }
      remote.close()
      let closed = UseCaseError.unreachable(reason: "the client was closed")
      await #expect(throws: closed) { try await call.value }
      await #expect(throws: closed) { try await updates.value }
      await #expect(throws: closed) { try await counts.execute(.init(), as: "ann") }
      peer.end()
    }
  }

  /// Numbers from a seed (SplitMix64).
  struct Numbers: RandomNumberGenerator {
    var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
      state &+= 0x9e37_79b9_7f4a_7c15
      var z = state
      z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
      z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
      return z ^ (z >> 31)
    }
  }

  extension TestServer {
    /// The number of times that each climb is in the log.
    func climbs() async throws -> [String: Int] {
      var counts: [String: Int] = [:]
      var names = Names()
      _ = try log.history().forEachTypedEvent(after: 0, &names, unknown: .stop) {
        event, _, _ in
        if case .profile(.sendLogged(let send)) = event { counts[send.climb, default: 0] += 1 }
      }
      return counts
    }
  }
#endif
