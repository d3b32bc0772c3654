#if Server
  import EventLog
  import Events
  import UseCases

  /// A follower of the log that removes the accounts of people who deleted their account there, or
  /// who were erased.
  ///
  /// It reads the events after the position that is saved with the accounts. An erasure changes old
  /// events, so afterwards it compares all accounts with the log: the account of a person whom the
  /// log knew before, and does not know now, is removed. It also applies changes that another
  /// process made to the accounts. At the start and once an hour, it deletes old rows, and records
  /// which accounts the log knows.
  /// - Complexity: O(new events); after an erasure and once an hour, O(accounts).
  struct AccountSweep {
    private static let page = 500
    private let core: Core
    private let accounts: Accounts
    /// The log's folder, with the ledger of erasures.
    private let folder: String
    private var position: UInt64?
    private var cleaned: Timestamp?

    init(_ core: Core, _ accounts: Accounts, folder: String) {
      (self.core, self.accounts, self.folder) = (core, accounts, folder)
    }

    /// Runs every second until the task is cancelled, and once more then.
    mutating func keepRunning() async {
      var failures = 0
      while true {
        let isLast = Task.isCancelled
        do {
          try await run()
          failures = 0
        } catch {
          // While the log is being rewritten, it cannot be read for a moment.
          failures += 1
          if failures == 5 {
            accounts.options.says("note: the accounts do not follow the log: \(error)")
          }
        }
        if isLast { return }
        try? await Task.sleep(for: .seconds(1))
      }
    }

    /// Removes the accounts of people who are no longer in the log.
    /// - Throws: the errors of the log and of the accounts.
    private mutating func run() async throws {
      let (file, now) = (accounts.file, accounts.options.now())
      accounts.tokens.refuse(try file.refused())
      if file.mayHaveOldVersions.withLock({ $0 }) { try file.dropOldVersions() }
      if cleaned.map({ now.milliseconds - $0.milliseconds > 3_600_000 }) ?? true {
        try file.clean(now: now)
        try recordKnown()
        cleaned = now
      }
      if position == core.position { return }
      let (view, known) = try await core.snapshot()
      let head = try view.head(at: known)
      let ledger = try Rewritings(folder: folder)
      let saved = try file.logPosition()
      let start = try saved.flatMap { saved in
        try ledger.carry(saved) { (seq) throws(LogError) in
          seq > known ? nil : try view.head(at: seq)
        }
      }
      let isErased =
        start != nil && ledger.entries.dropFirst(saved?.rewritings ?? 0).contains { $0.lost == nil }
      if let start, !isErased {
        try read(view, after: start.seq, until: known, now)
      } else {
        try compare(isErased: isErased, isOther: saved != nil && start == nil, now)
      }
      try file.save(SubscriptionPosition(head, rewritings: ledger.entries.count))
      position = known
    }

    /// Records which accounts have people in the log. An operator can add an account after its
    /// person.
    private func recordKnown() throws {
      var last = ""
      while true {
        let page = try accounts.file.notInLog(after: last, limit: Self.page)
        guard let end = page.last else { return }
        try accounts.file.setInLog(true, page.filter { core.standing(of: $0) == .open })
        last = end
      }
    }

    private func read(
      _ view: some History, after start: UInt64, until end: UInt64, _ now: Timestamp
    ) throws {
      if start >= end { return }
      var names = Names()
      var (created, deleted) = ([String](), [String]())
      try view.forEachEvent(of: Self.types, after: start, until: end, &names) { event, _, names in
        switch event {
        case .profile(.created(let data)): created.append(names[data.user])
        case .accountDeleted(let data): deleted.append(names[data.user])
        default: break
        }
      }
      try accounts.file.setInLog(true, created)
      for user in deleted { try accounts.file.remove(user, now: now) }
    }

    private static let types: EventTypes = [.profileCreated, .accountDeleted]

    /// Compares all accounts with the log. If the log was not erased from, but replaced, keeps the
    /// accounts of people whom it does not know: it may be an older backup, or the wrong log.
    private func compare(isErased: Bool, isOther: Bool, _ now: Timestamp) throws {
      var last = ""
      while true {
        let page = try accounts.file.standings(after: last, limit: Self.page)
        guard let end = page.last else { break }
        var (known, unknown) = ([String](), [String]())
        for (user, wasInLog) in page {
          switch core.standing(of: user) {
          case .open: if !wasInLog { known.append(user) }
          case .deleted: try accounts.file.remove(user, now: now)
          case .unknown:
            if wasInLog, isErased { try accounts.file.remove(user, now: now) }
            if wasInLog, !isErased { unknown.append(user) }
          }
        }
        try accounts.file.setInLog(true, known)
        try accounts.file.setInLog(false, unknown)
        last = end.user
      }
      if isOther {
        accounts.options.says(
          "note: \(accounts.file.path) was used with another log, or the log was restored; "
            + "accounts of people who are not in this log were kept")
      }
    }
  }
#endif
