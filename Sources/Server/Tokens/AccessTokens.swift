#if Server
  import CServer
  import EventLog
  import Events
  import Synchronization

  /// A signer of access tokens for accounts: JSON Web Tokens by ES256.
  ///
  /// The private key is a PEM file with mode 0600. Nothing else contains the key, and no address
  /// serves it. After the file was replaced, tokens of the previous key stay valid until they
  /// expire.
  final class AccessTokens: Sendable {
    private struct State {
      var pem: [UInt8] = []
      var id = ""
      var published: [PublicKey] = []
      var keys: [TokenKey] = []
      /// The accounts that were removed or disabled while they may have valid tokens.
      var refused: Set<String> = []
    }

    /// The public half of a signing key.
    struct PublicKey: Equatable, Sendable {
      var x: String
      var y: String
      /// When the last token of a previous key has expired; nil for the present key.
      var validUntil: Timestamp?

      /// The key's id: its thumbprint (RFC 7638).
      var id: String {
        let text = #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
        return base64URL(sha256(Array(text.utf8)))
      }

      fileprivate var jwk: JSONValue {
        .of([
          "kty": .string("EC"), "crv": .string("P-256"), "x": .string(x), "y": .string(y),
          "kid": .string(id), "alg": .string("ES256"), "use": .string("sig"),
          "key_ops": .array([.string("verify")]),
        ])
      }
    }

    /// The audience and the role of every access token.
    static let role = "authenticated"
    private let path: String
    private let file: AccountFile
    /// The claim `iss` of every token.
    let issuer: String
    /// The time for which a token is valid, in seconds.
    let lifetime: Int
    private let state = Mutex(State())

    /// Reads the key file, and creates it if it does not exist.
    /// - Parameter file: keeps the public halves of previous keys.
    init(
      keyFile path: String, _ file: AccountFile, issuer: String, lifetime: Int
    ) throws(AccountFault) {
      (self.path, self.file, self.issuer, self.lifetime) = (path, file, issuer, lifetime)
      try Self.makeKey(path, replaces: false)
      try readKeyAgain()
    }

    /// The keys with which access tokens are checked: the present one, and previous ones.
    var keys: [TokenKey] { state.withLock { $0.keys } }

    /// Returns the public keys as a JWKS (RFC 7517).
    func keySet(now: Timestamp) -> JSONValue {
      let keys = state.withLock { $0.published }.filter { $0.validUntil.map { $0 > now } ?? true }
      return .of(["keys": .array(keys.map(\.jwk))])
    }

    /// A secret for keyed hashes of one-time codes. The accounts' file alone does not reveal it.
    var secret: [UInt8] { sha256(state.withLock { $0.pem }) }

    /// Reads the key file again, after the file was replaced.
    func readKeyAgain() throws(AccountFault) {
      let pem: [UInt8]
      do throws(FileError) {
        pem = try FileSystem.posix.contents(of: path, limit: 1 << 16)
      } catch {
        throw AccountFault("\(error)")
      }
      try makePrivate(path)
      let key = try Self.publicKey(pem, path)
      let published = try file.publish(key, lifetime: lifetime)
      let set = JSONValue.of(["keys": .array(published.map(\.jwk))])
      var keys: [TokenKey]
      do throws(TokenKeyFault) {
        keys = try TokenKey.keys(Array(set.text.utf8))
      } catch {
        throw AccountFault("\(path): \(error.message)")
      }
      for (index, key) in zip(keys.indices, published) {
        keys[index].use = TokenKey.Use(
          audience: Self.role, issuer: issuer, mayNameServices: false,
          longestLifetime: AccountFile.longestTokenLifetime)
        keys[index].validUntil = key.validUntil
      }
      state.withLock {
        ($0.pem, $0.id, $0.published, $0.keys) = (pem, key.id, published, keys)
      }
    }

    /// Creates a signing key in a file that only its owner may read.
    /// - Parameter replaces: whether an existing key is replaced. Otherwise it stays.
    static func makeKey(_ path: String, replaces: Bool) throws(AccountFault) {
      let isThere: Bool
      do throws(FileError) {
        isThere = try ifFound(FileSystem.posix.status(path)) != nil
      } catch {
        throw AccountFault("\(error)")
      }
      if isThere, !replaces { return }
      var pem = [CChar](repeating: 0, count: 1_024)
      let count = Int(server_make_key(&pem, Int32(pem.count)))
      guard count > 0 else { throw AccountFault("OpenSSL cannot make a key") }
      let bytes = pem.prefix(count).map { UInt8(bitPattern: $0) }
      do throws(FileError) {
        try FileSystem.posix.replace(path, in: parentDirectory(path), bytes, as: .createPrivate)
      } catch {
        throw AccountFault("\(error)")
      }
    }

    private static func publicKey(_ pem: [UInt8], _ path: String) throws(AccountFault) -> PublicKey
    {
      var x = [UInt8](repeating: 0, count: 32)
      var y = x
      guard server_key_point(pem, Int32(pem.count), &x, &y) == 1 else {
        throw AccountFault("\(path): a private key on P-256 as PEM is expected")
      }
      return PublicKey(x: base64URL(x), y: base64URL(y))
    }

    /// Returns a signed token with these claims, and with `iss`, `aud`, `role`, `iat` and `exp`.
    func token(_ claims: [JSONValue.Member], now: Timestamp) throws(AccountFault) -> String {
      let (pem, id) = state.withLock { ($0.pem, $0.id) }
      let seconds = now.milliseconds / 1_000
      let all = JSONValue.object(
        claims + [
          .init("iss", .string(issuer)), .init("aud", .string(Self.role)),
          .init("role", .string(Self.role)), .init("iat", .int(seconds)),
          .init("exp", .int(seconds + Int64(lifetime))),
        ])
      var token: OpaquePointer?
      guard jwt_new(&token) == 0, let token else { throw AccountFault("no memory for a token") }
      defer { jwt_free(token) }
      guard jwt_add_grants_json(token, all.text) == 0, jwt_add_header(token, "kid", id) == 0,
        jwt_set_alg(token, JWT_ALG_ES256, pem, Int32(pem.count)) == 0,
        let text = jwt_encode_str(token)
      else { throw AccountFault("an access token cannot be signed") }
      defer { free(text) }
      return String(cString: text)
    }

    /// Replaces the accounts whose tokens are refused.
    func refuse(_ users: Set<String>) { state.withLock { $0.refused = users } }

    /// Returns whether an account was removed or disabled.
    func refuses(_ user: String) -> Bool {
      state.withLock { !$0.refused.isEmpty && $0.refused.contains(user.lowercased()) }
    }
  }
#endif
