#if Server
  import Foundation
  import Testing

  /// Commands with an `Idempotency-Key`.
  @Suite(.serialized) struct RetryTests {
    private let follow = #"{"followee":"bob"}"#

    @Test("A key returns the first answer at once, later, after a restart and after a kill")
    func again() throws {
      let server = try ServeTests.start()
      defer { server.remove() }
      func tries(_ server: ServerProcess) throws -> [String] {
        [
          try server.post("ToggleFollow", as: "ann", follow, key: "k1"),
          try server.post("FollowUser", as: "ann", #"{"followee":"ann"}"#, key: "k2"),
          try server.post("UpdateProfile", as: "ann", #"{"bio":"one"}"#, key: "k3"),
          try server.post("UnfollowUser", as: "bob", #"{"followee":"ann"}"#, key: "k4"),
          try server.post("PostComment", as: "ann", #"{"workout":"w","text":"hm"}"#, key: "k5"),
          try server.post(
            "ShareWorkout", as: "ann",
            #"{"localID":"l1","date":"2026-01-01T08:00:00Z","text":"up"}"#, key: "k6"),
          try server.post("MarkNotificationsRead", as: "bob", "{}", key: "k7"),
          try server.post("BlockUser", as: "bob", #"{"user":"ann"}"#, key: "k8"),
          try server.send(
            "PUT", "/v1/photo", as: "bob", headers: ["Idempotency-Key: k10"], body: "none",
            type: "image/png"),
        ].map { "\($0.status) \($0.body)" }
      }
      let first = try tries(server)
      #expect(first[0] == #"200 {"result":true,"seq":[3],"position":3}"#)
      #expect(first[5].hasPrefix("200") && first[7].contains("\"seq\":[7,8]"), "\(first)")
      let count = server.lines.count
      let again = try server.post("ToggleFollow", as: "ann", follow, key: "k1")
      #expect(again["Idempotent-Replayed"] == "true")
      #expect(try tries(server) == first)
      _ = try server.post("UnblockUser", as: "bob", #"{"user":"ann"}"#)
      _ = try server.post("UpdateProfile", as: "ann", #"{"handle":"other","bio":"two"}"#)
      #expect(try tries(server) == first)
      for signal in [SIGTERM, SIGKILL] {
        server.end(signal)
        let next = try ServerProcess(in: server.folder)
        for (now, then) in zip(try tries(next), first) { #expect(now == then) }
        #expect(next.lines.count == count + 2)
        next.end(signal)
      }
    }

    @Test("After a restart, answers come from the journal, until a person is forgotten")
    func recorded() throws {
      let server = try ServeTests.start()
      defer { server.remove() }
      func tries(_ server: ServerProcess) throws -> [String] {
        [
          try server.post("ToggleFollow", as: "ann", follow, key: "k1"),
          try server.post("FollowUser", as: "ann", #"{"followee":"ann"}"#, key: "k2"),
        ].map(\.body)
      }
      let first = try tries(server)
      server.end(SIGKILL)
      let path = server.log + "/retries/1"
      let lines = try String(contentsOfFile: path, encoding: .utf8)
      #expect(lines.matches(of: #/\n [0-9a-f]+ \[true\]\n/#).count == 1, "\(lines)")
      // Other answers in the journal show where the server reads them.
      try lines.replacing("[true]", with: "[null]").write(
        toFile: path, atomically: false, encoding: .utf8)
      let next = try ServerProcess(in: server.folder)
      #expect(try tries(next) == [first[0].replacing("true", with: "null"), first[1]])
      let forgotten = try next.send(
        "POST", "/v1/forget", as: "service:admin", body: #"{"users":["bob"]}"#)
      #expect(forgotten.status == 200, "\(forgotten.body)")
      next.end(SIGTERM)
      let erased = try String(contentsOfFile: path, encoding: .utf8)
      #expect(!erased.contains("\n ") && erased.split(separator: "\n").count == 2, "\(erased)")
    }

    @Test("The same key with another input or use case is refused, also later")
    func otherInput() throws {
      let server = try ServeTests.start()
      defer { server.remove() }
      _ = try server.post("ToggleFollow", as: "ann", follow, key: "k")
      _ = try server.post("FollowUser", as: "ann", #"{"followee":"ann"}"#, key: "r")
      func others(_ server: ServerProcess) throws {
        for (name, input, key) in [
          ("ToggleFollow", #"{"followee":"ann"}"#, "k"), ("UnfollowUser", follow, "k"),
          ("UpdateProfile", #"{"bio":"x"}"#, "k"), ("FollowUser", follow, "r"),
        ] {
          let answer = try server.post(name, as: "ann", input, key: key)
          #expect(answer.status == 422 && answer.error == "idempotencyKeyReused", "\(name)")
        }
      }
      try others(server)
      // White space does not change the input, and another caller's key is another key.
      let spaced = try server.post("ToggleFollow", as: "ann", #"{ "followee" : "bob" }"#, key: "k")
      #expect(spaced.status == 200)
      let bobs = try server.post("ToggleFollow", as: "bob", #"{"followee":"ann"}"#, key: "k")
      #expect(bobs.status == 200 && bobs["Idempotent-Replayed"] == nil)
      server.end(SIGKILL)
      let next = try ServerProcess(in: server.folder)
      defer { next.end(SIGKILL) }
      try others(next)
      for key in ["", "a b", String(repeating: "k", count: 256), "é"] {
        #expect(try next.post("ToggleFollow", as: "ann", follow, key: key).status == 400, "\(key)")
      }
    }

    @Test("The order of members does not change the input, at any depth")
    func order() throws {
      let server = try ServeTests.start()
      defer { server.remove() }
      let inputs = [
        #"{"workouts":[{"localID":"a","text":"up","date":"2026-01-01T08:00:00Z"},"#
          + #"{"localID":"b","text":"on","date":"2026-01-01T09:00:00Z"}]}"#,
        #"{"workouts":[{"date":"2026-01-01T08:00:00Z","localID":"a","text":"up"},"#
          + #"{"date":"2026-01-01T09:00:00Z","localID":"b","text":"on"}]}"#,
      ]
      let first = try server.post("ShareWorkouts", as: "ann", inputs[0], key: "k")
      #expect(first.status == 200, "\(first.body)")
      for input in inputs {
        let again = try server.post("ShareWorkouts", as: "ann", input, key: "k")
        #expect(again.body == first.body && again["Idempotent-Replayed"] == "true")
      }
      // The order of a list does.
      let turned =
        #"{"workouts":[{"date":"2026-01-01T09:00:00Z","localID":"b","text":"on"},"#
        + #"{"date":"2026-01-01T08:00:00Z","localID":"a","text":"up"}]}"#
      #expect(try server.post("ShareWorkouts", as: "ann", turned, key: "k").status == 422)
      server.end(SIGKILL)
      let next = try ServerProcess(in: server.folder)
      defer { next.end(SIGKILL) }
      #expect(try next.post("ShareWorkouts", as: "ann", inputs[1], key: "k").body == first.body)
      #expect(next.lines.count == 4)
    }

    @Test("Many simultaneous tries append once, and all get the same answer")
    func atOnce() async throws {
      let server = try ServeTests.start()
      defer { server.remove() }
      let answers = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<12 {
          group.addTask { [follow] in
            let answer = try server.post("ToggleFollow", as: "ann", follow, key: "same")
            return "\(answer.status) \(answer.body)"
          }
        }
        return try await group.reduce(into: Set<String>()) { $0.insert($1) }
      }
      #expect(answers == [#"200 {"result":true,"seq":[3],"position":3}"#])
      #expect(server.lines.count == 3)
    }

    @Test("A photo with a key is stored once, also after a restart")
    func photo() throws {
      let server = try ServeTests.start()
      defer { server.remove() }
      let image = Data(base64Encoded: Self.png)!
      func put(_ server: ServerProcess) throws -> Answer {
        let connection = try Connection(server.port)
        connection.send(
          "PUT /v1/photo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nIdempotency-Key: p\r\n"
            + "Authorization: Bearer \(Token.of("ann"))\r\nContent-Length: \(image.count)\r\n\r\n")
        connection.send(Array(image))
        return Answer(connection.readToEnd())
      }
      let first = try put(server)
      #expect(first.status == 200)
      server.end(SIGKILL)
      let next = try ServerProcess(in: server.folder)
      defer { next.end(SIGKILL) }
      #expect(try put(next).body == first.body)
      #expect(next.lines.count == 3)
      let url = try #require(first.body.firstMatch(of: #/"result":"([^"]+)"/#)).output.1
      // The address is absolute, with the request's host.
      #expect(url.hasPrefix("http://x/storage/"), "\(url)")
      let photo = try next.send("GET", String(url.dropFirst("http://x".count)))
      #expect(photo["Content-Type"] == "image/jpeg" || photo["Content-Type"] == "image/png")
      #expect(photo["X-Content-Type-Options"] == "nosniff")
    }

    static let png =
      "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAAEElEQVR42mPYYiMCRwzEcQCwwxBBDRrUhwAAAABJRU5E"
      + "rkJggg=="
  }
#endif
