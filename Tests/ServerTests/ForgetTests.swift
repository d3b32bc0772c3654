#if Server
  import FaultTesting
  import Foundation
  import Testing

  /// Forgetting while the server runs, and again in a restored backup.
  @Suite struct ForgetTests {
    @Test("Only a service can make the running server forget a user, and the server continues")
    func forget() throws {
      let server = try ServeTests.start()
      defer { server.remove() }
      func ask(_ body: String, as user: String = "service:admin") throws -> Answer {
        try server.send("POST", "/v1/forget", as: user, body: body)
      }
      for (body, user, status) in [
        (#"{"users":["ann"]}"#, "bob", 403), ("{}", "service:admin", 400),
        (#"{"users":"ann"}"#, "service:admin", 400), (#"{"users":["a b"]}"#, "service:admin", 400),
        (#"{"users":["ann"],"x":1}"#, "service:admin", 400),
        (#"{"items":["comment"]}"#, "service:admin", 400),
        (#"{"users":["zed"]}"#, "service:admin", 404),
        (#"{"items":["comment/none"]}"#, "service:admin", 404),
      ] {
        let answer = try ask(body, as: user)
        #expect(answer.status == status, "\(body): \(answer.body)")
      }
      _ = try server.post("FollowUser", as: "ann", #"{"followee":"bob"}"#)
      let tag = try server.send("GET", "/v1/do/GetFollowCounts?user=bob", as: "bob")["ETag"]
      let answer = try ask(#"{"users":["ann"],"reason":"request 12"}"#)
      #expect(
        answer.body
          == #"{"events":3,"deleted":1,"photos":0,"first":1,"position":4,"mentions":[]}"#)
      var counts = Answer([])
      for _ in 0..<200 where counts.status != 200 {
        usleep(20_000)
        counts =
          (try? server.send(
            "GET", "/v1/do/GetFollowCounts?user=bob", as: "bob",
            headers: tag.map { ["If-None-Match: \($0)"] } ?? [])) ?? counts
      }
      #expect(counts.body.hasPrefix(#"{"result":{"followers":0,"following":0}"#))
      #expect(server.lines.count == 4)
      #expect(!server.lines.contains { $0.contains("\"ann\"") || $0.contains("ann_x") })
      let again = try server.post("UpdateProfile", as: "bob", #"{"bio":"still here"}"#)
      #expect(again.status == 200)
      #expect(server.said.contains("the log was rewritten: opening it again"))
    }

    @Test("With a key the ledger has marks that let a restored backup forget again")
    func again() throws {
      let folder = FileManager.default.temporaryDirectory.appending(
        path: "eventlog-again-\(UUID().uuidString)", directoryHint: .isDirectory)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      func path(_ name: String) -> String { folder.appending(path: name).path }
      for copy in ["log", "backup"] {
        try FileManager.default.copyItem(atPath: ServeTests.demo, toPath: path(copy))
      }
      try Data("0123456789abcdef0123456789abcdef\n".utf8).write(to: folder.appending(path: "key"))
      try Data("short\n".utf8).write(to: folder.appending(path: "short"))
      func eventlog(_ arguments: [String]) throws -> (code: Int32, error: String) {
        let process = Process()
        let errors = Pipe()
        process.executableURL = products.appending(path: "eventlog")
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        let said = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: said, as: UTF8.self))
      }
      let key = ["--ledger-key", path("key")]
      let short = ["forget", "alice", "--log", path("log"), "--ledger-key", path("short")]
      #expect(try eventlog(short).code == 64)
      #expect(try eventlog(["forget", "alice", "--log", path("log")] + key).code == 0)
      #expect(
        try eventlog(["forget", "--texts-of", "comment/c-1", "--log", path("log")] + key).code == 1)
      #expect(try eventlog(["forget", "bob", "--log", path("log"), "--mentions"] + key).code == 0)
      let ledger = ["--ledger", path("log") + "/rewritings"]
      let other = try eventlog(["forget", "--again", "--log", path("log")] + ledger + key)
      #expect(other.error.contains("there is nothing to forget"), "\(other.error)")
      let again = try eventlog(["forget", "--again", "--log", path("backup")] + ledger + key)
      #expect(again.error.contains("forgot 2 people"), "\(again.error)")
      let text = try String(
        contentsOfFile: path("backup") + "/0000000000000001.jsonl", encoding: .utf8)
      #expect(!text.contains("\"alice\"") && !text.contains("alice_sends"))
      #expect(!text.contains("\"bob\""))
      #expect(try eventlog(["verify", "--log", path("backup")]).code == 0)
      #expect(try eventlog(["check", "--log", path("backup")]).code == 0)
    }
  }
#endif
