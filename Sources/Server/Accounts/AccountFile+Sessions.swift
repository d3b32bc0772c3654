#if Server
  import EventLog
  import Events
  import SQLite

  // Sessions, their refresh tokens, and the keys of access tokens.
  extension AccountFile {
    /// The result of using a refresh token.
    enum Refresh: Sendable {
      case refreshed(AccountSession, Account)
      /// The token was used before. Its session has ended.
      case used
      case unknown
      /// The session belongs to an account that is disabled.
      case disabled
    }

    /// Which of an account's sessions end.
    enum Scope: String, Sendable { case global, local, others }

    /// Adds a session with its first refresh token, and records the sign-in. Returns false if the
    /// account is gone or disabled, or if its password was changed since it was checked.
    /// - Parameters:
    ///   - token: the token itself; the file keeps its hash.
    ///   - checked: the hash with which the password was compared; nil for a sign-in without one.
    func begin(
      _ session: AccountSession, token: String, checked: PasswordHash?
    ) throws(AccountFault) -> Bool {
      try change { (database) throws(AccountFault) in
        try database.rows(
          "UPDATE users SET signed_in_at = ?1 WHERE id = ?2 AND disabled_at IS NULL "
            + "AND (?3 IS NULL OR password = ?3)",
          [.time(session.created), .text(session.user), .optional(checked?.text)])
        guard database.changes == 1 else { return false }
        try database.rows(
          "INSERT INTO sessions VALUES (?, ?, ?, ?, ?)",
          [
            .text(session.id), .text(session.user), .text(session.method),
            .time(session.created), .time(session.created),
          ])
        try database.rows(
          "INSERT INTO refresh_tokens VALUES (?, ?, NULL, ?, NULL)",
          [.text(hashed(token)), .text(session.id), .time(session.created)])
        return true
      }
    }

    /// Returns the id of the account to which a refresh token belongs; nil if it is unknown.
    func user(ofRefreshToken token: String) throws(AccountFault) -> String? {
      try use { (database) throws(AccountFault) in
        try database.rows(
          "SELECT s.user FROM refresh_tokens t JOIN sessions s ON s.id = t.session "
            + "WHERE t.hash = ?", [.text(hashed(token))]
        ).first?.text(0)
      }
    }

    /// Uses a refresh token, and adds the next one to its session. A token works once. If it was
    /// used before, somebody has a copy: the session ends, with all its tokens.
    func refresh(
      _ token: String, next: String, now: Timestamp
    ) throws(AccountFault) -> Refresh {
      let hash = hashed(token)
      let session = try change { (database) throws(AccountFault) -> (AccountSession, Bool)? in
        let found = try database.rows(
          "SELECT s.id, s.user, s.method, s.created_at, t.used_at FROM refresh_tokens t "
            + "JOIN sessions s ON s.id = t.session WHERE t.hash = ?", [.text(hash)])
        guard let row = found.first, let id = row.text(0), let user = row.text(1) else {
          return nil
        }
        let session = AccountSession(
          id: id, user: user, method: row.text(2) ?? "", created: row.time(3) ?? .epoch)
        if row.time(4) != nil {
          try database.rows("DELETE FROM sessions WHERE id = ?", [.text(id)])
          return (session, true)
        }
        try database.rows(
          "UPDATE refresh_tokens SET used_at = ? WHERE hash = ?", [.time(now), .text(hash)])
        try database.rows(
          "INSERT INTO refresh_tokens VALUES (?, ?, ?, ?, NULL)",
          [.text(hashed(next)), .text(id), .text(hash), .time(now)])
        try database.rows(
          "UPDATE sessions SET refreshed_at = ? WHERE id = ?", [.time(now), .text(id)])
        return (session, false)
      }
      guard let (session, isUsed) = session else { return .unknown }
      if isUsed { return .used }
      guard let account = try account(id: session.user) else { return .unknown }
      return account.disabled == nil ? .refreshed(session, account) : .disabled
    }

    /// Returns the session with an id if it belongs to the account; nil if it has ended.
    func session(_ id: String, of user: String) throws(AccountFault) -> AccountSession? {
      try use { (database) throws(AccountFault) in
        try database.rows(
          "SELECT method, created_at FROM sessions WHERE id = ? AND user = ?",
          [.text(id), .text(user)]
        ).first.map { row in
          AccountSession(
            id: id, user: user, method: row.text(0) ?? "", created: row.time(1) ?? .epoch)
        }
      }
    }

    /// Ends sessions of an account.
    /// - Parameter id: the session from which the request comes.
    func end(_ scope: Scope, _ id: String, of user: String) throws(AccountFault) {
      try use { (database) throws(AccountFault) in
        try Self.end(scope, id, of: user, database)
      }
    }

    /// Ends sessions of an account, as part of a transaction.
    static func end(
      _ scope: Scope, _ id: String, of user: String, _ database: AccountDatabase
    ) throws(AccountFault) {
      let condition =
        switch scope {
        case .global: "?2 = ?2"
        case .local: "id = ?2"
        case .others: "id <> ?2"
        }
      try database.rows(
        "DELETE FROM sessions WHERE user = ?1 AND \(condition)", [.text(user), .text(id)])
    }

    // MARK: Keys

    /// Records the public half of the signing key, and that other keys are no longer used.
    /// - Returns: the keys whose tokens may still be valid, the present one first.
    func publish(
      _ key: AccessTokens.PublicKey, lifetime: Int, now: Timestamp = systemTime()
    ) throws(AccountFault) -> [AccessTokens.PublicKey] {
      try change { (database) throws(AccountFault) in
        let values: [SQLiteValue] = [.text(key.x), .text(key.y)]
        try database.rows(
          "INSERT INTO public_keys VALUES (?, ?, NULL) "
            + "ON CONFLICT DO UPDATE SET valid_until = NULL", values)
        try database.rows(
          "UPDATE public_keys SET valid_until = ? WHERE valid_until IS NULL AND x <> ?",
          [.int(now.milliseconds + Int64(lifetime) * 1_000), .text(key.x)])
        try database.rows("DELETE FROM public_keys WHERE valid_until < ?", [.time(now)])
        return try database.rows(
          "SELECT x, y, valid_until FROM public_keys ORDER BY valid_until IS NOT NULL"
        ).map { row in
          AccessTokens.PublicKey(
            x: row.text(0) ?? "", y: row.text(1) ?? "", validUntil: row.time(2))
        }
      }
    }

    /// Forgets all public keys, so that tokens of earlier keys are refused.
    func dropPublicKeys() throws(AccountFault) {
      try use { (database) throws(AccountFault) in
        _ = try database.rows("DELETE FROM public_keys")
      }
    }
  }
#endif
