#if Server
  import CServer
  import Foundation
  import Testing

  /// Accepted and refused tokens.
  @Suite struct TokenTests {
    private static func status(_ server: ServerProcess, _ token: String) throws -> Answer {
      try server.send("GET", "/v1/do/ListSports", headers: ["Authorization: Bearer \(token)"])
    }

    @Test(
      "A token is refused if unsigned, outside its time, for another audience or without a user")
    func refused() throws {
      let server = try ServerProcess(["--token-audience", "app", "--token-issuer", "idp"])
      defer { server.remove() }
      let good = ["sub": "ann", "aud": "app", "iss": "idp"]
      func but(_ name: String, _ value: String?) -> [String: String] {
        var claims = good
        claims[name] = value
        return claims
      }
      #expect(try Self.status(server, Token.make(good)).status == 200)
      let several = Token.make(but("aud", nil), json: #"{"aud":["other","app"]}"#)
      #expect(try Self.status(server, several).status == 200)
      let header = Data(#"{"alg":"none","typ":"JWT"}"#.utf8).base64EncodedString()
        .replacingOccurrences(of: "=", with: "")
      let claims = Token.make(good).split(separator: ".")[1]
      let refused: [(String, String)] = [
        ("alg: none, by the library", Token.make(good, algorithm: JWT_ALG_NONE)),
        ("alg: none, no signature", "\(header).\(claims)."),
        ("alg: none, some signature", "\(header).\(claims).AAAA"),
        ("another secret", Token.make(good, key: String(repeating: "b", count: 40))),
        ("another algorithm", Token.make(good, algorithm: JWT_ALG_HS512)),
        ("expired", Token.make(good, lasting: -1)),
        ("expired and not signed", Token.make(good, lasting: -1, key: "b")),
        ("no exp", Token.make(good, lasting: nil)),
        ("not yet", Token.make(good, numbers: ["nbf": time(nil) + 600])),
        ("nbf is a text", Token.make(good, json: #"{"nbf":"tomorrow"}"#)),
        ("another audience", Token.make(but("aud", "other"))),
        ("no audience", Token.make(but("aud", nil))),
        ("another issuer", Token.make(but("iss", "other"))),
        ("no sub", Token.make(but("sub", nil))), ("empty sub", Token.make(but("sub", ""))),
        ("sub with a space", Token.make(but("sub", "a b"))),
        ("sub of a service", Token.make(but("sub", "service:x"))),
        ("sub that is no text", Token.make(but("sub", nil), json: #"{"sub":7}"#)),
        ("nothing", ""), ("one dot", "a.b"), ("garbage", "a.b.c"),
        ("a required extension", Token.make(good, headers: #"{"crit":["exp"]}"#)),
        ("an extension that is no list", Token.make(good, headers: #"{"crit":null}"#)),
        ("very long", String(repeating: "a", count: 9_000)),
      ]
      for (what, token) in refused {
        let answer = try Self.status(server, token)
        let code = what == "expired" ? "tokenExpired" : "unauthorized"
        #expect(answer.status == 401 && answer.error == code, "\(what): \(answer.body)")
        #expect(answer["WWW-Authenticate"] == "Bearer", "\(what)")
      }
      #expect(try server.send("GET", "/v1/do/ListSports").status == 401)
      let basic = try server.send(
        "GET", "/v1/do/ListSports", headers: ["Authorization: Basic YTpi"])
      #expect(basic.status == 401)
      let header2 = try server.send("GET", "/v1/do/ListSports", headers: ["X-User: ann"])
      #expect(header2.status == 401)
    }

    @Test("Only the role service makes a service, which may do what users may not")
    func services() throws {
      let server = try ServerProcess()
      defer { server.remove() }
      #expect(try server.post("GetReports", as: "service:moderation").status == 200)
      for role in ["admin", "service ", "SERVICE"] {
        let token = Token.make(["sub": "ann", "role": role])
        let answer = try server.send(
          "GET", "/v1/do/GetReports", headers: ["Authorization: Bearer \(token)"])
        #expect(answer.status == 403, "\(role)")
      }
    }

    static func pair(_ folder: URL, _ options: String) throws -> (secret: String, known: URL) {
      let name = UUID().uuidString
      let secret = folder.appending(path: name + ".key")
      let known = folder.appending(path: name + ".pem")
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = [
        "-c",
        "openssl genpkey \(options) -out \(secret.path) && "
          + "openssl pkey -in \(secret.path) -pubout -out \(known.path)",
      ]
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      return (try String(contentsOf: secret, encoding: .utf8), known)
    }

    @Test(
      "Public keys check only their own algorithm; HS256 with the public key as secret is refused")
    func publicKeys() throws {
      let folder = FileManager.default.temporaryDirectory.appending(
        path: "eventlog-keys-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let rsa = try Self.pair(folder, "-algorithm RSA -pkeyopt rsa_keygen_bits:2048")
      let curve = try Self.pair(folder, "-algorithm EC -pkeyopt ec_paramgen_curve:P-256")
      let server = try ServerProcess([
        "--token-key", rsa.known.path, "--token-key", curve.known.path,
      ])
      defer { server.remove() }
      let ann = ["sub": "ann"]
      let signed = [
        Token.make(ann, algorithm: JWT_ALG_RS256, key: rsa.secret),
        Token.make(ann, algorithm: JWT_ALG_ES256, key: curve.secret),
      ]
      for token in signed { #expect(try Self.status(server, token).status == 200) }
      for known in [rsa.known, curve.known] {
        let pem = try String(contentsOf: known, encoding: .utf8)
        for key in [pem, String(pem.dropLast())] {
          #expect(try Self.status(server, Token.make(ann, key: key)).status == 401)
        }
      }
      // RS512 is not the key's algorithm either.
      let other = Token.make(ann, algorithm: JWT_ALG_RS512, key: rsa.secret)
      #expect(try Self.status(server, other).status == 401)
    }

    @Test("A set of keys is used by key ids, and read again at SIGHUP")
    func keySet() throws {
      let folder = FileManager.default.temporaryDirectory.appending(
        path: "eventlog-keys-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let rsa = try Self.pair(folder, "-algorithm RSA -pkeyopt rsa_keygen_bits:2048")
      let curve = try Self.pair(folder, "-algorithm EC -pkeyopt ec_paramgen_curve:P-256")
      let set = folder.appending(path: "keys.json")
      func write(_ keys: [String]) throws {
        try Data(#"{"keys":[\#(keys.joined(separator: ","))]}"#.utf8).write(to: set)
      }
      let modulus = try Self.shell("openssl rsa -pubin -in \(rsa.known.path) -noout -modulus")
        .dropFirst("Modulus=".count)
      let point = try Self.shell(
        "openssl pkey -pubin -in \(curve.known.path) -outform DER | tail -c 64 | xxd -p -c 64")
      let rsaKey = #"{"kty":"RSA","kid":"a","n":"\#(Self.base64URL(hex: modulus))","e":"AQAB"}"#
      let curveKey =
        #"{"kty":"EC","crv":"P-256","kid":"b","use":"sig","x":""#
        + Self.base64URL(hex: point.prefix(64)) + #"","y":""#
        + Self.base64URL(hex: point.suffix(64)) + "\"}"
      try write([rsaKey, #"{"kty":"OKP","crv":"Ed25519","x":"AA"}"#])
      let server = try ServerProcess(["--token-key", set.path])
      defer { server.remove() }
      func token(_ id: String, _ algorithm: jwt_alg_t, _ key: String) -> String {
        Token.make(["sub": "ann"], algorithm: algorithm, key: key, header: ["kid": id])
      }
      #expect(try Self.status(server, token("a", JWT_ALG_RS256, rsa.secret)).status == 200)
      #expect(try Self.status(server, token("z", JWT_ALG_RS256, rsa.secret)).status == 401)
      let later = token("b", JWT_ALG_ES256, curve.secret)
      #expect(try Self.status(server, later).status == 401)
      try write([curveKey])
      kill(server.process.processIdentifier, SIGHUP)
      for _ in 0..<500 where !server.said.contains("read again") { usleep(10_000) }
      #expect(try Self.status(server, later).status == 200)
      #expect(try Self.status(server, token("a", JWT_ALG_RS256, rsa.secret)).status == 401)
      // A file that cannot be read changes nothing.
      try Data("{}".utf8).write(to: set)
      kill(server.process.processIdentifier, SIGHUP)
      for _ in 0..<500 where !server.said.contains("stay in use") { usleep(10_000) }
      #expect(try Self.status(server, later).status == 200)
    }

    static func shell(_ command: String) throws -> String {
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", command]
      process.standardOutput = output
      try process.run()
      let data = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    static func base64URL(hex: some StringProtocol) -> String {
      let digits = Array(hex)
      let bytes = stride(from: 0, to: digits.count - 1, by: 2).map {
        UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0
      }
      return Data(bytes).base64EncodedString().replacingOccurrences(of: "=", with: "")
        .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
    }
  }
#endif
