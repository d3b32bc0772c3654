#if Server
  import Foundation
  import Testing

  /// The buckets of `/storage/v1` over HTTP. `Tests/Server/buckets` calls them with Supabase's own
  /// library.
  @Suite struct BucketTests {
    private static let image = Data(base64Encoded: RetryTests.png)!
    private static let storage = "/storage/v1/object"

    private var suffix: String {
      #if JPEG
        "jpg"
      #else
        "png"
      #endif
    }

    private func start(_ options: [String] = ["--supabase"]) throws -> ServerProcess {
      let server = try ServerProcess(options)
      for user in ["ann", "ben"] {
        let made = try server.post(
          "CreateProfile", as: user, #"{"user":"\#(user)","handle":"\#(user)"}"#)
        #expect(made.status == 200, "\(made.body)")
      }
      return server
    }

    /// Sends the image as a body, or within a form.
    private func put(
      _ server: ServerProcess, _ path: String, as user: String, method: String = "POST",
      form: String? = nil, headers: String = "", image: Data = BucketTests.image
    ) throws -> Answer {
      var (body, type) = (image, "image/png")
      if let form {
        type = "multipart/form-data; boundary=the-boundary"
        body = Data(form.utf8) + body + Data("\r\n--the-boundary--\r\n".utf8)
      }
      let connection = try Connection(server.port)
      connection.send(
        "\(method) \(Self.storage)/\(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(headers)"
          + "Authorization: Bearer \(Token.of(user))\r\nContent-Type: \(type)\r\n"
          + "Content-Length: \(body.count)\r\n\r\n")
      connection.send(Array(body))
      return Answer(connection.readToEnd())
    }

    private func post(
      _ server: ServerProcess, _ path: String, as user: String?, _ body: String
    ) throws -> Answer {
      try server.send("POST", "\(Self.storage)/\(path)", as: user, body: body)
    }

    /// Creates a workout with a photo; returns the photo's path in the bucket.
    private func workout(
      _ server: ServerProcess, _ id: String, _ audience: String = "public"
    ) throws -> String {
      let shared = try server.post(
        "ShareWorkout", as: "ann",
        #"{"workout":"\#(id)","date":"2026-01-05T10:00:00Z","workoutType":"2000m","#
          + #""totalTime":"07:30.0","totalDistance":2000,"audience":"\#(audience)"}"#)
      #expect(shared.status == 200, "\(shared.body)")
      let stored = try put(server, "workouts/\(id)/a.\(suffix)", as: "ann")
      #expect(stored.status == 200, "\(stored.body)")
      let key = try #require(stored.body.firstMatch(of: #/"Key":"workouts\/([^"]+)"/#))
      return String(key.output.1)
    }

    private func link(
      _ server: ServerProcess, _ path: String, as user: String, seconds: Int = 600
    ) throws -> String {
      let signed = try post(server, "sign/\(path)", as: user, #"{"expiresIn":\#(seconds)}"#)
      let address = try #require(
        signed.body.firstMatch(of: #/"signedURL":"([^"]+)"/#), "\(signed.body)")
      return "/storage/v1" + address.output.1
    }

    @Test("Without --supabase, only the addresses of the climbing app are served")
    func withoutSupabase() throws {
      for options in [[], ["--supabase", "--no-storage"]] {
        let server = try start(options)
        defer { server.remove() }
        let path = "avatars/ann/1.\(suffix)"
        #expect(try put(server, path, as: "ann").status == 200)
        #expect(try server.send("GET", "\(Self.storage)/public/\(path)").status == 200)
        for (method, address) in [
          ("GET", "/bucket"), ("GET", "/object/\(path)"), ("GET", "/object/info/\(path)"),
          ("POST", "/object/list/avatars"), ("POST", "/object/sign/\(path)"),
          ("DELETE", "/object/avatars"), ("POST", "/object/workouts/w1/1.jpg"),
        ] {
          let refused = try server.send(method, "/storage/v1" + address, as: "ann")
          #expect(refused.status == 404 && refused.error == nil, "\(method) \(address)")
          #expect(refused.body.contains("--supabase"), "\(refused.body)")
        }
        #expect(try server.send("DELETE", "\(Self.storage)/\(path)", as: "ann").status == 200)
        #expect(!FileManager.default.fileExists(atPath: server.log + "/link.key"))
      }
    }

    @Test("A form's parts may come in any order, and only the first file is stored")
    func forms() throws {
      let server = try start()
      defer { server.remove() }
      func part(_ name: String, _ value: String? = nil) -> String {
        "--the-boundary\r\nContent-Disposition: form-data; \(name)\r\n\r\n"
          + (value.map { $0 + "\r\n" } ?? "")
      }
      let file = #"name="file"; filename="a.png""#
      let long = part(#"name="metadata""#, String(repeating: "x", count: 20_000))
      for form in [
        part(file), part(#"name="cacheControl""#, "3600") + part(#"name=""; filename="blob""#),
        long + part(#"name="a"; filename="b""#), part(#"name="file""#, "text") + part(file),
      ] {
        let stored = try put(
          server, "avatars/ann/1.\(suffix)", as: "ann", form: form, headers: "x-upsert: true\r\n")
        #expect(stored.status == 200, "\(form.prefix(200)): \(stored.body)")
      }
      // The second file has the name of the first one, and is not appended to it.
      let middle = Self.image.count / 2
      let halves =
        Self.image.prefix(middle) + Data(("\r\n" + part(file)).utf8)
        + Self.image.suffix(from: middle)
      let two = try put(
        server, "avatars/ann/2.\(suffix)", as: "ann", form: part(file), image: halves)
      #expect(two.status == 415 && two.error == "invalid_mime_type", "\(two.body)")
    }

    @Test("A link opens one object until it expires, and as long as its signer may see it")
    func links() throws {
      let server = try start()
      defer { server.remove() }
      let (one, two) = (
        "workouts/" + (try workout(server, "w1")), "workouts/" + (try workout(server, "w2"))
      )
      let mine = try link(server, one, as: "ann")
      let other = try link(server, one, as: "ben")
      for address in [mine, other] { #expect(try server.send("GET", address).status == 200) }
      let token = try #require(mine.split(separator: "=").last)
      for wrong in [
        "\(Self.storage)/sign/\(two)?token=\(token)", "\(Self.storage)/sign/\(one)",
        "\(Self.storage)/sign/\(one)?token=", mine.dropLast() + (mine.hasSuffix("0") ? "1" : "0"),
        "\(mine)0", mine.replacing("token=", with: "token=1"),
      ] {
        let refused = try server.send("GET", String(wrong))
        #expect(refused.status == 400 && refused.body.contains("linkInvalid"), "\(refused.body)")
      }
      // A comparison of signatures that depends on few bits accepts one of some hundred tokens.
      let parts = token.split(separator: ".")
      let expires = try #require(Int(parts[0]))
      for later in 1...2_000 {
        let forged = "\(expires + later).\(parts[1]).\(parts[2])"
        let refused = try server.send("GET", "\(Self.storage)/sign/\(one)?token=\(forged)")
        try #require(refused.status == 400, "\(forged) opens an object that it was not signed for")
      }
      let upload = try server.send("PUT", mine, as: nil, body: "x", type: "image/png")
      #expect(upload.status == 405, "\(upload.body)")
      for (command, status) in [("BlockUser", 404), ("UnblockUser", 200)] {
        #expect(try server.post(command, as: "ann", #"{"user":"ben"}"#).status == 200)
        #expect(try server.send("GET", other).status == status, "\(command)")
        #expect(try server.send("GET", mine).status == 200)
      }
      #expect(try server.post("DeleteAccount", as: "ben", "{}").status == 200)
      #expect(try server.send("GET", other).status == 404, "the signer's account is deleted")
      let short = try link(server, one, as: "ann", seconds: 1)
      usleep(2_100_000)
      let expired = try server.send("GET", short)
      #expect(expired.status == 400 && expired.error == "ExpiredToken", "\(expired.body)")
    }

    @Test("A server that cannot keep its key says so, and signs links until it ends")
    func readOnlyKey() throws {
      let server = try start()
      defer { server.remove() }
      let path = server.log + "/link.key"
      let file = try FileManager.default.attributesOfItem(atPath: path)
      #expect(file[.posixPermissions] as? Int == 0o600)
      #expect(server.end() == 0)
      try Data("short".utf8).write(to: URL(filePath: path))
      let again = try ServerProcess(["--supabase"], in: server.folder)
      defer { again.remove() }
      #expect(again.said.contains("link.key has another size than 32 bytes"), "\(again.said)")
      #expect(try put(again, "avatars/ann/1.\(suffix)", as: "ann").status == 200)
      let address = try link(again, "avatars/ann/1.\(suffix)", as: "ann")
      #expect(try again.send("GET", address).status == 200)
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "short")
    }

    @Test("Lists and links show other people only the photos that profiles and workouts show them")
    func viewpoints() throws {
      let server = try start()
      defer { server.remove() }
      for number in 1...2 {
        #expect(try put(server, "avatars/ann/\(number).\(suffix)", as: "ann").status == 200)
      }
      let photo = try workout(server, "own", "private")
      func listed(_ bucket: String, _ folder: String, as user: String?) throws -> Int {
        let answer = try post(server, "list/\(bucket)", as: user, #"{"prefix":"\#(folder)"}"#)
        #expect(answer.status == 200, "\(answer.body)")
        return answer.body.matches(of: #/"eTag"/#).count
      }
      #expect(try listed("avatars", "ann", as: "ann") == 2)
      #expect(try listed("avatars", "ann", as: "ben") == 0)
      #expect(try listed("workouts", "own", as: "ann") == 1)
      #expect(try listed("workouts", "own", as: "ben") == 0)
      let url = "https://example.org/storage/v1/object/public/avatars/ann/2.\(suffix)"
      #expect(try server.post("SetPhotoURL", as: "ann", #"{"url":"\#(url)"}"#).status == 200)
      for (isPublic, number) in [(true, 1), (false, 0)] {
        let edited = try server.post("UpdateProfile", as: "ann", #"{"isPublic":\#(isPublic)}"#)
        #expect(edited.status == 200, "\(edited.body)")
        #expect(try listed("avatars", "ann", as: "ben") == number, "\(isPublic)")
        #expect(try listed("avatars", "ann", as: nil) == number, "\(isPublic)")
        #expect(try listed("avatars", "ann", as: "service:jobs") == 2)
      }
      for address in ["workouts/\(photo)", "info/workouts/\(photo)"] {
        #expect(try server.send("GET", "\(Self.storage)/\(address)", as: "ben").status == 404)
        #expect(try server.send("GET", "\(Self.storage)/\(address)").status == 404)
      }
      let signed = try post(server, "sign/workouts/\(photo)", as: "ben", #"{"expiresIn":60}"#)
      #expect(signed.status == 404 && signed.error == "not_found", "\(signed.body)")
    }

    @Test("A UUID in capitals names the same objects, for the owner and for others")
    func capitals() throws {
      let server = try start()
      defer { server.remove() }
      let user = "5d0c5e0a-7a0e-4b2f-9a67-0e2b7d1c9f3a"
      let made = try server.post(
        "CreateProfile", as: user, #"{"user":"\#(user)","handle":"niko"}"#)
      #expect(made.status == 200, "\(made.body)")
      let path = "avatars/\(user.uppercased())/1.\(suffix)"
      let stored = try put(server, path, as: user.uppercased())
      #expect(stored.body.contains(#""Key":"avatars/\#(user)/1.\#(suffix)""#), "\(stored.body)")
      for kind in ["public/", "", "info/"] {
        for name in [path, path.lowercased()] {
          let answer = try server.send("GET", "\(Self.storage)/\(kind)\(name)")
          #expect(answer.status == 200, "\(kind)\(name): \(answer.body)")
        }
      }
      #expect(try server.send("GET", try link(server, path, as: "ann")).status == 200)
      for folder in [user, user.uppercased()] {
        let listed = try post(server, "list/avatars", as: user, #"{"prefix":"\#(folder)"}"#)
        #expect(listed.body.contains(#""name":"1.\#(suffix)""#), "\(listed.body)")
      }
      let removed = try server.send(
        "DELETE", "\(Self.storage)/avatars", as: user,
        body: #"{"prefixes":["\#(path.dropFirst(8))"]}"#)
      #expect(removed.body.contains(#""name":"\#(user)/1.\#(suffix)""#), "\(removed.body)")
    }

    @Test("Simultaneous uploads stay within the limit of photos")
    func limit() async throws {
      let server = try start(["--supabase", "--requests-per-second", "0"])
      defer { server.remove() }
      let stored = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<70 {
          group.addTask {
            try put(server, "avatars/ann/\(number).\(suffix)", as: "ann").status
          }
        }
        return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
      }
      #expect(stored == [200: 50, 422: 20])
    }

    @Test("No path of a bucket reaches another file")
    func paths() throws {
      let server = try start()
      defer { server.remove() }
      #expect(try put(server, "avatars/ann/1.\(suffix)", as: "ann").status == 200)
      let name = String(repeating: "a", count: 101)
      for path in [
        "avatars/ann/../../link.key", "avatars/ann/%2e%2e/link.key", "avatars/ann/..%2flink.key",
        "avatars/ann/a%00", "avatars/../../link.key", "avatars/%2e/link.key",
        "workouts/../link.key",
        "avatars/ann/.hidden", "avatars/ann/1.\(suffix)/x", "avatars/ann/\(name)", "avatars//1.jpg",
        "avatars/ann%2f1.\(suffix)", "link.key", "../link.key", "avatars/ann/", "avatars/ann",
      ] {
        for kind in ["", "authenticated/", "public/", "info/", "info/public/", "sign/"] {
          let answer = try server.send("GET", "\(Self.storage)/\(kind)\(path)", as: "ann")
          #expect([400, 404].contains(answer.status), "\(kind)\(path): \(answer.head)")
          #expect(answer.body.contains(#""statusCode":"\#(answer.status)""#), "\(answer.body)")
        }
        for method in ["POST", "PUT"] {
          let answer = try put(server, path, as: "ann", method: method)
          #expect([400, 404, 405].contains(answer.status), "\(method) \(path): \(answer.head)")
        }
      }
      for prefix in ["..", "../..", "ann/..", ".", "ann/1.\(suffix)", "\u{0}", "/", "//"] {
        let input = String(decoding: try JSONEncoder().encode(["prefix": prefix]), as: UTF8.self)
        let answer = try post(server, "list/avatars", as: "ann", input)
        #expect(answer.status == 200 && !answer.body.contains("key"), "\(prefix): \(answer.body)")
      }
      let removal = try server.send(
        "DELETE", "\(Self.storage)/avatars", as: "ann",
        body: #"{"prefixes":["ann/../../link.key","ann/..","../link.key",""]}"#)
      #expect(removal.status == 200 && removal.body == "[]", "\(removal.body)")
      #expect(FileManager.default.fileExists(atPath: server.log + "/link.key"))
    }

    @Test("A request without the api key is refused, except public photos and signed links")
    func apiKey() throws {
      let server = try start(["--supabase", "--api-key", "k"])
      defer { server.remove() }
      let path = "avatars/ann/1.\(suffix)"
      #expect(try put(server, path, as: "ann").status == 401)
      #expect(try put(server, path, as: "ann", headers: "apikey: k\r\n").status == 200)
      for (address, key, status) in [
        ("/object/\(path)", "", 401), ("/object/\(path)", "x", 401), ("/object/\(path)", "k", 200),
        ("/bucket", "", 401), ("/bucket", "k", 200), ("/object/public/\(path)", "", 200),
      ] {
        let headers = key.isEmpty ? [] : ["apikey: \(key)"]
        let answer = try server.send("GET", "/storage/v1" + address, headers: headers)
        #expect(answer.status == status, "\(address) \(key): \(answer.body)")
        #expect(status == 200 || answer.error == "Unauthorized", "\(answer.body)")
      }
    }
  }
#endif
