import Aggregates
import EventLog
import EventlogClient
import Events
import FaultTesting
import Synchronization
import UseCases
import UseCasesTesting

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The clock of a simulation.
final class SimulatedClock: Sendable {
  /// The time at which a simulation begins.
  static let start = Timestamp(milliseconds: 1_767_225_600_000)
  private let time = Mutex(start)

  var now: Timestamp { time.withLock { $0 } }

  func advance(by milliseconds: Int64) {
    time.withLock { $0 = Timestamp(milliseconds: $0.milliseconds + milliseconds) }
  }
}

/// The random numbers of a server or a phone.
final class SimulatedRandomness: Sendable {
  private let random: Mutex<SplitMix64>

  init(seed: UInt64) { random = Mutex(SplitMix64(seed: seed)) }

  var pair: (UInt64, UInt64) { random.withLock { ($0.next(), $0.next()) } }
}

/// A disk that loses power at a chosen call, and comes back.
@MainActor final class FailingDisk {
  let disk = SimulatedDisk()
  private var fuse: Int?
  private var random: SplitMix64
  /// The number of power failures.
  private(set) var kills = 0

  private let losses: [SimulatedDisk.Loss]

  init(seed: UInt64, losses: [SimulatedDisk.Loss] = SimulatedDisk.Loss.allCases) {
    (random, self.losses) = (SplitMix64(seed: seed), losses)
  }

  /// Arms a power failure at one of the next calls.
  func arm(_ calls: Int) {
    if fuse != nil { return }
    fuse = calls
    disk.begin { _, _, number in number >= calls ? SimulatedDisk.Failure(code: EIO) : nil }
  }

  /// Returns whether the power has failed; then unsynced changes are lost, and the power is back.
  func hasLostPower() -> Bool {
    guard let calls = fuse, disk.calls >= calls else { return false }
    fuse = nil
    kills += 1
    disk.losePower(losses[Int(random.next() % UInt64(losses.count))], &random)
    return true
  }

  func disarm() {
    fuse = nil
    disk.begin()
  }

  /// All bytes of all files.
  var bytes: [UInt8] { disk.paths.flatMap { disk[$0] ?? [] } }
}

/// A message's content: a request of a phone, or a server's answer.
enum Message {
  case request(OfflineState.Step)
  case replies(String)
  case log(String, since: PersonalLog?)
  case answers([RememberedAnswer?], to: [RememberedAnswer])
  /// The server refuses the request.
  case refusal(UseCaseError)
}

/// The server of a simulation: a core on a log on a disk that can lose power.
@MainActor final class SimulatedServer {
  let power: FailingDisk
  let rules: Rules
  private let environment: RuntimeEnvironment
  private(set) var log: FileLog
  private(set) var core: Core
  private var journal: RetryJournal
  private var pushes = 0
  /// The bounds of personal logs.
  let bounds: PersonalLog.Bounds
  /// Whether the server asks the phones now and then to try again later.
  var isBusy = true

  init(_ clock: SimulatedClock, seed: UInt64, rules: Rules) async throws {
    // After writes in another order an operator must repair the log (docs/operations.md).
    power = FailingDisk(seed: seed, losses: [.dropped, .cut])
    let random = SimulatedRandomness(seed: seed ^ 1)
    environment = RuntimeEnvironment(now: { clock.now }, random: { random.pair })
    self.rules = rules
    var bounds = PersonalLog.Bounds()
    if seed % 3 == 1 {
      (bounds.workoutsPerPerson, bounds.workoutsWithReactions) = (3, 2)
      (bounds.messages, bounds.members) = (2, 2)
      (bounds.ownWorkouts, bounds.unreadMessages) = (4, 1)
    }
    self.bounds = bounds
    log = try FileLog(
      path: "/log", creating: true, files: power.disk.files, environment: environment)
    core = try await Core(log, rules: rules, environment: environment)
    journal = RetryJournal("/log", files: power.disk.files, now: environment.now)
  }

  /// Starts again after a power failure.
  func restartIfKilled() async throws -> Bool {
    guard power.hasLostPower() else { return false }
    try await open()
    return true
  }

  private func open() async throws {
    log = try FileLog(
      path: "/log", creating: true, files: power.disk.files, environment: environment)
    core = try await Core(log, rules: rules, environment: environment)
    journal = RetryJournal("/log", files: power.disk.files, now: environment.now)
  }

  /// Erases a person's data, as an operator does with the server stopped.
  func erase(_ user: String) async throws {
    log.close()
    do {
      let forgetting = try Forgetting(
        path: "/log", rules: rules, photos: NoPhotos(), files: power.disk.files,
        environment: environment)
      let prepared = try await forgetting.prepare(ForgettingRequest(people: [user]), jobs: 1)
      _ = try await forgetting.perform(prepared)
    } catch {
      // There is no such person, or the power failed.
    }
    _ = power.hasLostPower()
    try await open()
  }

  static func key(_ command: OutboxCommand, of user: String) -> IdempotencyKey {
    func hash(_ text: String) -> UInt64 { XXH64.hash(Array(text.utf8), seed: 0) }
    return IdempotencyKey(
      tail: hash("\(user)\n\(command.key)"), body: hash("\(command.name)\n\(command.input.text)"))
  }

  /// Answers a request of a phone; nil if the power failed.
  /// - Parameter isOld: whether the phone's app is older, so that some events are new to it.
  func answer(_ step: OfflineState.Step, from user: String, isOld: Bool) async throws -> Message? {
    let caller = Caller(user)
    let answer: Message
    switch step {
    case .push(let commands):
      pushes += 1
      // The queue of the server is full.
      if isBusy, pushes % 11 == 0 {
        let busy = Result<JSONValue, UseCaseError>.failure(.log(.closed(reason: "busy")))
        return .replies(
          commands.map { OutboxReply(key: $0.key, result: busy, position: core.position).json.text }
            .joined(separator: "\n"))
      }
      let replies = await core.perform(
        commands.map { ($0, Self.key($0, of: user)) }, as: caller, journal, explaining: 2)
      answer = .replies(replies.map { $0.json.text }.joined(separator: "\n"))
    case .fetch(let earlier):
      do throws(UseCaseError) {
        let log = try await core.personalLog(of: user, bounds)
        var text = log.text(since: earlier?.held ?? PersonalLog.Held())
        if isOld {
          text = text.replacing(
            #"{"part":"edges","events":["#,
            with: #"{"part":"edges","events":[\#(futureEvent),"#
          ).replacing("\(futureEvent),]", with: "\(futureEvent)]")
        }
        answer = .log(text, since: earlier)
      } catch {
        answer = .refusal(error)
      }
    case .ask(let queries):
      let answers = queries.map { query -> RememberedAnswer? in
        var new = query
        guard let answer = self.answer(query.name, query.input, user) else { return nil }
        (new.answer, new.time) = (answer, environment.now())
        return new
      }
      answer = .answers(answers, to: queries)
    }
    return try await restartIfKilled() ? nil : answer
  }

  /// Answers a query; nil if it is refused.
  func answer(_ name: String, _ input: JSONValue, _ user: String) -> JSONValue? {
    try? result(name, input, user).get()
  }

  func result(
    _ name: String, _ input: JSONValue, _ user: String
  ) -> Result<JSONValue, UseCaseError> {
    guard let entry = Registry.find(name), let call = try? Call(entry, input, as: Caller(user)),
      let (reply, _) = core.answer(call)
    else { return .failure(.cancelled) }
    return reply.result
  }

  /// Performs a command of a person on another device.
  func perform(_ command: SimulatedCommand, as user: String) async throws -> JSONValue? {
    let request = Request(command.name, as: user, with: command.input)
    let replies = await core.perform(
      [request], photos: PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder()))
    if try await restartIfKilled() { return nil }
    return try? replies.first?.result.get()
  }
}

/// An event of a type that an older app does not know.
private let futureEvent =
  #"{"time":"2030-01-01T00:00:00.000Z","type":"FutureEvent","v":1,"data":{}}"#
