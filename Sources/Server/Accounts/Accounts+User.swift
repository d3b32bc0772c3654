#if Server
  import EventLog
  import Events

  // Changes that a signed-in person makes to their account, and the removal of accounts.
  extension Accounts {
    /// Changes the caller's address, password or metadata. All other fields are ignored, so that
    /// nobody can set an id, a role or a confirmation.
    func changeUser(_ request: Request) throws(AccountFault) -> Response {
      let caller = try signedIn(request)
      let now = options.now()
      var account = caller.account
      try limits.count(.user, for: account.id, now: now)
      let fields = try fields(request)
      account.metadata = try Self.merged(account.metadata, fields["data"])
      var newEmail: String?
      if Self.text(fields, "email")?.isEmpty == false {
        let email = try email(fields)
        if email != account.email { newEmail = email }
      }
      if newEmail != nil || Self.text(fields, "password")?.isEmpty == false {
        try checkPresence(caller, fields, now)
      }
      let isNewPassword = try setPassword(fields, of: &account)
      if let newEmail {
        try limits.count(.message, from: request.address, now: now)
        try limits.count(.message, for: newEmail, now: now)
        if mail == nil { (account.email, account.isProven) = (newEmail, false) }
      }
      account.updated = now
      try Self.check(
        file.save(
          account, over: caller.account, endingAllBut: isNewPassword ? caller.session : nil,
          now: now))
      if let newEmail, mail != nil {
        account.newEmail = newEmail
        try afterwards { [self, account] () throws(AccountFault) in
          try send(.emailChange, account, to: newEmail, now)
        }
      }
      return .json(account.json)
    }

    /// Checks the result of saving a changed account.
    /// - Throws: a refusal if the address belongs to another account, or if another request changed
    ///   the account since it was read.
    static func check(_ saved: AccountFile.Saved) throws(AccountFault) {
      switch saved {
      case .saved: return
      case .addressTaken: throw .addressTaken
      case .outdated: throw .outdated
      }
    }

    /// The time after a sign-in, in milliseconds, in which the person may change the address and
    /// the password without the present password: ten minutes.
    private static let presence: Int64 = 600_000

    /// Checks that the person is there, and not only somebody who found an access token: by the
    /// present password, or by a sign-in a short time ago. Refreshing a session is no sign-in.
    private func checkPresence(
      _ caller: Caller, _ fields: JSONValue, _ now: Timestamp
    ) throws(AccountFault) {
      if let hash = caller.account.password, let current = Self.text(fields, "current_password") {
        if try hash.matches(current) { return }
        throw .wrongCredentials
      }
      let session = try file.session(caller.session, of: caller.account.id)
      if let session, now.milliseconds - session.created.milliseconds <= Self.presence { return }
      throw .refused(
        403, "reauthentication_needed",
        "Sign in again, or send current_password, to change the address or the password.")
    }

    /// Sets the password in a request's body. Returns false if there is none.
    private func setPassword(
      _ fields: JSONValue, of account: inout Account
    ) throws(AccountFault) -> Bool {
      guard let password = Self.text(fields, "password"), !password.isEmpty else { return false }
      try Self.check(password: password)
      if let hash = account.password, try hash.matches(password) {
        throw .refused(
          422, "same_password", "New password should be different from the old password.")
      }
      account.password = try PasswordHash(password)
      return true
    }

    /// Waits until the work after the last answers is done: new accounts are saved, and messages
    /// are sent.
    /// - Parameter patience: the longest wait, in seconds.
    public func finish(patience: Int) async {
      let end = ContinuousClock.now + .seconds(patience)
      while !later.isIdle || !slow.isIdle || mail?.isIdle == false, ContinuousClock.now < end {
        try? await Task.sleep(for: .milliseconds(5))
      }
    }

    /// Adds a confirmed account for the operator.
    /// - Parameters:
    ///   - email: the address, as `address` returns it.
    ///   - id: a UUID in lower case; nil for a random one.
    /// - Returns: the account's id; nil if the address or the id belongs to another account.
    public static func add(
      _ email: String, password: String?, id: String?, to file: AccountFile
    ) throws(AccountFault) -> String? {
      let now = systemTime()
      var account = try new(email, id: id, now: now)
      account.confirmed = now
      if let password {
        try check(password: password)
        account.password = try PasswordHash(password)
      }
      return try file.add(account) ? account.id : nil
    }

    /// Removes the accounts of people who were erased from the log.
    func remove(_ users: [String]) {
      for user in users {
        do throws(AccountFault) {
          try file.remove(user, now: options.now())
        } catch {
          options.says("an account was not removed: \(error)")
        }
      }
    }
  }
#endif
