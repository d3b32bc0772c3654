#if PostgreSQL
  import Foundation
  import Synchronization

  /// A proxy between a client and a PostgreSQL server, which recognises the protocol's messages and
  /// cuts connections on request.
  public final class Proxy: Sendable {
    public enum Side: Sendable { case client, server }

    /// A message, with the number of its connection, and its own number on it from 1, in both
    /// directions and in order of arrival.
    public struct Message: Sendable {
      public var connection: Int
      public var number: Int
      public var from: Side
      /// The message's first letter; nil for the first message of a connection.
      public var letter: Character?
    }

    public enum Verdict: Sendable {
      case pass
      /// The connection ends before the message is forwarded.
      case cut
      /// The connection ends after the message is forwarded.
      case passAndCut
      /// The message is not forwarded, and the connection stays.
      case swallow
    }

    private struct State {
      var judge: @Sendable (Message) -> Verdict = { _ in .pass }
      var connections = 0
      var isEnded = false
    }

    public let port: Int
    private let target: Int
    private let listener: Int32
    private let state = Mutex(State())

    /// - Parameter target: the server's port on loopback.
    public init(to target: Int) throws {
      self.target = target
      (listener, port) = try Self.listen()
      Thread.detachNewThread { [weak self, listener] in
        while true {
          let client = accept(listener, nil, nil)
          guard client >= 0 else { return }
          guard let self else {
            close(client)
            return
          }
          self.serve(client)
        }
      }
    }

    deinit {
      shutdown(listener, Int32(SHUT_RDWR))
      close(listener)
    }

    /// Applies `judge` to the messages from now on, and counts connections from 1 again.
    public func judge(_ judge: @escaping @Sendable (Message) -> Verdict) {
      state.withLock { $0 = State(judge: judge) }
    }

    public var connections: Int { state.withLock { $0.connections } }

    private static func listen() throws -> (Int32, Int) {
      let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = loopback(0)
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(file, $0, length) == 0 && Glibc.listen(file, 100) == 0
            && getsockname(file, $0, &length) == 0
        }
      }
      guard isBound else { throw PostgresServer.Failure(description: "no port for the proxy") }
      return (file, Int(UInt16(bigEndian: address.sin_port)))
    }

    private static func loopback(_ port: Int) -> sockaddr_in {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      address.sin_port = in_port_t(port).bigEndian
      return address
    }

    /// One connection: both files are closed when both directions have ended.
    private final class Link: Sendable {
      let client: Int32
      let server: Int32
      let count = Mutex(0)

      init(_ client: Int32, _ server: Int32) { (self.client, self.server) = (client, server) }

      func cut() {
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(server, Int32(SHUT_RDWR))
      }

      deinit {
        close(client)
        close(server)
      }
    }

    private func serve(_ client: Int32) {
      let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = Self.loopback(target)
      let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      let link = Link(client, server)
      guard isConnected else { return }
      var on: Int32 = 1
      for file in [client, server] {
        setsockopt(file, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
      }
      let (number, judge) = state.withLock { state in
        state.connections += 1
        return (state.connections, state.judge)
      }
      for side in [Side.client, .server] {
        Thread.detachNewThread { Self.pass(link, side, number, judge) }
      }
    }

    private static func pass(
      _ link: Link, _ side: Side, _ connection: Int, _ judge: @Sendable (Message) -> Verdict
    ) {
      let (from, to) =
        side == .client ? (link.client, link.server) : (link.server, link.client)
      defer { link.cut() }
      // A client begins with a message that has no letter.
      var isFirst = side == .client
      while let message = message(from, isFirst) {
        let letter = isFirst ? nil : message.first.map { Character(UnicodeScalar($0)) }
        isFirst = false
        let number = link.count.withLock { count in
          count += 1
          return count
        }
        let verdict = judge(
          Message(connection: connection, number: number, from: side, letter: letter))
        if verdict == .cut { return }
        if verdict == .swallow { continue }
        var sent = 0
        while sent < message.count {
          let count = message[sent...].withUnsafeBytes {
            send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
          }
          if count <= 0 { return }
          sent += count
        }
        if verdict == .passAndCut { return }
      }
    }

    private static func message(_ file: Int32, _ isFirst: Bool) -> [UInt8]? {
      guard var bytes = receive(file, isFirst ? 4 : 5) else { return nil }
      let length = bytes.suffix(4).reduce(0) { $0 << 8 | Int($1) }
      guard length >= 4, let rest = receive(file, length - 4) else { return nil }
      bytes += rest
      return bytes
    }

    private static func receive(_ file: Int32, _ count: Int) -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: count)
      var done = 0
      while done < count {
        let got = bytes.withUnsafeMutableBytes {
          recv(file, $0.baseAddress! + done, count - done, 0)
        }
        if got <= 0 { return nil }
        done += got
      }
      return bytes
    }
  }
#endif
