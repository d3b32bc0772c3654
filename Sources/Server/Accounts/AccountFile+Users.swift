#if Server
  import Events
  import SQLite

  // Accounts and their identities.
  extension AccountFile {
    private static let columns =
      "id, email, password, confirmed_at, is_proven, metadata, disabled_at, created_at, "
      + "updated_at, signed_in_at"

    /// Returns the account with an id; nil if there is none.
    public func account(id: String) throws(AccountFault) -> Account? {
      try account("id = ?", id)
    }

    /// Returns the account with an address in lower case; nil if there is none.
    public func account(email: String) throws(AccountFault) -> Account? {
      try account("email = ?", email)
    }

    /// Returns the account that a provider's id belongs to; nil if there is none.
    func account(provider: String, subject: String) throws(AccountFault) -> Account? {
      let user = try use { (database) throws(AccountFault) in
        try database.rows(
          "SELECT user FROM identities WHERE provider = ? AND subject = ?",
          [.text(provider), .text(subject)]
        ).first?.text(0)
      }
      guard let user else { return nil }
      return try account(id: user)
    }

    private func account(_ condition: String, _ value: String) throws(AccountFault) -> Account? {
      try use { (database) throws(AccountFault) in
        try Self.account(condition, value, database)
      }
    }

    /// Returns the account with an id, as part of a transaction.
    static func account(id: String, _ database: AccountDatabase) throws(AccountFault) -> Account? {
      try account("id = ?", id, database)
    }

    private static func account(
      _ condition: String, _ value: String, _ database: AccountDatabase
    ) throws(AccountFault) -> Account? {
      let rows = try database.rows(
        "SELECT \(columns) FROM users WHERE \(condition)", [.text(value)])
      return try rows.first.map { row throws(AccountFault) in try account(row, database) }
    }

    /// Returns the accounts whose ids follow `id`, by id.
    public func accounts(after id: String, limit: Int) throws(AccountFault) -> [Account] {
      try use { (database) throws(AccountFault) in
        var accounts: [Account] = []
        let rows = try database.rows(
          "SELECT \(Self.columns) FROM users WHERE id > ? ORDER BY id LIMIT ?",
          [.text(id), .int(Int64(limit))])
        for row in rows { accounts.append(try Self.account(row, database)) }
        return accounts
      }
    }

    private static func account(
      _ row: SQLiteRow, _ database: AccountDatabase
    ) throws(AccountFault) -> Account {
      let id = row.text(0) ?? ""
      let epoch = Timestamp.epoch
      var account = Account(
        id: id, email: row.text(1), password: row.text(2).flatMap { PasswordHash(text: $0) },
        confirmed: row.time(3), isProven: row.bool(4),
        metadata: row.text(5).flatMap { try? JSONValue($0) } ?? .object([]),
        disabled: row.time(6), created: row.time(7) ?? epoch, updated: row.time(8) ?? epoch,
        signedIn: row.time(9))
      let identities = try database.rows(
        "SELECT provider, subject, id, data, created_at, signed_in_at FROM identities "
          + "WHERE user = ? ORDER BY created_at, provider", [.text(id)])
      account.identities = identities.map { row in
        Account.Identity(
          provider: row.text(0) ?? "", subject: row.text(1) ?? "", id: row.text(2) ?? "",
          data: row.text(3).flatMap { try? JSONValue($0) } ?? .object([]),
          created: row.time(4) ?? epoch, signedIn: row.time(5) ?? epoch)
      }
      account.newEmail = try database.rows(
        "SELECT email FROM codes WHERE user = ? AND purpose = 'email_change'", [.text(id)]
      ).first?.text(0)
      return account
    }

    /// Adds an account with its identities. Returns false if its id, its address or one of its
    /// identities belongs to another account; then nothing is added.
    func add(_ account: Account) throws(AccountFault) -> Bool {
      try change { (database) throws(AccountFault) in
        try database.rows(
          "INSERT OR IGNORE INTO users (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
          [
            .text(account.id), .optional(account.email), .optional(account.password?.text),
            .time(account.confirmed), .bool(account.isProven), .text(account.metadata.text),
            .time(account.disabled), .time(account.created), .time(account.updated),
            .time(account.signedIn),
          ])
        guard database.changes == 1 else { return false }
        for identity in account.identities {
          guard try Self.add(identity, to: account.id, database) else {
            try database.rows("DELETE FROM users WHERE id = ?", [.text(account.id)])
            return false
          }
        }
        return true
      }
    }

    private static func add(
      _ identity: Account.Identity, to user: String, _ database: AccountDatabase
    ) throws(AccountFault) -> Bool {
      try database.rows(
        "INSERT OR IGNORE INTO identities "
          + "(provider, subject, user, id, data, created_at, signed_in_at) "
          + "VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
          .text(identity.provider), .text(identity.subject), .text(user), .text(identity.id),
          .text(identity.data.text), .time(identity.created), .time(identity.signedIn),
        ])
      return database.changes == 1
    }

    /// Adds an identity to an account, or replaces the data of an identity that it has already.
    /// Returns false if the identity belongs to another account.
    func link(_ identity: Account.Identity, to user: String) throws(AccountFault) -> Bool {
      try change { (database) throws(AccountFault) in
        if try Self.add(identity, to: user, database) { return true }
        try database.rows(
          "UPDATE identities SET data = ?, signed_in_at = ? "
            + "WHERE provider = ? AND subject = ? AND user = ?",
          [
            .text(identity.data.text), .time(identity.signedIn), .text(identity.provider),
            .text(identity.subject), .text(user),
          ])
        return database.changes == 1
      }
    }

    /// The result of saving a changed account.
    enum Saved: Sendable {
      case saved
      /// The address belongs to another account.
      case addressTaken
      /// The account was changed or removed since it was read.
      case outdated
    }

    /// Saves a changed account.
    /// - Parameters:
    ///   - old: the account as it was read. If it is no longer so, nothing is saved.
    ///   - session: the session that stays; all others end. Nil ends none.
    ///   - now: the time of the change.
    func save(
      _ account: Account, over old: Account, endingAllBut session: String? = nil, now: Timestamp
    ) throws(AccountFault) -> Saved {
      try change { (database) throws(AccountFault) in
        let saved = try Self.save(account, over: old, now: now, database)
        if case .saved = saved, let session {
          try Self.end(.others, session, of: account.id, database)
        }
        return saved
      }
    }

    /// Saves an account's address, password, confirmation and metadata, as part of a transaction.
    /// Deletes the identities that it no longer has.
    static func save(
      _ account: Account, over old: Account, now: Timestamp, _ database: AccountDatabase
    ) throws(AccountFault) -> Saved {
      let row = try database.rows(
        "SELECT updated_at FROM users WHERE id = ?", [.text(old.id)]
      ).first
      guard row?.time(0) == old.updated else { return .outdated }
      // Two changes never have the same time.
      let updated = max(now.milliseconds, old.updated.milliseconds + 1)
      try database.rows(
        "UPDATE OR IGNORE users SET email = ?, password = ?, confirmed_at = ?, is_proven = ?, "
          + "metadata = ?, updated_at = ? WHERE id = ?",
        [
          .optional(account.email), .optional(account.password?.text),
          .time(account.confirmed), .bool(account.isProven), .text(account.metadata.text),
          .int(updated), .text(old.id),
        ])
      guard database.changes == 1 else { return .addressTaken }
      for identity in old.identities where !account.identities.contains(identity) {
        try database.rows(
          "DELETE FROM identities WHERE provider = ? AND subject = ? AND user = ?",
          [.text(identity.provider), .text(identity.subject), .text(old.id)])
      }
      return .saved
    }

    /// Replaces a hash of a password, unless the password was changed since the hash was read.
    func replace(
      _ old: PasswordHash, by new: PasswordHash, of user: String
    ) throws(AccountFault) {
      try use { (database) throws(AccountFault) in
        _ = try database.rows(
          "UPDATE users SET password = ? WHERE id = ? AND password = ?",
          [.text(new.text), .text(user), .text(old.text)])
      }
    }

    /// Disables an account and ends its sessions, or enables it. Returns false if there is none.
    public func setDisabled(
      _ time: Timestamp?, _ user: String, now: Timestamp
    ) throws(AccountFault) -> Bool {
      try change { (database) throws(AccountFault) in
        try database.rows(
          "UPDATE users SET disabled_at = ?, updated_at = max(?, updated_at + 1) WHERE id = ?",
          [.time(time), .time(now), .text(user)])
        guard database.changes == 1 else { return false }
        if time == nil {
          try database.rows("DELETE FROM refused WHERE user = ?", [.text(user)])
        } else {
          try database.rows("DELETE FROM sessions WHERE user = ?", [.text(user)])
          try database.rows("DELETE FROM codes WHERE user = ?", [.text(user)])
          try Self.refuse(user, now, database)
        }
        return true
      }
    }

    /// Removes an account with its identities, sessions and codes. Returns false if there is none.
    /// The letter case of the id does not matter.
    @discardableResult
    public func remove(_ user: String, now: Timestamp) throws(AccountFault) -> Bool {
      let user = user.lowercased()
      let isRemoved = try change { (database) throws(AccountFault) in
        try database.rows("DELETE FROM users WHERE id = ?", [.text(user)])
        guard database.changes == 1 else { return false }
        try Self.refuse(user, now, database)
        return true
      }
      if isRemoved { try dropOldVersions() }
      return isRemoved
    }

    /// Removes earlier versions of rows from the write-ahead log.
    /// - Parameter patience: the longest wait for other programs that read them, in milliseconds.
    /// - Returns: false if another program still reads them. The server then tries again.
    @discardableResult
    public func dropOldVersions(patience: Int32 = 0) throws(AccountFault) -> Bool {
      let isDone = try use { (database) throws(AccountFault) in
        try database.emptyWriteAheadLog(patience: patience)
      }
      mayHaveOldVersions.withLock { $0 = !isDone }
      return isDone
    }

    /// The longest lifetime of an access token, in seconds: one day.
    public static let longestTokenLifetime = 86_400

    /// Records that an account's access tokens are refused, until the last of them has expired.
    private static func refuse(
      _ user: String, _ now: Timestamp, _ database: AccountDatabase
    ) throws(AccountFault) {
      let end = now.milliseconds + Int64(longestTokenLifetime) * 1_000
      try database.rows("INSERT OR REPLACE INTO refused VALUES (?, ?)", [.text(user), .int(end)])
    }
  }
#endif
