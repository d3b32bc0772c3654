#if Server
  import Foundation
  import Testing

  /// Malicious requests: the server refuses them and keeps running.
  @Suite struct AttackTests {
    private func isWell(_ server: ServerProcess) throws -> Bool {
      try server.send("GET", "/v1/do/ListSports", as: "ann").status == 200
    }

    @Test("Malformed and contradictory requests are refused")
    func malformed() throws {
      let server = try ServeTests.start()
      defer { server.remove() }
      let bearer = "Authorization: Bearer \(Token.of("ann"))\r\n"
      let post = "POST /v1/do/FollowUser HTTP/1.1\r\nHost: x\r\n"
      let input = #"{"followee":"bob"}"#
      let requests: [(String, String)] = [
        ("two tokens", "GET /v1/do/ListSports HTTP/1.1\r\nHost: x\r\n\(bearer)\(bearer)\r\n"),
        (
          "chunked and length",
          post + bearer + "Content-Length: 18\r\nTransfer-Encoding: chunked\r\n\r\n12\r\n\(input)"
            + "\r\n0\r\n\r\n"
        ),
        (
          "two lengths",
          post + bearer + "Content-Length: 18\r\nContent-Length: 1\r\n\r\n\(input)"
        ),
        ("a length that is none", post + bearer + "Content-Length: 1x\r\n\r\n\(input)"),
        ("a negative length", post + bearer + "Content-Length: -1\r\n\r\n\(input)"),
        ("a huge length", post + bearer + "Content-Length: 99999999999999999999\r\n\r\n"),
        ("a chunk of no size", post + bearer + "Transfer-Encoding: chunked\r\n\r\nzz\r\n"),
        ("a length with a space", post + bearer + "Content-Length : 18\r\n\r\n\(input)"),
        (
          "another coding",
          post + bearer + "Transfer-Encoding: gzip, chunked\r\n\r\n12\r\n\(input)\r\n0\r\n\r\n"
        ),
        ("a NUL in the address", "GET /healthz\u{0}/../x HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("no protocol", "GET /\r\n\r\n"), ("no request", "\u{0}\u{1}\u{2}\r\n\r\n"),
        ("no host", "GET /v1/do/ListSports HTTP/1.1\r\n\(bearer)\r\n"),
        (
          "too many headers",
          "GET /healthz HTTP/1.1\r\nHost: x\r\n" + String(repeating: "X-A: b\r\n", count: 9_000)
            + "\r\n"
        ),
        (
          "a long header",
          "GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: " + String(repeating: "b", count: 100_000)
            + "\r\n\r\n"
        ),
        ("a long address", "GET /" + String(repeating: "a", count: 100_000) + " HTTP/1.1\r\n\r\n"),
      ]
      for (what, request) in requests {
        let connection = try Connection(server.port)
        connection.send(request.replacing("Host: x\r\n", with: "Host: x\r\nConnection: close\r\n"))
        let answer = Answer(connection.readToEnd())
        // No answer is also right: the connection is closed.
        #expect(answer.status == 0 || answer.status >= 400, "\(what): \(answer.head)")
        #expect(try isWell(server), "\(what)")
      }
      #expect(server.lines.count == 2)
    }

    @Test("No path reaches a file or route other than its own")
    func paths() throws {
      let server = try ServeTests.start()
      defer { server.remove() }
      let photos = "/storage/v1/object/public/avatars"
      for path in [
        "\(photos)/ann/../../../../secret", "\(photos)/ann/%2e%2e/%2e%2e/secret",
        "\(photos)/../../../../../../etc/passwd", "\(photos)/ann/..%2f..%2fsecret",
        "\(photos)/ann/a%00.jpg", "\(photos)/%00/a.jpg", "\(photos)//ann/a.jpg", "\(photos)/ann/",
        "\(photos)/./ann/a.jpg", "\(photos)/ann/.hidden", "\(photos)/ann/%", "\(photos)/ann/%zz",
        "\(photos)/ann/%ff", "/v1/do/GetProfile%00", "/v1/do/GetProfile/", "/v1//do/GetProfile",
        "http://elsewhere/v1/do/GetProfile", "*", "/v1/do/..", "/v1/do/GetProfile?user=%ff",
        "/v1/do/GetProfile?user=%", "\\..\\secret",
      ] {
        let answer = try server.send("GET", path, as: "ann")
        #expect([0, 400, 404].contains(answer.status), "\(path): \(answer.head)")
        #expect(!answer.body.contains("root:") && !answer.body.contains(ServerProcess.secret))
      }
      let put = try server.send(
        "POST", "/storage/v1/object/avatars/bob/1_aaaaaaaa.jpg", as: "ann", body: "x",
        type: "image/jpeg")
      #expect(put.status == 403 && put.error == "Unauthorized")
      #expect(try isWell(server))
    }

    @Test("A body of ten gigabytes is refused by its head, and a stream of that size is cut off")
    func bodies() throws {
      let server = try ServeTests.start()
      defer { server.remove() }
      let announced = try server.send(
        "POST", "/v1/do/FollowUser", as: "ann", headers: ["Content-Length: 10737418240"])
      #expect(announced.status == 413)
      let connection = try Connection(server.port)
      connection.send(
        "POST /v1/do/FollowUser HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(Token.of("ann"))\r\n"
          + "Transfer-Encoding: chunked\r\n\r\n")
      let chunk = Array("100000\r\n".utf8) + [UInt8](repeating: 0x20, count: 1 << 20) + [13, 10]
      var sent = 0
      while sent < 10_240, connection.send(chunk) { sent += 1 }
      #expect(sent < 64, "\(sent) MiB were taken")
      for (encoding, body) in [("gzip", "\u{1f}\u{8b}"), ("br", "x"), ("deflate", "x")] {
        let answer = try server.send(
          "POST", "/v1/do/FollowUser", as: "ann", headers: ["Content-Encoding: \(encoding)"],
          body: body)
        #expect(answer.status == 415, "\(encoding)")
      }
      let deep = try server.post("FollowUser", as: "ann", String(repeating: "[", count: 100_000))
      #expect(deep.status == 400)
      #expect(try isWell(server))
    }

    @Test("A photo that is HTML is refused, and only images are served")
    func photos() throws {
      let server = try ServeTests.start()
      defer { server.remove() }
      let html = "<html><script>alert(1)</script></html>"
      let put = try server.send("PUT", "/v1/photo", as: "ann", body: html, type: "image/jpeg")
      #expect(put.status == 422 && put.error == "invalidImage")
      let stored = try server.send(
        "POST", "/storage/v1/object/avatars/ann/1_aaaaaaaa.jpg", as: "ann", body: html,
        type: "image/jpeg")
      #expect(stored.status == 415 && stored.error == "invalid_mime_type")
      // HTML that got into the folder in another way is not served either.
      let folder = server.log + "/photos/avatars/ann"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data(html.utf8).write(to: URL(filePath: folder + "/evil.jpg"))
      #expect(
        try server.send("GET", "/storage/v1/object/public/avatars/ann/evil.jpg").status == 404)
    }

    @Test("A thousand idle connections do not block other callers, and are closed in the end")
    func idle() throws {
      let server = try ServeTests.start(["--idle-timeout", "2", "--connections", "3000"])
      defer { server.remove() }
      var idle: [Connection] = []
      for number in 0..<1_000 {
        idle.append(try Connection(server.port))
        if number % 2 == 0 { idle[number].send("POST /v1/do/FollowUser HTTP/1.1\r\nHos") }
      }
      #expect(try isWell(server))
      for connection in idle { #expect(Answer(connection.readToEnd()).status != 200) }
      #expect(try isWell(server))
      let bounded = try ServeTests.start(["--connections-per-address", "5"])
      defer { bounded.remove() }
      var held: [Connection] = []
      // The earlier connections count until the server has noticed that they were closed.
      for _ in 0..<500 where held.count < 5 {
        let connection = try Connection(bounded.port)
        connection.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        if connection.read(until: "ok").contains("200") {
          held.append(connection)
        } else {
          usleep(10_000)
        }
      }
      #expect(held.count == 5)
      let sixth = try Connection(bounded.port)
      sixth.send("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
      #expect(sixth.readToEnd().isEmpty)
      withExtendedLifetime(held) {}
    }

    @Test("One user's large bodies share a memory limit")
    func room() throws {
      let server = try ServeTests.start()
      defer { server.remove() }
      let head =
        "POST /v1/run HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 16000000\r\n"
        + "Authorization: Bearer \(Token.of("ann"))\r\n\r\n"
      let held = try (0..<2).map { _ in
        let connection = try Connection(server.port)
        connection.send(head + "{}")
        return connection
      }
      usleep(300_000)
      let third = try Connection(server.port)
      // The server reads the refused body to its end, so that a proxy that is sending it gets the
      // answer.
      third.send(head + String(repeating: " ", count: 16_000_000))
      #expect(Answer(third.readToEnd()).status == 429)
      withExtendedLifetime(held) {}
      #expect(try isWell(server))
    }

    @Test("One user's flood is refused with 429, and other users are served")
    func rates() throws {
      let server = try ServeTests.start(["--requests-per-second", "5"])
      defer { server.remove() }
      let statuses = try (0..<40).map { _ in
        try server.send("GET", "/v1/do/ListSports", as: "ann")
      }
      #expect(statuses.contains { $0.status == 429 && $0["Retry-After"] == "1" })
      #expect(try server.send("GET", "/v1/do/ListSports", as: "bob").status == 200)
      #expect(try server.send("GET", "/healthz").status == 200)
    }

    @Test("A full disk refuses commands with 503, loses nothing, and queries still work")
    func fullDisk() throws {
      let server = try ServeTests.start()
      defer { server.remove() }
      server.end()
      let size = try Data(contentsOf: URL(filePath: server.log + "/0000000000000001.jsonl")).count
      // The shell's limit of file sizes stands for a full disk; checkpoints are smaller than that.
      let limited = try LimitedServer(server, bytes: size + 400)
      defer { limited.end() }
      let first = try limited.server.post("FollowUser", as: "ann", #"{"followee":"bob"}"#)
      let second = try limited.server.post("UnfollowUser", as: "ann", #"{"followee":"bob"}"#)
      #expect(first.status == 200, "\(first.body)")
      #expect(second.status == 503 && second["Retry-After"] == "1", "\(second.body)")
      #expect(!second.body.contains("/"), "\(second.body)")
      #expect(
        try limited.server.send("GET", "/v1/do/IsFollowing?followee=bob", as: "ann").body
          .hasPrefix(#"{"result":true"#))
      #expect(try limited.server.send("GET", "/readyz").status == 503)
      #expect(limited.server.lines.count == 3)
    }
  }

  /// A server whose files may not grow beyond a size.
  private struct LimitedServer {
    let server: ServerProcess

    init(_ ended: ServerProcess, bytes: Int) throws {
      server = try ServerProcess([], in: ended.folder)
      let limit = Process()
      limit.executableURL = URL(filePath: "/usr/bin/prlimit")
      limit.arguments = ["--pid", "\(server.process.processIdentifier)", "--fsize=\(bytes)"]
      try limit.run()
      limit.waitUntilExit()
    }

    func end() { server.end(SIGKILL) }
  }
#endif
