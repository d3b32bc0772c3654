#if Server
  import Foundation
  import Testing

  /// Messages with codes, through a program that appends them to a file.
  @Suite struct AccountMailTests {
    /// Starts a server whose messages are in the file `mailbox` of its folder.
    private static func start(_ options: [String] = []) throws -> ServerProcess {
      let folder = FileManager.default.temporaryDirectory.appending(
        path: "eventlog-mail-\(UUID().uuidString)", directoryHint: .isDirectory)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(ServerProcess.secret.utf8).write(to: folder.appending(path: "secret"))
      try ServerProcess.eventlog(["init", folder.appending(path: "a.log").path])
      let program = folder.appending(path: "mail")
      try Data("#!/bin/sh\ncat >> '\(folder.path)/mailbox'\n".utf8).write(to: program)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
      return try AccountTests.start(
        ["--mail-command", program.path, "--public-url", "https://api.example.org"] + options,
        in: folder)
    }

    /// Waits for a message to an address, and returns its last code or link token.
    private static func find(
      _ pattern: Regex<(Substring, Substring)>, to email: String, _ server: ServerProcess
    ) throws -> String {
      let mailbox = server.folder.appending(path: "mailbox")
      for _ in 0..<500 {
        let text = (try? String(contentsOf: mailbox, encoding: .utf8)) ?? ""
        let own = text.components(separatedBy: "To: ").last { $0.hasPrefix(email + "\n") }
        if let found = own?.firstMatch(of: pattern) { return String(found.output.1) }
        usleep(20_000)
      }
      throw CocoaError(.fileReadUnknown)
    }

    @Test("A sign-up is confirmed by its code, and answers alike for a known address")
    func signUp() throws {
      let server = try Self.start()
      defer { server.remove() }
      let fields = ["email": "ann@example.org", "password": "correct horse"]
      let first = try AccountTests.post(server, "signup", fields)
      #expect(first.status == 200 && !first.body.contains("access_token"), "\(first.body)")
      let early = try AccountTests.post(server, "token?grant_type=password", fields)
      #expect(AccountTests.code(early) == "email_not_confirmed")
      let code = try Self.find(#/code: (\d{6})/#, to: "ann@example.org", server)
      let wrong = try AccountTests.post(
        server, "verify", ["type": "signup", "email": "ann@example.org", "token": "x"])
      #expect(wrong.status == 403 && AccountTests.code(wrong) == "otp_expired")
      let verified = try AccountTests.post(
        server, "verify", ["type": "signup", "email": "ann@example.org", "token": code])
      #expect(try AccountTests.session(verified).user.email == "ann@example.org")
      // The answers differ only in values that are random, or are those of the request.
      func shape(_ answer: Answer) -> String {
        answer.body.replacing(#/"[^"]*"(?=[,}\]])/#, with: "text")
      }
      let known = try AccountTests.post(server, "signup", fields)
      let unknown = try AccountTests.post(
        server, "signup", ["email": "ben@example.org", "password": "correct horse"])
      #expect(known.status == 200 && shape(known) == shape(unknown), "\(known.body)")
      for path in ["otp", "recover"] {
        for email in ["ann@example.org", "nobody@example.org"] {
          let answer = try AccountTests.post(server, path, ["email": email])
          #expect(answer.status == 200 && answer.body == "{}", "\(path) \(email): \(answer.body)")
        }
      }
    }

    @Test("A link confirms an address once; with a redirect it leads only to the app")
    func links() throws {
      let server = try Self.start()
      defer { server.remove() }
      _ = try AccountTests.post(
        server, "signup", ["email": "ann@example.org", "password": "correct horse"])
      let link = try Self.find(
        #/(https:\/\/api.example.org\/auth\/v1\/verify\?\S+)/#, to: "ann@example.org", server)
      let path = link.replacing("https://api.example.org", with: "")
      #expect(try server.send("HEAD", path).status == 405)
      #expect(try server.send("GET", path).status == 200)
      #expect(try server.send("GET", path).status == 403)
      let signedIn = try AccountTests.post(
        server, "token?grant_type=password",
        ["email": "ann@example.org", "password": "correct horse"])
      #expect(signedIn.status == 200)
      _ = try AccountTests.post(server, "recover", ["email": "ann@example.org"])
      let recovery = try Self.find(
        #/(\/auth\/v1\/verify\?token=\S+&type=recovery)/#, to: "ann@example.org", server)
      // Without a redirect, only the app can use it, with the code.
      #expect(try server.send("GET", recovery).status == 400)
      #expect(server.end() == 0)
      let next = try AccountTests.start(
        ["--redirect-url", "https://app.example.org/in"], in: server.folder)
      defer { next.remove() }
      let evil = "&redirect_to=https://app.example.org.evil.org/"
      for outside in ["/../evil", "/%2e%2E/evil", "/a/..", "/..%5cevil", "/./x"] {
        let used = try next.send(
          "GET",
          "/auth/v1/verify?type=recovery&token=x&redirect_to=https://app.example.org/in" + outside)
        #expect(used["Location"]?.hasPrefix("https://app.example.org/in#") == true, "\(outside)")
      }
      let moved = try next.send("GET", recovery + evil)
      #expect(moved.status == 303)
      #expect(moved["Location"]?.hasPrefix("https://app.example.org/in#access_token=") == true)
      let used = try next.send("GET", recovery + "&redirect_to=https://app.example.org/in/x")
      #expect(
        used["Location"]?.hasPrefix("https://app.example.org/in/x#error=access_denied") == true)
    }
  }
#endif
