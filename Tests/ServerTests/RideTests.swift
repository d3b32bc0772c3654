#if Server
  import Aggregates
  import Foundation
  import Server
  import Testing

  /// The ride app's own addresses, as its clients use them.
  @Suite struct RideTests {
    private static let base = "/api/v1"

    @Test("A rider is shown before the first write, which creates the profile")
    func rider() throws {
      let server = try ServerProcess(["--rules", "ride"])
      defer { server.remove() }
      func call(_ method: String, _ path: String, _ body: String? = nil) throws -> Answer {
        try server.send(method, Self.base + path, as: "r1", body: body)
      }
      let nobody = try call("GET", "/riders/me")
      #expect(nobody.status == 200, "\(nobody.body)")
      #expect(
        nobody.body == #"{"id":"r1","userId":"r1","type":"RIDER","displayName":null,"#
          + #""description":null,"avatarUrl":null,"createdAt":null,"updatedAt":null}"#)
      #expect(try call("GET", "/riders/me/base-location").body == "null")
      #expect(try call("GET", "/riders/me/sports").body == "[]")
      #expect(server.lines.isEmpty)
      // A refused write creates no profile.
      let refused: [(String, String, String, Int)] = [
        ("PATCH", "/riders/me", #"{"displayName":"  "}"#, 422),
        ("PATCH", "/riders/me", #"{"type":"DRIVER"}"#, 400),
        ("PUT", "/riders/me/base-location", #"{"latitude":91,"longitude":8}"#, 422),
        ("PUT", "/riders/me/base-location", #"{"latitude":1}"#, 400),
        ("POST", "/riders/me/sports/chess", #"{"level":"EXPERT"}"#, 422),
      ]
      for (method, path, body, status) in refused {
        #expect(try call(method, path, body).status == status, "\(path) \(body)")
      }
      #expect(server.lines.isEmpty)
      let made = try call("PATCH", "/riders/me", #"{"displayName":null,"description":"hi"}"#)
      #expect(made.status == 200 && made.body.contains(#""displayName":null"#), "\(made.body)")
      #expect(server.lines.count == 2 && server.lines[0].contains("ProfileCreated"))
      let named = try call("PATCH", "/riders/me", #"{"displayName":" Mia ","description":null}"#)
      #expect(
        named.body.hasPrefix(
          #"{"id":"r1","userId":"r1","type":"RIDER","displayName":"Mia","description":null,"#
            + #""avatarUrl":null,"createdAt":""#), "\(named.body)")
      let edited = try call("PATCH", "/riders/me", #"{"type":"BOTH","description":"hello"}"#)
      #expect(edited.body.contains(#""type":"BOTH""#) && edited.body.contains(#""hello""#))
      #expect(try call("GET", "/riders/me").body == edited.body)
      let cleared = try call("PATCH", "/riders/me", #"{"displayName":null}"#)
      #expect(cleared.status == 422 && cleared.error == "displayNameRequired")
      #expect(try call("DELETE", "/riders/me").status == 204)
      #expect(try call("GET", "/riders/me").body.contains(#""displayName":null"#))
      #expect(try call("PATCH", "/riders/me", #"{"displayName":"Mia"}"#).status == 409)
    }

    @Test("White space around a text does not count, and unknown members are ignored everywhere")
    func trimming() throws {
      let server = try ServerProcess(["--rules", "ride"])
      defer { server.remove() }
      func call(_ method: String, _ path: String, _ body: String) throws -> Answer {
        try server.send(method, Self.base + path, as: "r1", body: body)
      }
      for (member, most) in [("displayName", 40), ("description", 1_000)] {
        let long = String(repeating: "x", count: most)
        let fits = try call("PATCH", "/riders/me", #"{"\#(member)":"  \#(long)\n "}"#)
        #expect(fits.status == 200, "\(fits.body)")
        #expect(try call("PATCH", "/riders/me", #"{"\#(member)":"\#(long)x"}"#).status == 422)
      }
      let bodies = [
        ("PATCH", "/riders/me", #"{"description":"a","unknown":1}"#),
        ("PUT", "/riders/me/base-location", #"{"latitude":1,"longitude":2,"unknown":1}"#),
        ("POST", "/riders/me/sports/ski", #"{"level":"EXPERT","unknown":1}"#),
      ]
      for (method, path, body) in bodies {
        #expect(try call(method, path, body).status == 200, "\(path)")
      }
    }

    @Test("The first write may be a place, a sport or an avatar")
    func firstWrites() throws {
      let server = try ServerProcess(["--rules", "ride"])
      defer { server.remove() }
      func call(
        _ user: String, _ method: String, _ path: String, _ body: String
      ) throws -> Answer {
        try server.send(method, Self.base + path, as: user, body: body)
      }
      let place = #"{"latitude":1,"longitude":2}"#
      #expect(try call("r1", "PUT", "/riders/me/base-location", place).status == 200)
      #expect(try call("r2", "POST", "/riders/me/sports/ski", #"{"level":"EXPERT"}"#).status == 200)
      #expect(server.lines.count { $0.contains("ProfileCreated") } == 2)
      #expect(server.lines.count == 4)
      let noPhoto = try server.send(
        "POST", Self.base + "/riders/me/avatar", as: "r3", body: "--b\r\n\r\nno\r\n--b--\r\n",
        type: "multipart/form-data; boundary=b")
      #expect(noPhoto.status >= 400 && server.lines.count == 4, "\(noPhoto.body)")
    }

    @Test("A log whose rules do not admit the ride app answers 404, and serve reports the reason")
    func otherRules() throws {
      for (rules, reason) in [
        ("climb", "the rules climb require a handle"), ("erg", "the rules erg require a handle"),
      ] {
        let server = try ServerProcess(["--rules", rules])
        defer { server.remove() }
        for (method, path) in [
          ("GET", "/riders/me"), ("GET", "/sports"), ("PATCH", "/riders/me"),
          ("POST", "/riders/me/avatar"),
        ] {
          let answer = try server.send(
            method, Self.base + path, as: "r1", body: method == "GET" ? nil : "{}")
          #expect(answer.status == 404 && answer.error == "notFound", "\(answer.body)")
        }
        #expect(server.said.contains("/api/v1 is not served"), "\(server.said)")
        #expect(server.said.contains(reason), "\(server.said)")
        #expect(server.lines.isEmpty)
      }
    }

    @Test("Rules admit the ride app if they allow everything that it writes")
    func admission() {
      #expect(RideRules.problem(with: .ride) == nil)
      var rules = Rules.ride
      rules.displayNameLimit = 60
      rules.bioLimit = 2_000
      rules.sports.append(.init(id: "walk", name: "Walking", icon: "figure.walk"))
      #expect(RideRules.problem(with: rules) == nil)
      rules.bioLimit = 999
      #expect(RideRules.problem(with: rules)?.contains("bioLimit is 999") == true)
      rules = .ride
      rules.displayNameLimit = 39
      #expect(RideRules.problem(with: rules)?.contains("displayNameLimit is 39") == true)
      rules = .ride
      rules.sports.removeFirst()
      #expect(RideRules.problem(with: rules)?.contains("do not have the sport") == true)
    }

    @Test("Places and sports are in capitals and with nulls")
    func places() throws {
      let server = try ServerProcess(["--rules", "ride"])
      defer { server.remove() }
      func call(_ method: String, _ path: String, _ body: String? = nil) throws -> Answer {
        try server.send(method, Self.base + path, as: "r1", body: body)
      }
      _ = try call("PATCH", "/riders/me", #"{"displayName":"Mia"}"#)
      let place = try call(
        "PUT", "/riders/me/base-location", #"{"latitude":46.5,"longitude":8,"name":null}"#)
      #expect(place.body == #"{"latitude":46.5,"longitude":8,"name":null}"#)
      #expect(try call("GET", "/riders/me/base-location").body == place.body)
      let far = try call("PUT", "/riders/me/base-location", #"{"latitude":91,"longitude":8}"#)
      #expect(far.status == 422 && far.error == "outOfRange")
      #expect(try call("GET", "/sports").body.contains(#"{"id":"ski","name":""#))
      let ski = try call("POST", "/riders/me/sports/ski", #"{"level":"EXPERT","isMentor":true}"#)
      #expect(
        ski.body.hasPrefix(#"{"id":"ski","sportId":"ski","sport":{"id":"ski","name":"Ski"#)
          && ski.body.hasSuffix(#""level":"EXPERT","isMentor":true}"#), "\(ski.body)")
      #expect(try call("POST", "/riders/me/sports/chess", #"{"level":"EXPERT"}"#).status == 422)
      #expect(try call("GET", "/riders/me/sports").body == "[\(ski.body)]")
      #expect(try call("DELETE", "/riders/me/sports/ski").status == 204)
      #expect(try call("GET", "/riders/me/sports").body == "[]")
      #expect(try call("POST", "/sports", "{}").status == 405)
      #expect(try server.send("GET", Self.base + "/riders/me").status == 401)
    }

    @Test("An avatar comes as a form and is served at its address; the climbing app stores its own")
    func avatar() throws {
      let server = try ServerProcess([
        "--rules", "ride", "--public-url", "https://api.example.org/",
      ])
      defer { server.remove() }
      _ = try server.send(
        "PATCH", Self.base + "/riders/me", as: "r1", body: #"{"displayName":"Mia"}"#)
      let image = Data(base64Encoded: RetryTests.png)!
      func upload(_ path: String, _ part: String, _ headers: String = "") throws -> Answer {
        let head =
          "--the-boundary\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhi\r\n"
          + "--the-boundary\r\nContent-Disposition: form-data; \(part)\r\n"
          + "Content-Type: image/png\r\n\r\n"
        let body = Array(head.utf8) + image + Array("\r\n--the-boundary--\r\n".utf8)
        let connection = try Connection(server.port)
        connection.send(
          "POST \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(headers)"
            + "Authorization: Bearer \(Token.of("r1"))\r\nContent-Length: \(body.count)\r\n"
            + "Content-Type: multipart/form-data; boundary=the-boundary\r\n\r\n")
        connection.send(body)
        return Answer(connection.readToEnd())
      }
      let put = try upload(Self.base + "/riders/me/avatar", #"name="avatar"; filename="a.png""#)
      #expect(put.status == 200, "\(put.body)")
      let prefix = #"{"avatarUrl":"https://api.example.org/"#
      #expect(put.body.hasPrefix(prefix + "storage/v1/object/public/avatars/r1/"))
      let path = "/" + put.body.dropFirst(prefix.count).dropLast(2)
      let photo = try server.send("GET", path)
      #expect(photo.status == 200 && photo["Content-Type"]?.hasPrefix("image/") == true)
      #expect(
        try server.send("GET", Self.base + "/riders/me", as: "r1").body
          .contains(#""avatarUrl":"https://api.example.org\#(path)""#))

      let own = "/storage/v1/object/avatars/r1/1768813200_1a2b3c4d.jpg"
      let file = #"name="file"; filename="a.png""#
      #expect(try upload(own, file, "x-upsert: true\r\n").status == 200)
      #expect(try upload(own, file).status == 409)
      #expect(try upload(own, file, "x-upsert: true\r\n").status == 200)
      let shown = own.replacing("/object/", with: "/object/public/")
      #expect(try server.send("GET", shown).status == 200)
      #expect(try server.send("DELETE", own, as: "r2").status == 403)
      #expect(try server.send("DELETE", own, as: "r1").status == 200)
      #expect(try server.send("GET", shown).status == 404)
      let gone = try server.send("DELETE", own, as: "r1")
      #expect(gone.status == 404 && gone.error == "not_found", "\(gone.body)")
    }

    @Test("A UUID in capitals names the folder of the same UUID in small letters")
    func capitals() throws {
      let server = try ServerProcess()
      defer { server.remove() }
      let user = "5d0c5e0a-7a0e-4b2f-9a67-0e2b7d1c9f3a"
      _ = try server.post("CreateProfile", as: user, #"{"user":"\#(user)","handle":"niko"}"#)
      for (folder, status) in [(user.uppercased(), 415), (user, 415), ("R1", 403)] {
        let answer = try server.send(
          "POST", "/storage/v1/object/avatars/\(folder)/1_aaaaaaaa.jpg", as: user, body: "x",
          type: "image/jpeg")
        // The bytes are not an image; the folder's owner is checked before.
        #expect(answer.status == status, "\(folder): \(answer.body)")
      }
    }
  }
#endif
