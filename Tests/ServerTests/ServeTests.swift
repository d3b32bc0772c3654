#if Server
  import Foundation
  import Testing

  /// The server as its clients see it.
  @Suite struct ServeTests {
    static let demo = Self.repository.appending(path: "eventlogs/demo").path
    static let repository = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()

    static func start(_ options: [String] = []) throws -> ServerProcess {
      let server = try ServerProcess(options)
      for user in ["ann", "bob"] {
        let made = try server.post(
          "CreateProfile", as: user, #"{"user":"\#(user)","handle":"\#(user)_x"}"#)
        #expect(made.status == 200, "\(made.body)")
      }
      return server
    }

    @Test("A command is durable when it is answered, and a query sees it")
    func command() throws {
      let server = try Self.start()
      defer { server.remove() }
      let followed = try server.post("FollowUser", as: "ann", #"{"followee":"bob"}"#)
      #expect(followed.body == #"{"result":true,"seq":[3],"position":3}"#)
      #expect(server.lines.last?.contains(#""type":"UserFollowed""#) == true)
      let asked = try server.send("GET", "/v1/do/GetFollowCounts?user=bob", as: "ann")
      #expect(asked.body == #"{"result":{"followers":1,"following":0},"seq":[],"position":3}"#)
      #expect(asked["Cache-Control"] == "private, no-cache")
      #expect(asked["Vary"] == "Authorization")
      let posted = try server.post("GetFollowCounts", as: "ann", #"{"user":"bob"}"#)
      #expect(posted.body == asked.body)
    }

    @Test(
      "Each refusal has a fitting status",
      arguments: [
        ("POST", "/v1/do/FollowUser", #"{"followee":"ann"}"#, 422, "cannotFollowSelf"),
        ("POST", "/v1/do/FollowUser", #"{"followee":"zed"}"#, 404, "profileNotFound"),
        ("POST", "/v1/do/FollowUser", #"{"followee":7}"#, 400, "invalidInput"),
        ("POST", "/v1/do/FollowUser", #"{"followee":"bob","x":1}"#, 400, "invalidInput"),
        ("POST", "/v1/do/FollowUser", #"{"followee":"#, 400, "invalidInput"),
        ("POST", "/v1/do/FollowUser", "[]", 400, "invalidInput"),
        (
          "POST", "/v1/do/CreateProfile", #"{"user":"ann","handle":"other"}"#, 409, "profileExists"
        ),
        ("POST", "/v1/do/UpdateProfile", #"{"handle":"BOB_x"}"#, 409, "handleAlreadyTaken"),
        ("POST", "/v1/do/UpdateProfile", #"{"user":"bob","bio":"x"}"#, 403, "notAuthorized"),
        ("POST", "/v1/do/GetReports", "{}", 403, "notAuthorized"),
        ("POST", "/v1/do/ToggleChup", #"{"workout":"none"}"#, 404, "workoutNotFound"),
        ("POST", "/v1/do/Nothing", "{}", 404, "notFound"),
        ("GET", "/v1/do/FollowUser?followee=bob", nil, 405, "methodNotAllowed"),
        ("PUT", "/v1/do/GetProfile", "{}", 405, "methodNotAllowed"),
        ("GET", "/v1/do/GetProfile?nobody=x", nil, 400, "invalidInput"),
        ("GET", "/v1/do/GetProfile?user=a&user=b", nil, 400, "invalidInput"),
        ("GET", "/v1/do/GetFollowers?limit=many", nil, 400, "invalidInput"),
        ("GET", "/v1/updates/FollowUser", nil, 404, "notFound"),
        ("GET", "/nothing", nil, 404, "notFound"),
        ("GET", "/v1/log", nil, 403, "notAuthorized"),
        ("GET", "/v1/do/GetProfile?as-of=1", nil, 403, "notAuthorized"),
      ])
    func statuses(
      method: String, target: String, body: String?, status: Int, error: String
    ) throws {
      let server = try Self.start()
      defer { server.remove() }
      let answer = try server.send(method, target, as: "ann", body: body)
      #expect(answer.status == status, "\(answer.body)")
      #expect(answer.error == error, "\(answer.body)")
      if status == 405 { #expect(answer["Allow"] != nil) }
    }

    @Test("A service reads past revisions and the lines of the log")
    func past() throws {
      let server = try ServerProcess(log: Self.demo)
      defer { server.remove() }
      let service = "service:audit"
      let now = try server.send("GET", "/v1/do/GetFollowCounts?user=lena", as: service)
      let then = try server.send("GET", "/v1/do/GetFollowCounts?user=lena&as-of=130", as: service)
      #expect(now.body.contains(#""followers":10"#))
      #expect(then.status == 200 && then.body.hasSuffix(#""position":130}"#), "\(then.body)")
      #expect(!then.body.contains(#""followers":10"#))
      let beyond = try server.send("GET", "/v1/do/ListSports?as-of=9999", as: service)
      #expect(beyond.status == 404 && beyond.error == "noSuchRevision")
      let lines = try server.send("GET", "/v1/log?after=298&limit=5", as: service)
      #expect(lines.body.split(separator: "\n").map(String.init) == Array(server.lines.suffix(2)))
    }

    @Test("Each command is counted and logged once, even if its client has disconnected")
    func gone() throws {
      let server = try Self.start(["--log-requests", "--requests-per-second", "0"])
      defer { server.remove() }
      let (body, all) = (#"{"followee":"bob"}"#, 200)
      for _ in 0..<all {
        let connection = try Connection(server.port)
        connection.send(
          """
          POST /v1/do/ToggleFollow HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(Token.of("ann"))\r
          Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)
          """)
        // Closed at once, so that nobody receives the answer.
      }
      var (metrics, appended, logged) = ("", 0, 0)
      // Long enough for a sync on a busy disk.
      let end = Date(timeIntervalSinceNow: 120)
      repeat {
        usleep(20_000)
        metrics = try server.send("GET", "/metrics").body
        logged = server.said.components(separatedBy: "/v1/do/ToggleFollow").count - 1
        appended = server.lines.count - 2
      } while Date() < end
        && !(logged == appended && metrics.contains("ToggleFollow\",status=\"200\"} \(appended)\n"))
      #expect(appended > 0 && appended <= all)
      #expect(metrics.contains("ToggleFollow\",status=\"200\"} \(appended)\n"), "\(metrics)")
      #expect(logged == appended)
    }

    @Test("The description names every use case; description, health and metrics need no token")
    func open() throws {
      let server = try Self.start(["--log-requests"])
      defer { server.remove() }
      let description = try server.send("GET", "/v1/openapi.json")
      let document = try #require(
        try JSONSerialization.jsonObject(with: Data(description.body.utf8)) as? [String: Any])
      #expect(document["openapi"] as? String == "3.1.0")
      #expect((document["paths"] as? [String: Any])?["/v1/do/FollowUser"] != nil)
      #expect(try server.send("GET", "/healthz").status == 200)
      #expect(
        try server.send("GET", "/readyz").body
          == #"{"ready":true,"position":2,"role":"writer"}"#)
      _ = try server.post("UpdateProfile", as: "ann", #"{"bio":"secret bio"}"#)
      _ = try server.send("GET", "/v1/do/SearchProfiles?query=secretive", as: "ann")
      _ = try server.post("FollowUser", as: "ann", #"{"followee":"ann"}"#)
      let metrics = try server.send("GET", "/metrics").body
      for name in [
        "requests_total", "refusals_total", "commands_total", "queue", "group_commands_bucket",
        "append_seconds_bucket", "position", "checkpoint_age_events", "connections", "streams",
      ] {
        #expect(metrics.contains("\neventlog_\(name)"), "\(name)")
      }
      #expect(metrics.contains("\neventlog_position 3\n"))
      // Operators see no data of users.
      #expect(!metrics.contains("secret") && !server.said.contains("secret"))
      #expect(
        !metrics.contains("\"ann") && server.said.contains(#""path":"/v1/do/SearchProfiles""#))
    }

    @Test("Lines are performed like run; a user sends only their own, a service everybody's")
    func run() throws {
      let server = try Self.start()
      defer { server.remove() }
      let lines = [
        #"{"do":"FollowUser","with":{"followee":"bob"}}"#, "",
        #"{"do":"FollowUser","as":"bob","with":{"followee":"ann"}}"#, "nonsense",
        #"{"do":"FollowUser","with":{"followee":"bob"},"time":"2030-01-01T00:00:00Z"}"#,
        #"{"do":"IsFollowing","with":{"followee":"bob"}}"#,
      ].joined(separator: "\n")
      let own = try server.send(
        "POST", "/v1/run", as: "ann", body: lines, type: "application/x-ndjson")
      let answers = own.body.split(separator: "\n")
      #expect(answers.count == 5)
      #expect(answers.first == #"{"ok":true,"result":true,"seq":[3]}"#)
      #expect(answers[1].contains("notAuthorized") && answers[3].contains("notAuthorized"))
      #expect(answers[2].contains("invalidInput"))
      #expect(answers[4] == #"{"ok":true,"result":true,"seq":[]}"#)
      let many = (0..<1_000).map { _ in
        #"{"do":"ToggleFollow","as":"bob","with":{"followee":"ann"}}"#
      }
      let service = try server.send(
        "POST", "/v1/run", as: "service:import", body: many.joined(separator: "\n"),
        type: "application/x-ndjson")
      #expect(service.body.split(separator: "\n").count == 1_000)
      #expect(server.lines.count == 1_003)
    }

    @Test("SIGTERM answers open requests, writes a checkpoint, and ends with status 0")
    func end() throws {
      let server = try Self.start()
      defer { server.remove() }
      let stream = try Connection(server.port)
      stream.send(
        "GET /v1/updates/GetFollowCounts?user=bob HTTP/1.1\r\nHost: x\r\n"
          + "Authorization: Bearer \(Token.of("ann"))\r\n\r\n")
      _ = stream.read(until: "position")
      #expect(server.end() == 0)
      #expect(String(decoding: stream.readToEnd(), as: UTF8.self).hasSuffix("0\r\n\r\n"))
      let left = try FileManager.default.contentsOfDirectory(atPath: server.log + "/checkpoints")
      #expect(left.contains { $0.hasPrefix("core-") })
      #expect(server.said.contains("stopping"))
    }

    @Test("SIGTERM ends runs and streams without an error, and names a request that is too slow")
    func endUnderLoad() throws {
      let server = try Self.start()
      defer { server.remove() }
      let lines = String(
        repeating: #"{"do":"ToggleFollow","with":{"followee":"bob"}}"# + "\n", count: 20_000)
      let run = try Connection(server.port)
      run.send(
        "POST /v1/run HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: "
          + "\(lines.utf8.count)\r\nAuthorization: Bearer \(Token.of("ann"))\r\n\r\n\(lines)")
      _ = run.read(until: "\"ok\":true")
      #expect(server.end() == 0, "\(server.said)")
      let answers = Answer(Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + run.readToEnd()).body
      #expect(answers.components(separatedBy: "\"ok\"").count < 20_000)
      #expect(try ServerProcess.eventlog(["verify", "--log", server.log]) == 0)
      // One request whose body never comes.
      let slow = try ServerProcess(["--stop-timeout", "1"], in: server.folder)
      let waiting = try Connection(slow.port)
      waiting.send(
        "POST /v1/do/FollowUser HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n"
          + "Authorization: Bearer \(Token.of("ann"))\r\n\r\n{")
      usleep(200_000)
      #expect(slow.end() == 0, "\(slow.said)")
      #expect(slow.said.contains("1 request not answered in time"))
    }

    @Test("Event streams send the answer and each change, but not an answer that the client has")
    func updates() throws {
      let server = try Self.start()
      defer { server.remove() }
      func open(_ headers: String = "") throws -> Connection {
        let stream = try Connection(server.port)
        stream.send(
          "GET /v1/updates/GetFollowCounts?user=bob HTTP/1.1\r\nHost: x\r\n"
            + "Authorization: Bearer \(Token.of("ann"))\r\n\(headers)\r\n")
        return stream
      }
      let stream = try open()
      let head = stream.read(until: "\"position\":2")
      #expect(head.contains("text/event-stream") && head.contains(#""followers":0"#))
      _ = try server.post("FollowUser", as: "ann", #"{"followee":"bob"}"#)
      let event = stream.read(until: "\"position\":3")
      #expect(event.contains(#""followers":1"#))
      let id = try #require(event.firstMatch(of: #/id: (\S+)/#)).output.1
      // An event without an effect on the answer is not sent; a resumed stream sends only new
      // answers.
      _ = try server.post("UpdateProfile", as: "bob", #"{"bio":"x"}"#)
      let again = try open("Last-Event-ID: \(id)\r\n")
      _ = again.read(until: "retry")
      _ = try server.post("UnfollowUser", as: "ann", #"{"followee":"bob"}"#)
      let next = again.read(until: "\"position\":5")
      #expect(next.contains(#""followers":0"#) && !next.contains(#""followers":1"#))
      // A query that fails ends the stream.
      _ = try server.post("DeleteAccount", as: "bob")
      let gone = try Connection(server.port)
      gone.send(
        "GET /v1/updates/GetProfile?user=bob HTTP/1.1\r\nHost: x\r\n"
          + "Authorization: Bearer \(Token.of("ann"))\r\n\r\n")
      #expect(gone.read(until: "\r\n0\r\n").contains(#"event: error"#))
    }
  }
#endif
