#if Server
  import CServer
  import Synchronization

  /// The requests whose head or chunked body is still incomplete, with counts for each thread of
  /// libmicrohttpd.
  ///
  /// When libmicrohttpd logs an error, this type finds the socket of the request that caused it, if
  /// the thread is reading only one request.
  final class RequestsBeingRead: Sendable {
    private struct Place: Hashable {
      var thread: UInt
      var stage: UInt32
    }

    /// For each thread and stage, the number of requests and the XOR of their sockets. With a
    /// single request, the XOR is its socket.
    private let counts = Mutex<[Place: (requests: Int, files: Int32)]>([:])

    /// Moves a request from one stage to another. Call this function on the thread of the request's
    /// connection.
    func change(from old: server_stage?, to new: server_stage?, _ file: Int32) {
      let thread = UInt(pthread_self())
      counts.withLock { counts in
        for (stage, change) in [(old, -1), (new, 1)] {
          guard let stage else { continue }
          let place = Place(thread: thread, stage: stage.rawValue)
          counts[place, default: (0, 0)].requests += change
          counts[place, default: (0, 0)].files ^= file
        }
      }
    }

    /// Returns the socket of the request that the calling thread is reading. Returns -1 unless the
    /// thread has exactly one request at this stage.
    func file(_ stage: server_stage) -> Int32 {
      let place = Place(thread: UInt(pthread_self()), stage: stage.rawValue)
      return counts.withLock { counts in
        guard let count = counts[place], count.requests == 1 else { return -1 }
        return count.files
      }
    }
  }
#endif
