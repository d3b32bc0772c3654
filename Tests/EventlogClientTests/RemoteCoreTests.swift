#if Server
  import EventlogClient
  import Foundation
  import Server
  import Synchronization
  import Testing
  import UseCasesTesting

  @Suite struct RemoteCoreTests {
    @Test("A screen cannot tell a server from a core: same types, same answers, same refusals")
    func sameUseCases() async throws {
      let server = try await TestServer()
      try await server.people("ann", "bob")
      let remote = server.remote(as: "ann")
      let toggle: any UseCase<ToggleFollow.Input, Bool> = remote.useCase(ToggleFollow.self)
      #expect(try await toggle.execute(.init(followee: "bob"), as: "ann") == true)
      let local = try await GetProfile(server.core).execute(.init(user: "bob"), as: "ann")
      let profile = try await remote.useCase(GetProfile.self)
        .execute(.init(user: "bob"), as: "ann")
      #expect(profile == local)
      #expect(profile.isFollowed == true)
      await #expect(throws: UseCaseError.refused(.cannotFollowSelf)) {
        try await toggle.execute(.init(followee: "ann"), as: "ann")
      }
      let long = String(repeating: "x", count: 300)
      await #expect(throws: UseCaseError.refused(.bioTooLong(limit: 280, actual: 300))) {
        try await remote.useCase(UpdateProfile.self).execute(.init(bio: .set(long)), as: "ann")
      }
      await #expect(throws: UseCaseError.refused(.invalidHandle(.whiteSpace))) {
        try await remote.useCase(UpdateProfile.self).execute(.init(handle: "a b"), as: "ann")
      }
      remote.close()
      await #expect(throws: UseCaseError.self) {
        try await toggle.execute(.init(followee: "bob"), as: "ann")
      }
      await server.end()
    }

    @Test("A personal log is fetched whole, then by its changes, and answers without the server")
    func personalLog() async throws {
      let server = try await TestServer()
      try await server.people("ann", "bob", "cat")
      let remote = server.remote(as: "ann")
      let whole = try await remote.personalLog(of: "ann")
      _ = try await remote.useCase(FollowUser.self).execute(.init(followee: "bob"), as: "ann")
      let now = try await remote.personalLog(of: "ann", since: whole)
      #expect(now == (try await remote.personalLog(of: "ann")).at(now.time))
      #expect(now.part("person/bob") != nil && now.part("person/cat") == nil)
      // That of another user is not used.
      let bob = try await server.remote(as: "bob").personalLog(of: "bob", since: now)
      #expect(bob.reader == "bob" && bob.part("edges")?.lines.count == 1)
      await #expect(throws: UseCaseError.refused(.notAuthorized)) {
        try await remote.personalLog(of: "bob")
      }
      await server.end()
      let phone = try PersonalReading(try PersonalLog(text: now.text))
      #expect(try phone.answer(GetFollowing.self, .init())?.map(\.user) == ["bob"])
      #expect(try phone.answer(GetProfile.self, .init(user: "bob"))?.row.followerCount == 1)
      #expect(try phone.answer(GetProfile.self, .init(user: "cat")) == nil)
      remote.close()
    }

    @Test("A caller whom the token does not name is refused before anything is sent")
    func otherCaller() async throws {
      let peer = try Peer { _ in .answer(Peer.json("{}")) }
      defer { peer.end() }
      let tokens = TestTokens()
      let url = URL(string: "http://127.0.0.1:\(peer.port)")!
      let remote = RemoteCore(url: url, session: StaticSession(token: tokens.make("ann")))
      let counts = remote.useCase(GetFollowCounts.self)
      await #expect(throws: UseCaseError.refused(.notAuthorized)) {
        try await counts.execute(.init(), as: "bob")
      }
      await #expect(throws: UseCaseError.refused(.notAuthorized)) {
        try await counts.execute(.init(), as: .service("ann"))
      }
      await #expect(throws: UseCaseError.refused(.unauthorized)) {
        try await counts.execute(.init(), as: nil)
      }
      await #expect(throws: UseCaseError.self) {
        try await counts.execute(.init(), as: Caller("ann", at: .epoch))
      }
      #expect(peer.most == 0)
      // The same UUID in another case is the same person.
      let user = "5D0C5E0A-7A0E-4B2F-9A67-0E2B7D1C9F3A"
      let other = RemoteCore(url: url, session: StaticSession(token: tokens.make(user)))
      await #expect(
        throws: UseCaseError.incompatible(reason: "the answer cannot be read: result: missing")
      ) {
        try await other.useCase(GetFollowCounts.self).execute(
          .init(), as: Caller(user.lowercased()))
      }
      #expect(peer.most == 1)
      remote.close()
      other.close()
    }

    @Test("Answers from something that is no eventlog server are errors by name")
    func foreignAnswers() async throws {
      let answer = Mutex(Peer.json("<html>", status: "500 Internal Server Error"))
      let peer = try Peer { _ in .answer(answer.withLock { $0 }) }
      defer { peer.end() }
      let remote = RemoteCore(
        url: URL(string: "http://127.0.0.1:\(peer.port)")!,
        session: StaticSession(token: TestTokens().make("ann")))
      defer { remote.close() }
      func fault() async -> UseCaseError? {
        await #expect(throws: UseCaseError.self) {
          try await remote.useCase(GetFollowCounts.self).execute(.init(), as: "ann")
        }
      }
      #expect(await fault()?.code == "serverError")
      answer.withLock { $0 = Peer.json("<html>") }
      #expect(await fault()?.code == "incompatible")
      answer.withLock { $0 = Peer.json(#"{"result":{"followers":"many"}}"#) }
      #expect(await fault()?.code == "incompatible")
      let newer = #"{"error":"tooSunny","message":"it is too sunny"}"#
      answer.withLock { $0 = Peer.json(newer, status: "422 X") }
      #expect(
        await fault() == .serverError(status: 422, message: "tooSunny: it is too sunny"))
      answer.withLock { $0 = Peer.json("", status: "302 Found\r\nLocation: http://x.invalid/") }
      #expect(await fault()?.code == "serverError")
    }

    @Test("A server that never answers, a deadline and a cancelled task end a call by name")
    func deadlines() async throws {
      let peer = try Peer { _ in .silence }
      defer { peer.end() }
      var options = RemoteCore.Options()
      options.deadline = .milliseconds(300)
      let remote = RemoteCore(
        url: URL(string: "http://127.0.0.1:\(peer.port)")!,
        session: StaticSession(token: TestTokens().make("ann")), options: options)
      defer { remote.close() }
      let counts = remote.useCase(GetFollowCounts.self)
      await #expect(throws: UseCaseError.unreachable(reason: "no answer within 0.3 s")) {
        try await counts.execute(.init(), as: "ann")
      }
      var patient = options
      patient.deadline = .seconds(60)
      let other = RemoteCore(
        url: URL(string: "http://127.0.0.1:\(peer.port)")!,
        session: StaticSession(token: TestTokens().make("ann")), options: patient)
      defer { other.close() }
      let call = Task { try await other.useCase(GetFollowCounts.self).execute(.init(), as: "ann") }
      try await Task.sleep(for: .milliseconds(100))
      call.cancel()
      await #expect(throws: UseCaseError.cancelled) { try await call.value }
      // The cancelled request's connection is free: nothing is left of it.
      #expect(other.underWay == 0)
    }

    @Test("No more requests are under way than allowed; the others wait in order")
    func bound() async throws {
      let peer = try Peer { _ in
        usleep(5_000)
        return .answer(Peer.json(#"{"result":{"followers":1,"following":2}}"#))
      }
      defer { peer.end() }
      var options = RemoteCore.Options()
      options.requests = 3
      let remote = RemoteCore(
        url: URL(string: "http://127.0.0.1:\(peer.port)")!,
        session: StaticSession(token: TestTokens().make("ann")), options: options)
      defer { remote.close() }
      let counts = remote.useCase(GetFollowCounts.self)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<60 { group.addTask { _ = try await counts.execute(.init(), as: "ann") } }
        try await group.waitForAll()
      }
      #expect((1...3).contains(peer.most))
    }

    @Test("Requests in one batch are answered in order, with errors and positions")
    func run() async throws {
      let server = try await TestServer()
      try await server.people("ann", "bob")
      let remote = server.remote(as: "ann")
      let replies = try await remote.run([
        Request("FollowUser", with: .object([.init("followee", .string("bob"))])),
        Request("FollowUser", with: .object([.init("followee", .string("ann"))])),
        Request("GetFollowCounts", with: .object([.init("user", .string("bob"))])),
      ])
      #expect(replies[0] == Reply(.success(.bool(true)), seqs: 3..<4))
      #expect(replies[1] == Reply(.failure(.refused(.cannotFollowSelf))))
      #expect(try replies[2].result.get().text == #"{"followers":1,"following":0}"#)
      remote.close()
      await server.end()
    }

    @Test("A photo is uploaded, with progress")
    func photo() async throws {
      let server = try await TestServer()
      try await server.people("ann")
      let remote = server.remote(as: "ann")
      let parts = Mutex<[Double]>([])
      let upload = remote.useCase(UploadProfilePhoto.self) { part in
        parts.withLock { $0.append(part) }
      }
      let url = try await upload.execute(.init(image: Self.png), as: "ann")
      let profile = try await GetProfile(server.core).execute(.init(user: "ann"), as: "ann")
      #expect(url.contains("avatars/ann/") && url == profile.photoURL)
      #expect(parts.withLock { $0.last } == 1)
      await #expect(throws: UseCaseError.refused(.invalidImage)) {
        try await upload.execute(.init(image: [1, 2, 3]), as: "ann")
      }
      remote.close()
      await server.end()
    }

    /// A PNG of one pixel.
    static let png = [UInt8](
      Data(
        base64Encoded:
          "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJ"
          + "RU5ErkJggg=="
      )!)

    @Test("Nothing is left of many calls: no connections, no exchanges")
    func leaks() async throws {
      let server = try await TestServer()
      try await server.people("ann", "bob")
      let remote = server.remote(as: "ann")
      let counts = remote.useCase(GetFollowCounts.self)
      let calls = Int(ProcessInfo.processInfo.environment["EVENTLOG_TEST_CALLS"] ?? "") ?? 1_000
      // Both ends of each connection are in this process, and the client allows eight.
      var most = 0
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            for _ in 0..<(calls / 4) { _ = try await counts.execute(.init(user: "bob"), as: "ann") }
          }
        }
        while remote.underWay == 0 { await Task.yield() }
        for _ in 0..<1_000 where remote.underWay > 0 {
          most = max(most, try Peer.connections(of: server.listener.port))
          try await Task.sleep(for: .milliseconds(2))
        }
        try await group.waitForAll()
      }
      #expect(remote.underWay == 0)
      #expect(most > 0 && most <= 16)
      remote.close()
      for _ in 0..<500 where try Peer.connections(of: server.listener.port) > 0 {
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(try Peer.connections(of: server.listener.port) == 0)
      await server.end()
    }
  }

  extension Profile {
    fileprivate var isFollowed: Bool? { row.isFollowedByMe }
  }

  extension PersonalLog {
    /// The log as if it was made at another time.
    fileprivate func at(_ time: Timestamp) -> PersonalLog {
      var log = self
      log.time = time
      return log
    }
  }
#endif
