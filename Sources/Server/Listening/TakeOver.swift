#if Server
  import CServer
  import EventLog

  // A new server takes over from the server of the same log. It connects to the socket `take-over`
  // in the log's folder. The messages are lines:
  //
  //   new server   old server
  //   where        at 127.0.0.1:8080
  //   take         socket, with the listening socket; from now on the old server does not accept
  //                released, when every answer is sent and the log is closed
  //   serving
  //
  // If the new server ends before `serving`, the old server opens the log again and accepts.

  /// A connection between two servers.
  private final class TakeOverConnection: Sendable {
    enum Reading: Equatable {
      case line(String)
      case nothing
      case end
    }

    private let file: Int32

    init(_ file: Int32) { self.file = file }

    deinit { close(file) }

    /// Sends a line, and a descriptor if there is one. Returns whether that succeeded.
    @discardableResult
    func send(_ line: String, passing passed: Int32 = -1) -> Bool {
      takeover_send(file, line + "\n", passed) != 0
    }

    /// Reads a line of at most 200 bytes that has arrived. `passed` receives a descriptor that
    /// comes with it.
    func read(_ passed: inout Int32) -> Reading {
      var (line, byte) = ([UInt8](), CChar(0))
      while line.count < 200 {
        // A line is sent at once, so only its first byte may be missing for long.
        let count = takeover_read(file, &byte, &passed, line.isEmpty ? 0 : 1_000)
        if count < 0 { return .end }
        if count == 0 { return line.isEmpty ? .nothing : .end }
        if UInt8(bitPattern: byte) == UInt8(ascii: "\n") {
          return .line(String(decoding: line, as: UTF8.self))
        }
        line.append(UInt8(bitPattern: byte))
      }
      return .end
    }

    /// Waits for a line.
    func next(within patience: Duration, _ passed: inout Int32) async -> Reading {
      let end = ContinuousClock.now + patience
      while ContinuousClock.now < end {
        let reading = read(&passed)
        if reading != .nothing { return reading }
        try? await Task.sleep(for: .milliseconds(2))
      }
      return .nothing
    }

    /// Waits for a line without a descriptor.
    func next(within patience: Duration) async -> Reading {
      var passed: Int32 = -1
      defer { if passed >= 0 { close(passed) } }
      return await next(within: patience, &passed)
    }
  }

  /// The server that may take over from this one.
  final class Successor {
    private let folder: String
    private var listening: Int32
    private var connection: TakeOverConnection?

    /// Lets one other server of the log connect. The caller must have the log's lock.
    init(of folder: String, says: (String) -> Void) {
      self.folder = folder
      listening = takeover_listen(folder, FileLog.takeOverName)
      if listening < 0 {
        says("note: no other server can take over: \(String(cString: server_error()))")
      }
    }

    /// Answers the successor. Returns whether it asks to take over now.
    /// - Parameter address: where this server listens.
    func asks(_ address: String) -> Bool {
      if connection == nil, listening >= 0 {
        let file = takeover_accept(listening)
        if file >= 0 { connection = TakeOverConnection(file) }
      }
      guard let connection else { return false }
      var passed: Int32 = -1
      defer { if passed >= 0 { close(passed) } }
      switch connection.read(&passed) {
      case .nothing: return false
      case .line("where"): connection.send("at " + address)
      case .line("take"): return true
      case .line, .end: self.connection = nil
      }
      return false
    }

    func give(_ socket: ListeningSocket) {
      if let file = socket.file { connection?.send("socket", passing: file) }
    }

    /// Lets no further server connect. Call it before the log's lock is released, because the next
    /// server creates its own socket at the same path.
    func endListening() {
      guard listening >= 0 else { return }
      close(listening)
      takeover_remove(folder, FileLog.takeOverName)
      listening = -1
    }

    /// Reports that the log's lock is released. Returns whether the successor serves the log within
    /// half a minute.
    func serves() async -> Bool {
      connection?.send("released")
      return await connection?.next(within: .seconds(30)) == .line("serving")
    }
  }

  /// The server from which this one takes over.
  package final class Predecessor: Sendable {
    private let connection: TakeOverConnection
    /// The address on which it listens, without brackets.
    package let host: String
    /// The port on which it listens.
    package let port: UInt16

    /// Finds the server of a log. Returns nil if no server runs that can be taken over from.
    /// - Throws: a fault if another server is taking over already, or if this process cannot
    ///   connect to the server.
    package static func find(of folder: String) async throws(Listener.Fault) -> Predecessor? {
      let end = ContinuousClock.now + .seconds(10)
      while ContinuousClock.now < end {
        let file = takeover_connect(folder, FileLog.takeOverName)
        if file == -2 { return nil }
        if file < 0 {
          let reason = String(cString: server_error())
          let path = "\(folder)/\(FileLog.takeOverName)"
          throw Listener.Fault(message: "\(path): \(reason); run both servers as the same user")
        }
        if let found = try await Predecessor(TakeOverConnection(file)) { return found }
        // The server ended just now, or opens its log again.
        try? await Task.sleep(for: .milliseconds(20))
      }
      throw unanswered
    }

    private static let unanswered = Listener.Fault(
      message: "the server of this log does not answer; is another one taking over already?")

    /// Asks a server for its address. Returns nil if the server ends the connection.
    private init?(_ connection: TakeOverConnection) async throws(Listener.Fault) {
      connection.send("where")
      let reading = await connection.next(within: .seconds(10))
      if reading == .end { return nil }
      guard case .line(let text) = reading,
        text.hasPrefix("at "), let colon = text.lastIndex(of: ":"),
        let port = UInt16(text[text.index(after: colon)...])
      else { throw Self.unanswered }
      let host = text[..<colon].dropFirst(3)
      (self.connection, self.port) = (connection, port)
      self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : String(host)
    }

    /// Takes over from this server. If it opens its log again meanwhile, takes over then.
    /// - Parameters:
    ///   - patience: the longest wait for its requests, in seconds. After it this server goes on.
    ///   - fault: returns the error for a fault.
    ///   - prepare: called before the server is asked for its socket.
    /// - Returns: the listening socket, and the server to which to confirm; nil if the server has
    ///   ended, or if `isStopped`.
    package func takeOver<Failure: Error>(
      of folder: String, patience: Int, isStopped: () -> Bool,
      fault: (Listener.Fault) -> Failure, prepare: () async throws(Failure) -> Void
    ) async throws(Failure) -> (socket: ListeningSocket, from: Predecessor)? {
      var next: Predecessor? = self
      while let other = next {
        try await prepare()
        if isStopped() { return nil }
        do throws(Listener.Fault) {
          if let socket = try await other.take(patience: patience) { return (socket, other) }
          next = try await other.findAgain(of: folder)
        } catch {
          throw fault(error)
        }
      }
      return nil
    }

    /// Asks for the listening socket, and waits until the log's lock is released.
    /// - Parameter patience: the longest wait, in seconds. After it the predecessor goes on.
    /// - Returns: nil if the connection ended before the predecessor gave the socket. Then call
    ///   `findAgain`.
    private func take(patience: Int) async throws(Listener.Fault) -> ListeningSocket? {
      connection.send("take")
      var passed: Int32 = -1
      let reading = await connection.next(within: .seconds(10), &passed)
      guard reading == .line("socket"), passed >= 0 else {
        if passed >= 0 { close(passed) }
        if reading == .end { return nil }
        throw Listener.Fault(message: "the server of this log did not give its socket")
      }
      let socket = try ListeningSocket(file: passed)
      switch await connection.next(within: .seconds(patience)) {
      // The predecessor's end also releases the lock.
      case .line("released"), .end: return socket
      case .line, .nothing:
        throw Listener.Fault(
          message: "the server of this log did not stop within \(patience) seconds; it goes on")
      }
    }

    /// Finds this server again after its connection ended, because the server ended, or because it
    /// opens its log again after a rewriting. Waits up to 30 seconds.
    /// - Returns: nil if the server ended: the log's lock is free.
    /// - Throws: a fault if the log stays locked without such a server, or if the server now
    ///   listens at another address.
    private func findAgain(of folder: String) async throws(Listener.Fault) -> Predecessor? {
      var now = ContinuousClock.now
      let end = now + .seconds(30)
      var locked = now
      while now < end {
        if let found = try await Self.find(of: folder) {
          if (found.host, found.port) == (host, port) { return found }
          throw Listener.Fault(message: "the server of this log has a new address; start again")
        }
        now = ContinuousClock.now
        let view = try? LogView(path: folder)
        if view == nil || view?.writer() != nil { locked = now }
        // The lock is also free for a moment while the server opens its log again.
        if now > locked + .seconds(1) { return nil }
        try? await Task.sleep(for: .milliseconds(20))
      }
      throw Listener.Fault(
        message: "another process has the log open, and no other server can take over from it")
    }

    /// Reports to the predecessor that this server serves the log. Then the predecessor ends.
    package func confirm() { connection.send("serving") }
  }
#endif
