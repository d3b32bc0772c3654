#if Server
  import CServer
  import Synchronization

  /// Connections that the server closes before the client has sent its whole request.
  ///
  /// Closing a socket with unread bytes resets the connection, and the client may lose the answer
  /// (RFC 9112, 9.6). So a second descriptor keeps the socket open for at most 5 s and 33 MiB. The
  /// server reads the bytes that still arrive and ignores them.
  final class ClosingConnections: Sendable {
    private struct Closing {
      let file: Int32
      let end: ContinuousClock.Instant
      /// The number of bytes that the server will still read from the socket before closing it.
      /// Starts above the largest body.
      var left = 33 << 20
    }

    private struct State {
      var all: [Closing] = []
      var isRunning = false
      var isOver = false
    }

    /// The most connections that are kept open. Further connections are closed immediately.
    static let most = 128
    private static let patience = Duration.seconds(5)
    private let state = Mutex(State())

    /// Keeps a connection's socket open after libmicrohttpd has closed the connection.
    func add(_ connection: OpaquePointer) {
      let starts = state.withLock { state in
        guard !state.isOver, state.all.count < Self.most else { return false }
        let file = server_duplicate(server_file(connection))
        guard file >= 0 else { return false }
        state.all.append(Closing(file: file, end: .now + Self.patience))
        defer { state.isRunning = true }
        return !state.isRunning
      }
      if starts { Task { await run() } }
    }

    private func run() async {
      while dropAll() { try? await Task.sleep(for: .milliseconds(5)) }
    }

    /// Reads and ignores received bytes, and closes finished connections. Returns whether any
    /// connections are left.
    private func dropAll() -> Bool {
      let now = ContinuousClock.now
      return state.withLock { state in
        var left: [Closing] = []
        for var closing in state.all {
          let dropped = server_drop(closing.file, 1 << 20)
          closing.left -= max(0, dropped)
          if dropped < 0 || closing.left < 0 || closing.end < now {
            close(closing.file)
          } else {
            left.append(closing)
          }
        }
        state.all = left
        state.isRunning = !left.isEmpty
        return state.isRunning
      }
    }

    func end() {
      state.withLock { state in
        for closing in state.all { close(closing.file) }
        (state.all, state.isOver) = ([], true)
      }
    }
  }
#endif
