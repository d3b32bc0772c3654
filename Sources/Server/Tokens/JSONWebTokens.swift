#if Server
  import CServer
  import Events
  import Synchronization
  import UseCases

  /// An authenticator for JSON Web Tokens (RFC 7519).
  ///
  /// libjwt checks the signature. This type checks the claims, and that the token uses the
  /// algorithm for which the key is meant.
  public final class JSONWebTokens: Authenticator {
    private struct State {
      var keys: [TokenKey]
      /// The sessions of tokens that were checked. A session stays here until it expires.
      var known: [String: Session] = [:]
      /// A number that increases when the keys are read again. `known` gets no sessions that were
      /// checked with older keys.
      var generation = 0
    }

    private static let mostKnown = 20_000
    private static let longest = 8_192
    private let paths: [String]
    private let audience: String?
    private let issuer: String?
    private let state: Mutex<State>

    /// Reads the key files.
    /// - Parameters:
    ///   - paths: the key files. Every key in them is accepted; use two files to change keys.
    ///   - audience: the value that `aud` must be or contain; nil skips the check.
    ///   - issuer: the value that `iss` must be; nil skips the check.
    public init(paths: [String], audience: String?, issuer: String?) throws(TokenKeyFault) {
      (self.paths, self.audience, self.issuer) = (paths, audience, issuer)
      state = Mutex(State(keys: try Self.read(paths)))
    }

    private static func read(_ paths: [String]) throws(TokenKeyFault) -> [TokenKey] {
      var keys: [TokenKey] = []
      for path in paths { keys += try TokenKey.read(path) }
      return keys
    }

    /// Reads the key files again. If a file cannot be read, the old keys stay in use.
    public func readKeysAgain() throws(TokenKeyFault) {
      let keys = try Self.read(paths)
      state.withLock { $0 = State(keys: keys, generation: $0.generation + 1) }
    }

    /// Checks a token, or returns the session from an earlier check.
    public func session(_ token: String, now: Timestamp) throws(TokenFault) -> Session {
      if let known = state.withLock({ $0.known[token] }) {
        if known.expires > now { return known }
        state.withLock { $0.known[token] = nil }
        throw .hasExpired
      }
      guard token.utf8.count <= Self.longest else { throw TokenFault("the token is too long") }
      let (keys, generation) = state.withLock { ($0.keys, $0.generation) }
      let session = try checked(token, keys, now)
      state.withLock { state in
        guard state.generation == generation else { return }
        if state.known.count >= Self.mostKnown { state.known = [:] }
        state.known[token] = session
      }
      return session
    }

    private func checked(
      _ token: String, _ keys: [TokenKey], _ now: Timestamp
    ) throws(TokenFault) -> Session {
      var fault = TokenFault("the token's signature does not match a key of this server")
      for key in keys {
        var decoded: OpaquePointer?
        guard jwt_decode(&decoded, token, key.bytes, Int32(key.bytes.count)) == 0,
          let decoded
        else { continue }
        defer { jwt_free(decoded) }
        // libjwt uses the algorithm that the token names. Without this check, a public key could
        // serve as a secret.
        guard jwt_get_alg(decoded) == key.algorithm.identifier else { continue }
        if let id = key.id, let named = jwt_get_header(decoded, "kid"),
          String(cString: named) != id
        {
          continue
        }
        // RFC 7515, 4.1.11: a token that requires an unsupported extension must be refused.
        if let extensions = jwt_get_headers_json(decoded, "crit") {
          free(extensions)
          throw TokenFault("the token's crit requires an extension that is not supported")
        }
        do throws(TokenFault) {
          return try session(claims(decoded), now)
        } catch {
          fault = error
        }
      }
      throw fault
    }

    private func claims(_ token: OpaquePointer) throws(TokenFault) -> JSONValue {
      guard let text = jwt_get_grants_json(token, nil) else {
        throw TokenFault("the token has no claims")
      }
      defer { free(text) }
      guard let claims = try? JSONValue(String(cString: text)) else {
        throw TokenFault("the token's claims cannot be read")
      }
      return claims
    }

    private func session(_ claims: JSONValue, _ now: Timestamp) throws(TokenFault) -> Session {
      guard let expires = time(claims["exp"]) else {
        throw TokenFault("the token has no exp; a token must expire")
      }
      if expires <= now { throw .hasExpired }
      if let begins = claims["nbf"] {
        guard let begins = time(begins), begins <= now else {
          throw TokenFault("the token is not valid yet: see its nbf")
        }
      }
      if let issuer, claims["iss"] != .string(issuer) {
        throw TokenFault("the token has another issuer (iss)")
      }
      if let audience {
        switch claims["aud"] {
        case .string(audience): break
        case .array(let all) where all.contains(.string(audience)): break
        default: throw TokenFault("the token is for another audience (aud)")
        }
      }
      var subject: String?
      if case .string(let text)? = claims["sub"] { subject = text }
      return try Session(
        subject: subject, isService: claims["role"] == .string("service"), expires: expires)
    }

    /// Reads a NumericDate: seconds since 1970, perhaps with a fraction.
    private func time(_ value: JSONValue?) -> Timestamp? {
      guard case .number(let text)? = value, let seconds = Double(text),
        (0...253_402_300_799).contains(seconds)
      else { return nil }
      return Timestamp(milliseconds: Int64(seconds * 1_000))
    }
  }
#endif
