#if Server
  import Foundation
  import Testing

  /// Writes of `/rest/v1` and `/storage/v1`: their keys, and many writers at once.
  @Suite(.serialized) struct TableWriteTests {
    private let keyed = ["Idempotency-Key: k", "Prefer: return=representation"]

    private func start() throws -> ServerProcess {
      let server = try ServeTests.start(["--supabase"])
      let shared = try server.post(
        "ShareWorkout", as: "ann",
        #"{"workout":"w","date":"2026-01-05T10:00:00Z","workoutType":"2000m","#
          + #""totalTime":"07:30.0","totalDistance":2000,"audience":"public"}"#)
      #expect(shared.status == 200, "\(shared.body)")
      return server
    }

    private func photo(
      _ server: ServerProcess, _ method: String, _ path: String, as user: String, key: String,
      image: Data = Data(base64Encoded: RetryTests.png)!
    ) throws -> Answer {
      let connection = try Connection(server.port)
      connection.send(
        "\(method) /storage/v1/object/\(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
          + "Idempotency-Key: \(key)\r\nAuthorization: Bearer \(Token.of(user))\r\n"
          + "Content-Type: image/png\r\nContent-Length: \(image.count)\r\n\r\n")
      connection.send(Array(image))
      return Answer(connection.readToEnd())
    }

    @Test("A key makes each write of a table happen once, also after a restart and a kill")
    func tables() throws {
      let server = try start()
      defer { server.remove() }
      func tries(_ server: ServerProcess) throws -> [Answer] {
        let writes = [
          ("POST", "comments", #"{"workout_id":"w","text":"hm"}"#),
          ("POST", "comments", #"[{"workout_id":"w","text":"a"},{"workout_id":"w","text":"b"}]"#),
          ("POST", "chups", #"{"workout_id":"w"}"#),
          ("DELETE", "chups?workout_id=eq.w", nil),
          ("PATCH", "profiles?id=eq.bob", #"{"bio":"one"}"#),
          ("POST", "comments", #"{"workout_id":"none","text":"hm"}"#),
          ("POST", "profiles", #"{"id":"bob","handle":"bob"}"#),
          ("PATCH", "profiles?id=eq.ann", #"{"bio":"two"}"#),
        ]
        return try writes.enumerated().map { number, write in
          try server.send(
            write.0, "/rest/v1/" + write.1, as: "bob",
            headers: ["Idempotency-Key: k\(number)", keyed[1]], body: write.2)
        }
      }
      func texts(_ answers: [Answer]) -> [String] { answers.map { "\($0.status) \($0.body)" } }
      let first = try tries(server)
      #expect(first.map(\.status) == [201, 201, 201, 200, 200, 409, 409, 403])
      #expect(first.allSatisfy { $0["Idempotent-Replayed"] == nil })
      let count = server.lines.count
      #expect(count == 3 + 3 + 2 + 1)
      // The first answer does not change when the rows do.
      _ = try server.post("UpdateProfile", as: "bob", #"{"bio":"later"}"#)
      var now = server
      for signal in [SIGTERM, SIGKILL] {
        let again = try tries(now)
        #expect(texts(again) == texts(first))
        #expect(again.allSatisfy { $0["Idempotent-Replayed"] == "true" })
        now.end(signal)
        now = try ServerProcess(["--supabase"], in: server.folder)
      }
      defer { now.end(SIGKILL) }
      #expect(texts(try tries(now)) == texts(first))
      #expect(now.lines.count == count + 1)
    }

    @Test("The same key with another write of tables is refused, also after a kill")
    func otherWrite() throws {
      let server = try start()
      defer { server.remove() }
      let body = #"{"workout_id":"w","text":"hm"}"#
      let first = try server.send(
        "POST", "/rest/v1/comments", as: "bob", headers: keyed, body: body)
      #expect(first.status == 201, "\(first.body)")
      func others(_ server: ServerProcess) throws {
        for (method, path, body) in [
          ("POST", "rest/v1/comments", #"{"workout_id":"w","text":"other"}"#),
          ("POST", "rest/v1/comments?select=id", body),
          ("POST", "rest/v1/chups", #"{"workout_id":"w"}"#),
          ("DELETE", "rest/v1/comments?id=eq.c", nil),
          ("POST", "v1/do/PostComment", #"{"workout":"w","text":"hm"}"#),
        ] {
          let answer = try server.send(method, "/" + path, as: "bob", headers: keyed, body: body)
          #expect(answer.status == 422 && answer.body.contains("idempotencyKeyReused"), "\(path)")
        }
        // White space does not change the body, and another caller's key is another key.
        let spaced = try server.send(
          "POST", "/rest/v1/comments", as: "bob", headers: keyed,
          body: #"{ "text" : "hm", "workout_id" : "w" }"#)
        #expect(spaced.body == first.body)
      }
      try others(server)
      let anns = try server.send("POST", "/rest/v1/comments", as: "ann", headers: keyed, body: body)
      #expect(anns.status == 201 && anns["Idempotent-Replayed"] == nil)
      for key in ["", "a b", String(repeating: "k", count: 256)] {
        let answer = try server.send(
          "POST", "/rest/v1/comments", as: "bob", headers: ["Idempotency-Key: \(key)"], body: body)
        #expect(answer.status == 400, "\(key)")
      }
      server.end(SIGKILL)
      let next = try ServerProcess(["--supabase"], in: server.folder)
      defer { next.end(SIGKILL) }
      try others(next)
      #expect(next.lines.count == 5)
    }

    @Test("A key makes each upload and each removal of a photo happen once, also after a kill")
    func storage() throws {
      let server = try start()
      defer { server.remove() }
      #if JPEG
        let name = "1.jpg"
      #else
        let name = "1.png"
      #endif
      func upload(_ server: ServerProcess) throws -> [Answer] {
        [
          try photo(server, "POST", "avatars/bob/\(name)", as: "bob", key: "u1"),
          try photo(server, "POST", "avatars/ann/\(name)", as: "bob", key: "u2"),
          try photo(server, "POST", "workouts/w/\(name)", as: "ann", key: "u3"),
          try photo(server, "POST", "avatars/bob/x.gif", as: "bob", key: "u4"),
        ]
      }
      func remove(_ server: ServerProcess) throws -> [Answer] {
        [
          try photo(server, "DELETE", "avatars/bob/\(name)", as: "bob", key: "d1", image: Data()),
          try photo(server, "DELETE", "avatars/bob/none.png", as: "bob", key: "d2", image: Data()),
          try server.send(
            "DELETE", "/storage/v1/object/avatars", as: "bob", headers: ["Idempotency-Key: d3"],
            body: #"{"prefixes":["bob/2.png","bob/2.jpg"]}"#),
        ]
      }
      func texts(_ answers: [Answer]) -> [String] { answers.map { "\($0.status) \($0.body)" } }
      for file in ["2.png", "2.jpg"] {
        _ = try photo(server, "POST", "avatars/bob/\(file)", as: "bob", key: file)
      }
      let uploads = try upload(server)
      #expect(uploads.map(\.status) == [200, 403, 200, 400], "\(texts(uploads))")
      let other = try photo(
        server, "POST", "avatars/bob/\(name)", as: "bob", key: "u1", image: Data([1, 2]))
      #expect(other.status == 422 && other.body.contains("idempotencyKeyReused"), "\(other.body)")
      let removals = try remove(server)
      #expect(removals.map(\.status) == [200, 404, 200], "\(texts(removals))")
      func again(_ server: ServerProcess) throws {
        // A retry of the upload stores no photo, and a retry of the removal deletes no later one.
        #expect(texts(try upload(server)) == texts(uploads))
        let gone = try server.send("GET", "/storage/v1/object/avatars/bob/\(name)", as: "bob")
        #expect(gone.status == 404)
        #expect(texts(try remove(server)) == texts(removals))
      }
      try again(server)
      server.end(SIGKILL)
      let next = try ServerProcess(["--supabase"], in: server.folder)
      defer { next.end(SIGKILL) }
      try again(next)
      let anew = try photo(next, "POST", "avatars/bob/\(name)", as: "bob", key: "new")
      #expect(anew.status == 200)
      #expect(texts(try remove(next)) == texts(removals))
      let kept = try next.send("GET", "/storage/v1/object/avatars/bob/\(name)", as: "bob")
      #expect(kept.status == 200)
      #expect(next.lines.count == 4)
    }

    /// Calls `body` with each number on a thread of its own, all at once.
    private func atOnce(
      _ count: Int, _ body: @escaping @Sendable (Int) throws -> Answer
    ) async throws -> [Answer] {
      try await withThrowingTaskGroup(of: Answer.self) { group in
        for number in 0..<count {
          group.addTask {
            try await withCheckedThrowingContinuation { continuation in
              Thread.detachNewThread {
                continuation.resume(with: Result { try body(number) })
              }
            }
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }

    @Test("Changes of different columns of one row at once are all kept")
    func oneRow() async throws {
      let server = try start()
      defer { server.remove() }
      let made = try server.send(
        "POST", "/rest/v1/workout_details", as: "ann", body: #"{"workout_id":"w","intervals":[]}"#)
      #expect(made.status == 201, "\(made.body)")
      for round in 1...20 {
        let changes = [#"{"ocr_confidence":0.\#(round)5}"#, #"{"was_manually_edited":true}"#]
        let back = try server.send(
          "PATCH", "/rest/v1/workout_details?workout_id=eq.w", as: "ann",
          body: #"{"was_manually_edited":false}"#)
        #expect(back.status == 204)
        let answers = try await atOnce(8) { number in
          try server.send(
            "PATCH", "/rest/v1/workout_details?workout_id=eq.w", as: "ann",
            body: changes[number % 2])
        }
        #expect(answers.allSatisfy { $0.status == 204 })
        let row = try server.send("GET", "/rest/v1/workout_details?workout_id=eq.w", as: "ann").body
        #expect(
          row.contains(#""was_manually_edited":true"#)
            && row.contains(#""ocr_confidence":0.\#(round)5"#), "\(row)")
      }
    }

    @Test("Of many first upserts of one row at once, one inserts it, and the others change it")
    func firstUpserts() async throws {
      let server = try start()
      defer { server.remove() }
      for round in 1...10 {
        let user = "new\(round)"
        let bodies = [
          #"{"id":"\#(user)","handle":"\#(user)","bio":"up"}"#,
          #"{"id":"\#(user)","handle":"\#(user)","home_gym":"hall"}"#,
        ]
        let answers = try await atOnce(8) { number in
          try server.send(
            "POST", "/rest/v1/profiles", as: user,
            headers: ["Prefer: resolution=merge-duplicates"], body: bodies[number % 2])
        }
        #expect(answers.allSatisfy { $0.status == 201 }, "\(answers.map(\.body))")
        let row = try server.send("GET", "/rest/v1/profiles?id=eq.\(user)", as: user).body
        #expect(row.contains(#""bio":"up""#) && row.contains(#""home_gym":"hall""#), "\(row)")
        // One writer wins the row; the other seven say that it exists.
        let plain = try await atOnce(8) { _ in
          try server.send(
            "POST", "/rest/v1/follows", as: user, headers: ["Prefer: return=representation"],
            body: #"{"followee_id":"ann"}"#)
        }
        #expect(plain.map(\.status).sorted() == [201] + Array(repeating: 409, count: 7))
        let ignoring = try await atOnce(8) { _ in
          try server.send(
            "POST", "/rest/v1/chups", as: user,
            headers: ["Prefer: resolution=ignore-duplicates"], body: #"{"workout_id":"w"}"#)
        }
        #expect(ignoring.allSatisfy { $0.status == 201 }, "\(ignoring.map(\.body))")
      }
      let count = try server.send("GET", "/rest/v1/workouts?id=eq.w", as: "ann").body
      #expect(count.contains(#""chup_count":10"#), "\(count)")
    }
  }
#endif
