#if Server
  import CServer
  import Synchronization
  import UseCases

  /// A listening socket and its connections, with GNU libmicrohttpd, epoll and a pool of threads.
  ///
  /// The listener passes the requests that libmicrohttpd reads to a `RequestHandler`, and sends the
  /// answers.
  public final class Listener: @unchecked Sendable {
    /// The reason why a listener cannot start.
    public struct Fault: Error, Sendable {
      /// A sentence for the operator.
      public var message: String

      package init(message: String) { self.message = message }
    }

    let service: any RequestHandler
    let closing = ClosingConnections()
    let beingRead = RequestsBeingRead()
    fileprivate let perAddress: ConnectionsPerAddress
    /// A pointer through which the function for libmicrohttpd's error messages finds `beingRead`.
    private let hearing = UnsafeMutablePointer<server_readings>.allocate(capacity: 1)
    private var daemon: OpaquePointer?
    private let socket: ListeningSocket
    /// Whether each answer is the last one of its connection.
    private let isLeaving = Atomic(false)
    /// Whether other listeners will accept from the socket.
    private let keepsSocket = Atomic(false)

    /// The address on which the server listens.
    public var host: String { socket.host }
    /// The port on which the server listens.
    public var port: UInt16 { socket.port }

    /// Starts to listen.
    /// - Parameter port: 0 uses a free port.
    public convenience init(
      _ service: any RequestHandler, host: String, port: UInt16
    ) throws(Fault) {
      try self.init(service, ListeningSocket(host: host, port: port))
    }

    /// Starts to accept connections from a socket.
    init(_ service: any RequestHandler, _ socket: ListeningSocket) throws(Fault) {
      (self.service, self.socket) = (service, socket)
      perAddress = ConnectionsPerAddress(service.bounds, service.trustedProxies)
      let bounds = service.bounds
      let files = Int(server_raise_files())
      let connections = max(
        bounds.threads, min(bounds.connections, files - 64 - ClosingConnections.most))
      var limits = server_bounds()
      limits.threads = UInt32(bounds.threads)
      limits.connections = UInt32(connections)
      limits.idle_seconds = UInt32(bounds.idleSeconds)
      limits.memory = bounds.header
      let context = Unmanaged.passUnretained(self).toOpaque()
      hearing.initialize(to: server_readings(file: readFile, context: context))
      daemon = server_start(
        socket.file ?? -1, &limits, hearing, context, acceptConnection, handleRequest, beginRequest,
        endRequest, connectionChanged)
      guard daemon != nil else {
        throw Fault(
          message: "cannot listen on \(socket.address): \(String(cString: server_error()))")
      }
    }

    /// Returns whether an address can be reached only from this machine.
    public static func isLoopback(_ host: String) -> Bool {
      IPAddress(host)?.isLoopback == true
    }

    /// Stops accepting new connections. Open connections continue until their next answer.
    /// - Parameter keepsSocket: whether new connections wait until another listener accepts them.
    public func quiesce(keepsSocket: Bool = false) {
      if let daemon, !isLeaving.exchange(true, ordering: .relaxed) {
        _ = MHD_quiesce_daemon(daemon)
      }
      if keepsSocket { self.keepsSocket.store(true, ordering: .relaxed) } else { socket.close() }
    }

    /// Ends all connections. No request may be under way, because libmicrohttpd aborts the process
    /// if a connection is suspended. So `deinit` does not call `stop`.
    public func stop() {
      // Otherwise libmicrohttpd would close the socket's descriptor.
      quiesce(keepsSocket: keepsSocket.load(ordering: .relaxed))
      if let daemon { MHD_stop_daemon(daemon) }
      daemon = nil
      closing.end()
    }

    fileprivate func queue(
      _ response: Response, of exchange: Exchange, _ connection: OpaquePointer
    ) -> MHD_Result {
      exchange.queue(response, connection, closes: isLeaving.load(ordering: .relaxed))
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
    listener($0).beingRead.file($1)
  }

  private let beginRequest:
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) ->
      UnsafeMutableRawPointer? = { context, target, connection in
        let exchange = Exchange(target, connection!, listener(context).beingRead)
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

  private let acceptConnection: MHD_AcceptPolicyCallback = { context, address, _ in
    guard let address = IPAddress(address) else { return .YES }
    return listener(context).perAddress.allows(address) ? .YES : .NO
  }

  private let connectionChanged: MHD_NotifyConnectionCallback = { context, connection, _, code in
    let (listener, change) = (listener(context), code.rawValue == 0 ? 1 : -1)
    listener.service.count(connection: change)
    if let connection, let address = IPAddress(server_client(connection)) {
      listener.perAddress.count(change, address)
    }
  }

  private let handleRequest: MHD_AccessHandlerCallback = {
    context, connection, _, method, version, data, size, pointer in
    guard let exchange = exchange(pointer), let connection, let method, let size else { return .NO }
    let listener = listener(context)
    if exchange.isAnswered { return .YES }
    if exchange.state == .fresh {
      exchange.state = .reading
      // Both pointers point into the request's first line. Only the target may be between.
      let isWhole = version.map { exchange.isWhole(before: $0) } ?? true
      var head = RequestHead(String(cString: method), exchange.target)
      head.version = version.map { String(cString: $0) }
      head.isAmbiguous = !isWhole
      return exchange.begin(listener, connection, &head)
    }
    if size.pointee > 0 {
      if let data { exchange.read(data, size.pointee) }
      size.pointee = 0
      // Stops reading a body that is more than 1 MiB too long; a form as soon as it is too long.
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
    return listener.queue(response, of: exchange, connection)
  }
#endif
