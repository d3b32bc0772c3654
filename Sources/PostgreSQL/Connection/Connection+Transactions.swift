#if PostgreSQL
  import CPostgreSQL

  extension Connection {
    /// Runs `body` in one transaction, and blocks the calling thread until it has ended. If `body`
    /// throws, the server rolls the transaction back.
    /// - Parameters:
    ///   - begin: the statement that begins the transaction, and others that set its options.
    ///   - fault: returns the error for a fault of the connection.
    /// - Throws: `body`'s error; the fault `.lost` if it is unknown whether the server committed.
    package func transaction<T, Fault: Error>(
      _ begin: String, _ fault: (StatementFault) -> Fault,
      _ body: (Session) throws(Fault) -> T
    ) throws(Fault) -> T {
      try wait(fault) { (session) throws(Fault) in
        do throws(StatementFault) { try self.begin(begin) } catch { throw fault(error) }
        let value: T
        do throws(Fault) {
          value = try body(session)
          do throws(StatementFault) { try finishCopy() } catch { throw fault(error) }
        } catch {
          rollBack()
          throw error
        }
        do throws(StatementFault) {
          try changeTransaction("COMMIT", isOpen: false)
        } catch {
          throw fault(error)
        }
        return value
      }
    }

    /// Begins a transaction. If the server closed the idle connection, opens another one.
    private func begin(_ statements: String) throws(StatementFault) {
      do throws(StatementFault) {
        try changeTransaction(statements, isOpen: true)
      } catch {
        guard case .lost = error else {
          rollBack()
          throw error
        }
        try connected()
        try changeTransaction(statements, isOpen: true)
      }
    }

    /// Rolls the transaction back; closes the connection if that fails.
    private func rollBack() {
      if handle == nil { return }
      try? finishCopy()
      do throws(StatementFault) {
        try changeTransaction("ROLLBACK", isOpen: false)
      } catch {
        close()
      }
    }
  }
#endif
