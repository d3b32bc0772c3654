#if Server
  import CServer
  import Synchronization
  import UseCases

  /// The listening socket and its connections: GNU libmicrohttpd with epoll and a pool of threads.
  ///
  /// It turns what the library says into the values that `Service` takes, and answers back.
  public final class Listener: @unchecked Sendable {
    /// Why nothing listens.
    public struct Fault: Error, Sendable {
      public var message: String
    }

    let service: Service
    fileprivate let closing = ClosingConnections()
    fileprivate let readings = Readings()
    /// Where the library's logger finds `readings`.
    private let hearing = UnsafeMutablePointer<server_readings>.allocate(capacity: 1)
    private var daemon: OpaquePointer?
    public let host: String
    public private(set) var port: UInt16 = 0

    /// Listens from now on.
    /// - Parameter port: 0 takes a free one.
    public init(_ service: Service, host: String, port: UInt16) throws(Fault) {
      self.service = service
      self.host = host
      var place = server_place()
      guard server_read_place(host, port, &place) == 1 else {
        throw Fault(message: "\(host) is no address: 127.0.0.1 or ::1, say, is expected")
      }
      let bounds = service.bounds
      let files = Int(server_raise_files())
      let connections = max(
        bounds.threads, min(bounds.connections, files - 64 - ClosingConnections.most))
      var limits = server_bounds()
      limits.threads = UInt32(bounds.threads)
      limits.connections = UInt32(connections)
      limits.per_address = UInt32(bounds.connectionsPerAddress)
      limits.idle_seconds = UInt32(bounds.idleSeconds)
      limits.memory = bounds.header
      let context = Unmanaged.passUnretained(self).toOpaque()
      hearing.initialize(to: server_readings(file: readFile, context: context))
      daemon = server_start(
        &place, &limits, hearing, context, handleRequest, beginRequest, endRequest,
        connectionChanged)
      guard let daemon else {
        throw Fault(
          message: "cannot listen on \(host):\(port): \(String(cString: server_error()))")
      }
      self.port = server_port(daemon)
    }

    /// Whether only this machine reaches an address.
    public static func isLoopback(_ host: String) -> Bool {
      var place = server_place()
      return server_read_place(host, 0, &place) == 1 && place.is_loopback != 0
    }

    /// Accepts no more connections; those there are go on.
    public func quiesce() {
      guard let daemon else { return }
      let socket = MHD_quiesce_daemon(daemon)
      if socket >= 0 { close(socket) }
    }

    /// Ends all connections. Nothing may be under way: the library ends the process at a connection
    /// that is suspended then, which is why `deinit` does not do this.
    public func stop() {
      if let daemon { MHD_stop_daemon(daemon) }
      daemon = nil
      closing.end()
    }

    deinit { hearing.deallocate() }
  }

  private func exchange(_ pointer: UnsafeMutablePointer<UnsafeMutableRawPointer?>?) -> Exchange? {
    pointer?.pointee.map { Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
  }

  private func listener(_ context: UnsafeMutableRawPointer?) -> Listener {
    Unmanaged<Listener>.fromOpaque(context!).takeUnretainedValue()
  }

  private let readFile: @convention(c) (UnsafeMutableRawPointer?, server_stage) -> Int32 = {
    listener($0).readings.file($1)
  }

  private let beginRequest:
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) ->
      UnsafeMutableRawPointer? = { context, target, connection in
        let exchange = Exchange(target, connection!, listener(context).readings)
        return Unmanaged.passRetained(exchange).toOpaque()
      }

  private let endRequest: MHD_RequestCompletedCallback = { context, _, pointer, _ in
    guard let exchange = exchange(pointer) else { return }
    pointer?.pointee = nil
    exchange.enter(nil)
    exchange.outlet?.disconnect()
    exchange.abandon()
    if let admitted = exchange.admitted { listener(context).service.ended(admitted) }
    Unmanaged.passUnretained(exchange).release()
  }

  private let connectionChanged: MHD_NotifyConnectionCallback = { context, _, _, code in
    listener(context).service.connectionChanged(
      by: code.rawValue == 0 ? 1 : -1)
  }

  private let handleRequest: MHD_AccessHandlerCallback = {
    context, connection, _, method, version, data, size, pointer in
    guard let exchange = exchange(pointer), let connection, let method, let size else {
      return .NO
    }
    let listener = listener(context)
    if exchange.isAnswered { return .YES }
    if exchange.state == .fresh {
      exchange.state = .reading
      // Both point into the request's first line: what lies between must be the target alone.
      let isWhole = version.map { exchange.isWhole(before: $0) } ?? true
      var head = RequestHead(String(cString: method), exchange.target)
      head.version = version.map { String(cString: $0) }
      head.isAmbiguous = !isWhole
      return exchange.begin(listener, connection, &head)
    }
    if size.pointee > 0 {
      if let data { exchange.read(data, size.pointee) }
      size.pointee = 0
      // What is far too long is not read to its end.
      return exchange.excess > 1 << 20 ? .NO : .YES
    }
    if exchange.state == .reading {
      exchange.state = .handled
      exchange.enter(nil)
      if let refusal = exchange.refusal {
        exchange.give { refusal }
      } else {
        exchange.handle(listener.service)
      }
    }
    guard let response = exchange.take() else { return .YES }
    return exchange.queue(response, connection)
  }

  extension Exchange {
    /// Judges the head. A refusal is answered at once, and a body is never read.
    fileprivate func begin(
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
      enter(head[.transferEncoding] == nil ? nil : server_reads_chunks)
      switch listener.service.admit(head) {
      case .refused(let response):
        if head.framingFault != nil {
          listener.closing.add(connection)
          sendLast(response, connection, hasBody: head.method != "HEAD")
          return .NO
        }
        // A client that expects 100 has not sent its body yet, and is not asked to.
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

    /// Sends an answer past the library: after a fault of framing, its own state is not to be
    /// trusted.
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

    fileprivate func read(_ data: UnsafePointer<CChar>, _ count: Int) {
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

    fileprivate func handle(_ service: Service) {
      guard let admitted else { return }
      let body = isTooLong ? nil : body
      self.body = []
      service.handle(admitted, body: body) { self.give($0) }
    }

    /// Queues an answer.
    fileprivate func queue(
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

  /// A connection that another thread may resume: it lives as long as its request.
  private struct Connected: @unchecked Sendable {
    let pointer: OpaquePointer
    init(_ pointer: OpaquePointer) { self.pointer = pointer }
  }

  /// Gives the library the next bytes of a stream.
  private let sendMore: MHD_ContentReaderCallback = { context, _, buffer, most in
    guard let context, let buffer else { return -2 }
    let exchange = Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
    guard let outlet = exchange.outlet else { return -1 }
    switch outlet.take(most, sleep: { exchange.suspend() }) {
    case .bytes(let bytes):
      bytes.withUnsafeBytes {
        buffer.update(from: $0.baseAddress!.assumingMemoryBound(to: CChar.self), count: $0.count)
      }
      return bytes.count
    case .nothing: return 0
    case .end: return -1  // MHD_CONTENT_READER_END_OF_STREAM
    }
  }

  /// Takes the first file of a form, or its first part if there is no file.
  private let takePart: MHD_PostDataIterator = {
    context, _, key, fileName, _, _, data, offset, count in
    guard let context else { return .NO }
    let exchange = Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
    let name = key.map { String(cString: $0) } ?? ""
    let isFile = fileName != nil
    if offset == 0, exchange.part == nil || isFile && exchange.part?.isFile == false {
      exchange.part = Exchange.Part(isFile: isFile, name: name)
      exchange.body = []
    }
    guard exchange.part?.name == name, exchange.part?.isFile == isFile, let data, count > 0 else {
      return .YES
    }
    data.withMemoryRebound(to: UInt8.self, capacity: count) { bytes in
      exchange.append(UnsafeBufferPointer(start: bytes, count: count))
    }
    return .YES
  }
#endif
