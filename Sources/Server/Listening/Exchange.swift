#if Server
  import CServer
  import Synchronization

  /// One request on a connection, from its first line to the end of its answer.
  ///
  /// The library calls for one connection from one thread at a time; only the answer may come from
  /// another, which is what the lock is for.
  final class Exchange: @unchecked Sendable {
    // Of the connection's thread alone.
    let target: String
    var admitted: Service.Admitted?
    var body: [UInt8] = []
    var isTooLong = false
    /// Bytes beyond what is allowed.
    var excess = 0
    /// Bytes of a form.
    var received = 0 {
      didSet { if received > (admitted?.bodyLimit ?? 0) { excess = received } }
    }
    var state = Progress.fresh
    /// The answer to a request without a body that the head refuses.
    var refusal: Response?
    /// What of the request the library reads now.
    private var stage: server_stage? = server_reads_head
    private let file: Int32
    private let readings: Readings
    var parts: OpaquePointer?
    var part: Part?
    var outlet: Outlet?

    enum Progress { case fresh, reading, handled }

    /// The part of a form that is taken.
    struct Part {
      var isFile: Bool
      var name: String
    }

    private enum Answer {
      case none
      case asleep
      case ready(Service.Making)
      case taken
    }

    private let answer = Mutex(Answer.none)
    private let connection: OpaquePointer

    private let end: UInt

    /// - Parameter target: as it lies in the request's first line.
    init(
      _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer, _ readings: Readings
    ) {
      self.target = target.map { String(cString: $0) } ?? ""
      end = target.map { UInt(bitPattern: $0) + UInt(strlen($0)) } ?? 0
      self.connection = connection
      file = server_file(connection)
      self.readings = readings
      readings.change(from: nil, to: stage, file)
    }

    /// Notes what of the request the library reads from now on; nil once it has read all.
    func enter(_ next: server_stage?) {
      if stage == next { return }
      readings.change(from: stage, to: next, file)
      stage = next
    }

    /// Whether the target ends one byte before the protocol's version: a NUL would have cut it.
    func isWhole(before version: UnsafePointer<CChar>) -> Bool {
      UInt(bitPattern: version) == end + 1
    }

    /// Takes the answer; if it is not there yet, suspends the connection until it is.
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

    /// Gives the answer, and wakes the connection if it is suspended.
    func give(_ make: @escaping Service.Making) {
      answer.withLock { answer in
        switch answer {
        case .none: answer = .ready(make)
        case .asleep:
          answer = .ready(make)
          // In the lock: the listener cannot send the answer, and stop, before this is over.
          MHD_resume_connection(connection)
        case .ready, .taken: break
        }
      }
    }

    /// Counts and logs an answer that is not sent because its client has gone.
    func abandon() {
      let make = answer.withLock { answer -> Service.Making? in
        guard case .ready(let make) = answer else { return nil }
        answer = .taken
        return make
      }
      if case .stream(let outlet)? = make?().body { outlet.disconnect() }
    }

    func markAnswered() { answer.withLock { $0 = .taken } }

    func suspend() { MHD_suspend_connection(connection) }

    var isAnswered: Bool {
      answer.withLock { answer in
        if case .taken = answer { return true }
        return false
      }
    }

    deinit { if let parts { MHD_destroy_post_processor(parts) } }
  }
#endif
