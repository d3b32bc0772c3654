#if Server
  import CServer
  import Synchronization

  /// The requests that each of the library's threads is reading: those whose head is not complete,
  /// and those whose chunked body is not.
  ///
  /// When the library complains of a request, this names its socket if it can mean only one.
  final class Readings: Sendable {
    private struct Place: Hashable {
      var thread: UInt
      var stage: UInt32
    }

    fileprivate struct Count {
      var requests = 0
      /// The exclusive or of their sockets: with one request, its socket.
      var files: Int32 = 0
    }

    private let counts = Mutex<[Place: Count]>([:])

    /// Notes that a request goes from one stage to another. Called from its connection's thread.
    func change(from old: server_stage?, to new: server_stage?, _ file: Int32) {
      let thread = UInt(pthread_self())
      counts.withLock { counts in
        if let old { counts[Place(thread: thread, stage: old.rawValue)]?.remove(file) }
        if let new {
          counts[Place(thread: thread, stage: new.rawValue), default: Count()].add(file)
        }
      }
    }

    /// The one socket that the calling thread reads at a stage; -1 if there is another number of
    /// them.
    func file(_ stage: server_stage) -> Int32 {
      let place = Place(thread: UInt(pthread_self()), stage: stage.rawValue)
      return counts.withLock { counts in
        guard let count = counts[place], count.requests == 1 else { return -1 }
        return count.files
      }
    }
  }

  extension Readings.Count {
    fileprivate mutating func add(_ file: Int32) {
      requests += 1
      files ^= file
    }

    fileprivate mutating func remove(_ file: Int32) {
      requests -= 1
      files ^= file
    }
  }
#endif
