#if Server
  import Events
  import SQLite

  // One-time codes, and the removal of old rows.
  extension AccountFile {
    /// The purpose of a one-time code.
    enum Purpose: String, Sendable {
      case signup, magiclink, recovery
      case emailChange = "email_change"
    }

    /// A one-time code that is sent to an address.
    struct Code: Sendable {
      var user: String
      var purpose: Purpose
      /// The address to which the code is sent.
      var email: String
      /// The keyed hash of the six digits.
      var code: String
      /// The hash of the token in the message's link.
      var link: String
      var sent: Timestamp
      var expires: Timestamp
    }

    /// The number of wrong tries after which a code is dead.
    static let mostAttempts: Int64 = 5

    /// Saves a code. It replaces the account's earlier code for the same purpose, and a code that
    /// another account's request sent to this address: a guess is compared with one code only.
    func save(_ code: Code) throws(AccountFault) {
      try change { (database) throws(AccountFault) in
        try database.rows(
          "DELETE FROM codes WHERE email = ? AND purpose = ?",
          [.text(code.email), .text(code.purpose.rawValue)])
        _ = try database.rows(
          "INSERT OR REPLACE INTO codes (user, purpose, code, link, email, sent_at, expires_at) "
            + "VALUES (?, ?, ?, ?, ?, ?, ?)",
          [
            .text(code.user), .text(code.purpose.rawValue), .text(code.code), .text(code.link),
            .text(code.email), .time(code.sent), .time(code.expires),
          ])
      }
    }

    /// Takes the code that was sent to an address for a purpose: it works once. A wrong code counts
    /// as an attempt. Every wrong code changes one page of the file, also for an address without a
    /// code, so that the time of the answer does not reveal which addresses have one.
    /// - Parameter hash: the keyed hash of the six digits.
    func take(
      _ purpose: Purpose, email: String, hash: String, now: Timestamp
    ) throws(AccountFault) -> Code? {
      try change { (database) throws(AccountFault) in
        let rows = try database.rows(
          "SELECT \(Self.codeColumns), attempts FROM codes WHERE email = ? AND purpose = ?",
          [.text(email), .text(purpose.rawValue)])
        var taken: Code?
        for row in rows {
          guard let code = Self.code(row) else { continue }
          if isEqual(code.code, hash), (row.int(7) ?? 0) < Self.mostAttempts {
            if code.expires > now { taken = code }
            try Self.delete(code, database)
          } else {
            try database.rows(
              "UPDATE codes SET attempts = attempts + 1 WHERE user = ? AND purpose = ?",
              [.text(code.user), .text(purpose.rawValue)])
          }
        }
        if rows.isEmpty {
          try database.rows(
            "INSERT INTO settings VALUES ('codes for unknown addresses', '1') "
              + "ON CONFLICT DO UPDATE SET value = CAST(value AS INTEGER) + 1")
        }
        return taken
      }
    }

    /// Takes the code with a link's token: it works once.
    /// - Parameter hash: the token's hash.
    func take(
      link hash: String, _ purposes: [Purpose], now: Timestamp
    ) throws(AccountFault) -> Code? {
      try change { (database) throws(AccountFault) in
        let rows = try database.rows(
          "SELECT \(Self.codeColumns) FROM codes WHERE link = ?", [.text(hash)])
        guard let code = rows.first.flatMap(Self.code), purposes.contains(code.purpose) else {
          return nil
        }
        try Self.delete(code, database)
        return code.expires > now ? code : nil
      }
    }

    private static let codeColumns = "user, purpose, email, code, link, sent_at, expires_at"

    private static func code(_ row: SQLiteRow) -> Code? {
      guard let purpose = row.text(1).flatMap(Purpose.init) else { return nil }
      return Code(
        user: row.text(0) ?? "", purpose: purpose, email: row.text(2) ?? "",
        code: row.text(3) ?? "", link: row.text(4) ?? "", sent: row.time(5) ?? .epoch,
        expires: row.time(6) ?? .epoch)
    }

    private static func delete(_ code: Code, _ database: AccountDatabase) throws(AccountFault) {
      try database.rows(
        "DELETE FROM codes WHERE user = ? AND purpose = ?",
        [.text(code.user), .text(code.purpose.rawValue)])
    }

    /// Returns whether an account has a code for a purpose, as part of a transaction.
    static func hasCode(
      _ purpose: Purpose, of user: String, _ database: AccountDatabase
    ) throws(AccountFault) -> Bool {
      try !database.rows(
        "SELECT 1 FROM codes WHERE user = ? AND purpose = ?",
        [.text(user), .text(purpose.rawValue)]
      ).isEmpty
    }

    /// Deletes all codes of an account, as part of a transaction.
    static func dropCodes(of user: String, _ database: AccountDatabase) throws(AccountFault) {
      try database.rows("DELETE FROM codes WHERE user = ?", [.text(user)])
    }

    /// The time after which a session that is not refreshed ends, in milliseconds: 180 days.
    private static let longestSession: Int64 = 180 * 86_400_000
    /// The time after which an unconfirmed account is removed, in milliseconds: seven days.
    private static let longestUnconfirmed: Int64 = 7 * 86_400_000

    /// Deletes old sessions, expired codes, and accounts that were never confirmed.
    func clean(now: Timestamp) throws(AccountFault) {
      let time = now.milliseconds
      try change { (database) throws(AccountFault) in
        try database.rows(
          "DELETE FROM sessions WHERE refreshed_at < ?", [.int(time - Self.longestSession)])
        try database.rows("DELETE FROM codes WHERE expires_at < ?", [.int(time)])
        try database.rows(
          "DELETE FROM users WHERE confirmed_at IS NULL AND created_at < ?",
          [.int(time - Self.longestUnconfirmed)])
        try database.rows("DELETE FROM refused WHERE valid_until < ?", [.int(time)])
      }
    }
  }
#endif
