#if PostgreSQL
  import EventLog
  import Events

  /// A log in a PostgreSQL database, which clones on many machines share.
  ///
  /// ```
  /// let remote = try PostgresRemote(PostgresAddress("postgresql://host/database"))
  /// try await remote.prepare()
  /// let log = try await FileLog.open(clone: "my.log", of: remote)
  /// ```
  /// An append is one call of a function on the server, which compares the log's end with the
  /// caller's under a lock, and inserts all or nothing. It counts as done when the server says that
  /// it is ready for more; if the connection is lost before that, the same lines are offered again,
  /// and found if they are there.
  /// - Complexity: an append is a round trip and the server's commit.
  public final class PostgresRemote: RemoteLog {
    private let address: PostgresAddress
    private let connection: Connection
    private let patience: Duration
    /// Who asks, for the turns of those who lose races.
    private let caller: EventID

    public var name: String { address.name }
    var schema: String { address.schema.name }

    /// - Parameter patience: for how long an answer that was lost is asked for again.
    public init(_ address: PostgresAddress, patience: Duration = .seconds(30)) {
      (self.address, self.patience) = (address, patience)
      connection = Connection(address.connection)
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
      // A line is some 250 bytes.
      var parameters = Parameters()
      parameters.add(int8: Int64(clamping: position))
      parameters.add(int8: Int64(max(1, limit / 256)))
      let rows = try await read(
        "SELECT line FROM \(schema).events WHERE position > $1 ORDER BY position LIMIT $2",
        parameters)
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
      var parameters = Parameters()
      parameters.add(int8: Int64(clamping: position))
      let rows = try await read(
        "SELECT sum FROM \(schema).events WHERE position = $1", parameters)
      return rows.rows.isEmpty ? nil : UInt64(bitPattern: rows.int(0, 0))
    }

    public func rewritings() async throws(LogError) -> Rewritings {
      let rows = try await read("SELECT line FROM \(schema).rewritings ORDER BY number")
      let text = rows.rows.indices.map { rows.text($0, 0) + "\n" }.joined()
      return try Rewritings(text: Array(text.utf8), of: name)
    }

    /// Reading may be tried again at will.
    private func read(
      _ statement: String, _ parameters: Parameters = Parameters()
    ) async throws(LogError) -> Rows {
      try await trying { (session) throws(StatementFault) in
        try session.execute(statement, parameters)
      }
    }

    // MARK: Writing

    public func append(_ group: RemoteGroup) async throws(LogError) -> RemoteAnswer {
      let places = (1...14).map { "$\($0)" }.joined(separator: ", ")
      let statement = "SELECT * FROM \(schema).append(\(places))"
      var all = Parameters()
      all.add(int8: Int64(clamping: group.seq))
      all.add(int8: Int64(bitPattern: group.sum))
      all.add(group.lines)
      all.add(uuid: caller)
      all.add(int4: group.losses)
      all.add(group.uses)
      let parameters = all
      while true {
        let rows = try await trying { [self] (session) throws(StatementFault) in
          try checkSafety(session)
          return try session.execute(statement, parameters)
        }
        switch rows.rows.isEmpty ? -1 : rows.int(0, 0) {
        case 0: return .appended
        case 1: return .moved(RemoteHead(rows, 0, from: 1))
        case 3: return .used(try await uses(of: group.uses))
        case 2:
          // Somebody else's turn, for a moment.
          try? await Task.sleep(for: .milliseconds(Int.random(in: 2...10)))
        default: throw fault(.refused(name, reason: "append returned nothing"))
        }
      }
    }

    /// The uses that the log has noted of some keys.
    private func uses(of keys: [RemoteGroup.Use]) async throws(LogError) -> [KeyUse] {
      var parameters = Parameters()
      parameters.add(int8s: keys.map { Int64(bitPattern: $0.use.tail) })
      let rows = try await read(
        "SELECT tail, body, position, milliseconds FROM \(schema).keys WHERE tail = ANY ($1)",
        parameters)
      return rows.rows.indices.map { row in
        KeyUse(
          tail: UInt64(bitPattern: rows.int(row, 0)), body: UInt64(bitPattern: rows.int(row, 1)),
          position: UInt64(bitPattern: rows.int(row, 2)),
          time: Timestamp(milliseconds: rows.int(row, 3)))
      }
    }

    public func rewrite(_ rewriting: RemoteRewriting) async throws(LogError) -> RemoteAnswer {
      let random = RuntimeEnvironment.system.random()
      let number = EventID(high: random.0, low: random.1)
      var (reached, limit) = (rewriting.first - 1, 4 << 20)
      while reached < rewriting.after.seq {
        let bytes = try rewriting.lines(reached, limit)
        let lines = try RemoteGroup.lines(in: bytes, after: reached, of: name)
        if lines.isEmpty {
          // A commit that is larger than the limit.
          guard !bytes.isEmpty, limit < 1 << 30 else {
            throw fault(.refused(name, reason: "lines of the rewriting lack"))
          }
          limit *= 2
          continue
        }
        var all = Parameters()
        all.add(uuid: number)
        all.add(int8: Int64(clamping: reached))
        all.add(lines)
        let parameters = all
        _ = try await trying { [schema] (session) throws(StatementFault) in
          try session.execute(
            "SELECT FROM \(schema).stage($1, $2, $3, $4, $5, $6, $7)", parameters)
        }
        reached += UInt64(lines.count)
      }
      var all = Parameters()
      all.add(uuid: number)
      all.add(int8: Int64(clamping: rewriting.before.seq))
      all.add(int8: Int64(bitPattern: rewriting.before.sum))
      all.add(int4: rewriting.before.rewritings)
      all.add(int8: Int64(clamping: rewriting.first))
      all.add(int8: Int64(clamping: rewriting.after.seq))
      all.add(int8: Int64(bitPattern: rewriting.after.sum))
      all.add(text: rewriting.ledger.entries.last?.json.text ?? "")
      let parameters = all
      let rows = try await trying { [self] (session) throws(StatementFault) in
        try checkSafety(session)
        return try session.execute(
          "SELECT * FROM \(schema).rewrite($1, $2, $3, $4, $5, $6, $7, $8)", parameters)
      }
      guard !rows.rows.isEmpty else {
        throw fault(.refused(name, reason: "rewrite returned nothing"))
      }
      return rows.int(0, 0) == 0 ? .appended : .moved(RemoteHead(rows, 0, from: 1))
    }

    // MARK: The schema

    /// Makes the schema if there is none, and brings one of an older version to the present.
    /// - Throws: `RemoteFault.refused` where the role may not; `.noLog` for a newer version.
    public func prepare() async throws(LogError) {
      let schema = address.schema
      let found = try await trying { (session) throws(StatementFault) -> Int in
        var parameters = Parameters()
        parameters.add(text: schema.name)
        let tables = try session.execute(
          "SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = 'log'", parameters)
        if tables.rows.isEmpty { return 0 }
        return Int(try session.execute("SELECT version FROM \(schema.name).log").int(0, 0))
      }
      if found > PostgresSchema.version { throw fault(.noLog(name, reason: Self.newer(found))) }
      try await trying { (session) throws(StatementFault) in
        try session.script(
          schema.statements(from: found)
            + "UPDATE \(schema.name).log SET version = \(PostgresSchema.version);")
      }
    }

    private static func newer(_ version: Int) -> String {
      "the schema is of version \(version), and this eventlog knows up to "
        + "\(PostgresSchema.version): "
        + "use a newer eventlog"
    }

    /// What would lose events that were acknowledged, asked once a connection.
    ///
    /// It is one more round trip, on the first append.
    func checkSafety(_ session: Connection.Session) throws(StatementFault) {
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

    /// Runs statements; where the connection is lost before the answer, on a new one again, which
    /// all statements here allow.
    func trying<T: Sendable>(
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
          case .refused(let state, let message): throw refusal(state, message)
          case .warned(let text): throw fault(.unknownOutcome(name, reason: text))
          case .lost(let reason): lost = reason
          case .unreachable(let reason):
            // One that was never reached is most likely another one than was meant.
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

    private func refusal(_ state: String, _ message: String) -> LogError {
      switch state {
      case Self.unsafeState: fault(.unsafe(name, reason: message))
      // The schema, a table or a function is not there.
      case "3F000", "42P01", "42883":
        fault(
          .noLog(
            name, reason: "there is no log (\(message)); eventlog remote init makes one"))
      default: fault(.refused(name, reason: "\(message) (SQLSTATE \(state))"))
      }
    }

    private func fault(_ fault: RemoteFault) -> LogError { .store(StoreFailure(fault)) }
  }

  extension Parameters {
    fileprivate mutating func add(_ lines: [RemoteGroup.Line]) {
      add(bytes: lines.lazy.map(\.bytes))
      add(texts: lines.lazy.map(\.stream))
      add(int8s: lines.lazy.map { Int64(clamping: $0.revision) })
      add(uuids: lines.lazy.map(\.id))
      add(int8s: lines.lazy.map { Int64(bitPattern: $0.sum) })
    }

    fileprivate mutating func add(_ uses: [RemoteGroup.Use]) {
      add(int8s: uses.lazy.map { Int64(bitPattern: $0.use.tail) })
      add(int8s: uses.lazy.map { Int64(bitPattern: $0.use.body ?? 0) })
      add(int8s: uses.lazy.map { Int64(clamping: $0.use.position) })
      add(int8s: uses.lazy.map(\.use.time.milliseconds))
      add(int8s: uses.lazy.map { $0.isNoted ? 1 : 0 })
    }
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
