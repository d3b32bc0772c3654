#if PostgreSQL
  import CPostgreSQL

  /// A statement with the values of its parameters.
  package struct Statement: Sendable {
    let text: String
    let parameters: Parameters

    package init(_ text: String, _ values: [Value]) {
      (self.text, parameters) = (text, Parameters(values))
    }
  }

  extension Connection.Session {
    /// Runs the statements of a transaction in order, without waiting for the server between them.
    /// Ignores the rows that they return.
    /// - Throws: the first error. The server skips the statements after it.
    package func execute(_ statements: [Statement]) throws(StatementFault) {
      try connection.finishCopy()
      try connection.execute(statements)
    }
  }

  extension Connection {
    fileprivate func execute(_ statements: [Statement]) throws(StatementFault) {
      if statements.isEmpty { return }
      _ = PQenterPipelineMode(handle)
      var isSent = true
      for statement in statements where isSent {
        isSent = statement.parameters.withPointers { values, lengths in
          PQsendQueryParams(
            handle, statement.text, Int32(values.count), statement.parameters.kinds, values,
            lengths, lengths.map { _ in 1 }, 1) == 1
        }
      }
      isSent = PQpipelineSync(handle) == 1 && isSent
      let (failed, isComplete) = pipelineResult()
      defer { PQclear(failed) }
      if isSent, isComplete, failed == nil, PQexitPipelineMode(handle) == 1 { return }
      _ = PQexitPipelineMode(handle)
      try check(failed)
    }

    /// Reads the results of all statements until the one of `PQpipelineSync`.
    /// - Returns: the first result that is an error, or nil; and whether the server answered all.
    private func pipelineResult() -> (failed: OpaquePointer?, isComplete: Bool) {
      var failed: OpaquePointer?
      // A null ends each statement's results. Two in a row mean that the connection has ended.
      var nulls = 0
      while nulls < 2 {
        guard let result = PQgetResult(handle) else {
          nulls += 1
          continue
        }
        nulls = 0
        switch PQresultStatus(result) {
        case PGRES_PIPELINE_SYNC:
          PQclear(result)
          return (failed, true)
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_PIPELINE_ABORTED: PQclear(result)
        default:
          if failed == nil { failed = result } else { PQclear(result) }
        }
      }
      return (failed, false)
    }
  }
#endif
