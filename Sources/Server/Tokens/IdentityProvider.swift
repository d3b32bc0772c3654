#if Server
  import Events

  /// A provider whose tokens identify people: Apple or Google (OpenID Connect).
  ///
  /// A token is accepted only if a key of the provider signed it, if the provider issued it for one
  /// of the audiences, and if it has not expired. Its claim `nonce` must be the SHA-256 hash of the
  /// nonce in the request; if one of the two has a nonce, both must.
  public struct IdentityProvider: Sendable {
    /// The person whom a token identifies.
    struct Person: Sendable {
      /// The provider's id of the person.
      var subject: String
      /// The address in lower case; nil if the token has none.
      var email: String?
      /// Whether the provider has verified that the address is the person's.
      var isVerified: Bool
      /// The claims that are kept with the account.
      var data: JSONValue
    }

    /// The name in requests: `apple` or `google`.
    public let name: String
    private let issuers: [String]
    private let audiences: [String]
    private let keyFile: String
    private var keys: [TokenKey]

    /// Sign in with Apple.
    /// - Parameters:
    ///   - audiences: the app's ids: its bundle id, and its services id for the web.
    ///   - keyFile: a copy of `https://appleid.apple.com/auth/keys`.
    public static func apple(audiences: [String], keyFile: String) throws(TokenKeyFault) -> Self {
      try Self("apple", ["https://appleid.apple.com"], audiences, keyFile)
    }

    /// Sign in with Google.
    /// - Parameters:
    ///   - audiences: the OAuth client ids of the app.
    ///   - keyFile: a copy of `https://www.googleapis.com/oauth2/v3/certs`.
    public static func google(audiences: [String], keyFile: String) throws(TokenKeyFault) -> Self {
      try Self(
        "google", ["https://accounts.google.com", "accounts.google.com"], audiences, keyFile)
    }

    private init(
      _ name: String, _ issuers: [String], _ audiences: [String], _ keyFile: String
    ) throws(TokenKeyFault) {
      (self.name, self.issuers, self.audiences) = (name, issuers, audiences)
      (self.keyFile, keys) = (keyFile, [])
      try readKeys()
    }

    /// Reads the key file again.
    mutating func readKeys() throws(TokenKeyFault) {
      let keys = try TokenKey.read(keyFile)
      for key in keys {
        guard key.algorithm != .hs256 else {
          throw TokenKeyFault("\(keyFile): the public keys of \(name) are expected, not a secret")
        }
      }
      self.keys = keys
    }

    /// Returns the person whom a token identifies.
    /// - Parameter nonce: the nonce in the request; nil if there is none.
    func person(
      _ token: String, nonce: String?, now: Timestamp
    ) throws(AccountFault) -> Person {
      let claims: JSONValue
      do throws(TokenFault) {
        claims = try SignedToken.checked(token, with: keys) { (claims, key) throws(TokenFault) in
          _ = try SignedToken.expiry(claims, key, now: now)
          return claims
        }
      } catch {
        throw .refused(400, "bad_jwt", "Bad ID token: \(error.message)")
      }
      guard let issuer = Accounts.text(claims, "iss"), issuers.contains(issuer) else {
        throw .refused(400, "bad_jwt", "Bad ID token: it has another issuer (iss)")
      }
      guard audiences.contains(where: { SignedToken.isFor($0, claims) }) else {
        throw .refused(400, "unexpected_audience", "Unacceptable audience in id_token")
      }
      try check(nonce, claims)
      guard let subject = Accounts.text(claims, "sub"), (1...255).contains(subject.utf8.count)
      else { throw .refused(400, "bad_jwt", "Bad ID token: it has no sub") }
      let verified = claims["email_verified"]
      var data: [JSONValue.Member] = []
      for name in ["iss", "sub", "email", "email_verified", "name", "picture"] {
        if let value = claims[name], value.text.utf8.count <= 2_000 {
          data.append(.init(name, value))
        }
      }
      return Person(
        subject: subject, email: Accounts.text(claims, "email").flatMap(Accounts.address),
        isVerified: verified == .bool(true) || verified == .string("true"), data: .object(data))
    }

    private func check(_ nonce: String?, _ claims: JSONValue) throws(AccountFault) {
      switch (nonce, claims["nonce"]) {
      case (nil, nil): return
      case (let nonce?, .string(let hash)?) where isEqual(hashed(nonce), hash): return
      case (_?, _?): throw .invalid("Nonces mismatch")
      default:
        throw .invalid("Passed nonce and nonce in id_token should either both exist or not.")
      }
    }
  }
#endif
