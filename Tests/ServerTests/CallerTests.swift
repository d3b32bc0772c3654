#if Server
  import CServer
  import Foundation
  import Testing

  /// Repeated queries, expiring tokens, and callers with too many requests.
  @Suite struct CallerTests {
    @Test("An ETag changes only if this caller's answer has changed")
    func tags() throws {
      let server = try ServeTests.start()
      defer { server.remove() }
      func ask(_ user: String, _ tag: String? = nil) throws -> Answer {
        try server.send(
          "GET", "/v1/do/GetFollowCounts?user=bob", as: user,
          headers: tag.map { ["If-None-Match: \($0)"] } ?? [])
      }
      let tag = try #require(try ask("ann")["ETag"])
      let again = try ask("ann", tag)
      #expect(again.status == 304 && again.body == "" && again["ETag"] == tag)
      #expect(try ask("bob", tag).status == 200)
      // Events that do not change the answer.
      _ = try server.post("UpdateProfile", as: "bob", #"{"bio":"x"}"#)
      _ = try server.post("FollowUser", as: "bob", #"{"followee":"ann"}"#)
      _ = try server.post("UnfollowUser", as: "bob", #"{"followee":"ann"}"#)
      #expect(try ask("ann", tag).status == 304)
      #expect(try ask("ann", "\"x\", \(tag)").status == 304)
      _ = try server.post("FollowUser", as: "ann", #"{"followee":"bob"}"#)
      let changed = try ask("ann", tag)
      #expect(changed.status == 200 && changed["ETag"] != tag)
      _ = try server.post("UnfollowUser", as: "ann", #"{"followee":"bob"}"#)
      #expect(try ask("ann", tag).status == 304)
    }

    @Test("A stream whose token expires ends with the code tokenExpired")
    func streamEnds() throws {
      let server = try ServeTests.start()
      defer { server.remove() }
      let stream = try Connection(server.port)
      stream.send(
        "GET /v1/updates/GetFollowCounts?user=bob HTTP/1.1\r\nHost: x\r\n"
          + "Authorization: Bearer \(Token.make(["sub": "ann"], lasting: 3))\r\n\r\n")
      let text = stream.read(until: "\r\n0\r\n")
      #expect(text.contains(#""followers":0"#), "\(text)")
      #expect(
        text.contains(
          "event: error\ndata: "
            + #"{"error":"tokenExpired","message":"the token has expired"}"#), "\(text)")
    }

    @Test("One user's unread runs take four places and little memory, and other users can run")
    func runs() throws {
      let server = try ServeTests.start(["--requests-per-second", "0"])
      defer { server.remove() }
      _ = try server.post("FollowUser", as: "bob", #"{"followee":"ann"}"#)
      let shared = try server.post(
        "ShareWorkout", as: "ann", #"{"localID":"w","date":"2026-01-01T08:00:00Z","text":"up"}"#)
      let workout = try #require(shared.body.firstMatch(of: #/"result":"([^"]+)"/#)).output.1
      let text = String(repeating: "long ", count: 90)
      let comments = String(
        repeating: #"{"do":"PostComment","with":{"workout":"\#(workout)","text":"\#(text)"}}"#
          + "\n", count: 100)
      let posted = try server.send(
        "POST", "/v1/run", as: "ann", body: comments, type: "application/x-ndjson")
      #expect(posted.body.components(separatedBy: #""ok":true"#).count == 101, "\(posted.body)")
      let lines = String(
        repeating: #"{"do":"GetComments","with":{"workout":"\#(workout)"}}"# + "\n", count: 1_000)
      func run(_ user: String, _ body: String) throws -> Connection {
        let connection = try Connection(server.port)
        connection.send(
          "POST /v1/run HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n"
            + "Connection: close\r\nAuthorization: Bearer \(Token.of(user))\r\n\r\n\(body)")
        return connection
      }
      func memory() throws -> Int {
        let status = try String(
          contentsOfFile: "/proc/\(server.process.processIdentifier)/status", encoding: .utf8)
        return Int(status.firstMatch(of: #/VmRSS:\s+(\d+)/#)?.output.1 ?? "") ?? 0
      }
      let before = try memory()
      // Each has begun to answer, and is not read any further.
      let held = try (0..<4).map { _ in
        let connection = try run("ann", lines)
        #expect(connection.read(until: "HTTP/1.1").hasPrefix("HTTP/1.1 200"))
        return connection
      }
      for _ in 0..<60 {
        let answer = Answer(try run("ann", lines).readToEnd())
        #expect(answer.status == 429 && answer.error == "tooManyRequests", "\(answer.head)")
      }
      for user in ["bob", "service:import"] {
        let user = try Answer(run(user, #"{"do":"ListSports"}"#).readToEnd())
        #expect(user.status == 200 && user.body.contains(#""ok":true"#), "\(user.body)")
      }
      sleep(2)
      let grown = try memory() - before
      #expect(grown < 32 << 10, "\(grown) KiB")
      // A run continues when its client reads.
      var answers = 0
      while true {
        let bytes = held[0].read()
        if bytes.isEmpty { break }
        answers += bytes.count { $0 == 0x0a }
      }
      #expect(answers > 1_000)
      #expect(Answer(try run("ann", "{}").readToEnd()).status == 200)
      withExtendedLifetime(held) {}
    }
  }
#endif
