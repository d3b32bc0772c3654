#if Server
  import CServer
  import Synchronization

  /// A socket that listens for clients. It outlives the listeners that accept from it, so that
  /// clients can wait while the log is opened again or another server takes over.
  public final class ListeningSocket: Sendable {
    /// The address on which the socket listens.
    public let host: String
    /// The port on which the socket listens.
    public let port: UInt16
    private let descriptor: Mutex<Int32?>

    /// Begins to listen.
    /// - Parameter port: 0 uses a free port.
    /// - Throws: the reason why nothing can listen at this address.
    public convenience init(host: String, port: UInt16) throws(Listener.Fault) {
      var place = server_place()
      guard server_read_place(host, port, &place) == 1 else {
        throw Listener.Fault(
          message: "\(host) is not an address; give one such as 127.0.0.1 or ::1")
      }
      let file = server_listen(&place)
      guard file >= 0 else {
        throw Listener.Fault(
          message: "cannot listen on \(host):\(port): \(String(cString: server_error()))")
      }
      try self.init(file: file)
    }

    /// Owns a socket from another process.
    /// - Throws: a fault if it does not listen on TCP; then closes it.
    init(file: Int32) throws(Listener.Fault) {
      var (host, port) = ("", Int32(-1))
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
        port = server_listening_port(file, text.baseAddress, UInt32(text.count))
        if port >= 0 { host = String(cString: text.baseAddress!) }
      }
      guard let number = UInt16(exactly: port) else {
        CServer.close(file)
        throw Listener.Fault(message: "the socket that was passed does not listen on TCP")
      }
      (self.host, self.port) = (host, number)
      descriptor = Mutex(file)
    }

    /// Returns the socket that systemd passed to this process (`LISTEN_FDS`); nil if it passed
    /// none.
    package static func activated() throws(Listener.Fault) -> ListeningSocket? {
      let file = takeover_activated()
      return file < 0 ? nil : try ListeningSocket(file: file)
    }

    /// The socket's descriptor; nil after `close`.
    var file: Int32? { descriptor.withLock { $0 } }

    /// The address in words, such as `127.0.0.1:8080`.
    public var address: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

    /// Stops listening, unless another process has the socket too.
    public func close() {
      descriptor.withLock { file in
        if let open = file { CServer.close(open) }
        file = nil
      }
    }

    deinit { close() }
  }

  /// Where a server listens: an address, and the socket as soon as there is one.
  package struct ListeningPlace: Sendable {
    /// The address to listen on.
    package var host: String
    /// The port to listen on; 0 uses a free port.
    package var port: UInt16
    /// The socket; nil until the server first listens.
    package var socket: ListeningSocket?

    /// Creates a place without a socket.
    package init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }

    /// Creates the place of a socket from another process.
    package init(_ socket: ListeningSocket) {
      (host, port, self.socket) = (socket.host, socket.port, socket)
    }

    /// Returns the socket, and begins to listen if there is none yet.
    mutating func listen() throws(Listener.Fault) -> ListeningSocket {
      if let socket { return socket }
      let socket = try ListeningSocket(host: host, port: port)
      self.socket = socket
      return socket
    }
  }
#endif
