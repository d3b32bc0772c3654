#if Server
  import Events
  import Synchronization
  import UseCases

  /// An authenticator for JSON Web Tokens (RFC 7519).
  ///
  /// `SignedToken` checks the signature. This type checks the claims by the use of the key.
  public final class JSONWebTokens: Authenticator {
    private struct State {
      /// The keys of the key files.
      var others: [TokenKey]
      /// The keys of the accounts.
      var own: [TokenKey]
      /// The sessions of tokens that were checked. A session stays here until it expires.
      var known: [String: Session] = [:]
      /// A number that increases when the keys are read again. `known` gets no sessions that were
      /// checked with older keys.
      var generation = 0
    }

    private static let mostKnown = 20_000
    private let paths: [String]
    private let use: TokenKey.Use
    private let own: AccessTokens?
    private let state: Mutex<State>

    /// Reads the key files.
    /// - Parameters:
    ///   - paths: the key files. Every key in them is accepted; use two files to change keys.
    ///   - audience: the value that `aud` must be or contain; nil skips the check.
    ///   - issuer: the value that `iss` must be; nil skips the check.
    ///   - accounts: the server's accounts, whose access tokens are accepted too.
    public init(
      paths: [String], audience: String?, issuer: String?, accounts: Accounts? = nil
    ) throws(TokenKeyFault) {
      (self.paths, own) = (paths, accounts?.tokens)
      use = TokenKey.Use(audience: audience, issuer: issuer)
      state = Mutex(
        State(others: try Self.read(paths, use), own: accounts?.tokens.keys ?? []))
    }

    private static func read(
      _ paths: [String], _ use: TokenKey.Use
    ) throws(TokenKeyFault) -> [TokenKey] {
      var keys: [TokenKey] = []
      for path in paths { keys += try TokenKey.read(path) }
      for index in keys.indices { keys[index].use = use }
      return keys
    }

    /// Reads the accounts' key and the key files again. If a file cannot be read, its old keys stay
    /// in use; the accounts' key does not depend on the other files.
    public func readKeysAgain() throws(TokenKeyFault) {
      var faults: [String] = []
      do throws(AccountFault) { try own?.readKeyAgain() } catch { faults.append("\(error)") }
      var others: [TokenKey]?
      do throws(TokenKeyFault) { others = try Self.read(paths, use) } catch {
        faults.append(error.message)
      }
      state.withLock { [others] in
        $0 = State(
          others: others ?? $0.others, own: own?.keys ?? [], generation: $0.generation + 1)
      }
      if !faults.isEmpty { throw TokenKeyFault(faults.joined(separator: "; ")) }
    }

    /// Checks a token, or returns the session from an earlier check.
    public func session(_ token: String, now: Timestamp) throws(TokenFault) -> Session {
      if let known = state.withLock({ $0.known[token] }) {
        if known.expires > now { return try permitted(known) }
        state.withLock { $0.known[token] = nil }
        throw .hasExpired
      }
      let (keys, generation) = state.withLock { ($0.others + $0.own, $0.generation) }
      let session = try checked(token, keys, now)
      state.withLock { state in
        guard state.generation == generation else { return }
        if state.known.count >= Self.mostKnown { state.known = [:] }
        state.known[token] = session
      }
      return try permitted(session)
    }

    /// Returns a session, unless its account was removed or disabled.
    private func permitted(_ session: Session) throws(TokenFault) -> Session {
      if let user = session.caller.user, own?.refuses(user) == true {
        throw TokenFault("the account was removed or disabled")
      }
      return session
    }

    private func checked(
      _ token: String, _ keys: [TokenKey], _ now: Timestamp
    ) throws(TokenFault) -> Session {
      try SignedToken.checked(token, with: keys) { (claims, key) throws(TokenFault) in
        let expires = try SignedToken.expiry(claims, key, now: now)
        if let issuer = key.use.issuer, claims["iss"] != .string(issuer) {
          throw TokenFault("the token has another issuer (iss)")
        }
        if let audience = key.use.audience, !SignedToken.isFor(audience, claims) {
          throw TokenFault("the token is for another audience (aud)")
        }
        var subject: String?
        if case .string(let text)? = claims["sub"] { subject = text }
        let isService = key.use.mayNameServices && claims["role"] == .string("service")
        return try Session(subject: subject, isService: isService, expires: expires)
      }
    }
  }
#endif
