import EventLog
import Events
import Server

/// The network between the servers, the database and the clients.
@MainActor final class SimulatedNetwork {
  /// The outcome of a call of the database.
  enum Outcome<Value> {
    case answer(Value)
    case lost, unreachable
  }

  let database = SimulatedDatabase()
  private var random: SplitMix64
  /// Draws which batches an eavesdropper sends again.
  private var replays: SplitMix64
  /// The times until which servers cannot reach the database, by server.
  private var databaseCuts: [Int: Duration] = [:]
  /// The times until which two servers cannot reach each other.
  private var peerCuts: [[Int]: Duration] = [:]
  /// The time until which connections are lost at random.
  var losesUntil = Duration.zero
  private(set) var losses = 0
  /// The processes that run, by server.
  var endpoints: [Int: (process: SimulatedProcess, handler: any RequestHandler)] = [:]
  /// The posts without an outcome: their receivers, and functions that lose them.
  private var posts: [Int: (to: SimulatedProcess, lose: () -> Void)] = [:]
  private var count = 0

  init(seed: UInt64) {
    (random, replays) = (SplitMix64(seed: seed), SplitMix64(seed: ~seed))
  }

  private var scheduler: Scheduler { .shared }
  private var now: Duration { scheduler.now }

  func number(below limit: UInt64) -> UInt64 { random.next() % limit }

  /// A delay of 0.1 to 2 ms; now and then much longer.
  func delay() -> Duration {
    let number = random.next()
    if number % 64 == 0 { return .microseconds((number >> 8) % 60_000) }
    return .microseconds(100 + (number >> 8) % 1_900)
  }

  /// Whether a connection is lost now.
  private func isLost() -> Bool {
    guard now < losesUntil, random.next() % 6 == 0 else { return false }
    losses += 1
    return true
  }

  func cutDatabase(_ server: Int, for duration: Duration) {
    databaseCuts[server] = max(databaseCuts[server] ?? .zero, now + duration)
  }

  func cutPeers(_ servers: [Int], for duration: Duration) {
    peerCuts[servers.sorted()] = now + duration
  }

  /// Ends all faults.
  func heal() {
    (databaseCuts, peerCuts, losesUntil, database.stalledUntil) = ([:], [:], .zero, .zero)
  }

  private func reachesDatabase(_ process: SimulatedProcess) -> Bool {
    (databaseCuts[process.server] ?? .zero) <= now
  }

  // MARK: The database

  /// Sends a statement. It may be executed although its answer is lost, even later than the caller
  /// learns of the loss.
  func call<Value>(
    _ process: SimulatedProcess, _ statement: @escaping (SimulatedDatabase) -> Value,
    _ finish: @escaping (Outcome<Value>) -> Void
  ) {
    guard reachesDatabase(process) else {
      return fail(process, finish)
    }
    if isLost() {
      return scheduler.after(delay()) { finish(.lost) }
    }
    let arrival = max(now + delay(), database.stalledUntil) - now
    let losesAnswer = isLost()
    if losesAnswer {
      let late = number(below: 4) == 0 ? Duration.milliseconds(number(below: 2_000)) : .zero
      scheduler.after(arrival + late) { [self] in _ = statement(database) }
      return scheduler.after(arrival + delay()) { finish(.lost) }
    }
    scheduler.after(arrival) { [self] in
      let value = statement(database)
      let back = delay()
      scheduler.after(back) { [self] in
        reachesDatabase(process) ? finish(.answer(value)) : finish(.lost)
      }
    }
  }

  /// A cut is noticed at once, or only after a while.
  private func fail<Value>(
    _ process: SimulatedProcess, _ finish: @escaping (Outcome<Value>) -> Void
  ) {
    if number(below: 2) == 0 {
      return scheduler.after(delay()) { finish(.unreachable) }
    }
    scheduler.after(.milliseconds(500 + number(below: 2_500))) { finish(.lost) }
  }

  func listen(_ process: SimulatedProcess, _ hear: @escaping (UInt64) -> Void) {
    database.listen(of: process.number) { [self] position in
      if !reachesDatabase(process) || isLost() { return }
      scheduler.after(delay()) { hear(position) }
    }
  }

  // MARK: Servers

  /// The address of a server for the others.
  nonisolated static func address(of server: Int) -> String { "http://server\(server)" }

  /// Sends a batch to another server.
  func post(
    _ body: [UInt8], from process: SimulatedProcess, to url: String, _ authorization: String,
    isOver: @escaping () -> Bool, _ finish: @escaping @MainActor (PeerOutcome) -> Void
  ) {
    let prefix = Self.address(of: 0).dropLast()
    let digits = url.dropFirst(prefix.count).prefix { $0.isNumber }
    let server = Int(digits) ?? 0
    let isCut = (peerCuts[[process.server, server].sorted()] ?? .zero) > now
    guard let target = endpoints[server], !target.process.isDead else {
      return scheduler.after(delay()) { finish(.unsent) }
    }
    count += 1
    let id = count
    let settle: @MainActor (PeerOutcome) -> Void = { [self] outcome in
      if posts.removeValue(forKey: id) != nil { finish(outcome) }
    }
    posts[id] = (target.process, { [self] in scheduler.after(delay()) { settle(.unknown) } })
    watch(id, process, isOver, settle)
    // A connection that is cut says nothing, until the system's probes stay without an answer.
    if isCut {
      let isNew = number(below: 2) == 0
      return scheduler.after(.seconds(isNew ? 2 : 25)) { settle(isNew ? .unsent : .unknown) }
    }
    if isLost() { return scheduler.after(delay()) { settle(.unknown) } }
    var head = RequestHead("POST", "/peer/v1/requests")
    head[.authorization] = authorization
    head[.contentLength] = "\(body.count)"
    replay(head, body)
    // If a kept connection ends, curl sends the batch once more. The first answer is lost then.
    let losesAnswer = isLost()
    let isSentAgain = losesAnswer && number(below: 2) == 0
    for isFirst in isSentAgain ? [true, false] : [true] {
      let pause = isFirst ? .zero : Duration.milliseconds(number(below: 50))
      scheduler.after(delay() + pause, target.process) { [self] in
        Self.request(head, body, target.handler) { [self] response, bytes in
          if losesAnswer, isFirst {
            if !isSentAgain { scheduler.after(delay()) { settle(.unknown) } }
            return
          }
          scheduler.after(delay()) { settle(.answer(status: response.status, bytes)) }
        }
      }
    }
    if isSentAgain { return }
    if losesAnswer { scheduler.after(.milliseconds(number(below: 500))) { settle(.unknown) } }
  }

  /// Sends a batch again as an eavesdropper may: later, to any server.
  private func replay(_ head: RequestHead, _ body: [UInt8]) {
    guard replays.next() % 4 == 0 else { return }
    scheduler.after(.milliseconds(replays.next() % 10_000)) { [self] in
      let running = endpoints.sorted { $0.key < $1.key }.map(\.value)
      guard !running.isEmpty else { return }
      let target = running[Int(replays.next() % UInt64(running.count))]
      scheduler.after(.milliseconds(1), target.process) {
        Self.request(head, body, target.handler) { _, _ in }
      }
    }
  }

  /// Asks once a second whether a post is over, while its sender runs.
  private func watch(
    _ id: Int, _ process: SimulatedProcess, _ isOver: @escaping () -> Bool,
    _ settle: @escaping @MainActor (PeerOutcome) -> Void
  ) {
    scheduler.after(.seconds(1), process) { [self] in
      if posts[id] == nil { return }
      isOver() ? settle(.unknown) : watch(id, process, isOver, settle)
    }
  }

  /// Loses the posts to a process that has ended.
  func losePosts(to process: SimulatedProcess) {
    let lost = posts.filter { $0.value.to === process }.sorted { $0.key < $1.key }
    for post in lost { post.value.lose() }
  }

  /// Performs a request as the running process. The answer's body is complete.
  static func request(
    _ head: RequestHead, _ body: [UInt8], _ handler: any RequestHandler,
    _ respond: @escaping @MainActor (Response, [UInt8]) -> Void
  ) {
    switch handler.admit(head) {
    case .refused(let response): read(response) { respond(response, $0) }
    case .admitted(let admitted):
      handler.handle(admitted, body: body) { making in
        onMain {
          let response = making()
          read(response) { bytes in
            handler.ended(admitted)
            respond(response, bytes)
          }
        }
      }
    }
  }

  private static func read(_ response: Response, _ done: @escaping @MainActor ([UInt8]) -> Void) {
    switch response.body {
    case .bytes(let bytes): done(bytes)
    case .stream(let outlet): StreamReader(outlet, done).read()
    }
  }
}

/// Reads the answer of a run to its end.
@MainActor private final class StreamReader {
  private let outlet: Outlet
  private var done: (([UInt8]) -> Void)?
  private var bytes: [UInt8] = []

  init(_ outlet: Outlet, _ done: @escaping @MainActor ([UInt8]) -> Void) {
    (self.outlet, self.done) = (outlet, done)
    outlet.connect(
      wake: { [self] in
        onMain { Scheduler.shared.after(.zero, Scheduler.shared.running) { self.read() } }
      }, isClosed: { false })
  }

  func read() {
    guard let done else { return }
    while true {
      switch outlet.take(1 << 20, sleep: {}) {
      case .bytes(let more): bytes += more
      case .nothing: return
      case .end:
        self.done = nil
        outlet.disconnect()
        return done(bytes)
      }
    }
  }
}

/// A server's connection to the others.
final class SimulatedConnection: PeerConnection {
  private let process: SimulatedProcess
  private let network: SimulatedNetwork

  init(_ process: SimulatedProcess, _ network: SimulatedNetwork) {
    (self.process, self.network) = (process, network)
  }

  func post(
    _ body: [UInt8], to url: String, _ authorization: String,
    isOver: @escaping @Sendable () -> Bool
  ) async -> PeerOutcome {
    let outcome = await process.wait(atDeath: PeerOutcome.unknown) { [process, network] finish in
      network.post(
        body, from: process, to: url, authorization, isOver: isOver, finish)
    }
    switch outcome {
    case .unknown where SimulatedBug.repeatsUnknown.isPlanted: return .unsent
    case .answer(let status, let bytes) where SimulatedBug.answersEarly.isPlanted:
      // Spaces keep the length of each body.
      let text = String(decoding: bytes, as: UTF8.self).replacing(/("position":)([0-9]+)/) {
        "\($0.1)0" + String(repeating: " ", count: $0.2.count - 1)
      }
      return .answer(status: status, Array(text.utf8))
    default: return outcome
    }
  }
}
