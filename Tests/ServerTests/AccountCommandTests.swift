#if Server
  import EventLog
  import FaultTesting
  import Foundation
  import Testing

  /// `eventlog accounts`, beside a running server.
  @Suite struct AccountCommandTests {
    private static func run(
      _ arguments: [String], in folder: URL, input: String = ""
    ) throws -> (code: Int32, output: String) {
      let process = Process()
      process.executableURL = products.appending(path: "eventlog")
      process.arguments = ["accounts"] + arguments + ["--accounts", "people"]
      process.currentDirectoryURL = folder
      let (output, given) = (Pipe(), Pipe())
      process.standardOutput = output
      process.standardInput = given
      process.standardError = FileHandle.nullDevice
      try process.run()
      try given.fileHandleForWriting.write(contentsOf: Data(input.utf8))
      try given.fileHandleForWriting.close()
      let text = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }

    @Test("An operator adds, lists, disables, enables and removes accounts")
    func operate() throws {
      let server = try AccountTests.start()
      defer { server.remove() }
      func run(_ arguments: String..., input: String = "") throws -> (code: Int32, output: String) {
        try Self.run(arguments, in: server.folder, input: input)
      }
      let id = "6f1c2a52-6d0c-4a3a-9d51-0b7f7f1f2b11"
      let added = try run("add", "Ann@Example.org", "--id", id, input: "correct horse\n")
      #expect(added.code == 0 && added.output == id + "\n")
      #expect(try run("add", "ann@example.org", input: "correct horse\n").code == 1)
      #expect(try run("add", "ben@example.org", input: "short\n").code == 64)
      #expect(try run("add", "ben@example.org").code == 64)
      #expect(try run("add", "no address", input: "correct horse\n").code == 64)
      #expect(try run("add", "ben@example.org", "--no-password").code == 0)
      func signIn() throws -> Answer {
        try AccountTests.post(
          server, "token?grant_type=password",
          ["email": "ann@example.org", "password": "correct horse"])
      }
      let session = try AccountTests.session(signIn())
      #expect(session.user.id == id)
      let listed = try run("list", "--format", "csv").output
      #expect(listed.hasPrefix("id,email,providers,confirmed,disabled,created,lastSignIn\n"))
      #expect(listed.contains("\(id),ann@example.org,email,true,false,2"), "\(listed)")
      #expect(listed.split(separator: "\n").count == 3)
      #expect(try run("list", "--limit", "1", "--format", "jsonl").output.hasPrefix("{\"id\":"))
      #expect(try run("disable", id).code == 0)
      #expect(try AccountTests.code(signIn()) == "user_banned")
      #expect(try run("list").output.contains("yes"))
      #expect(try run("enable", "ann@example.org").code == 0)
      #expect(try signIn().status == 200)
      #expect(try run("remove", "ann@example.org").code == 0)
      #expect(try AccountTests.code(signIn()) == "invalid_credentials")
      #expect(try run("remove", "ann@example.org").code == 1)
      for words in [["list", "ann"], ["rename", "ann"], ["disable"]] {
        #expect(try Self.run(words, in: server.folder).code == 64, "\(words)")
      }
    }

    @Test("Processes use the accounts one after the other, and say so if one takes too long")
    func lock() throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      #expect(try Self.run(["add", "ann@example.org", "--no-password"], in: folder).code == 0)
      let path = folder.appending(path: "people.lock").path
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
      #expect(mode as? Int == 0o600)
      let files = FileSystem.posix
      let file = try files.open(path, .lock)
      #expect(try files.lock(file, path))
      #expect(try Self.run(["list"], in: folder).code == 74)
      let release = Thread {
        usleep(300_000)
        try? files.close(file, path)
      }
      release.start()
      let start = ContinuousClock.now
      #expect(try Self.run(["list"], in: folder).output.contains("ann@example.org"))
      #expect(ContinuousClock.now - start > .milliseconds(200))
    }

    @Test("A new key signs new tokens; older ones stay valid unless they are revoked")
    func rotation() throws {
      let server = try AccountTests.start()
      defer { server.remove() }
      let session = try AccountTests.signUp(server, "ann@example.org")
      func keys() throws -> Int {
        try server.send("GET", "/auth/v1/.well-known/jwks.json").body.components(
          separatedBy: "\"kid\""
        ).count - 1
      }
      func rotate(_ options: [String], until count: Int) throws {
        #expect(try Self.run(["rotate-key"] + options, in: server.folder).code == 0)
        kill(server.process.processIdentifier, SIGHUP)
        for _ in 0..<200 where try keys() != count { usleep(20_000) }
        #expect(try keys() == count)
      }
      #expect(try keys() == 1)
      try rotate([], until: 2)
      #expect(try AccountTests.get(server, "/auth/v1/user", session.accessToken).status == 200)
      try rotate(["--revoke"], until: 1)
      let refused = try AccountTests.get(server, "/v1/do/ListSports", session.accessToken)
      #expect(refused.status == 401)
      let refreshed = try AccountTests.post(
        server, "token?grant_type=refresh_token", ["refresh_token": session.refreshToken])
      let token = try AccountTests.session(refreshed).accessToken
      #expect(try AccountTests.get(server, "/v1/do/ListSports", token).status == 200)
      #expect(!server.said.contains("failed"))
    }

    @Test("A token key that cannot be read does not keep an old signing key in use")
    func unreadableKey() throws {
      let server = try AccountTests.start()
      defer { server.remove() }
      let session = try AccountTests.signUp(server, "ann@example.org")
      #expect(
        try AccountTests.get(server, "/v1/do/ListSports", session.accessToken).status == 200)
      try Data("short".utf8).write(to: server.folder.appending(path: "secret"))
      #expect(try Self.run(["rotate-key", "--revoke"], in: server.folder).code == 0)
      kill(server.process.processIdentifier, SIGHUP)
      for _ in 0..<200 where !server.said.contains("stay in use") { usleep(20_000) }
      #expect(server.said.contains("a secret of at least 32 bytes is expected"))
      #expect(
        try AccountTests.get(server, "/v1/do/ListSports", session.accessToken).status == 401)
      // The previous key of the file stays.
      #expect(try server.send("GET", "/v1/do/ListSports", as: "bob").status == 200)
    }

    @Test("Only the owner can read the accounts, their journal and the signing key")
    func modes() throws {
      let server = try AccountTests.start()
      defer { server.remove() }
      _ = try AccountTests.signUp(server, "ann@example.org")
      var count = 0
      for name in try FileManager.default.contentsOfDirectory(atPath: server.folder.path)
      where name.hasPrefix("people") {
        let path = server.folder.appending(path: name).path
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600, "\(name)")
        count += 1
      }
      #expect(count >= 3)
    }
  }
#endif
