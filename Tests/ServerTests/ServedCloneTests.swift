#if Server
  import Foundation
  import Testing

  /// A server on a clone: for example two servers of one app, with a folder each.
  @Suite struct ServedCloneTests {
    @Test("A server on a clone has the others' events, and reopens after a forgetting")
    func served() throws {
      let first = try ServerProcess()
      defer { first.remove() }
      #expect(first.end() == 0)
      let (shared, team) = (first.folder.path + "/shared", first.folder.path + "/team")
      func eventlog(_ words: String...) throws { #expect(try ServerProcess.eventlog(words) == 0) }
      try eventlog("remote", "init", shared, "--log", first.log)
      try eventlog("clone", shared, team)

      let server = try ServerProcess(in: first.folder)
      defer { server.end(SIGKILL) }
      for user in ["ann", "bob"] {
        let made = try server.post(
          "CreateProfile", as: user, #"{"user":"\#(user)","handle":"\#(user)_x"}"#, key: "k-\(user)"
        )
        #expect(made.status == 200, "\(made.body)")
      }
      // The command decides on the server's events, also when it refuses.
      try eventlog("do", "FollowUser", "followee=bob", "--as", "ann", "--log", team)
      #expect(
        try ServerProcess.eventlog(
          ["do", "CreateProfile", "user=cem", "handle=ann_x", "--as", "cem", "--log", team]) != 0)
      let counts = "/v1/do/GetFollowCounts?user=bob"
      #expect(try eventually { try server.send("GET", counts, as: "ann").body.contains(":1,") })
      // The server decides on others' events before it was notified of them.
      try eventlog("do", "UnfollowUser", "followee=bob", "--as", "ann", "--log", team)
      let toggled = try server.post("ToggleFollow", as: "ann", #"{"followee":"bob"}"#)
      #expect(toggled.status == 200 && toggled.body.contains(#""result":true"#), "\(toggled.body)")

      try eventlog("forget", "bob", "--log", team, "--yes")
      #expect(try eventually { server.said.components(separatedBy: "listening on").count == 3 })
      #expect(server.said.contains("the log was rewritten: opening it again"))
      #expect(try server.send("GET", "/v1/do/GetProfile?user=bob", as: "ann").status == 404)
      #expect(try server.send("GET", "/v1/do/GetProfile?user=ann", as: "ann").status == 200)
      #expect(try server.post("UpdateProfile", as: "ann", #"{"bio":"alone"}"#).status == 200)
      #expect(server.end() == 0, "\(server.said)")

      try eventlog("pull", "--log", team)
      for log in [server.log, team] {
        try eventlog("verify", "--log", log)
        try eventlog("check", "--log", log)
        #expect(ServerProcess.lines(of: log) == ServerProcess.lines(of: shared), "\(log)")
      }
      #expect(!ServerProcess.lines(of: shared).joined().contains("bob"))
    }

    /// Tries again for up to 20 seconds.
    private func eventually(_ holds: () throws -> Bool) throws -> Bool {
      for _ in 0..<400 {
        if try holds() { return true }
        usleep(50_000)
      }
      return false
    }
  }
#endif
