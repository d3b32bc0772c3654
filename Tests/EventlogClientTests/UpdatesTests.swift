#if Server
  import EventlogClient
  import Foundation
  import Synchronization
  import Testing

  @Suite struct UpdatesTests {
    @Test("A stream has the answer now, each new answer, and nothing for other people's events")
    func follows() async throws {
      let server = try await TestServer()
      try await server.people("ann", "bob", "carl", "dora")
      let remote = server.remote(as: "ann")
      let follow = { (user: String, other: String) in
        _ = try await FollowUser(server.core).execute(.init(followee: other), as: Caller(user))
      }
      var seen: [Int] = []
      for try await counts in remote.updates(
        of: GetFollowCounts.self, .init(user: "bob"), as: "ann")
      {
        seen.append(counts.followers)
        switch seen.count {
        case 1:
          try await follow("carl", "dora")
          try await follow("ann", "bob")
        case 2: try await follow("carl", "bob")
        default: break
        }
        if seen.count == 3 { break }
      }
      #expect(seen == [0, 1, 2])
      // Leaving the loop ends the request, and the server notices.
      for _ in 0..<500 where remote.underWay > 0 { try await Task.sleep(for: .milliseconds(10)) }
      #expect(remote.underWay == 0)
      for _ in 0..<500 where server.service.underWay > 0 {
        server.service.beat()
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(server.service.underWay == 0)
      await #expect(throws: UseCaseError.refused(.workoutNotFound)) {
        for try await _ in remote.updates(of: GetWorkout.self, .init(workout: "w"), as: "ann") {}
      }
      await #expect(throws: UseCaseError.refused(.notAuthorized)) {
        for try await _ in remote.updates(of: GetFollowCounts.self, .init(), as: "bob") {}
      }
      remote.close()
      await server.end()
    }

    @Test("A cut stream continues after its last event, with a new token if it must")
    func reconnects() async throws {
      let requests = Mutex<[String]>([])
      @Sendable func event(_ number: Int, _ text: String) -> String {
        "id: \(number)-a\ndata: {\"result\":\(text),\"position\":\(number)}\n\n"
      }
      let one = #"{"followers":1,"following":0}"#
      let two = #"{"followers":2,"following":0}"#
      let peer = try Peer { request in
        let count = requests.withLock { requests in
          requests.append(String(decoding: request, as: UTF8.self))
          return requests.count
        }
        func stream(_ body: String) -> Peer.Reaction {
          .cut(
            Array(
              "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: here\n\n\(body)".utf8))
        }
        return switch count {
        case 1: stream("retry: 2000\n" + event(1, one) + event(1, one).dropLast(3))
        case 2: .cut([])
        case 3: .answer(Peer.json("{}", status: "503 X\r\nRetry-After: 0"))
        case 4: .answer(Peer.json("{}", status: "401 X\r\nWWW-Authenticate: Bearer"))
        case 5: stream(event(1, one) + event(2, two).replacing("\n", with: "\r\n"))
        default:
          stream("event: error\ndata: {\"error\":\"profileNotFound\",\"message\":\"x\"}\n\n")
        }
      }
      let tokens = TestTokens()
      let session = RefreshingSession(
        store: MemoryTokenStore(Tokens(access: tokens.make("ann"), refresh: "r"))
      ) { _ in Tokens(access: tokens.make("ann"), refresh: "s") }
      var options = RemoteCore.Options()
      options.firstPause = .milliseconds(1)
      let remote = RemoteCore(
        url: URL(string: "http://127.0.0.1:\(peer.port)/base")!, session: session, options: options)
      var seen: [Int] = []
      await #expect(throws: UseCaseError.refused(.profileNotFound)) {
        for try await counts in remote.updates(
          of: GetFollowCounts.self, .init(user: "a&b=c +ü"), as: "ann")
        {
          seen.append(counts.followers)
        }
      }
      #expect(seen == [1, 2])
      let texts = requests.withLock { $0 }
      try #require(texts.count == 6)
      let target = "GET /base/v1/updates/GetFollowCounts?user=a%26b%3Dc%20%2B%C3%BC HTTP/1.1"
      #expect(texts.allSatisfy { $0.hasPrefix(target) }, "\(texts[0])")
      #expect(!texts[0].lowercased().contains("last-event-id"))
      #expect(
        texts[1].lowercased().contains("last-event-id: 1-a")
          && texts[4].lowercased().contains("last-event-id: 1-a"))
      #expect(texts[5].lowercased().contains("last-event-id: 2-a"))
      remote.close()
      peer.end()
    }
  }
#endif
