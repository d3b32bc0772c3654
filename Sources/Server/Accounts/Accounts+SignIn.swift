#if Server
  import Events

  // Sign-in by password, sessions, and refresh tokens.
  extension Accounts {
    /// The length of a refresh token; other texts are unknown tokens.
    private static let refreshTokenLength = 43

    /// Signs in with an address and a password.
    ///
    /// An unknown address takes as long as a wrong password, and has the same answer.
    func signIn(_ request: Request) throws(AccountFault) -> Response {
      let now = options.now()
      try limits.count(.signIn, from: request.address, now: now)
      let fields = try fields(request)
      guard let text = Self.text(fields, "email"), let password = Self.text(fields, "password")
      else { throw .invalid("email and password are required") }
      // An account's name in the limits is the address, whether or not there is an account.
      let email = Self.address(text) ?? ""
      try limits.count(.signIn, for: email, now: now)
      guard password.utf8.count <= Self.passwordLength.upperBound else { throw .wrongCredentials }
      let account = try file.account(email: email)
      let hash = account?.password ?? .nobody
      guard try hash.matches(password), let account else { throw .wrongCredentials }
      limits.forgive(.signIn, for: email)
      if account.disabled != nil { throw .disabled }
      if account.confirmed == nil {
        throw .refused(400, "email_not_confirmed", "Email not confirmed")
      }
      let response = try newSession(account, method: "password", now)
      if hash.cost != .current {
        try file.replace(hash, by: PasswordHash(password), of: account.id)
      }
      return response
    }

    /// Begins a session, and returns it in GoTrue's form.
    /// - Parameter method: how the person signed in: `password`, `otp` or `oauth`.
    func newSession(
      _ account: Account, method: String, _ now: Timestamp
    ) throws(AccountFault) -> Response {
      .json(try session(account, method: method, now))
    }

    /// Begins a session like `newSession`, and returns its JSON.
    func session(
      _ account: Account, method: String, _ now: Timestamp
    ) throws(AccountFault) -> JSONValue {
      if account.disabled != nil { throw .disabled }
      let session = AccountSession(
        id: try randomUUID(), user: account.id, method: method, created: now)
      let token = try randomToken()
      let checked = method == "password" ? account.password : nil
      guard try file.begin(session, token: token, checked: checked) else { throw .outdated }
      var account = account
      account.signedIn = now
      return try json(of: session, account, refreshToken: token, now)
    }

    private func json(
      of session: AccountSession, _ account: Account, refreshToken: String, _ now: Timestamp
    ) throws(AccountFault) -> JSONValue {
      let method = JSONValue.of([
        "method": .string(session.method), "timestamp": .int(session.created.milliseconds / 1_000),
      ])
      let token = try tokens.token(
        [
          .init("sub", .string(account.id)), .init("email", .string(account.email ?? "")),
          .init("phone", .string("")), .init("app_metadata", account.appMetadata),
          .init("session_id", .string(session.id)), .init("aal", .string("aal1")),
          .init("amr", .array([method])), .init("is_anonymous", .bool(false)),
        ], now: now)
      return .of([
        "access_token": .string(token), "token_type": .string("bearer"),
        "expires_in": .int(tokens.lifetime),
        "expires_at": .int(now.milliseconds / 1_000 + Int64(tokens.lifetime)),
        "refresh_token": .string(refreshToken), "user": account.json,
      ])
    }

    /// Exchanges a refresh token for a new session. A token works once, without an interval in
    /// which it may be repeated.
    func refresh(_ request: Request) throws(AccountFault) -> Response {
      let now = options.now()
      try limits.count(.refresh, from: request.address, now: now)
      guard let token = Self.text(try fields(request), "refresh_token"), !token.isEmpty else {
        throw .invalid("refresh_token is required")
      }
      guard token.utf8.count == Self.refreshTokenLength,
        let user = try file.user(ofRefreshToken: token)
      else { throw Self.noToken }
      try limits.count(.refresh, for: user, now: now)
      let next = try randomToken()
      switch try file.refresh(token, next: next, now: now) {
      case .refreshed(let session, let account):
        return .json(try json(of: session, account, refreshToken: next, now))
      case .used:
        throw .refused(
          400, "refresh_token_already_used", "Invalid Refresh Token: Already Used")
      case .unknown: throw Self.noToken
      case .disabled: throw .disabled
      }
    }

    private static let noToken = AccountFault.refused(
      400, "refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found")

    /// Ends the caller's sessions: all, this one, or all others. Their refresh tokens are refused
    /// from then on; access tokens stay valid until they expire.
    func logOut(_ request: Request) throws(AccountFault) -> Response {
      let caller = try signedIn(request)
      guard let scope = AccountFile.Scope(rawValue: request.item("scope") ?? "global") else {
        throw .invalid("scope must be global, local or others")
      }
      try file.end(scope, caller.session, of: caller.account.id)
      return Response(204)
    }
  }
#endif
