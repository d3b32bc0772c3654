#if Server
  import EventlogClient
  import Foundation
  import Synchronization
  import Testing

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  @Suite struct SessionTests {
    /// An identity provider over HTTP: it issues access tokens, and can refuse.
    private final class Provider: Sendable {
      /// The conditions that a test sets, and the number of refreshes.
      final class Conditions: Sendable {
        let state = Mutex((refreshes: 0, isRefusing: false, isDown: false))
      }

      let conditions = Conditions()
      private let peer: Peer

      init(_ tokens: TestTokens) throws {
        peer = try Peer { [conditions] _ in
          usleep(20_000)
          return conditions.state.withLock { state in
            if state.isDown { return .cut([]) }
            state.refreshes += 1
            if state.isRefusing {
              return .answer(Peer.json("{}", status: "400 Bad Request"))
            }
            let token = tokens.make("ann")
            return .answer(
              Peer.json(#"{"access":"\#(token)","refresh":"r\#(state.refreshes)"}"#))
          }
        }
      }

      struct Refused: Error {}

      @Sendable func refresh(_ old: Tokens) async throws -> Tokens {
        var request = URLRequest(
          url: URL(string: "http://127.0.0.1:\(peer.port)/token")!)
        request.httpMethod = "POST"
        request.httpBody = Data("grant_type=refresh_token&refresh_token=\(old.refresh ?? "")".utf8)
        let (data, response) = try await URLSession.shared.data(for: request)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw Refused() }
        return try JSONDecoder().decode(Tokens.self, from: data)
      }

      func end() { peer.end() }
    }

    /// A server, a provider, and a client whose token the server has revoked.
    private func scene() async throws -> (
      server: TestServer, provider: Provider, session: RefreshingSession, remote: RemoteCore,
      store: MemoryTokenStore, ends: @Sendable () -> Int
    ) {
      let server = try await TestServer()
      try await server.people("ann", "bob")
      let provider = try Provider(server.tokens)
      let old = server.tokens.make("ann")
      server.tokens.revoke(old)
      let store = MemoryTokenStore(Tokens(access: old, refresh: "r0"))
      let ends = Counter()
      let session = RefreshingSession(store: store, refresh: provider.refresh) { _ in ends.add() }
      var options = RemoteCore.Options()
      options.firstPause = .milliseconds(5)
      let remote = RemoteCore(url: server.url, session: session, options: options)
      return (server, provider, session, remote, store, { ends.value })
    }

    private final class Counter: Sendable {
      private let count = Mutex(0)
      var value: Int { count.withLock { $0 } }
      func add() { count.withLock { $0 += 1 } }
    }

    @Test("Two hundred calls with an expired token refresh it once, and all are answered")
    func singleFlight() async throws {
      let (server, provider, _, remote, store, ends) = try await scene()
      let counts = remote.useCase(GetFollowCounts.self)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<200 { group.addTask { _ = try await counts.execute(.init(), as: "ann") } }
        try await group.waitForAll()
      }
      #expect(provider.conditions.state.withLock { $0.refreshes } == 1)
      #expect(store.load()?.refresh == "r1")
      #expect(ends() == 0)
      // The server revokes the new token between two requests.
      server.tokens.revoke(try #require(store.load()).access)
      _ = try await counts.execute(.init(), as: "ann")
      #expect(provider.conditions.state.withLock { $0.refreshes } == 2)
      remote.close()
      provider.end()
      await server.end()
    }

    @Test("A refused refresh ends the session once, and all calls fail by name")
    func ends() async throws {
      let (server, provider, session, remote, store, ends) = try await scene()
      provider.conditions.state.withLock { $0.isRefusing = true }
      let counts = remote.useCase(GetFollowCounts.self)
      let codes = await withTaskGroup(of: String.self) { group in
        for _ in 0..<200 {
          group.addTask {
            do throws(UseCaseError) {
              _ = try await counts.execute(.init(), as: "ann")
              return "answered"
            } catch {
              return error.code
            }
          }
        }
        return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
      }
      #expect(codes == ["sessionEnded": 200])
      #expect(provider.conditions.state.withLock { $0.refreshes } == 1)
      #expect(ends() == 1 && store.load() == nil)
      // Signing in again begins a new session.
      try session.signIn(Tokens(access: server.tokens.make("ann")))
      _ = try await counts.execute(.init(), as: "ann")
      try session.signOut()
      await #expect(throws: UseCaseError.sessionEnded) {
        try await counts.execute(.init(), as: "ann")
      }
      #expect(ends() == 1)
      remote.close()
      provider.end()
      await server.end()
    }

    @Test("A provider that cannot be reached keeps the session")
    func unreachable() async throws {
      let (server, provider, _, remote, store, ends) = try await scene()
      provider.conditions.state.withLock { $0.isDown = true }
      let counts = remote.useCase(GetFollowCounts.self)
      let error = await #expect(throws: UseCaseError.self) {
        try await counts.execute(.init(), as: "ann")
      }
      #expect(error?.code == "unreachable")
      #expect(ends() == 0 && store.load()?.refresh == "r0")
      provider.conditions.state.withLock { $0.isDown = false }
      _ = try await counts.execute(.init(), as: "ann")
      #expect(store.load()?.refresh == "r1")
      remote.close()
      provider.end()
      await server.end()
    }

    @Test(
      "Only the server's clock decides when a token has expired", arguments: [-300, 300] as [Int64])
    func clock(_ seconds: Int64) async throws {
      // The device's clock differs from the server's by five minutes.
      @Sendable func now() -> Timestamp {
        Timestamp(milliseconds: RuntimeEnvironment.system.now().milliseconds + seconds * 1_000)
      }
      let server = try await TestServer(
        environment: RuntimeEnvironment(now: now, random: RuntimeEnvironment.system.random))
      try await server.people("ann")
      @Sendable func token(_ left: Int64) -> String {
        server.tokens.make(
          "ann", expires: Timestamp(milliseconds: now().milliseconds + left * 1_000))
      }
      // By the device's clock, the first token may have expired and the second may be valid.
      for (left, refreshes) in [(120 as Int64, 0), (-120, 1)] {
        let asked = Counter()
        let session = RefreshingSession(
          store: MemoryTokenStore(Tokens(access: token(left), refresh: "r"))
        ) { _ in
          asked.add()
          return Tokens(access: token(3_600), refresh: "r")
        }
        let remote = RemoteCore(url: server.url, session: session)
        for _ in 0..<3 {
          _ = try await remote.useCase(GetFollowCounts.self).execute(.init(), as: "ann")
        }
        #expect(asked.value == refreshes)
        remote.close()
      }
      await server.end()
    }

    @Test("After a sign-out, nothing of the last person arrives, and their streams end")
    func signOut() async throws {
      let server = try await TestServer()
      try await server.people("ann", "bob")
      let session = RefreshingSession(
        store: MemoryTokenStore(Tokens(access: server.tokens.make("ann"), refresh: "r"))
      ) { $0 }
      let remote = RemoteCore(url: server.url, session: session)
      var seen: [Int] = []
      let error = await #expect(throws: UseCaseError.self) {
        for try await counts in remote.updates(of: GetFollowCounts.self, .init(), as: "ann") {
          seen.append(counts.followers)
          try session.signIn(Tokens(access: server.tokens.make("bob"), refresh: "r"))
          _ = try await FollowUser(server.core).execute(.init(followee: "ann"), as: "bob")
        }
      }
      #expect(error == .refused(.notAuthorized) && seen == [0])
      remote.close()
      await server.end()
    }

    @Test("A token that the server rejects again and again ends the call, not the program")
    func rejected() async throws {
      let server = try await TestServer()
      let token = server.tokens.make("ann")
      server.tokens.revoke(token)
      let session = RefreshingSession(store: MemoryTokenStore(Tokens(access: token))) { _ in
        Tokens(access: token)
      }
      let remote = RemoteCore(url: server.url, session: session)
      await #expect(throws: UseCaseError.refused(.unauthorized)) {
        try await remote.useCase(GetFollowCounts.self).execute(.init(), as: "ann")
      }
      remote.close()
      await server.end()
    }

    @Test("A file of tokens is readable only by its owner, and is replaced whole")
    func file() throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let url = folder.appending(path: "tokens.json")
      let store = FileTokenStore(url)
      #expect(try store.load() == nil)
      try store.save(Tokens(access: "a", refresh: "b"))
      try store.save(Tokens(access: "c"))
      #expect(try store.load() == Tokens(access: "c"))
      let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions]
      #expect((mode as? NSNumber)?.intValue == 0o600)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["tokens.json"])
      // A process that saved was killed.
      try Data().write(to: folder.appending(path: ".tokens.json.new-1"))
      try store.save(nil)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
      try store.save(nil)
      #expect(try store.load() == nil)
      #expect(throws: (any Error).self) {
        try FileTokenStore(folder.appending(path: "none/tokens")).save(Tokens(access: "a"))
      }
    }
  }
#endif
