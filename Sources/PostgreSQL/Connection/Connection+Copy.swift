#if PostgreSQL
  import CPostgreSQL

  // Bulk transfer with COPY in binary format.
  extension Connection.Session {
    /// Sends rows to `statement`, a `COPY … FROM STDIN (FORMAT binary)`.
    ///
    /// The method returns before the server has stored the rows, so that the caller can prepare the
    /// next ones meanwhile. The session's next call reports an error of the server.
    /// - Parameter rows: for each row the number of its fields, and the fields.
    package func copy(_ rows: BinaryFields, to statement: String) throws(StatementFault) {
      try connection.startCopy(statement, PGRES_COPY_IN)
      try connection.send(BinaryFields.copyHeader)
      try connection.send(rows.bytes)
      try connection.send(BinaryFields.copyTrailer)
      connection.isCopying = true
      if PQputCopyEnd(connection.handle, nil) != 1 { try connection.finishCopy() }
    }

    /// Waits until the server has stored the rows of the last `copy`.
    package func finishCopy() throws(StatementFault) { try connection.finishCopy() }

    /// Calls `body` with each row that `statement`, a `COPY … TO STDOUT (FORMAT binary)`, returns.
    /// If `body` throws, the connection is closed, because the server would send all other rows.
    package func copy<Fault: Error>(
      from statement: String, _ fault: (StatementFault) -> Fault,
      _ body: (inout BinaryReader) throws(Fault) -> Void
    ) throws(Fault) {
      do throws(StatementFault) {
        try connection.startCopy(statement, PGRES_COPY_OUT)
      } catch {
        throw fault(error)
      }
      var reader = BinaryReader()
      var isFirst = true
      while connection.receive(into: &reader) {
        if isFirst { reader.skipCopyHeader() }
        isFirst = false
        guard reader.startRow() else { continue }
        do throws(Fault) {
          try body(&reader)
        } catch {
          connection.close()
          throw error
        }
      }
      connection.isCopying = true
      do throws(StatementFault) { try connection.finishCopy() } catch { throw fault(error) }
    }
  }

  extension Connection {
    /// Starts a COPY.
    fileprivate func startCopy(
      _ statement: String, _ direction: ExecStatusType
    ) throws(StatementFault) {
      try finishCopy()
      let result = PQexec(handle, statement)
      defer { PQclear(result) }
      if PQresultStatus(result) == direction { return }
      try check(result)
      throw .refused(state: "42601", "the statement is not a COPY")
    }

    /// Sends bytes to a COPY. The server reports its own errors only at the end.
    fileprivate func send(_ bytes: [UInt8]) throws(StatementFault) {
      let limit = 1 << 30
      var start = 0
      while start < bytes.count {
        let count = min(limit, bytes.count - start)
        let isSent = bytes.withUnsafeBytes { raw in
          guard let base = raw.baseAddress else { return true }
          let from = (base + start).assumingMemoryBound(to: CChar.self)
          return PQputCopyData(handle, from, Int32(count)) == 1
        }
        if !isSent {
          isCopying = true
          try finishCopy()
          throw .lost("the connection ended during a COPY")
        }
        start += count
      }
    }

    /// Reads the next part of a COPY's answer; returns false at its end.
    fileprivate func receive(into reader: inout BinaryReader) -> Bool {
      var buffer: UnsafeMutablePointer<CChar>?
      let count = PQgetCopyData(handle, &buffer, 0)
      guard count > 0, let buffer else { return false }
      defer { PQfreemem(buffer) }
      reader.replace(UnsafeRawBufferPointer(start: buffer, count: Int(count)))
      return true
    }

    /// Reads the result of the last COPY, if it was not read yet.
    func finishCopy() throws(StatementFault) {
      guard isCopying else { return }
      isCopying = false
      let result = PQgetResult(handle)
      defer { PQclear(result) }
      while let more = PQgetResult(handle) { PQclear(more) }
      try check(result)
    }
  }
#endif
