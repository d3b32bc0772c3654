#if Server
  import Events

  // The use of one-time codes and links.
  extension Accounts {
    /// Exchanges a code, or the token of a link, for a session.
    func verify(_ request: Request) throws(AccountFault) -> Response {
      let now = options.now()
      try limits.count(.verify, from: request.address, now: now)
      let fields = try fields(request)
      let type = Self.text(fields, "type") ?? ""
      let purposes = Self.purposes(type)
      guard !purposes.isEmpty else {
        throw .invalid("type must be signup, magiclink, email, recovery or email_change")
      }
      let code: AccountFile.Code?
      if let token = Self.text(fields, "token_hash") {
        code = try file.take(link: hashed(token), purposes, now: now)
      } else {
        guard let token = Self.text(fields, "token") else {
          throw .invalid("token and email, or token_hash, are required")
        }
        let email = try email(fields)
        try limits.count(.verify, for: email, now: now)
        code = try self.code(token, purposes, email, now)
      }
      guard let code else { throw .codeExpired }
      return try newSession(try accept(code, type, isLink: false, now), method: "otp", now)
    }

    /// Returns the purposes that a type in a request means; none for an unknown type.
    private static func purposes(_ type: String) -> [AccountFile.Purpose] {
      if type == "email" { return [.magiclink, .signup] }
      return AccountFile.Purpose(rawValue: type).map { [$0] } ?? []
    }

    private func code(
      _ token: String, _ purposes: [AccountFile.Purpose], _ email: String, _ now: Timestamp
    ) throws(AccountFault) -> AccountFile.Code? {
      for purpose in purposes {
        let hash = codeHash(token, purpose, email)
        if let code = try file.take(purpose, email: email, hash: hash, now: now) { return code }
      }
      return nil
    }

    /// Changes an account by a code that was sent to its address. All its other codes end.
    ///
    /// The first proof that an address is the person's removes a password that was set before, and
    /// identities with other addresses. It also ends older sessions. Another person may have signed
    /// up with the address. A code for the sign-up itself keeps the password of that sign-up. If
    /// somebody asked for a sign-in by code, too, then the type `email` removes the password: the
    /// person may have typed the code of the wrong message.
    /// - Parameters:
    ///   - type: the type in the request.
    ///   - isLink: whether a link was opened. Programs that check mail open links too. So a link
    ///     for a sign-up or a new address confirms it, but does not prove whose it is.
    private func accept(
      _ code: AccountFile.Code, _ type: String, isLink: Bool, _ now: Timestamp
    ) throws(AccountFault) -> Account {
      try file.change { (database) throws(AccountFault) in
        guard let old = try AccountFile.account(id: code.user, database) else {
          throw .codeExpired
        }
        var account = old
        if account.disabled != nil { throw .disabled }
        if code.purpose != .emailChange, code.email != account.email { throw .codeExpired }
        let isSignIn = code.purpose == .magiclink || code.purpose == .recovery
        let isAsked = try AccountFile.hasCode(.magiclink, of: account.id, database)
        let mayMeanSignIn = type == "email" && isAsked
        if isSignIn || mayMeanSignIn, !account.isProven {
          account.password = nil
          account.identities.removeAll { !$0.belongs(to: code.email) }
          try AccountFile.end(.global, "", of: account.id, database)
        }
        if code.purpose == .emailChange { account.isProven = false }
        if isSignIn || !isLink { account.isProven = true }
        account.email = code.email
        account.confirmed = account.confirmed ?? now
        account.updated = now
        try Self.check(AccountFile.save(account, over: old, now: now, database))
        try AccountFile.dropCodes(of: account.id, database)
        account.newEmail = nil
        return account
      }
    }

    /// Uses a link of a message.
    ///
    /// With `--redirect-url`, the answer leads to the app, with the session behind `#`. Without it,
    /// a link can only confirm an address; the app asks for the code instead.
    func verifyLink(_ request: Request) throws(AccountFault) -> Response {
      let now = options.now()
      try limits.count(.verify, from: request.address, now: now)
      let type = request.item("type") ?? ""
      let purposes = Self.purposes(type)
      let token = request.item("token") ?? request.item("token_hash") ?? ""
      guard let target = redirect(request.item("redirect_to")) else {
        guard purposes == [.signup] || purposes == [.emailChange] else {
          return Self.page(400, "Type the code of the message into the app.")
        }
        guard let code = try file.take(link: hashed(token), purposes, now: now) else {
          return Self.page(403, "This link has expired or was used before.")
        }
        _ = try accept(code, type, isLink: true, now)
        return Self.page(200, "The address is confirmed. Go back to the app and sign in.")
      }
      guard let code = try file.take(link: hashed(token), purposes, now: now) else {
        return Self.moved(
          to: target + "#error=access_denied&error_code=otp_expired"
            + "&error_description=Email+link+is+invalid+or+has+expired")
      }
      let session = try session(try accept(code, type, isLink: true, now), method: "otp", now)
      var parts: [String] = []
      for name in ["access_token", "expires_at", "expires_in", "refresh_token", "token_type"] {
        switch session[name] {
        case .string(let text)?, .number(let text)?: parts.append("\(name)=\(text)")
        default: break
        }
      }
      parts.append("type=\(code.purpose.rawValue)")
      return Self.moved(to: target + "#" + parts.joined(separator: "&"))
    }

    /// Returns the address to which a link leads: the asked one if `--redirect-url` allows it,
    /// otherwise the first allowed one. Nil if no address is allowed. An address with `.` or `..`
    /// in its path is not allowed: a browser would go to another path than the one compared here.
    private func redirect(_ asked: String?) -> String? {
      guard let asked, asked.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != 0x23 }) else {
        return options.redirects.first
      }
      let path = asked.prefix { $0 != "?" }.replacing(/%2e/.ignoresCase()) { _ in "." }
      let parts = path.split(whereSeparator: { "/\\".contains($0) })
      if parts.contains(where: { $0 == "." || $0 == ".." }) { return options.redirects.first }
      let isAllowed = options.redirects.contains { allowed in
        asked == allowed || asked.hasPrefix(allowed.hasSuffix("/") ? allowed : allowed + "/")
      }
      return isAllowed ? asked : options.redirects.first
    }

    private static func moved(to target: String) -> Response {
      Response(
        303,
        [
          ("Location", target), ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"),
        ])
    }

    private static func page(_ status: Int, _ sentence: String) -> Response {
      Response(
        status,
        [
          ("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store"),
          ("Referrer-Policy", "no-referrer"),
        ], Array((sentence + "\n").utf8))
    }
  }
#endif
