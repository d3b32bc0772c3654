#if PostgreSQL
  import EventLog
  import Events
  import Synchronization

  /// A shared log in a PostgreSQL database. Clones on many machines can follow it.
  ///
  /// ```
  /// let remote = try PostgresRemote(PostgresAddress("postgresql://host/database"))
  /// try await remote.prepare()
  /// let log = try await FileLog.open(clone: "my.log", of: remote)
  /// ```
  /// An append is one call of a function on the server. While it holds a lock, the function
  /// compares the log's end with the end that the client expects. It inserts all lines or none. The
  /// append counts as done when the server reports that it is ready for the next statement. If the
  /// connection is lost before that, the client sends the same lines again. The function then finds
  /// them if they were already inserted.
  /// - Complexity: an append takes a round trip and the server's commit.
  public final class PostgresRemote: RemoteLog {
    let address: PostgresAddress
    private let connection: Connection
    /// A connection for the lease, which must not wait for appends and reads.
    let leaseConnection: Connection
    /// A connection that waits for the announcements of new events.
    let listeningConnection: Connection
    private let patience: Duration
    let timeout: Duration
    /// This client's random id. The server uses it to let the client append first after other
    /// clients were faster.
    let caller: EventID
    /// The term in which this client appends: nil without a lease, 0 if another server has it.
    let term = Mutex<Int64?>(nil)

    public var name: String { address.name }
    var schema: String { address.schema.name }

    /// - Parameters:
    ///   - patience: the time for which the client repeats a statement whose answer was lost.
    ///   - timeout: the time after which an answer counts as lost, for example because the server's
    ///     process was stopped. For the lease it is half as long.
    public init(
      _ address: PostgresAddress, patience: Duration = .seconds(30),
      timeout: Duration = .seconds(10)
    ) {
      (self.address, self.patience, self.timeout) = (address, patience, timeout)
      connection = Connection(address.connection)
      leaseConnection = Connection(address.connection)
      listeningConnection = Connection(address.connection)
      let random = RuntimeEnvironment.system.random()
      caller = EventID(high: random.0, low: random.1)
    }

    // MARK: Reading

    public func head() async throws(LogError) -> RemoteHead {
      let rows = try await read(
        """
        SELECT coalesce(e.position, 0), coalesce(e.sum, 0), l.rewritings FROM \(schema).log l
        LEFT JOIN LATERAL (
          SELECT position, sum FROM \(schema).events ORDER BY position DESC LIMIT 1
        ) e ON true
        """)
      if rows.rows.isEmpty { throw fault(.noLog(name, reason: "the table log is empty")) }
      return RemoteHead(rows, 0, from: 0)
    }

    public func lines(after position: UInt64, limit: Int) async throws(LogError) -> [UInt8] {
      // A line has about 250 bytes.
      let rows = try await read(
        "SELECT line FROM \(schema).events WHERE position > $1 ORDER BY position LIMIT $2",
        [.int8(Int64(clamping: position)), .int8(Int64(max(1, limit / 256)))])
      var bytes: [UInt8] = []
      bytes.reserveCapacity(rows.rows.reduce(0) { $0 + $1[0].count + 1 })
      for row in rows.rows {
        bytes += row[0]
        bytes.append(UInt8(ascii: "\n"))
      }
      return bytes
    }

    public func sum(at position: UInt64) async throws(LogError) -> UInt64? {
      if position == 0 { return 0 }
      let rows = try await read(
        "SELECT sum FROM \(schema).events WHERE position = $1", [.int8(Int64(clamping: position))])
      return rows.rows.isEmpty ? nil : UInt64(bitPattern: rows.int(0, 0))
    }

    public func rewritings() async throws(LogError) -> Rewritings {
      let rows = try await read("SELECT line FROM \(schema).rewritings ORDER BY number")
      let text = rows.rows.indices.map { rows.text($0, 0) + "\n" }.joined()
      return try Rewritings(text: Array(text.utf8), of: name)
    }

    private func read(_ statement: String, _ values: [Value] = []) async throws(LogError) -> Rows {
      try await trying { [timeout] (session) throws(StatementFault) in
        try session.execute(statement, values, within: timeout)
      }
    }

    // MARK: Writing

    public func append(_ batch: RemoteBatch) async throws(LogError) -> RemoteAnswer {
      let places = (1...15).map { "$\($0)" }.joined(separator: ", ")
      let statement = "SELECT * FROM \(schema).append(\(places))"
      let values: [Value] =
        [.int8(Int64(clamping: batch.seq)), .int8(Int64(bitPattern: batch.sum))]
        + Self.values(batch.lines) + [.uuid(caller), .int4(batch.losses)] + Self.values(batch.uses)
        + [.int8(term.withLock { $0 } ?? -1)]
      while true {
        let rows = try await write(statement, values, within: timeout)
        switch rows.rows.isEmpty ? -1 : rows.int(0, 0) {
        case 0: return .appended
        case 1: return .moved(RemoteHead(rows, 0, from: 1))
        case 3: return .used(try await uses(of: batch.uses.map(\.use.tail)))
        case 4: throw fault(.notWriter(name))
        case 2:
          // The server lets another client append first, for a short time.
          try? await Task.sleep(for: .milliseconds(Int.random(in: 2...10)))
        default: throw fault(.refused(name, reason: "append returned nothing"))
        }
      }
    }

    /// Checks the server's settings, then runs a statement.
    private func write(
      _ statement: String, _ values: [Value], within timeout: Duration?
    ) async throws(LogError) -> Rows {
      try await trying { [self] (session) throws(StatementFault) in
        try checkSafety(session)
        return try session.execute(statement, values, within: timeout)
      }
    }

    public func uses(of tails: [UInt64]) async throws(LogError) -> [KeyUse] {
      let rows = try await read(
        """
        SELECT tail, body, position, milliseconds, coalesce(answer, '') FROM \(schema).keys
        WHERE tail = ANY ($1)
        """,
        [.int8s(tails.map { Int64(bitPattern: $0) })])
      return rows.rows.indices.map { row in
        let answer = rows.text(row, 4)
        return KeyUse(
          tail: UInt64(bitPattern: rows.int(row, 0)), body: UInt64(bitPattern: rows.int(row, 1)),
          position: UInt64(bitPattern: rows.int(row, 2)),
          time: Timestamp(milliseconds: rows.int(row, 3)), answer: answer.isEmpty ? nil : answer)
      }
    }

    public func rewrite(_ rewriting: RemoteRewriting) async throws(LogError) -> RemoteAnswer {
      let random = RuntimeEnvironment.system.random()
      let number = EventID(high: random.0, low: random.1)
      var (reached, limit) = (rewriting.first - 1, 4 << 20)
      while reached < rewriting.after.seq {
        let bytes = try rewriting.lines(reached, limit)
        let lines = try RemoteBatch.lines(in: bytes, after: reached, of: name)
        if lines.isEmpty {
          // The next commit is larger than the limit.
          guard !bytes.isEmpty, limit < 1 << 30 else {
            throw fault(.refused(name, reason: "lines of the rewriting are missing"))
          }
          limit *= 2
          continue
        }
        let values: [Value] = [.uuid(number), .int8(Int64(clamping: reached))] + Self.values(lines)
        _ = try await read("SELECT FROM \(schema).stage($1, $2, $3, $4, $5, $6, $7)", values)
        reached += UInt64(lines.count)
      }
      let (before, after) = (rewriting.before, rewriting.after)
      let rows = try await write(
        "SELECT * FROM \(schema).rewrite($1, $2, $3, $4, $5, $6, $7, $8)",
        [
          .uuid(number), .int8(Int64(clamping: before.seq)), .int8(Int64(bitPattern: before.sum)),
          .int4(before.rewritings), .int8(Int64(clamping: rewriting.first)),
          .int8(Int64(clamping: after.seq)), .int8(Int64(bitPattern: after.sum)),
          .text(rewriting.ledger.entries.last?.json.text ?? ""),
        ], within: nil)
      guard !rows.rows.isEmpty else {
        throw fault(.refused(name, reason: "rewrite returned nothing"))
      }
      return rows.int(0, 0) == 0 ? .appended : .moved(RemoteHead(rows, 0, from: 1))
    }

    // MARK: Rules: an entry a row

    public func rules() async throws(LogError) -> RecordedRules {
      let statement = "SELECT after, rules FROM \(schema).rules ORDER BY number"
      let rows = try await trying { (session) throws(StatementFault) -> Rows? in
        do throws(StatementFault) {
          return try session.execute(statement)
        } catch {
          // A schema of version 1 has no table `rules`.
          if case .refused("42P01", _) = error { return nil }
          throw error
        }
      }
      var recorded = RecordedRules(from: name)
      guard let rows else { return recorded }
      for row in rows.rows.indices {
        let text = rows.text(row, 1)
        guard let value = try? JSONValue(text), case .object = value else {
          throw .store(
            StoreFailure(RulesRefusal.unreadable(name, reason: "row \(row + 1) is no object")))
        }
        recorded.entries.append(.init(after: UInt64(clamping: rows.int(row, 0)), rules: value))
      }
      return recorded
    }

    public func record(_ rules: RecordedRules) async throws(LogError) {
      for (index, entry) in rules.entries.enumerated() {
        let rows = try await write(
          "SELECT \(schema).record_rules($1, $2, $3)",
          [.int4(index + 1), .int8(Int64(clamping: entry.after)), .text(entry.rules.text)],
          within: timeout)
        guard !rows.rows.isEmpty, rows.int(0, 0) == 0 else {
          throw .store(StoreFailure(RulesRefusal.changed(name)))
        }
      }
    }

    // MARK: The schema

    /// Creates the schema if there is none, or upgrades a schema of an older version. Clients may
    /// append meanwhile; an upgrade waits for appends under way, for at most 30 seconds.
    /// - Throws: `RemoteFault.refused` if the client's role lacks rights; `.noLog` if the schema's
    ///   version is newer.
    public func prepare() async throws(LogError) {
      let schema = address.schema
      let found = try await trying { (session) throws(StatementFault) -> Int in
        let tables = try session.execute(
          "SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = 'log'",
          [.text(schema.name)])
        if tables.rows.isEmpty { return 0 }
        return Int(try session.execute("SELECT version FROM \(schema.name).log").int(0, 0))
      }
      if found > PostgresSchema.version { throw fault(.noLog(name, reason: Self.newer(found))) }
      let isOld = found > 0 && found < PostgresSchema.version
      let scripts = isOld ? schema.upgrade(from: found) : [schema.creation(from: found)]
      for script in scripts {
        try await trying { (session) throws(StatementFault) in
          do throws(StatementFault) {
            try session.script(script)
          } catch {
            guard isOld, case .refused("55P03", _) = error else { throw error }
            throw .refused(
              state: "55006",
              "a session held the lock of the older version for 30 seconds: end it (pg_locks shows "
                + "it, with locktype advisory and classid 7106407), and run remote init again")
          }
        }
      }
    }

    private static func newer(_ version: Int) -> String {
      "the schema is of version \(version), and this eventlog knows up to "
        + "\(PostgresSchema.version): "
        + "use a newer eventlog"
    }

    /// Refuses a server that is a standby, that has another version of the schema, or whose
    /// settings could lose acknowledged events.
    /// - Complexity: one round trip for each connection.
    private func checkSafety(_ session: Connection.Session) throws(StatementFault) {
      if session.isChecked { return }
      let rows = try session.execute(
        """
        SELECT current_setting('fsync'), current_setting('synchronous_commit'),
          current_setting('synchronous_standby_names'), pg_is_in_recovery()::text,
          (SELECT version FROM \(schema).log)
        """)
      let (fsync, commit) = (rows.text(0, 0), rows.text(0, 1))
      var reason: String?
      if rows.text(0, 3) == "true" {
        reason = "it is a standby, which takes no events: connect to the primary"
      } else if fsync != "on" {
        reason = "fsync is \(fsync): a power failure would lose events that were acknowledged"
      } else if commit == "off" {
        reason =
          "synchronous_commit is off: a crash would lose events that were acknowledged; "
          + "ALTER ROLE … SET synchronous_commit = on"
      } else if commit == "local" || commit == "remote_write", !rows.text(0, 2).isEmpty {
        reason =
          "synchronous_commit is \(commit): a standby that is promoted may lack events that "
          + "were acknowledged; ALTER ROLE … SET synchronous_commit = on"
      } else if rows.int(0, 4) != Int64(PostgresSchema.version) {
        let version = Int(rows.int(0, 4))
        reason =
          version > PostgresSchema.version
          ? Self.newer(version)
          : "the schema is of version \(version): eventlog remote init brings it to "
            + "\(PostgresSchema.version)"
      }
      if let reason { throw .refused(state: Self.unsafeState, reason) }
      session.noteChecked()
    }

    private static let unsafeState = "unsafe"

    // MARK: Trying

    /// Runs statements. If the connection is lost, repeats them, which is safe for every statement
    /// of `PostgresRemote`.
    private func trying<T: Sendable>(
      _ body: @escaping @Sendable (Connection.Session) throws(StatementFault) -> T
    ) async throws(LogError) -> T {
      let start = ContinuousClock.now
      var wait = 10
      var lost: String?
      while true {
        do throws(StatementFault) {
          return try await connection.run(body)
        } catch {
          switch error {
          // A call with the lock still waits for a standby.
          case .refused("55P03", let message): lost = message
          case .refused(let state, let message): throw refusal(state, message)
          case .warned(let text): throw fault(.unknownOutcome(name, reason: text))
          case .lost(let reason): lost = reason
          case .unreachable(let reason):
            // If the server was never reached, its address is probably wrong, so the client does
            // not try again.
            if lost == nil { throw fault(.unreachable(name, reason: reason)) }
          }
        }
        guard ContinuousClock.now - start < patience, !Task.isCancelled else {
          throw fault(.unknownOutcome(name, reason: lost ?? ""))
        }
        try? await Task.sleep(for: .milliseconds(wait + Int.random(in: 0...wait)))
        wait = min(wait * 2, 500)
      }
    }

    func refusal(_ state: String, _ message: String) -> LogError {
      switch state {
      case Self.unsafeState: fault(.unsafe(name, reason: message))
      // These states mean that the schema, a table or a function does not exist.
      case "3F000", "42P01", "42883":
        fault(
          .noLog(
            name, reason: "there is no log (\(message)); eventlog remote init makes one"))
      default: fault(.refused(name, reason: "\(message) (SQLSTATE \(state))"))
      }
    }

    private static func values(_ lines: [RemoteBatch.Line]) -> [Value] {
      [
        .byteLists(lines.map(\.bytes)), .texts(lines.map(\.stream)),
        .int8s(lines.map { Int64(clamping: $0.revision) }), .uuids(lines.map(\.id)),
        .int8s(lines.map { Int64(bitPattern: $0.sum) }),
      ]
    }

    private static func values(_ uses: [RemoteBatch.Use]) -> [Value] {
      [
        .int8s(uses.map { Int64(bitPattern: $0.use.tail) }),
        .int8s(uses.map { Int64(bitPattern: $0.use.body ?? 0) }),
        .int8s(uses.map { Int64(clamping: $0.use.position) }),
        .int8s(uses.map(\.use.time.milliseconds)),
        .texts(uses.map { $0.use.answer ?? "" }),
      ]
    }

    func fault(_ fault: RemoteFault) -> LogError { .store(StoreFailure(fault)) }
  }

  extension RemoteHead {
    fileprivate init(_ rows: Rows, _ row: Int, from column: Int) {
      self.init(
        seq: UInt64(clamping: rows.int(row, column)),
        sum: UInt64(bitPattern: rows.int(row, column + 1)),
        rewritings: Int(rows.int(row, column + 2)))
    }
  }
#endif
