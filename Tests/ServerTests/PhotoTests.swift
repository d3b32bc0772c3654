#if Server
  import Foundation
  import Testing

  /// Photos over HTTP: their visibility, and the removal of unnamed ones.
  @Suite struct ServedPhotoTests {
    private static let image = Data(base64Encoded: RetryTests.png)!
    private static let input = #""image":"data:image/png;base64,\#(RetryTests.png)""#

    /// Puts a photo like clients of the climbing app.
    private func put(_ server: ServerProcess, _ path: String, as user: String) throws -> Answer {
      let connection = try Connection(server.port)
      connection.send(
        "POST /storage/v1/object/\(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
          + "Authorization: Bearer \(Token.of(user))\r\nContent-Type: image/png\r\n"
          + "Content-Length: \(Self.image.count)\r\n\r\n")
      connection.send(Array(Self.image))
      return Answer(connection.readToEnd())
    }

    private func isThere(_ server: ServerProcess, _ path: String) -> Bool {
      FileManager.default.fileExists(atPath: server.log + "/photos/" + path)
    }

    /// Waits until a photo is removed, for less than a minute.
    private func isRemoved(_ server: ServerProcess, _ path: String) -> Bool {
      for _ in 0..<500 where isThere(server, path) { usleep(100_000) }
      return !isThere(server, path)
    }

    /// The type that photos are stored as, which their names end with.
    private var suffix: String {
      #if JPEG
        "jpg"
      #else
        "png"
      #endif
    }

    private func signUp(_ server: ServerProcess, _ users: String...) throws {
      for user in users {
        let made = try server.post(
          "CreateProfile", as: user, #"{"user":"\#(user)","handle":"\#(user)"}"#)
        #expect(made.status == 200, "\(made.body)")
      }
    }

    @Test(
      "A photo that is replaced, deleted, or whose account is deleted, is removed automatically")
    func removed() throws {
      let server = try ServerProcess()
      defer { server.remove() }
      try signUp(server, "ann", "ben")
      for (user, name) in [("ann", "1"), ("ann", "2"), ("ben", "1")] {
        let path = "avatars/\(user)/\(name).\(suffix)"
        #expect(try put(server, path, as: user).status == 200)
        let named = try server.post(
          "SetPhotoURL", as: user,
          #"{"url":"https://api.example.org/storage/v1/object/public/\#(path)"}"#)
        #expect(named.status == 200, "\(named.body)")
        #expect(try server.send("GET", "/storage/v1/object/public/\(path)").status == 200)
      }
      #expect(isRemoved(server, "avatars/ann/1.\(suffix)"))
      #expect(isThere(server, "avatars/ann/2.\(suffix)"))
      #expect(try server.post("DeleteProfilePhoto", as: "ann", "{}").status == 200)
      #expect(isRemoved(server, "avatars/ann/2.\(suffix)"))
      #expect(try server.post("DeleteAccount", as: "ben", "{}").status == 200)
      #expect(isRemoved(server, "avatars/ben/1.\(suffix)"))
      let path = "/storage/v1/object/public/avatars/ben/1.\(suffix)"
      #expect(try server.send("GET", path).status == 404)
    }

    @Test("A photo that no profile names is not served after an hour")
    func unnamed() throws {
      let server = try ServerProcess()
      defer { server.remove() }
      try signUp(server, "ann")
      let path = "avatars/ann/1.\(suffix)"
      #expect(try put(server, path, as: "ann").status == 200)
      #expect(try server.send("GET", "/storage/v1/object/public/\(path)").status == 200)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -3_700)],
        ofItemAtPath: server.log + "/photos/" + path)
      #expect(try server.send("GET", "/storage/v1/object/public/\(path)").status == 404)
    }

    @Test("Photos put there directly are removed if a newer one is named or the account is deleted")
    func neverNamed() throws {
      let server = try ServerProcess()
      defer { server.remove() }
      try signUp(server, "ann", "ben")
      for (user, name) in [("ann", "1"), ("ann", "2"), ("ann", "3"), ("ben", "1")] {
        #expect(try put(server, "avatars/\(user)/\(name).\(suffix)", as: user).status == 200)
        usleep(20_000)
      }
      // The profile names the second photo, and may name the third one soon.
      let named = try server.post(
        "UpdateProfile", as: "ann",
        #"{"photoURL":"https://example.org/storage/v1/object/public/avatars/ann/2.\#(suffix)"}"#)
      #expect(named.status == 200, "\(named.body)")
      #expect(try server.post("DeleteAccount", as: "ben", "{}").status == 200)
      let path = "/storage/v1/object/public/avatars/ben/1.\(suffix)"
      #expect(try server.send("GET", path).status == 404, "a deleted account has no photo")
      #expect(try put(server, "avatars/ben/2.\(suffix)", as: "ben").status == 404)
      #expect(isRemoved(server, "avatars/ben/1.\(suffix)"))
      #expect(isRemoved(server, "avatars/ann/1.\(suffix)"))
      #expect(isThere(server, "avatars/ann/2.\(suffix)"))
      #expect(isThere(server, "avatars/ann/3.\(suffix)"))
    }

    @Test("A name with another type than the photo's is refused")
    func suffixes() throws {
      let server = try ServerProcess()
      defer { server.remove() }
      try signUp(server, "ann")
      let other = suffix == "png" ? "jpg" : "png"
      for name in ["1.\(other)", "1.gif", "1.html"] {
        let refused = try put(server, "avatars/ann/\(name)", as: "ann")
        #expect(refused.status == 400 && refused.error == "InvalidKey", "\(name): \(refused)")
        #expect(!isThere(server, "avatars/ann/\(name)"))
      }
    }

    @Test("A workout's photo needs a token, and only viewers of the workout get it")
    func workouts() throws {
      let server = try ServerProcess()
      defer { server.remove() }
      try signUp(server, "ann", "ben")
      func attach(_ workout: String, as user: String) throws -> Answer {
        try server.post(
          "AttachWorkoutPhoto", as: user, #"{"workout":"\#(workout)",\#(Self.input)}"#)
      }
      for (workout, audience) in [("open", "public"), ("own", "private")] {
        let shared = try server.post(
          "ShareWorkout", as: "ann",
          #"{"workout":"\#(workout)","date":"2026-01-05T10:00:00Z","workoutType":"2000m","#
            + #""totalTime":"07:30.0","totalDistance":2000,"audience":"\#(audience)"}"#)
        #expect(shared.status == 200, "\(shared.body)")
        let attached = try attach(workout, as: "ann")
        #expect(attached.status == 200, "\(attached.body)")
        let path = try #require(attached.body.split(separator: "\"").first { $0.contains("/") })
        #expect(path.hasPrefix("workouts/\(workout)/") && path.hasSuffix(".\(suffix)"))
        let address = "/storage/v1/object/\(path)"
        let nobody = try server.send("GET", address)
        #expect(nobody.status == (audience == "public" ? 200 : 404))
        #expect(try server.send("GET", "/storage/v1/object/public/\(path)").status == 404)
        let own = try server.send("GET", address, as: "ann")
        #expect(own.status == 200 && own["Content-Type"]?.hasPrefix("image/") == true)
        #expect(own["Cache-Control"]?.contains("private") == true)
        let others = try server.send("GET", address, as: "ben").status
        #expect(others == (audience == "public" ? 200 : 404))
        let detail = try server.post(
          "AttachWorkoutDetail", as: "ann",
          #"{"workout":"\#(workout)","intervals":[],"image":"javascript:alert(1)"}"#)
        #expect(detail.status == 422 && detail.error == "invalidWorkout")
        let missing = try server.send("GET", address + "x", as: "ann")
        #expect(missing.status == 404 && missing.error == "not_found", "\(missing.body)")
        #expect(
          try server.post("RemoveWorkout", as: "ann", #"{"workout":"\#(workout)"}"#).status
            == 200)
        #expect(try server.send("GET", address, as: "ann").status == 404)
        #expect(isRemoved(server, String(path)))
      }
      // The answer does not show which workouts exist.
      #expect(try attach("own", as: "ben").status == 404)
    }
  }
#endif
