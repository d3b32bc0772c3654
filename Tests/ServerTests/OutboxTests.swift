#if Server
  import Foundation
  import Testing

  /// `POST /v1/outbox`: the commands that a phone kept.
  @Suite struct OutboxTests {
    private static let toggle = #"{"key":"k","do":"ToggleFollow","with":{"followee":"bob"}}"#

    private func send(
      _ lines: [String], to server: ServerProcess, as user: String? = "ann", query: String = ""
    ) throws -> Answer {
      try server.send(
        "POST", "/v1/outbox" + query, as: user, body: lines.joined(separator: "\n"),
        type: "application/x-ndjson")
    }

    private func answers(
      to lines: [String], _ server: ServerProcess, as user: String = "ann"
    ) throws -> [String] {
      let answer = try send(lines, to: server, as: user)
      #expect(answer.status == 200, "\(answer.body)")
      #expect(answer["Content-Type"] == "application/x-ndjson")
      #expect(answer["Cache-Control"] == "no-store")
      return answer.body.split(separator: "\n").map(String.init)
    }

    @Test("A command is performed once though it is sent again, also after a kill")
    func once() throws {
      let server = try ServeTests.start()
      defer { server.remove() }
      let lines = [
        Self.toggle, "", #"{"key":"b","do":"UpdateProfile","with":{"bio":"one"}}"# + "\r",
      ]
      let first = try answers(to: lines, server)
      try #require(first.count == 2)
      #expect(
        first[0].hasPrefix(#"{"key":"k","ok":true,"result":true,"position":3,"events":""#),
        "\(first[0])")
      #expect(first[1].hasPrefix(#"{"key":"b","ok":true,"result":"#), "\(first[1])")
      func events(_ answer: String) -> Substring? {
        answer.firstMatch(of: #/"events":"[0-9a-f]{16}"/#)?.output
      }
      func sendAgain(_ server: ServerProcess) throws {
        let again = try answers(to: lines, server)
        try #require(again.count == 2)
        #expect(again[0].hasPrefix(#"{"key":"k","ok":true,"isRepeat":true,"position":3,"#))
        #expect(again[1].hasPrefix(#"{"key":"b","ok":true,"isRepeat":true,"position":4,"#))
        for (now, then) in zip(again, first) {
          #expect(events(now) != nil && events(now) == events(then), "\(now)")
        }
        #expect(server.lines.count == 4)
      }
      try sendAgain(server)
      server.end(SIGKILL)
      let next = try ServerProcess(in: server.folder)
      defer { next.end(SIGKILL) }
      try sendAgain(next)
      // Another user's key is another key.
      let bobs = try answers(
        to: [#"{"key":"k","do":"ToggleFollow","with":{"followee":"ann"}}"#], next, as: "bob")
      #expect(bobs.first?.contains(#""result":true"#) == true && next.lines.count == 5)
    }

    @Test("Commands are performed in order, and a refused one does not stop those after it")
    func order() throws {
      let server = try ServeTests.start()
      defer { server.remove() }
      let answers = try answers(
        to: [
          #"{"key":"a","do":"UpdateProfile","with":{"bio":"one"}}"#,
          #"{"key":"b","do":"FollowUser","with":{"followee":"ann"}}"#,
          #"{"with":{"bio":"two"},"do":"UpdateProfile","key":"c"}"#,
          #"{"key":"d","do":"FollowUser","with":{"followee":1}}"#,
          #"{"key":"e","do":"FollowUser","with":{"followee":"bob"}}"#,
        ], server)
      try #require(answers.count == 5)
      for (key, answer) in zip(["a", "b", "c", "d", "e"], answers) {
        let isOK = key != "b" && key != "d"
        #expect(answer.hasPrefix(#"{"key":"\#(key)","ok":\#(isOK),"#), "\(answer)")
      }
      #expect(answers[1].contains(#""error":"cannotFollowSelf""#))
      #expect(answers[1].contains(#""explanation":{"accepted":false"#))
      #expect(answers[3].contains(#""error":"invalidInput""#))
      #expect(answers[4].contains(#""position":5"#))
      let profile = try server.post("GetProfile", as: "ann", #"{"user":"ann"}"#)
      #expect(profile.body.contains(#""bio":"two""#), "\(profile.body)")
      #expect(server.lines.count == 5)
    }

    @Test("Unknown use cases, queries and photos are refused by name")
    func unknown() throws {
      let server = try ServeTests.start()
      defer { server.remove() }
      let names = ["FlyToTheMoon", "GetFeed", "DeleteProfilePhoto"]
      let answers = try answers(
        to: names.map { #"{"key":"\#($0)","do":"\#($0)"}"# } + [Self.toggle], server)
      try #require(answers.count == 4)
      for (name, answer) in zip(names, answers) {
        #expect(answer.contains(#""error":"invalidInput","message":"do: "#), "\(answer)")
        #expect(answer.components(separatedBy: name).count >= 3, "\(answer)")
      }
      #expect(answers[3].contains(#""ok":true"#) && server.lines.count == 3)
    }

    @Test("At most ten refusals of a request are explained")
    func explanations() throws {
      let server = try ServeTests.start()
      defer { server.remove() }
      let answers = try answers(
        to: (0..<12).map { #"{"key":"\#($0)","do":"FollowUser","with":{"followee":"ann"}}"# },
        server)
      #expect(answers.count { $0.contains("cannotFollowSelf") } == 12)
      #expect(answers.count { $0.contains(#""explanation":"#) } == 10)
    }

    @Test("A body with an invalid line is refused with the line's number, and nothing is performed")
    func invalid() throws {
      let server = try ServeTests.start()
      defer { server.remove() }
      let many = (0...500).map { #"{"key":"\#($0)","do":"ToggleFollow"}"# }
      let cases: [(lines: [String], message: String)] = [
        ([], "body: "), (["", " \t\r", ""], "body: "), (["nonsense"], "line 1: "),
        ([Self.toggle, "", "[]"], "line 3: "), ([Self.toggle, "", Self.toggle], "line 3: key: "),
        ([Self.toggle, #"{"key":"a b","do":"X"}"#], "line 2: key: "),
        ([Self.toggle, #"{"key":"é","do":"X"}"#], "line 2: key: "),
        ([Self.toggle, #"{"do":"ToggleFollow"}"#], "line 2: key: "),
        ([Self.toggle, #"{"key":"a"}"#], "line 2: do: "),
        ([Self.toggle, #"{"key":"a","do":"X","with":[]}"#], "line 2: with: "),
        ([Self.toggle, #"{"key":"a","do":"X","as":"bob"}"#], "line 2: as: "),
        (many, "line 501: "),
      ]
      for (lines, message) in cases {
        let answer = try send(lines, to: server)
        #expect(answer.status == 400 && answer.error == "invalidInput", "\(lines.prefix(3))")
        #expect(answer.body.contains(#""message":"\#(message)"#), "\(answer.body)")
      }
      #expect(try send([Self.toggle], to: server, query: "?x=1").status == 400)
      let service = try send([Self.toggle], to: server, as: "service:jobs")
      #expect(service.status == 403 && service.error == "notAuthorized")
      #expect(try send([Self.toggle], to: server, as: nil).status == 401)
      #expect(try server.send("GET", "/v1/outbox", as: "ann").status == 405)
      #expect(server.lines.count == 2)
    }

    @Test("A key that is used here and at /v1/do is performed once")
    func sharedKey() throws {
      let server = try ServeTests.start()
      defer { server.remove() }
      let input = #"{"followee":"bob"}"#
      _ = try answers(to: [Self.toggle], server)
      let again = try server.post("ToggleFollow", as: "ann", input, key: "k")
      #expect(again.body == #"{"result":true,"seq":[3],"position":3}"#)
      #expect(again["Idempotent-Replayed"] == "true")
      let first = try server.post("ToggleFollow", as: "ann", input, key: "r")
      #expect(first.body == #"{"result":false,"seq":[4],"position":4}"#)
      let repeated = try answers(
        to: [#"{"key":"r","do":"ToggleFollow","with":{ "followee":"bob" }}"#], server)
      #expect(repeated.first?.contains(#""isRepeat":true,"position":4"#) == true, "\(repeated)")
      // With another input it is refused on either address.
      let other = try answers(
        to: [#"{"key":"r","do":"ToggleFollow","with":{"followee":"ann"}}"#], server)
      #expect(other.first?.contains(#""error":"invalidInput","message":"key: "#) == true)
      let others = try server.post("UnfollowUser", as: "ann", input, key: "k")
      #expect(others.status == 422 && others.error == "idempotencyKeyReused")
      #expect(server.lines.count == 4)
    }
  }
#endif
