#if Server
  import CServer
  import Events
  import Synchronization
  import UseCases

  /// Checks JSON Web Tokens (RFC 7519) with libjwt: the signature is its business; that the
  /// algorithm is the key's, and what the claims say, is ours.
  public final class JSONWebTokens: Authenticator {
    private struct State {
      var keys: [TokenKey]
      /// Tokens that were checked, until they expire.
      var known: [String: Session] = [:]
      /// How often keys were read: what was checked with those from before is not remembered.
      var generation = 0
    }

    private static let mostKnown = 20_000
    private static let longest = 8_192
    private let paths: [String]
    private let audience: String?
    private let issuer: String?
    private let state: Mutex<State>

    /// - Parameters:
    ///   - paths: of key files, all of whose keys are good: two while keys are changed.
    ///   - audience: what `aud` must be or hold; nil is not looked at.
    ///   - issuer: what `iss` must be; nil is not looked at.
    public init(paths: [String], audience: String?, issuer: String?) throws(TokenKeyFault) {
      (self.paths, self.audience, self.issuer) = (paths, audience, issuer)
      state = Mutex(State(keys: try Self.read(paths)))
    }

    private static func read(_ paths: [String]) throws(TokenKeyFault) -> [TokenKey] {
      var keys: [TokenKey] = []
      for path in paths { keys += try TokenKey.read(path) }
      return keys
    }

    /// Reads the key files again; those from before stay good if one cannot be read.
    public func readKeysAgain() throws(TokenKeyFault) {
      let keys = try Self.read(paths)
      state.withLock { $0 = State(keys: keys, generation: $0.generation + 1) }
    }

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
      var fault = TokenFault("the token's signature is not that of a key of this server")
      for key in keys {
        var decoded: OpaquePointer?
        guard jwt_decode(&decoded, token, key.bytes, Int32(key.bytes.count)) == 0,
          let decoded
        else { continue }
        defer { jwt_free(decoded) }
        // libjwt goes by the algorithm that the token names: a public key must not serve as secret.
        guard jwt_get_alg(decoded) == key.algorithm.identifier else { continue }
        if let id = key.id, let named = jwt_get_header(decoded, "kid"),
          String(cString: named) != id
        {
          continue
        }
        // RFC 7515, 4.1.11: a token that requires an extension is refused where that is not known.
        if let extensions = jwt_get_headers_json(decoded, "crit") {
          free(extensions)
          throw TokenFault("the token's crit requires what this server does not know")
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
        throw TokenFault("the token has no exp: it would be good for ever")
      }
      if expires <= now { throw .hasExpired }
      if let begins = claims["nbf"] {
        guard let begins = time(begins), begins <= now else {
          throw TokenFault("the token is not good yet")
        }
      }
      if let issuer, claims["iss"] != .string(issuer) {
        throw TokenFault("the token is of another issuer")
      }
      if let audience {
        switch claims["aud"] {
        case .string(audience): break
        case .array(let all) where all.contains(.string(audience)): break
        default: throw TokenFault("the token is for another audience")
        }
      }
      var subject: String?
      if case .string(let text)? = claims["sub"] { subject = text }
      return try Session(
        subject: subject, isService: claims["role"] == .string("service"), expires: expires)
    }

    /// A NumericDate: seconds, perhaps with a fraction.
    private func time(_ value: JSONValue?) -> Timestamp? {
      guard case .number(let text)? = value, let seconds = Double(text),
        (0...253_402_300_799).contains(seconds)
      else { return nil }
      return Timestamp(milliseconds: Int64(seconds * 1_000))
    }
  }
#endif
