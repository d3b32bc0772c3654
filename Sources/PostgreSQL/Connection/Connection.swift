#if PostgreSQL
  import CPostgreSQL
  import Dispatch
  import Events

  /// The reason why a statement failed or its result is unknown.
  package enum StatementFault: Error {
    /// The client could not reach the server, and sent nothing.
    case unreachable(String)
    /// The connection ended before the complete answer. The server may have performed the statement
    /// or not.
    case lost(String)
    /// The server refused the statement and changed nothing.
    case refused(state: String, String)
    /// The server performed the statement with a warning, such as that a standby did not confirm
    /// it.
    case warned(String)
  }

  /// A connection to a PostgreSQL server. It is opened when it is needed, and again after it was
  /// lost.
  ///
  /// The client sends unnamed statements, one at a time, each in its own transaction unless
  /// `transaction` runs them. A pooler in transaction mode may therefore be between client and
  /// server. The library libpq blocks, so each connection has its own queue.
  ///
  /// `@unchecked Sendable`: only code on that queue accesses the connection's state.
  package final class Connection: @unchecked Sendable {
    private let address: String
    private let queue = DispatchQueue(label: "eventlog.postgresql")
    private(set) var handle: OpaquePointer?
    private let warning = Warning()
    /// Whether this connection's server was found to have safe settings.
    private var isChecked = false
    /// Whether the client has begun a transaction of several statements.
    var isInTransaction = false
    /// Whether the client has asked for notifications on this connection.
    var isListening = false
    /// Whether the client has sent a COPY whose result it has not read.
    var isCopying = false

    /// The warning that the server sent during a statement; nil if it sent none.
    private final class Warning {
      var text: String?
    }

    package init(_ address: String) { self.address = address }

    deinit { PQfinish(handle) }

    /// Runs `body`, which executes statements on the open connection, on the connection's queue.
    func run<T: Sendable>(
      _ body: @escaping @Sendable (Session) throws(StatementFault) -> T
    ) async throws(StatementFault) -> T {
      let result: Result<T, StatementFault> = await withCheckedContinuation { continuation in
        queue.async {
          continuation.resume(
            returning: Result { () throws(StatementFault) in
              try self.connected()
              return try body(Session(connection: self))
            })
        }
      }
      return try result.get()
    }

    /// Runs `body` on the connection's queue, and blocks the calling thread until it has ended.
    /// - Parameter fault: returns the error for a fault of the connection.
    package func wait<T, Fault: Error>(
      _ fault: (StatementFault) -> Fault, _ body: (Session) throws(Fault) -> T
    ) throws(Fault) -> T {
      let result = queue.sync {
        Result { () throws(Fault) -> T in
          do throws(StatementFault) { try connected() } catch { throw fault(error) }
          return try body(Session(connection: self))
        }
      }
      return try result.get()
    }

    /// Opens the connection unless it is open.
    func connected() throws(StatementFault) {
      if handle != nil { return }
      // A later option overrides an earlier one, so the address can override the defaults.
      let options = [
        ("connect_timeout", "10"), ("keepalives_idle", "10"), ("keepalives_interval", "5"),
        ("tcp_user_timeout", "15000"), ("fallback_application_name", "eventlog"),
        ("client_encoding", "UTF8"), ("dbname", address),
      ]
      let keys = options.map { cString($0.0) } + [nil]
      let values = options.map { cString($0.1) } + [nil]
      defer { for text in keys + values { text?.deallocate() } }
      let start = ContinuousClock.now
      let opened = PQconnectdbParams(keys, values, 1)
      guard PQstatus(opened) == CONNECTION_OK else {
        defer { PQfinish(opened) }
        throw Self.fault(ofFailed: opened, since: start)
      }
      handle = opened
      PQsetNoticeReceiver(
        opened,
        { context, notice in
          let severity = PQresultErrorField(notice, Int32(UInt8(ascii: "V")))
          guard let context, let severity, String(cString: severity) == "WARNING" else { return }
          let warning = Unmanaged<Warning>.fromOpaque(context).takeUnretainedValue()
          warning.text = sentence(PQresultErrorField(notice, Int32(UInt8(ascii: "M"))))
        }, Unmanaged.passUnretained(warning).toOpaque())
    }

    /// Returns the reason why a connection was not opened: `.refused` if another attempt would fail
    /// too, or else `.unreachable`.
    private static func fault(
      ofFailed connection: OpaquePointer?, since start: ContinuousClock.Instant
    ) -> StatementFault {
      let reason = sentence(PQerrorMessage(connection))
      var states = ""
      if PQconnectionNeedsPassword(connection) == 1 {
        states = ":  28P01"
      } else if ContinuousClock.now - start < .seconds(2) {
        // libpq says the SQLSTATE of such an error only in its messages, in this form. The server
        // writes all other words in its own language.
        PQsetErrorVerbosity(connection, PQERRORS_SQLSTATE)
        PQreset(connection)
        states = String(cString: PQerrorMessage(connection))
      }
      for (state, advice) in advice where states.contains(":  \(state)") {
        return .refused(state: state, "\(reason); \(advice)")
      }
      return .unreachable(reason)
    }

    /// The advice for errors that another attempt would not change, by SQLSTATE.
    private static let advice: KeyValuePairs = [
      "3D000": "create the database with createdb, or correct the address",
      "28P01": "correct the password in the address, in PGPASSWORD or in ~/.pgpass",
      "28000": "create the role, allow it to log in, or correct the address or pg_hba.conf",
    ]

    func close() {
      PQfinish(handle)
      handle = nil
      (isChecked, isInTransaction, isCopying, isListening) = (false, false, false, false)
    }

    /// An open connection, for executing statements.
    package struct Session {
      let connection: Connection

      var isChecked: Bool { connection.isChecked }
      func noteChecked() { connection.isChecked = true }

      /// Runs a statement, and waits until its transaction has ended, or until the statement has
      /// ended if `transaction` runs it.
      /// - Parameter patience: the longest time in which no byte passes; nil waits for ever.
      ///   Then the connection is closed, because the statement may still be running.
      @discardableResult
      package func execute(
        _ statement: String, _ values: [Value] = [], within patience: Duration? = nil
      ) throws(StatementFault) -> Rows {
        try connection.finishCopy()
        return try connection.execute(statement, Parameters(values), within: patience)
      }

      /// Runs several statements without parameters, all in one transaction.
      package func script(_ text: String) throws(StatementFault) {
        try connection.finishCopy()
        let result = PQexec(connection.handle, text)
        defer { PQclear(result) }
        try connection.check(result)
      }
    }

    private func execute(
      _ statement: String, _ parameters: Parameters, within patience: Duration?
    ) throws(StatementFault) -> Rows {
      warning.text = nil
      PQsetnonblocking(handle, 1)
      defer { PQsetnonblocking(handle, 0) }
      parameters.withPointers { values, lengths in
        // An error is part of the result.
        _ = PQsendQueryParams(
          handle, statement, Int32(values.count), parameters.kinds, values, lengths,
          lengths.map { _ in 1 }, 1)
      }
      let result = try result(within: patience)
      defer { PQclear(result) }
      try check(result)
      if !isInTransaction, let text = warning.text { throw .warned(text) }
      let (rows, columns) = (PQntuples(result), PQnfields(result))
      return Rows(
        rows: (0..<rows).map { row in
          (0..<columns).map { column in
            guard let value = PQgetvalue(result, row, column) else { return [] }
            return Array(
              UnsafeRawBufferPointer(
                start: value, count: Int(PQgetlength(result, row, column))))
          }
        })
    }

    /// Waits until the server has ended the statement that was sent, and returns its result; nil if
    /// there is none because the connection was lost.
    /// - Throws: `.lost` if no byte passes for longer than `patience`.
    private func result(within patience: Duration?) throws(StatementFault) -> OpaquePointer? {
      var last: OpaquePointer?
      while true {
        while true {
          let isSending = PQflush(handle) == 1
          if !isSending, PQisBusy(handle) == 0 { break }
          let events = isSending ? POLLIN | POLLOUT : POLLIN
          guard let found = wait(for: events, within: patience) else {
            PQclear(last)
            close()
            throw .lost("the server has not answered for \(patience ?? .zero)")
          }
          if found & ~POLLOUT != 0, PQconsumeInput(handle) == 0 { break }
        }
        guard let next = PQgetResult(handle) else { return last }
        PQclear(last)
        last = next
      }
    }

    /// Waits until the connection's socket is ready for some events.
    /// - Returns: the events that have happened; nil if none has within `patience`.
    func wait(for events: Int32, within patience: Duration?) -> Int32? {
      let end = patience.map { ContinuousClock.now + $0 }
      while true {
        let left = end.map { min($0 - .now, .seconds(60)) } ?? .seconds(60)
        if left < .zero { return nil }
        var place = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
        let milliseconds = Int32((left / .milliseconds(1)).rounded(.up))
        if poll(&place, 1, milliseconds) > 0 { return Int32(place.revents) }
      }
    }

    /// Checks a statement's result.
    /// - Throws: the result's error; `.lost` if the server did not report that it is ready for the
    ///   next statement. Only that report proves that the transaction has ended. Inside
    ///   `transaction`, the server must report that the transaction is still open.
    func check(_ result: OpaquePointer?) throws(StatementFault) {
      let status = PQresultStatus(result)
      let isDone = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK
      let transaction = PQtransactionStatus(handle)
      let isOpen = transaction == PQTRANS_INTRANS || !isDone && transaction == PQTRANS_INERROR
      let isReady =
        PQstatus(handle) == CONNECTION_OK
        && (isInTransaction ? isOpen : transaction == PQTRANS_IDLE)
      if isDone, isReady { return }
      let reason = sentence(PQerrorMessage(handle))
      let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) }
      // A server that became a standby refuses writes in a transaction with 25006. The next call
      // must connect again, to find the primary.
      let isStandby = isInTransaction && state == "25006"
      guard isReady, let state, !state.hasPrefix("57P"), !state.hasPrefix("08"), !isStandby else {
        close()
        throw .lost(reason)
      }
      var message = sentence(PQresultErrorField(result, Int32(UInt8(ascii: "M"))))
      // The detail of this error lists the dependent objects; other details may contain data.
      if state == "2BP01", let detail = PQresultErrorField(result, Int32(UInt8(ascii: "D"))) {
        message += ": " + sentence(detail)
      }
      throw .refused(state: state, message)
    }

    /// Runs `statement`, which begins or ends a transaction of several statements.
    func changeTransaction(_ statement: String, isOpen: Bool) throws(StatementFault) {
      warning.text = nil
      let result = PQexec(handle, statement)
      defer { PQclear(result) }
      isInTransaction = isOpen
      try check(result)
      // The server answers a COMMIT of a failed transaction with ROLLBACK.
      if statement == "COMMIT", String(cString: PQcmdStatus(result)) != statement {
        throw .refused(state: "40000", "the server rolled the transaction back")
      }
      if !isOpen, let text = warning.text { throw .warned(text) }
    }
  }

  private func cString(_ text: String) -> UnsafePointer<CChar>? {
    let bytes = Array(text.utf8CString)
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    copy.initialize(from: bytes, count: bytes.count)
    return UnsafePointer(copy)
  }

  /// Returns libpq's message in one line.
  private func sentence(_ text: UnsafePointer<CChar>?) -> String {
    guard let text else { return "no reason was given" }
    return String(cString: text).split(whereSeparator: \.isNewline)
      .map { $0.drop(while: \.isWhitespace) }.joined(separator: "; ")
  }
#endif
