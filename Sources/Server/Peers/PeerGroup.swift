#if Server
  import EventLog
  import Events
  import Synchronization
  import UseCases

  /// The servers of one shared log. One of them, the writer, performs all commands; the others are
  /// readers, which pass commands to the writer.
  ///
  /// The writer has the lease of the shared log. If it ends or is paused, another server takes the
  /// lease. Meanwhile commands wait for at most `longestWait`. A command that was passed on has a
  /// key, so the next writer does not perform it again.
  package final class PeerGroup: Sendable {
    typealias Respond = @Sendable (Response) -> Void

    /// The time after which another server takes the lease of a writer that has not renewed it.
    private static let leaseTime = Duration.milliseconds(1_500)
    private static let renewal = Duration.milliseconds(200)
    /// The longest time for which a server holds a command while no server can perform it.
    static let longestWait = Duration.seconds(5)
    /// The most bytes of the bodies of a batch.
    private static let batchBytes = 4 << 20

    /// The requests that wait for one of some connections.
    private struct Lane {
      /// The most requests in a batch.
      let batch: Int
      /// Whether the requests may take longer than others can wait.
      var isLong: Bool { batch == 1 }
      var waiting: [PassedRequest] = []
      var connections: [any PeerConnection]
    }

    /// A request without an answer.
    private struct Open {
      let request: PassedRequest
      /// Whether this server performs the request.
      var isHere: Bool
      /// Whether the answer of a server that may have performed the request was lost.
      var mayBeDone = false
      /// Whether the answer came, and waits for the events that it reflects.
      var isAnswered = false
      /// The term of the writer that performs the request and may take long for it.
      var term: Int64?

      mutating func waitAgain() { (isHere, isAnswered, term) = (false, false, nil) }
    }

    private struct State {
      /// Where other servers reach this one.
      var address = ""
      var lease: LeaseState?
      var renewed: ContinuousClock.Instant
      /// Whether the writer could not be reached since the lease was last read.
      var isDoubtful = false
      var isEnding = false
      /// The number of requests so far.
      var count = 0
      var unanswered: [Int: Open] = [:]
      /// The short requests, then the long ones.
      var lanes: [Lane]

      /// Whether a server still performs a request, or its answer is known.
      private func isUnderWay(_ open: Open) -> Bool {
        if open.isHere { return lease?.isHeld == true }
        if open.isAnswered { return true }
        return open.term.map { lease == nil || lease?.term == $0 } ?? false
      }

      /// Takes the requests that have waited for too long, the oldest first. The writer's own, and
      /// those on connections of their own, may take longer.
      /// - Returns: the requests, and whether a server may have performed each.
      mutating func takeLate(
        _ now: ContinuousClock.Instant
      ) -> [(request: PassedRequest, mayBeDone: Bool)] {
        let late = unanswered.values.filter { $0.request.deadline < now && !isUnderWay($0) }
        if late.isEmpty { return [] }
        let idle = Set(lanes.flatMap(\.waiting).map(\.number))
        for lane in lanes.indices { lanes[lane].waiting.removeAll { $0.deadline < now } }
        return late.map { ($0.request, $0.mayBeDone || !idle.contains($0.request.number)) }
          .sorted { $0.0.number < $1.0.number }
      }
    }

    private let state: Mutex<State>
    private let lease: any WriterLease
    private let core: Core
    private let log: FileLog
    private let signature: PeerSignature
    private let environment: RuntimeEnvironment

    /// - Parameter connect: returns a new connection.
    package init(
      _ lease: any WriterLease, _ core: Core, _ log: FileLog, _ signature: PeerSignature,
      connect: () -> any PeerConnection, environment: RuntimeEnvironment = .system
    ) {
      (self.lease, self.core, self.log, self.signature) = (lease, core, log, signature)
      self.environment = environment
      // With two connections for short requests, batches are half as large, and eight servers
      // perform 4 % fewer commands a second. Each connection has a thread.
      let lanes = [
        Lane(batch: 256, connections: [connect()]),
        Lane(batch: 1, connections: (0..<16).map { _ in connect() }),
      ]
      state = Mutex(State(renewed: environment.instant(), lanes: lanes))
    }

    /// Whether this server has the lease, as far as it knows.
    package var isWriter: Bool { state.withLock { $0.lease?.isHeld == true } }
    /// This server as a receiver of batches; nil if it has no lease.
    var receiver: PeerReceiver? {
      state.withLock { state in
        guard let lease = state.lease, lease.isHeld else { return nil }
        return PeerReceiver(address: state.address, term: lease.term)
      }
    }
    /// Whether a server has the lease, as far as this server knows.
    var hasWriter: Bool { state.withLock { $0.lease?.holder != nil } }

    // MARK: The lease

    /// Renews the lease, or tries to take it, until the task is cancelled.
    /// - Parameters:
    ///   - address: where other servers reach this one.
    ///   - says: receives notes for the operator, one sentence each.
    package func keepLease(at address: String, says: @Sendable (String) -> Void) async {
      state.withLock { $0.address = address }
      var fault: LogError?
      while !Task.isCancelled {
        do throws(LogError) {
          let found = try await lease.hold(at: address, for: rests ? .zero : Self.leaseTime)
          // The server may have begun to leave meanwhile.
          if found.isHeld, rests {
            state.withLock { $0.lease = nil }
            try await lease.release()
          } else {
            learn(found)
          }
          if fault != nil { says("the lease can be read again") }
          fault = nil
        } catch {
          if fault == nil { says("note: the lease cannot be read: \(error)") }
          fault = error
        }
        await environment.sleep(Self.renewal)
      }
    }

    /// Whether this server gives the lease away. A writer whose disk is full or broken would refuse
    /// all commands of all servers.
    private var rests: Bool { state.withLock { $0.isEnding } || log.cannotWrite }

    private func learn(_ found: LeaseState) {
      let own = state.withLock { state -> [PassedRequest] in
        state.lease = found
        (state.renewed, state.isDoubtful) = (environment.instant(), false)
        guard found.isHeld else { return [] }
        let own = state.lanes.flatMap(\.waiting)
        for lane in state.lanes.indices { state.lanes[lane].waiting = [] }
        for request in own { state.unanswered[request.number]?.isHere = true }
        return own
      }
      for request in own { perform(request) }
      passOn()
    }

    /// Answers the requests that have waited for too long, until the task is cancelled.
    package func keepTime() async {
      while !Task.isCancelled {
        let now = environment.instant()
        let late = state.withLock { state in
          if now - state.renewed > Self.leaseTime { state.lease = nil }
          return state.takeLate(now)
        }
        for (request, mayBeDone) in late {
          finish(request, mayBeDone && !request.isRepeatableByClient ? .lost : .noWriter)
        }
        await environment.sleep(.milliseconds(100))
      }
    }

    /// Gives the lease back, so that another server takes it at once. Commands that this server has
    /// not appended are passed to that server.
    package func leave() async {
      state.withLock { state in
        state.isEnding = true
        state.lease = nil
      }
      try? await lease.release()
    }

    // MARK: Requests

    /// Performs a request that changes the log: here if this server is the writer.
    /// - Parameter here: performs a request on this server.
    func perform(
      _ admitted: Service.Admitted, _ body: [UInt8],
      here: @escaping @Sendable (Service.Admitted, @escaping Respond) -> Void,
      _ respond: @escaping Respond
    ) {
      let deadline = environment.instant() + Self.longestWait
      let ownKey = environment.random()
      let (request, isHere) = state.withLock { state in
        state.count += 1
        let request = PassedRequest(
          state.count, admitted, body, until: deadline, ownKey, here: here, respond)
        let isHere = state.lease?.isHeld == true
        state.unanswered[request.number] = Open(request: request, isHere: isHere)
        if !isHere { state.lanes[request.lane].waiting.append(request) }
        return (request, isHere)
      }
      if isHere { perform(request) } else { passOn() }
    }

    private func perform(_ request: PassedRequest) {
      let mayBeDone = state.withLock { $0.unanswered[request.number]?.mayBeDone == true }
      request.here(mayBeDone ? request.keyed : request.admitted) { [self] response in
        if response.isFromReader { again([request]) } else { finish(request, response) }
      }
    }

    private func finish(_ request: PassedRequest, _ response: Response) {
      let isFirst = state.withLock {
        $0.unanswered.removeValue(forKey: request.number) != nil
      }
      if isFirst { request.respond(response) }
    }

    /// Puts requests that no server has performed before the waiting ones, until the lease was read
    /// again.
    private func again(_ requests: [PassedRequest]) {
      state.withLock { state in
        state.isDoubtful = true
        let open = requests.filter { state.unanswered[$0.number] != nil }
        for request in open { state.unanswered[request.number]?.waitAgain() }
        for lane in state.lanes.indices {
          state.lanes[lane].waiting.insert(contentsOf: open.filter { $0.lane == lane }, at: 0)
        }
      }
    }

    // MARK: Passing on

    private struct Batch: Sendable {
      let lane: Int
      let requests: [PassedRequest]
      let connection: any PeerConnection
      let writer: String
      let term: Int64
    }

    private func passOn() {
      while let batch = state.withLock({ Self.nextBatch(&$0) }) {
        environment.start { [self] in await send(batch) }
      }
    }

    private static func nextBatch(_ state: inout State) -> Batch? {
      guard let lease = state.lease, !lease.isHeld, !state.isDoubtful, let writer = lease.holder
      else { return nil }
      for number in state.lanes.indices {
        let lane = state.lanes[number]
        guard let connection = lane.connections.last, !lane.waiting.isEmpty else { continue }
        var bytes = 0
        let requests = lane.waiting.prefix(lane.batch).enumerated().prefix { index, request in
          bytes += request.body.count
          return index == 0 || bytes <= batchBytes
        }
        .map(\.element)
        state.lanes[number].connections.removeLast()
        state.lanes[number].waiting.removeFirst(requests.count)
        if lane.isLong {
          for request in requests { state.unanswered[request.number]?.term = lease.term }
        }
        return Batch(
          lane: number, requests: requests, connection: connection, writer: writer,
          term: lease.term)
      }
      return nil
    }

    private func send(_ batch: Batch) async {
      var bytes: [UInt8] = []
      let receiver = PeerReceiver(address: batch.writer, term: batch.term)
      PeerMessage.append(position: core.position, for: receiver, to: &bytes)
      for request in batch.requests { PeerMessage.append(request.keyed, request.body, to: &bytes) }
      let outcome = await batch.connection.post(
        bytes, to: batch.writer + PeerEndpoint.path,
        signature.header(for: bytes, path: PeerEndpoint.path)
      ) { [self] in
        state.withLock { state in
          state.lease?.term != batch.term
            || !batch.requests.contains { state.unanswered[$0.number] != nil }
        }
      }
      switch outcome {
      case .answer(status: 200, let bytes):
        let answers = PeerMessage.parts(of: bytes) ?? []
        guard answers.count == batch.requests.count + 1,
          let position = PeerMessage.position(answers[0].line)
        else {
          return settle(batch, performed: nil)
        }
        free(batch)
        await log.takeIn(answers[0].body, after: position)
        await answer(batch.requests, Array(answers.dropFirst()))
      // The other server is not the writer, or has no room for the batch.
      case .answer(status: 421, _), .answer(status: 503, _), .unsent:
        settle(batch, performed: false)
      case .answer, .unknown: settle(batch, performed: nil)
      }
    }

    private func free(_ batch: Batch) {
      state.withLock { $0.lanes[batch.lane].connections.append(batch.connection) }
      passOn()
    }

    /// Passes the requests of a batch on again if that is safe.
    /// - Parameter performed: false if the writer performed none of them; nil if that is not known.
    private func settle(_ batch: Batch, performed: Bool?) {
      let safe = performed == false ? batch.requests : batch.requests.filter(\.isRepeatable)
      if safe.count < batch.requests.count {
        for request in batch.requests where !request.isRepeatable { finish(request, .lost) }
      }
      if performed == nil {
        state.withLock { state in
          for request in safe { state.unanswered[request.number]?.mayBeDone = true }
        }
      }
      again(safe)
      free(batch)
    }

    /// Answers requests when this server has the writer's events, so that callers read their own
    /// writes.
    private func answer(
      _ requests: [PassedRequest], _ answers: [(line: JSONValue, body: [UInt8])]
    ) async {
      let responses = answers.map { PeerMessage.response($0.line, $0.body) }
      let position = responses.compactMap { $0?.position }.max() ?? 0
      state.withLock { state in
        for request in requests { state.unanswered[request.number]?.isAnswered = true }
      }
      _ = await core.reach(position, within: Self.longestWait)
      for (request, response) in zip(requests, responses) {
        guard let response else {
          finish(request, .lost)
          continue
        }
        if response.response.isFromReader {
          again([request])
        } else {
          finish(request, response.response)
        }
      }
    }
  }

  /// A request that changes the log, until it is answered.
  final class PassedRequest: Sendable {
    /// The number of the request among those of this server.
    let number: Int
    let body: [UInt8]
    /// The time at which it is answered even if no server has performed it.
    let deadline: ContinuousClock.Instant
    let here: @Sendable (Service.Admitted, @escaping PeerGroup.Respond) -> Void
    let respond: PeerGroup.Respond
    /// The number of the lane in which it waits.
    let lane: Int
    let admitted: Service.Admitted
    /// The key under which the writer performs the request once.
    private let key: String

    /// - Parameter ownKey: random bits for a key, if the client gave none.
    init(
      _ number: Int, _ admitted: Service.Admitted, _ body: [UInt8],
      until deadline: ContinuousClock.Instant, _ ownKey: (UInt64, UInt64),
      here: @escaping @Sendable (Service.Admitted, @escaping PeerGroup.Respond) -> Void,
      _ respond: @escaping PeerGroup.Respond
    ) {
      (self.number, self.admitted, self.body) = (number, admitted, body)
      self.deadline = deadline
      (self.here, self.respond) = (here, respond)
      lane = admitted.route.mayTakeLong ? 1 : 0
      key = admitted.head[.idempotencyKey] ?? "passed-\(ownKey.0)-\(ownKey.1)"
    }

    /// Whether the writer performs the request only once, however often it is passed on.
    var isRepeatable: Bool { admitted.route.isRepeatable }
    /// Whether that is so also if the client sends it again, because it has the client's key.
    var isRepeatableByClient: Bool { isRepeatable && admitted.head[.idempotencyKey] != nil }

    /// The request with the key, if servers perform it only once with one. A server that may not be
    /// the first to perform it needs the key.
    var keyed: Service.Admitted {
      isRepeatable ? admitted.with(key: key) : admitted
    }
  }

  extension Response {
    /// Whether nothing was changed because the server is not the writer.
    var isFromReader: Bool { failure?.code == Self.fromReader }

    fileprivate static var noWriter: Response {
      .failure(503, "busy", "no server can append to the log at the moment; try again")
    }

    fileprivate static var lost: Response {
      .failure(
        503, "busy",
        "the server that appends did not answer; the change may have been made: look, or try again "
          + "with an Idempotency-Key")
    }
  }
#endif
