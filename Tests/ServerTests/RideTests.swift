#if Server
  import Foundation
  import Testing

  /// The ride app's own addresses, as its clients use them, by the rules of any app.
  @Suite struct RideTests {
    private static let base = "/api/v1"

    @Test("A rider is made, edited, shown and deleted", arguments: ["ride", "climb", "erg"])
    func rider(rules: String) throws {
      let server = try ServerProcess(["--rules", rules])
      defer { server.remove() }
      func call(_ method: String, _ path: String, _ body: String? = nil) throws -> Answer {
        try server.send(method, Self.base + path, as: "r1", body: body)
      }
      #expect(try call("GET", "/riders/me").status == 404)
      #expect(try call("PATCH", "/riders/me", #"{"description":"hi"}"#).status == 404)
      #expect(try call("GET", "/riders/me/base-location").body == "null")
      let made = try call("PATCH", "/riders/me", #"{"displayName":"Mia","description":null}"#)
      #expect(made.status == 200, "\(made.body)")
      #expect(
        made.body.hasPrefix(
          #"{"id":"r1","userId":"r1","type":"RIDER","displayName":"Mia","description":null,"#
            + #""avatarUrl":null,"createdAt":""#), "\(made.body)")
      let edited = try call(
        "PATCH", "/riders/me", #"{"type":"BOTH","description":"hello","unknown":1}"#)
      #expect(edited.body.contains(#""type":"BOTH""#) && edited.body.contains(#""hello""#))
      #expect(try call("GET", "/riders/me").body == edited.body)
      let long = String(repeating: "x", count: 41)
      let tooLong = try call("PATCH", "/riders/me", #"{"displayName":"\#(long)"}"#)
      #expect(tooLong.status == 422 && tooLong.error == "displayNameTooLong")
      #expect(try call("PATCH", "/riders/me", #"{"type":"DRIVER"}"#).status == 400)
      #expect(try call("DELETE", "/riders/me").status == 204)
      #expect(try call("GET", "/riders/me").status == 404)
      #expect(try call("PATCH", "/riders/me", #"{"displayName":"Mia"}"#).status == 409)
    }

    @Test("Places and sports, in capitals and with nulls")
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

    @Test("An avatar comes as a form, and its address works; the climbing app stores its own")
    func avatar() throws {
      let server = try ServerProcess(["--public-url", "https://api.example.org/"])
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
      #expect(try server.send("DELETE", own, as: "r1").status == 200)
    }

    @Test("A UUID in capitals is the folder of the same UUID in small letters")
    func capitals() throws {
      let server = try ServerProcess()
      defer { server.remove() }
      let user = "5d0c5e0a-7a0e-4b2f-9a67-0e2b7d1c9f3a"
      _ = try server.post("CreateProfile", as: user, #"{"user":"\#(user)","handle":"niko"}"#)
      for (folder, status) in [(user.uppercased(), 422), (user, 422), ("R1", 403)] {
        let answer = try server.send(
          "POST", "/storage/v1/object/avatars/\(folder)/1_aaaaaaaa.jpg", as: user, body: "x",
          type: "image/jpeg")
        // The bytes are no image; whose folder it is was looked at before.
        #expect(answer.status == status, "\(folder): \(answer.body)")
      }
    }
  }
#endif
