#if Server
  import EventLog
  import Events
  import UseCases

  // The relation of the accounts to the people in the log.
  extension AccountFile {
    /// Returns the position of the last event of the log whose deletions of accounts are known; nil
    /// if there is none.
    func logPosition() throws(AccountFault) -> SubscriptionPosition? {
      let text = try use { (database) throws(AccountFault) in
        try database.rows("SELECT value FROM settings WHERE name = 'log'").first?.text(0)
      }
      let words = text?.split(separator: " ") ?? []
      guard words.count >= 3, let seq = UInt64(words[0]), let sum = UInt64(words[1], radix: 16),
        let time = Int64(words[2])
      else { return nil }
      // Earlier versions saved the time of saving, and no number of rewritings.
      guard words.count == 4, let rewritings = Int(words[3]) else {
        return SubscriptionPosition(seq: seq, sum: sum)
      }
      return SubscriptionPosition(
        seq: seq, sum: sum, time: Timestamp(milliseconds: time), rewritings: rewritings)
    }

    /// Saves the position.
    func save(_ position: SubscriptionPosition) throws(AccountFault) {
      let time = position.time?.milliseconds ?? 0
      let text =
        "\(position.seq) \(String(position.sum, radix: 16)) \(time) \(position.rewritings ?? 0)"
      try use { (database) throws(AccountFault) in
        _ = try database.rows(
          "INSERT OR REPLACE INTO settings VALUES ('log', ?)", [.text(text)])
      }
    }

    /// Records whether the log has the people with these accounts.
    func setInLog(_ isInLog: Bool, _ users: [String]) throws(AccountFault) {
      if users.isEmpty { return }
      try change { (database) throws(AccountFault) in
        for user in users {
          try database.rows(
            "UPDATE users SET is_in_log = ? WHERE id = ?",
            [.bool(isInLog), .text(user.lowercased())])
        }
      }
    }

    /// Returns the ids of accounts after `id`, and whether the log had the person.
    func standings(
      after id: String, limit: Int
    ) throws(AccountFault) -> [(user: String, isInLog: Bool)] {
      try use { (database) throws(AccountFault) in
        try database.rows(
          "SELECT id, is_in_log FROM users WHERE id > ? ORDER BY id LIMIT ?",
          [.text(id), .int(Int64(limit))]
        ).map { ($0.text(0) ?? "", $0.bool(1)) }
      }
    }

    /// Returns the ids of accounts after `id` whose people the log did not have, by id.
    /// - Complexity: O(accounts).
    func notInLog(after id: String, limit: Int) throws(AccountFault) -> [String] {
      try use { (database) throws(AccountFault) in
        try database.rows(
          "SELECT id FROM users WHERE is_in_log = 0 AND id > ? ORDER BY id LIMIT ?",
          [.text(id), .int(Int64(limit))]
        ).compactMap { $0.text(0) }
      }
    }

    /// Returns the accounts whose access tokens are refused.
    func refused() throws(AccountFault) -> Set<String> {
      try use { (database) throws(AccountFault) in
        Set(try database.rows("SELECT user FROM refused").compactMap { $0.text(0) })
      }
    }
  }
#endif
