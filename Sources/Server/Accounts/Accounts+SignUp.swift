#if Server
  import Events

  // Sign-up with an address and a password.
  extension Accounts {
    /// Creates an account.
    ///
    /// Without a mail program, the account is confirmed at once, and the answer is a session; a
    /// known address gets 422. With one, the answer is the same for known and unknown addresses,
    /// and everything that depends on the address happens after the answer.
    func signUp(_ request: Request) throws(AccountFault) -> Response {
      let now = options.now()
      try limits.count(.signUp, from: request.address, now: now)
      let fields = try fields(request)
      if fields["email"] == nil, fields["phone"] == nil, fields["password"] == nil {
        throw .refused(
          422, "anonymous_provider_disabled", "Anonymous sign-ins are disabled")
      }
      let email = try email(fields)
      guard let password = Self.text(fields, "password"), !password.isEmpty else {
        throw .invalid("Signup requires a valid password")
      }
      try Self.check(password: password)
      let metadata = try Self.merged(.object([]), fields["data"])
      try limits.count(.signUp, for: email, now: now)
      var account = try Self.new(email, now: now)
      account.metadata = metadata
      account.password = try PasswordHash(password)
      guard mail != nil else {
        account.confirmed = now
        guard try file.add(account) else {
          throw .refused(422, "user_already_exists", "User already registered")
        }
        return try newSession(account, method: "password", now)
      }
      // It may compare a password with a hash.
      try afterwards(on: slow) { [self, account] () throws(AccountFault) in
        try confirmByMail(account, email, password, now)
      }
      guard case .object(var members) = account.json else { return .json(account.json) }
      members.append(.init("confirmation_sent_at", .string("\(now)")))
      return .json(.object(members))
    }

    /// Returns a new account with an address, which is not confirmed and not saved yet.
    /// - Parameter id: the account's id; nil for a random one.
    static func new(
      _ email: String?, id: String? = nil, now: Timestamp
    ) throws(AccountFault) -> Account {
      let id = if let id { id } else { try randomUUID() }
      var account = Account(id: id, email: email, created: now, updated: now)
      if email != nil {
        account.identities = [
          Account.Identity(
            provider: "email", subject: id, id: try randomUUID(),
            data: .object([]), created: now, signedIn: now)
        ]
      }
      return account
    }

    /// Saves a new account, and sends its code.
    ///
    /// If the address has an account that is not confirmed, the newest sign-up replaces its
    /// metadata. If its password is another one, or if a request for a code created it, two people
    /// may have used the address: then the account has no password after it is confirmed. If the
    /// account is confirmed already, its owner gets a message without a code.
    private func confirmByMail(
      _ account: Account, _ email: String, _ password: String, _ now: Timestamp
    ) throws(AccountFault) {
      let metadata = account.metadata
      var account = account
      if try !file.add(account) {
        guard let existing = try file.account(email: email), existing.disabled == nil else {
          return
        }
        guard existing.confirmed == nil else {
          mail?.send(
            .init(
              to: email, subject: "You already have an account",
              lines: [
                "Somebody, perhaps you, tried to sign up with this address.",
                "It already has an account. Sign in instead, or reset the password.",
              ]))
          return
        }
        account = existing
        (account.metadata, account.updated) = (metadata, now)
        if let hash = existing.password, try !hash.matches(password) { account.password = nil }
        guard try file.save(account, over: existing, now: now) == .saved else { return }
      }
      try send(.signup, account, to: email, now)
    }

    /// Runs work after the answer.
    /// - Parameter workers: the threads; nil for those of work that is quick.
    /// - Throws: a refusal with the status 503 if too much work waits already.
    func afterwards(
      on workers: Workers? = nil, _ work: @escaping @Sendable () throws(AccountFault) -> Void
    ) throws(AccountFault) {
      let says = options.says
      let isTaken = (workers ?? later).run {
        do throws(AccountFault) {
          try work()
        } catch {
          if error.refusal == nil { says("the accounts failed: \(error)") }
        }
      }
      if !isTaken { throw .refused(503, "unexpected_failure", "too many messages wait; try again") }
    }
  }
#endif
