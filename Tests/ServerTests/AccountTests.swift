#if Server
  import FaultTesting
  import Foundation
  import Testing

  /// People who sign in at the server itself, through its addresses below `/auth/v1`.
  @Suite struct AccountTests {
    /// A session as a client keeps it.
    struct Session: Decodable {
      struct User: Decodable { var id, email, role, aud: String }
      var accessToken, refreshToken, tokenType: String
      var expiresIn, expiresAt: Int
      var user: User
    }

    static func start(_ options: [String] = [], in folder: URL? = nil) throws -> ServerProcess {
      try ServerProcess(
        [
          "--rules", "ride", "--supabase", "--accounts", "people", "--account-limits", "0",
        ] + options, in: folder)
    }

    static func post(
      _ server: ServerProcess, _ path: String, _ fields: [String: String], token: String? = nil
    ) throws -> Answer {
      let body = String(decoding: try JSONEncoder().encode(fields), as: UTF8.self)
      return try server.send(
        "POST", "/auth/v1/\(path)", headers: token.map { ["Authorization: Bearer \($0)"] } ?? [],
        body: body)
    }

    static func session(_ answer: Answer) throws -> Session {
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      return try decoder.decode(Session.self, from: Data(answer.body.utf8))
    }

    static func signUp(_ server: ServerProcess, _ email: String) throws -> Session {
      try session(post(server, "signup", ["email": email, "password": "correct horse"]))
    }

    static func code(_ answer: Answer) -> String? {
      answer.body.firstMatch(of: #/"error_code":"(\w+)"/#).map { String($0.output.1) }
    }

    static func get(_ server: ServerProcess, _ path: String, _ token: String) throws -> Answer {
      try server.send("GET", path, headers: ["Authorization: Bearer \(token)"])
    }

    @Test("A sign-up is a session whose token names the user at all addresses")
    func signUp() throws {
      let server = try Self.start()
      defer { server.remove() }
      let session = try Self.signUp(server, "Ann@Example.org")
      #expect(session.user.email == "ann@example.org" && session.tokenType == "bearer")
      #expect(session.user.role == "authenticated" && session.expiresIn == 3_600)
      let rider = try Self.get(server, "/api/v1/riders/me", session.accessToken)
      #expect(rider.body.contains(#""id":"\#(session.user.id)""#), "\(rider.body)")
      // The key in --token-key is accepted too.
      #expect(try server.send("GET", "/v1/do/ListSports", as: "bob").status == 200)
      let known = try Self.post(
        server, "signup", ["email": "ann@example.org", "password": "another horse"])
      #expect(known.status == 422 && Self.code(known) == "user_already_exists")
      let weak = try Self.post(server, "signup", ["email": "b@example.org", "password": "short"])
      #expect(weak.status == 422, "\(weak.body)")
      #expect(weak.body.hasSuffix(#","weak_password":{"reasons":["length"]}}"#), "\(weak.body)")
      let wrong = try Self.post(
        server, "token?grant_type=password", ["email": "ann@example.org", "password": "x"])
      #expect(
        wrong.body == #"{"code":400,"error_code":"invalid_credentials","#
          + #""msg":"Invalid login credentials"}"#)
    }

    @Test("Accounts and sessions survive a restart")
    func restart() throws {
      let server = try Self.start()
      defer { server.remove() }
      let session = try Self.signUp(server, "ann@example.org")
      #expect(server.end() == 0)
      let next = try Self.start(in: server.folder)
      defer { next.remove() }
      #expect(try Self.get(next, "/auth/v1/user", session.accessToken).status == 200)
      let refreshed = try Self.post(
        next, "token?grant_type=refresh_token", ["refresh_token": session.refreshToken])
      #expect(try Self.session(refreshed).user.id == session.user.id)
    }

    @Test("A client of the ride app refreshes after 401 and continues as the same rider")
    func ride() throws {
      let server = try Self.start(["--token-lifetime", "1"])
      defer { server.remove() }
      let session = try Self.signUp(server, "ann@example.org")
      sleep(2)
      let refused = try Self.get(server, "/api/v1/riders/me", session.accessToken)
      #expect(refused.status == 401 && refused.error == "tokenExpired", "\(refused.body)")
      let refreshed = try Self.session(
        Self.post(
          server, "token?grant_type=refresh_token", ["refresh_token": session.refreshToken]))
      let made = try server.send(
        "PATCH", "/api/v1/riders/me",
        headers: ["Authorization: Bearer \(refreshed.accessToken)"],
        body: #"{"displayName":"Ann"}"#)
      #expect(made.status == 200 && made.body.contains(session.user.id), "\(made.body)")
      let reused = try Self.post(
        server, "token?grant_type=refresh_token", ["refresh_token": session.refreshToken])
      #expect(Self.code(reused) == "refresh_token_already_used")
      let family = try Self.post(
        server, "token?grant_type=refresh_token", ["refresh_token": refreshed.refreshToken])
      #expect(Self.code(family) == "refresh_token_not_found", "\(family.body)")
    }

    @Test("The deletion of an account in the log removes it, its sessions and its tokens")
    func deleted() throws {
      let server = try Self.start()
      defer { server.remove() }
      let ann = try Self.signUp(server, "ann@example.org")
      let ben = try Self.signUp(server, "ben@example.org")
      for session in [ann, ben] {
        let made = try server.send(
          "PATCH", "/api/v1/riders/me",
          headers: ["Authorization: Bearer \(session.accessToken)"],
          body: #"{"displayName":"A name"}"#)
        #expect(made.status == 200, "\(made.body)")
      }
      let deleted = try server.send(
        "DELETE", "/api/v1/riders/me", headers: ["Authorization: Bearer \(ann.accessToken)"])
      #expect(deleted.status == 204)
      try expectRemoved(ann, server)
      let body = #"{"users":["\#(ben.user.id)"]}"#
      let forgotten = try server.send("POST", "/v1/forget", as: "service:admin", body: body)
      #expect(forgotten.status == 200, "\(forgotten.body)")
      try expectRemoved(ben, server)
    }

    private func expectRemoved(_ session: Session, _ server: ServerProcess) throws {
      var status = 0
      for _ in 0..<300 where status != 401 {
        usleep(20_000)
        let answer = try? Self.get(server, "/v1/do/ListSports", session.accessToken)
        status = answer?.status ?? 0
      }
      #expect(status == 401)
      let user = try Self.get(server, "/auth/v1/user", session.accessToken)
      #expect(user.status == 403 && Self.code(user) == "user_not_found", "\(user.body)")
      let refreshed = try Self.post(
        server, "token?grant_type=refresh_token", ["refresh_token": session.refreshToken])
      #expect(Self.code(refreshed) == "refresh_token_not_found")
    }

    @Test("An account allows ten wrong passwords, from any addresses; others are not affected")
    func guesses() throws {
      let server = try Self.start(["--account-limits", "1", "--trusted-proxy", "127.0.0.1"])
      defer { server.remove() }
      _ = try Self.signUp(server, "ann@example.org")
      func guess(_ email: String, _ number: Int) throws -> Int {
        let body = #"{"email":"\#(email)","password":"a guess"}"#
        return try server.send(
          "POST", "/auth/v1/token?grant_type=password",
          headers: ["X-Forwarded-For: 203.0.113.\(number)"], body: body
        ).status
      }
      #expect(
        try (0..<12).map { try guess("ann@example.org", $0) }
          == Array(repeating: 400, count: 10) + [429, 429])
      #expect(try guess("ben@example.org", 20) == 400)
    }

    @Test("Without --accounts there are no accounts, and wrong options are refused with 64")
    func options() throws {
      let server = try ServerProcess(["--supabase"])
      defer { server.remove() }
      let answer = try server.send("GET", "/auth/v1/settings")
      #expect(
        answer.status == 404 && answer.body.hasPrefix(#"{"code":404,"error_code":"notFound""#))
      let shared = URL(filePath: "/tmp").path
      for options in [
        ["--accounts", "people"], ["--supabase", "--token-lifetime", "9"],
        ["--supabase", "--accounts", "people", "--token-lifetime", "0"],
        ["--supabase", "--accounts", "people", "--insecure-users"],
        ["--supabase", "--accounts", "people", "--mail-command", "/nonexistent"],
        ["--supabase", "--accounts", "people", "--mail-command", shared],
        ["--supabase", "--accounts", "people", "--apple-audience", "app"],
        ["--supabase", "--accounts", "people", "--apple-keys", "secret"],
        [
          "--supabase", "--accounts", "people", "--google-audience", "g", "--google-keys", "secret",
        ],
        ["--supabase", "--accounts", "people", "--redirect-url", "app.example.org"],
      ] {
        let error = #expect(throws: ServerProcess.NotReady.self, "\(options)") {
          try ServerProcess(options, in: server.folder).remove()
        }
        #expect(error?.status == 64, "\(options): \(error?.said ?? "")")
      }
    }
  }
#endif
