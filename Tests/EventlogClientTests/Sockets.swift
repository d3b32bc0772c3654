#if Server
  import Foundation
  import Synchronization

  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  /// An HTTP/1.1 peer on loopback whose answers a test decides, one thread a connection.
  final class Peer: Sendable {
    /// The reaction to a request.
    enum Reaction {
      /// Send these bytes, and go on with the connection.
      case answer([UInt8])
      /// Send these bytes, and close the connection.
      case cut([UInt8])
      /// Never answer.
      case silence
    }

    let port: UInt16
    private let socket: Int32
    private let react: @Sendable ([UInt8]) -> Reaction
    private let state = Mutex((open: 0, most: 0, isOver: false))

    /// The most connections that were open at once with a request.
    var most: Int { state.withLock { $0.most } }

    init(_ react: @escaping @Sendable ([UInt8]) -> Reaction) throws {
      self.react = react
      let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      self.socket = socket
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isOpen = withUnsafeMutablePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(socket, $0, size) == 0 && listen(socket, 512) == 0
            && getsockname(socket, $0, &size) == 0
        }
      }
      guard isOpen else { throw POSIXError(.EADDRNOTAVAIL) }
      port = UInt16(bigEndian: address.sin_port)
      Thread.detachNewThread { [self] in
        while true {
          let connection = accept(socket, nil, nil)
          if connection < 0 { return }
          if state.withLock({ $0.isOver }) {
            close(connection)
            return
          }
          Thread.detachNewThread { [self] in serve(connection) }
        }
      }
    }

    func end() {
      state.withLock { $0.isOver = true }
      shutdown(socket, Int32(SHUT_RDWR))
      close(socket)
    }

    private func serve(_ connection: Int32) {
      defer { close(connection) }
      while let request = Self.message(from: connection) {
        state.withLock { state in
          state.open += 1
          state.most = max(state.most, state.open)
        }
        let reaction = react(request)
        state.withLock { $0.open -= 1 }
        switch reaction {
        case .answer(let bytes): if !Self.send(bytes, to: connection) { return }
        case .cut(let bytes):
          _ = Self.send(bytes, to: connection)
          return
        case .silence: while !Self.read(connection).isEmpty {}
        }
      }
    }

    static func read(_ socket: Int32) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      let count = recv(socket, &bytes, bytes.count, 0)
      return Array(bytes.prefix(max(0, count)))
    }

    static func send(_ bytes: [UInt8], to socket: Int32) -> Bool {
      var done = 0
      while done < bytes.count {
        let count = bytes.withUnsafeBytes {
          Glibc.send(socket, $0.baseAddress! + done, bytes.count - done, Int32(MSG_NOSIGNAL))
        }
        if count <= 0 { return false }
        done += count
      }
      return true
    }

    /// Reads a request or an answer with its body; nil at the end of the connection.
    static func message(from socket: Int32) -> [UInt8]? {
      var all: [UInt8] = []
      while true {
        if let end = all.firstRange(of: Array("\r\n\r\n".utf8)) {
          let head = String(decoding: all[..<end.lowerBound], as: UTF8.self).lowercased()
          let length = head.firstMatch(of: #/content-length: *(\d+)/#).flatMap { Int($0.output.1) }
          let size = end.upperBound + (length ?? 0)
          let isChunked = head.contains("transfer-encoding: chunked")
          func isWhole() -> Bool {
            isChunked ? all.suffix(5).elementsEqual("0\r\n\r\n".utf8) : all.count >= size
          }
          while !isWhole() {
            let bytes = read(socket)
            if bytes.isEmpty { return nil }
            all += bytes
          }
          return all
        }
        let bytes = read(socket)
        if bytes.isEmpty { return nil }
        all += bytes
      }
    }

    /// Returns the number of open ends of connections to a port of loopback.
    static func connections(of port: UInt16) throws -> Int {
      let end = "0100007F:" + String(format: "%04X", Int(port))
      // 01 is an established connection, 08 is one that only the peer has closed.
      // A file of /proc has no size, so it must be read to its end.
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/net/tcp"))
      let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
      var count = 0
      for line in text.split(separator: "\n") {
        let fields = line.split(separator: " ").map(String.init)
        guard fields.count > 3, fields[1] == end || fields[2] == end else { continue }
        if fields[3] == "01" || fields[3] == "08" { count += 1 }
      }
      return count
    }

    static func json(_ text: String, status: String = "200 OK") -> [UInt8] {
      Array(
        """
        HTTP/1.1 \(status)\r\nContent-Type: application/json\r
        Content-Length: \(text.utf8.count)\r\n\r\n\(text)
        """.utf8)
    }

    /// Sends a request to a server on loopback, over a connection of its own.
    /// - Parameter part: the share of the bytes to send before the connection is closed.
    /// - Returns: the whole answer; nil if there is none.
    static func forward(_ request: [UInt8], to port: UInt16, part: Double = 1) -> [UInt8]? {
      let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(socket) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      let size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isConnected = withUnsafePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, size) == 0 }
      }
      guard isConnected else { return nil }
      let bytes = Array(request.prefix(Int(Double(request.count) * part)))
      guard send(bytes, to: socket), part == 1 else { return nil }
      return message(from: socket)
    }
  }
#endif
