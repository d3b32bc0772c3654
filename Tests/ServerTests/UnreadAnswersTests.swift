#if Server
  import Foundation
  import Server
  import Testing

  /// Clients that do not read their answers.
  @Suite struct UnreadAnswersTests {
    @Test("A caller's first answer and small answers have room; others share the limits")
    func counts() {
      let unread = UnreadAnswers(most: 1_000_000, mostPerUser: 400_000)
      #expect(unread.reserve(600_000, of: "ann") == nil)
      #expect(unread.isFull(of: "ann") && !unread.isFull(of: "bob"))
      #expect(unread.reserve(1, of: "ann") == .caller)
      #expect(unread.reserve(300_000, of: "bob") == nil)
      #expect(unread.reserve(100_000, of: "bob") == nil)
      #expect(unread.reserve(1, of: "bob") == .caller)
      #expect(unread.reserve(16 << 10, of: "cem") == .server)
      #expect(unread.reserve(16 << 10, of: nil) == .server)
      #expect(unread.reserve(16 << 10 - 1, of: "cem") == nil)
      unread.add(-600_000, of: "ann")
      #expect(unread.reserve(300_000, of: "ann") == nil)
      unread.add(-300_000, of: "ann")
      unread.add(-400_000, of: "bob")
      unread.add(-(16 << 10 - 1), of: "cem")
      #expect(unread.count == 0)
    }

    @Test("One user's unread answers are bounded, others are answered, and reading makes room")
    func unread() throws {
      let server = try ServeTests.start(["--supabase"])
      defer { server.remove() }
      let text = String(repeating: "\u{10330}", count: 5_000)
      let posts = (0..<600).map {
        #"{"do":"ShareWorkout","with":{"localID":"w\#($0)","date":"2026-01-01T08:00:00Z","#
          + #""text":"\#(text)"}}"# + "\n"
      }
      let shared = try server.send(
        "POST", "/v1/run", as: "ann", body: posts.joined(), type: "application/x-ndjson")
      #expect(shared.body.components(separatedBy: #""ok":true"#).count == 601)
      func ask(_ target: String, _ user: String = "ann") throws -> Connection {
        let connection = try Connection(server.port)
        connection.send(
          "GET \(target) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            + "Authorization: Bearer \(Token.of(user))\r\n\r\n")
        return connection
      }
      let table = "/rest/v1/workouts?select=*&limit=1000"
      // 12 MB each; the two are not read any further.
      let held = try (0..<2).map { _ in
        let connection = try ask(table)
        let begin = connection.read(until: "HTTP/1.1 200")
        #expect(begin.hasPrefix("HTTP/1.1 200"), "\(begin.prefix(300))")
        return connection
      }
      for target in [table, "/v1/personal-log"] {
        let refused = Answer(try ask(target).readToEnd())
        #expect(refused.status == 429, "\(target): \(refused.head) \(refused.body.prefix(300))")
      }
      // A command is still performed and answered.
      #expect(try server.post("UpdateProfile", as: "ann", #"{"bio":"here"}"#).status == 200)
      let other = Answer(try ask("/v1/do/GetFeed", "bob").readToEnd())
      #expect(other.status == 200)
      #expect(try Self.unreadBytes(server) > 20_000_000)
      #expect(held[0].readToEnd().count > 12_000_000)
      #expect(Answer(try ask(table).readToEnd()).status == 200)
      withExtendedLifetime(held) {}
    }

    private static func unreadBytes(_ server: ServerProcess) throws -> Double {
      let text = try server.send("GET", "/metrics").body
      let match = text.firstMatch(of: #/eventlog_unread_bytes ([0-9.e+]+)/#)
      return Double(match?.output.1 ?? "") ?? -1
    }
  }
#endif
