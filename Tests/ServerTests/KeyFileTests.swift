#if Server
  import Foundation
  import Testing

  /// Valid and invalid files with the keys that check tokens.
  @Suite struct KeyFileTests {
    @Test("A key file may have a plain secret, or base64 on one or more lines")
    func secrets() throws {
      for secret in [
        "a plain secret of thirty-two bytes, and more", String(repeating: "0a", count: 32),
        "c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0IHNlY3JldA==",
        String(repeating: "QUJD", count: 16) + "\n" + "QUJDREVGRw==",
      ] {
        let server = try ServerProcess(["--token-key", "key"], secret: secret + "\n")
        defer { server.remove() }
        let token = Token.make(["sub": "ann"], key: secret)
        let answer = try server.send(
          "GET", "/v1/do/ListSports", headers: ["Authorization: Bearer \(token)"])
        #expect(answer.status == 200, "\(secret): \(answer.body)")
      }
    }

    @Test("An unusable key file is named, with advice, and nothing listens")
    func keyFiles() throws {
      let folder = FileManager.default.temporaryDirectory.appending(
        path: "eventlog-keys-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let curve = try TokenTests.pair(folder, "-algorithm EC -pkeyopt ec_paramgen_curve:P-256")
      let file = folder.appending(path: "key")
      let rsa = try TokenTests.pair(folder, "-algorithm RSA -pkeyopt rsa_keygen_bits:2048")
      let pem = try String(contentsOf: rsa.known, encoding: .utf8)
      let body = pem.split(separator: "\n").dropFirst().dropLast().joined(separator: "\n")
      let n = try TokenTests.modulus(rsa.known)
      let one = #"{"kty":"RSA","n":"\#(n)","e":"AQAB"}"#
      let lines = String(repeating: "QUJD", count: 20)
      let cases: [(Data, String)] = [
        (Data(body.utf8), "no secret"),
        (Data(body.replacing("\n", with: "").utf8), "no secret"),
        (Data(("\u{feff}" + String(repeating: "x", count: 40)).utf8), "no secret"),
        (Data(("ssh-rsa " + String(repeating: "A", count: 300)).utf8), "no secret"),
        (Data("[\(one)]".utf8), "no secret"), (Data("  [\(one)]\n".utf8), "no secret"),
        (Data("[\"\(n)\"]".utf8), "no secret"), (pem.data(using: .utf16)!, "no secret"),
        (pem.data(using: .utf16LittleEndian)!, "no secret"),
        (#"{"keys":[\#(one)]}"#.data(using: .utf16BigEndian)!, "no JSON"),
        (Data(pem.dropFirst().utf8), "no secret"),
        (Data("// keys\n{\"keys\":[]}".utf8), "no secret"),
        (Data("---- BEGIN SSH2 PUBLIC KEY ----\n\(lines)\n".utf8), "no secret"),
        (Data("kty: RSA\nn: \(n)\n".utf8), "no secret"),
        (Data(String(repeating: "ä", count: 40).utf8), "no secret"),
        (Data(repeating: 0x80, count: 64), "no secret"), (Data(lines.utf8) + [0], "no secret"),
        (Data("{ nonsense }".utf8), "no JSON"),
        (Data((String(repeating: "x", count: 31) + "\n").utf8), "at least 32 bytes"),
        (Data(), "at least 32 bytes"), (Data(curve.secret.utf8), "a private key"),
        (Data((pem + curve.secret).utf8), "a private key"),
        (Data("-----BEGIN NOTHING-----\n".utf8), "no public key"),
        (Data(#"{"keys":[]}"#.utf8), "no RSA key"),
        (Data(#"{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]}"#.utf8), "2048"),
        (Data(#"{"keys":[{"kty":"RSA","n":"\#(n)","e":"AQAB","d":"AQ"}]}"#.utf8), "a private key"),
        (Data(#"{"kty":"OKP","crv":"Ed25519","x":"AA","d":"AQ"}"#.utf8), "a private key"),
        (Data(#"{"keys":[{"kty":"RSA","n":"\#(n)","e":"AQ"}]}"#.utf8), "exponent"),
        (Data(#"{"keys":[{"kty":"RSA","n":"\#(n)","e":"Ag"}]}"#.utf8), "exponent"),
      ]
      for (bytes, message) in cases {
        try bytes.write(to: file)
        let text = String(decoding: bytes.prefix(60), as: UTF8.self)
        do {
          let server = try ServerProcess(["--token-key", file.path])
          server.remove()
          Issue.record("started with \(text)")
        } catch let error as ServerProcess.NotReady {
          #expect(error.said.contains(message), "\(text): \(error.said)")
          #expect(error.status == 64, "\(text)")
        }
      }
      for options in [
        ["--insecure-users", "--listen", "0.0.0.0:0"],
        ["--insecure-users", "--token-key", file.path], ["--insecure-users", "--cors", "nonsense"],
        ["--insecure-users", "--listen", "nonsense"], ["--token-key", "/nothing/there"],
      ] {
        #expect(throws: ServerProcess.NotReady.self, "\(options)") {
          try ServerProcess(options).remove()
        }
      }
    }
  }

  extension TokenTests {
    /// The modulus of an RSA key, in the form of a set of keys.
    fileprivate static func modulus(_ known: URL) throws -> String {
      base64URL(
        hex: try shell("openssl rsa -pubin -in \(known.path) -noout -modulus")
          .dropFirst("Modulus=".count))
    }
  }
#endif
