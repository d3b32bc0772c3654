#if Server
  import CServer
  import Events
  import UseCases

  /// A key for checking tokens, with the one algorithm that it may be used for.
  struct TokenKey: Sendable {
    enum Algorithm: Sendable {
      case hs256, rs256, es256

      var identifier: jwt_alg_t {
        switch self {
        case .hs256: JWT_ALG_HS256
        case .rs256: JWT_ALG_RS256
        case .es256: JWT_ALG_ES256
        }
      }
    }

    /// The claims that a token must have if it is signed with the key.
    struct Use: Sendable {
      /// The value that `aud` must be or contain; nil skips the check.
      var audience: String?
      /// The value that `iss` must be; nil skips the check.
      var issuer: String?
      /// Whether the claim `role` may name a service.
      var mayNameServices = true
      /// The longest time from now to `exp`, in seconds; nil skips the check.
      var longestLifetime: Int?
    }

    let algorithm: Algorithm
    let bytes: [UInt8]
    let id: String?
    var use = Use()
    /// The time after which the key is not accepted; nil if there is none.
    var validUntil: Timestamp?

    /// Reads a key file: a secret, a public key as PEM, or a set of keys (JWKS, RFC 7517).
    static func read(_ path: String) throws(TokenKeyFault) -> [TokenKey] {
      let bytes: [UInt8]
      do throws(FileError) {
        bytes = try FileSystem.posix.contents(of: path, limit: 1 << 20)
      } catch {
        throw TokenKeyFault("\(error)")
      }
      do throws(TokenKeyFault) {
        return try keys(bytes)
      } catch {
        throw TokenKeyFault("\(path): \(error.message)")
      }
    }

    /// Returns the keys in a file's bytes. The bytes count as a secret only if they cannot be
    /// anything else. With a public key as the secret, everybody could sign tokens.
    static func keys(_ bytes: [UInt8]) throws(TokenKeyFault) -> [TokenKey] {
      let isMarked = bytes.starts(with: [0xef, 0xbb, 0xbf])
      let text = Array((isMarked ? bytes.dropFirst(3) : bytes[...]).drop { $0 <= 0x20 })
      if text.first == UInt8(ascii: "{") {
        guard let set = try? JSONValue(object: text) else {
          throw TokenKeyFault("a file that begins with { must be a set of keys; this is no JSON")
        }
        return try keys(ofSet: set["keys"] == nil ? .of(["keys": .array([set])]) : set)
      }
      if text.firstRange(of: Array("-----BEGIN".utf8)) != nil {
        if text.firstRange(of: Array("PRIVATE KEY-----".utf8)) != nil { throw .isPrivate }
        return [TokenKey(algorithm: try algorithm(ofPEM: text), bytes: text, id: nil)]
      }
      guard !isMarked, let secret = SecretText(bytes) else {
        throw TokenKeyFault(
          "this is no secret: a secret is printable ASCII on one line, or base64; "
            + #"a public key must be PEM or JWKS: {"keys":[…]}"#)
      }
      guard secret.bytes.count >= 32 else {
        throw TokenKeyFault(
          "a secret of at least 32 bytes is expected; this has \(secret.bytes.count)")
      }
      return [TokenKey(algorithm: .hs256, bytes: secret.bytes, id: nil)]
    }

    private static func algorithm(ofPEM pem: [UInt8]) throws(TokenKeyFault) -> Algorithm {
      switch server_key_kind(pem, Int32(pem.count)) {
      case 1: return .rs256
      case 2: return .es256
      case -1: throw .isPrivate
      case -3: throw TokenKeyFault("an RSA key's exponent must be odd and at least 3")
      case 0: throw TokenKeyFault("no public key can be read from this PEM")
      default:
        throw TokenKeyFault("an RSA key of at least 2048 bits, or a key on P-256, is expected")
      }
    }

    /// Returns the usable keys of a set. Ignores keys of other kinds or for other uses, because
    /// sets often contain them.
    private static func keys(ofSet set: JSONValue) throws(TokenKeyFault) -> [TokenKey] {
      guard case .array(let all)? = set["keys"] else {
        throw TokenKeyFault("keys: a list is expected")
      }
      var keys: [TokenKey] = []
      for key in all {
        if key["d"] != nil { throw .isPrivate }
        if let use = key["use"], use != .string("sig") { continue }
        if case .string(let name)? = key["alg"], !["RS256", "ES256"].contains(name) { continue }
        var pem = [CChar](repeating: 0, count: 4_096)
        var count: Int32 = 0
        let algorithm: Algorithm
        switch (key["kty"], key["crv"]) {
        case (.string("RSA"), _):
          algorithm = .rs256
          guard let n = number(key["n"]), let e = number(key["e"]) else { break }
          count = server_rsa_pem(n, Int32(n.count), e, Int32(e.count), &pem, Int32(pem.count))
        case (.string("EC"), .string("P-256")):
          algorithm = .es256
          guard let x = number(key["x"]), let y = number(key["y"]), x.count == 32, y.count == 32
          else { break }
          count = server_ec_pem(x, y, &pem, Int32(pem.count))
        default: continue
        }
        let bytes = pem.prefix(Int(count)).map { UInt8(bitPattern: $0) }
        guard count > 0 else { throw TokenKeyFault("a key of the set cannot be read") }
        _ = try self.algorithm(ofPEM: bytes)
        var id: String?
        if case .string(let text)? = key["kid"] { id = text }
        keys.append(TokenKey(algorithm: algorithm, bytes: bytes, id: id))
      }
      if keys.isEmpty {
        throw TokenKeyFault("the set has no RSA key and none on P-256 to check signatures with")
      }
      return keys
    }

    private static func number(_ value: JSONValue?) -> [UInt8]? {
      guard case .string(let text)? = value, text.utf8.count < 2_000 else { return nil }
      guard !text.contains("="), !text.contains("+"), !text.contains("/") else { return nil }
      return base64(text)
    }

    /// Decodes a text in base64 or base64url.
    static func base64(_ text: String) -> [UInt8]? {
      let plain = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
      return try? Fields.dataURI("data:;base64," + String(plain))
    }
  }

  /// The reason why a key file cannot be used.
  public struct TokenKeyFault: Error, Sendable {
    /// A sentence for the operator: what is wrong with the file and what is expected.
    public var message: String
    init(_ message: String) { self.message = message }

    fileprivate static var isPrivate: Self {
      Self("this is a private key; give the server the public one only")
    }
  }
#endif
