#if Server
  import CServer
  import Synchronization

  /// One request on a connection, from its first line to the end of its answer.
  ///
  /// libmicrohttpd uses one thread at a time for a connection. Only the answer may come from
  /// another thread, so a lock protects the answer.
  final class Exchange: @unchecked Sendable {
    // Only the connection's thread uses the following properties.
    let target: String
    var admitted: Service.Admitted?
    var body: [UInt8] = []
    var isTooLong = false
    /// The number of body bytes received beyond the limit. For a form that is longer than the
    /// limit: the number of all bytes received.
    var excess = 0
    var received = 0 { didSet { if received > (admitted?.bodyLimit ?? 0) { excess = received } } }
    var state = Progress.fresh
    /// The error answer to a refused request without a body; `handleRequest` sends this answer.
    var refusal: Response?
    /// The part of the request that libmicrohttpd is reading; nil after the whole request was read.
    private var stage: server_stage? = server_reads_head
    private let file: Int32
    private let beingRead: RequestsBeingRead
    var parts: OpaquePointer?
    var part: Part?
    var outlet: Outlet?

    enum Progress { case fresh, reading, handled }

    /// The part of a form that is used as the body.
    struct Part {
      var isFile: Bool
      var name: String
      /// Whether another part began after this one.
      var isWhole = false
    }

    private enum Answer {
      case none
      case asleep
      case ready(Service.Making)
      case taken
    }

    private let answer = Mutex(Answer.none)
    fileprivate let connection: OpaquePointer
    private let end: UInt

    /// Begins an exchange when libmicrohttpd has read a request's first line.
    /// - Parameter target: the beginning of the target in this line.
    init(
      _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer, _ beingRead: RequestsBeingRead
    ) {
      self.target = target.map { String(cString: $0) } ?? ""
      end = target.map { UInt(bitPattern: $0) + UInt(strlen($0)) } ?? 0
      self.connection = connection
      file = server_file(connection)
      self.beingRead = beingRead
      beingRead.change(from: nil, to: stage, file)
    }

    /// Records which part of the request libmicrohttpd reads now; nil means that it has read all.
    func enter(_ next: server_stage?) {
      if stage == next { return }
      beingRead.change(from: stage, to: next, file)
      stage = next
    }

    /// Returns whether the target ends one byte before the version; otherwise it contains a NUL.
    func isWhole(before version: UnsafePointer<CChar>) -> Bool {
      UInt(bitPattern: version) == end + 1
    }

    /// Returns the answer. If there is none yet, suspends the connection and returns nil.
    func take() -> Response? {
      let make = answer.withLock { answer -> Service.Making? in
        switch answer {
        case .ready(let make):
          answer = .taken
          return make
        case .none:
          answer = .asleep
          MHD_suspend_connection(connection)
          return nil
        case .asleep, .taken: return nil
        }
      }
      return make?()
    }

    /// Stores the answer, and resumes the connection if `take` has suspended it.
    func give(_ make: @escaping Service.Making) {
      answer.withLock { answer in
        switch answer {
        case .none: answer = .ready(make)
        case .asleep:
          answer = .ready(make)
          // This call is within the lock. Otherwise the listener could send the answer and stop
          // first.
          MHD_resume_connection(connection)
        case .ready, .taken: break
        }
      }
    }

    /// Completes (counts and logs) an answer whose client has disconnected.
    func abandon() {
      let make = answer.withLock { answer -> Service.Making? in
        guard case .ready(let make) = answer else { return nil }
        answer = .taken
        return make
      }
      if case .stream(let outlet)? = make?().body { outlet.disconnect() }
    }

    private func markAnswered() { answer.withLock { $0 = .taken } }

    var isAnswered: Bool {
      answer.withLock { answer in
        if case .taken = answer { return true }
        return false
      }
    }

    deinit { if let parts { MHD_destroy_post_processor(parts) } }

    /// Passes the request's head to the service. If the service refuses the request, sends the
    /// refusal without reading the body.
    func begin(
      _ listener: Listener, _ connection: OpaquePointer, _ head: inout RequestHead
    ) -> MHD_Result {
      var headers = server_headers()
      server_read_headers(connection, &headers)
      withUnsafeBytes(of: &headers.values) { values in
        let values = values.bindMemory(to: UnsafePointer<CChar>?.self)
        for header in RequestHead.Header.allCases {
          if let value = values[header.rawValue] { head[header] = String(cString: value) }
        }
      }
      if headers.is_ambiguous != 0 { head.isAmbiguous = true }
      if headers.forwarded > 1 { head[.forwardedFor] = joinedForwardedFor(connection, listener) }
      head.address = IPAddress(server_client(connection))
      enter(head[.transferEncoding] == nil ? nil : server_reads_chunks)
      switch listener.service.admit(head) {
      case .refused(let response):
        if head.framingFault != nil {
          listener.closing.add(connection)
          sendLast(response, connection, hasBody: head.method != "HEAD")
          return .NO
        }
        // A client that expects the status 100 has not sent its body yet, and need not send it.
        if head.hasBody || head[.expect] != nil {
          listener.closing.add(connection)
          return queue(response, connection, closes: true)
        }
        refusal = response
        return .YES
      case .admitted(let admitted):
        self.admitted = admitted
        if admitted.isMultipart {
          parts = MHD_create_post_processor(connection, 4_096, takePart, context)
        }
        return .YES
      }
    }

    /// Returns all lines of `X-Forwarded-For` as one, in their order.
    private func joinedForwardedFor(_ connection: OpaquePointer, _ listener: Listener) -> String {
      let room = 2 * listener.service.bounds.header
      return withUnsafeTemporaryAllocation(of: CChar.self, capacity: room) { text in
        server_join_forwarded(connection, text.baseAddress, room)
        return String(cString: text.baseAddress!)
      }
    }

    /// Writes the connection's last answer directly to its socket, because libmicrohttpd's state is
    /// wrong after headers that leave the request's end ambiguous.
    private func sendLast(_ response: Response, _ connection: OpaquePointer, hasBody: Bool) {
      markAnswered()
      guard case .bytes(let body) = response.body else { return }
      let headers = response.headers.map { "\($0.name): \($0.value)\r\n" }.joined()
      body.withUnsafeBytes { body in
        server_send_last(
          server_file(connection), UInt32(response.status), headers,
          body.bindMemory(to: CChar.self).baseAddress, body.count, hasBody ? 1 : 0)
      }
    }

    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    func read(_ data: UnsafePointer<CChar>, _ count: Int) {
      if let parts {
        if MHD_post_process(parts, data, count) == .NO, !isTooLong { excess += count }
        received += count
      } else {
        data.withMemoryRebound(to: UInt8.self, capacity: count) { bytes in
          append(UnsafeBufferPointer(start: bytes, count: count))
        }
      }
    }

    fileprivate func append(_ bytes: UnsafeBufferPointer<UInt8>) {
      let limit = admitted?.bodyLimit ?? 0
      if isTooLong || body.count + bytes.count > limit {
        isTooLong = true
        body = []
        excess += bytes.count
      } else {
        body.append(contentsOf: bytes)
      }
    }

    func handle(_ service: any RequestHandler) {
      guard let admitted else { return }
      let body = isTooLong ? nil : body
      self.body = []
      // The connection waits for the answer, so its pointer is valid until then.
      let connected = Connected(connection)
      admitted.watch { server_is_closed(connected.pointer) != 0 }
      service.handle(admitted, body: body) { self.give($0) }
    }

    func queue(
      _ answer: Response, _ connection: OpaquePointer, closes: Bool = false
    ) -> MHD_Result {
      markAnswered()
      let made: OpaquePointer?
      switch answer.body {
      case .bytes(let bytes):
        made = bytes.withUnsafeBytes { bytes in
          MHD_create_response_from_buffer(
            bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress),
            .RESPMEM_MUST_COPY)
        }
      case .stream(let outlet):
        self.outlet = outlet
        let connected = Connected(connection)
        outlet.connect(
          wake: { MHD_resume_connection(connected.pointer) },
          isClosed: { server_is_closed(connected.pointer) != 0 })
        made = MHD_create_response_from_callback(
          UInt64.max, 4_096, sendMore, context, nil)
      }
      guard let made else { return .NO }
      defer { MHD_destroy_response(made) }
      for header in answer.headers {
        let name = UnsafeRawPointer(header.name.utf8Start).assumingMemoryBound(to: CChar.self)
        MHD_add_response_header(made, name, header.value)
      }
      if closes { MHD_add_response_header(made, "Connection", "close") }
      return MHD_queue_response(connection, UInt32(answer.status), made)
    }
  }

  extension IPAddress {
    /// Creates an address from that of a socket; nil if it is neither IPv4 nor IPv6.
    init?(_ address: UnsafePointer<sockaddr>?) {
      var bytes = server_address_bytes()
      guard server_read_address(address, &bytes) != 0 else { return nil }
      self = withUnsafeBytes(of: &bytes) { IPAddress($0) }
    }
  }

  /// A connection that another thread may resume. The pointer is valid until the request ends.
  private struct Connected: @unchecked Sendable {
    let pointer: OpaquePointer
    init(_ pointer: OpaquePointer) { self.pointer = pointer }
  }

  private let sendMore: MHD_ContentReaderCallback = { context, _, buffer, most in
    guard let context, let buffer else { return -2 }
    let exchange = Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
    guard let outlet = exchange.outlet else { return -1 }
    switch outlet.take(most, sleep: { MHD_suspend_connection(exchange.connection) }) {
    case .bytes(let bytes):
      bytes.withUnsafeBytes {
        buffer.update(from: $0.baseAddress!.assumingMemoryBound(to: CChar.self), count: $0.count)
      }
      return bytes.count
    case .nothing: return 0
    case .end: return -1  // MHD_CONTENT_READER_END_OF_STREAM
    }
  }

  /// Uses a form's first file as the body, or the form's first part if there is no file.
  private let takePart: MHD_PostDataIterator = {
    context, _, key, fileName, _, _, data, offset, count in
    guard let context else { return .NO }
    let exchange = Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
    let name = key.map { String(cString: $0) } ?? ""
    let isFile = fileName != nil
    if offset == 0, exchange.part == nil || isFile && exchange.part?.isFile == false {
      exchange.part = Exchange.Part(isFile: isFile, name: name)
      exchange.body = []
    } else if offset == 0, !exchange.body.isEmpty {
      // A second part may have the name of the first one.
      exchange.part?.isWhole = true
    }
    guard let part = exchange.part, part.name == name, part.isFile == isFile, !part.isWhole,
      let data, count > 0
    else { return .YES }
    data.withMemoryRebound(to: UInt8.self, capacity: count) { bytes in
      exchange.append(UnsafeBufferPointer(start: bytes, count: count))
    }
    return .YES
  }
#endif
