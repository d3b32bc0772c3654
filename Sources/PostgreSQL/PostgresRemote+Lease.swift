#if PostgreSQL
  import EventLog
  import Events

  /// The lease is a row of a table. The function `append` compares it with the client's term while
  /// it holds the lock under which a new term begins.
  extension PostgresRemote: WriterLease {
    public var lease: (any WriterLease)? { self }

    public func hold(
      at address: String, for duration: Duration
    ) async throws(LogError) -> LeaseState {
      let milliseconds = Int(duration / .milliseconds(1))
      let rows = try await once(
        "SELECT term, is_held, address FROM \(schema).hold($1, $2, $3)",
        [.uuid(caller), .text(address), .int4(milliseconds)])
      guard !rows.rows.isEmpty else {
        throw fault(.refused(name, reason: "hold returned nothing"))
      }
      let isHeld = rows.int(0, 1) == 1
      term.withLock { $0 = isHeld ? rows.int(0, 0) : 0 }
      let holder = rows.text(0, 2)
      return LeaseState(
        term: rows.int(0, 0), holder: holder.isEmpty ? nil : holder, isHeld: isHeld)
    }

    public func release() async throws(LogError) {
      term.withLock { $0 = 0 }
      _ = try await once("SELECT \(schema).release($1)", [.uuid(caller)])
    }

    public func secret() async throws(LogError) -> [UInt8] {
      let rows = try await once("SELECT bytes FROM \(schema).secret", [])
      guard let bytes = rows.rows.first?.first, bytes.count == 32 else {
        throw fault(.noLog(name, reason: "the table secret is empty"))
      }
      return bytes
    }

    /// Runs a statement once. It does not wait long, because a server that does not answer may have
    /// a successor.
    private func once(_ statement: String, _ values: [Value]) async throws(LogError) -> Rows {
      do throws(StatementFault) {
        return try await leaseConnection.run { [timeout] (session) throws(StatementFault) in
          try session.execute(statement, values, within: timeout / 2)
        }
      } catch {
        switch error {
        case .refused(let state, let message): throw refusal(state, message)
        case .warned(let reason), .lost(let reason), .unreachable(let reason):
          throw fault(.unreachable(name, reason: reason))
        }
      }
    }
  }
#endif
