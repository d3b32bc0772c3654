import Aggregates
import EventLog
import EventlogClient
import Events
import FaultTesting
import UseCases

/// The numbers of a simulation.
struct Figures {
  var commands = 0
  var outcomes: [CommandOutcome.Kind: Int] = [:]
  var kills = 0
  var lost = 0
  var days = 0.0
  /// A hash of the final log.
  var hash: UInt64 = 0

  static func + (a: Figures, b: Figures) -> Figures {
    var sum = a
    sum.commands += b.commands
    sum.outcomes.merge(b.outcomes, uniquingKeysWith: +)
    (sum.kills, sum.lost, sum.days) = (a.kills + b.kills, a.lost + b.lost, a.days + b.days)
    sum.hash = a.hash &* 31 &+ b.hash
    return sum
  }
}

/// A server, phones, a network and disks in simulated time. Each step ends before the next begins.
@MainActor final class Simulation {
  struct Envelope {
    var id: Int
    var phone: Int
    var isRequest: Bool
    var message: Message
  }

  let script: Script
  let server: SimulatedServer
  private(set) var phones: [SimulatedPhone] = []
  private let clock = SimulatedClock()
  private var network: [Envelope] = []
  private var ids: KnownIDs
  private(set) var hasErased = false
  private var serial = 0
  private var nextMessage = 0
  private(set) var figures = Figures()

  /// The most people without a phone.
  private static let others = 3

  init(_ script: Script) async throws {
    self.script = script
    let rules: [Rules] = [.climb, .ride, .erg]
    server = try await SimulatedServer(
      clock, seed: script.seed &* 31, rules: rules[Int(script.seed % 3)])
    ids = KnownIDs(users: (0..<(script.subjects + Self.others)).map { "u\($0)" })
  }

  /// Creates all profiles and phones.
  private func begin() async throws {
    for (number, user) in ids.users.enumerated() {
      let fields: [JSONValue.Member] = [
        .init("user", .string(user)), .init("handle", .string("name_\(user)")),
        .init("displayName", .string("Person \(user)")),
        .init("isPublic", .bool((Int(script.seed >> 8) + number) % 3 != 0)),
      ]
      _ = try await server.perform(
        SimulatedCommand(name: "CreateProfile", input: .object(fields)), as: user)
    }
    for number in 0..<script.subjects {
      let phone = try await SimulatedPhone(
        number, clock, seed: script.seed &* 1_000 &+ UInt64(number),
        knowsWave: number == 0)
      phones.append(phone)
      try await syncAlone(phone)
    }
  }

  /// Runs all steps, lets everything come to rest, and checks the promises.
  func run() async throws {
    try await begin()
    for step in script.steps {
      clock.advance(by: Int64(step.numbers[3] % 1_200_000))
      try await perform(step, phones[step.subject % phones.count])
    }
    try await rest()
    try await checkAll()
    finish()
  }

  private func perform(_ step: Step, _ phone: SimulatedPhone) async throws {
    let number = step.numbers[0]
    switch step.kind {
    case .tap: try tap(phone, step.numbers)
    case .act: try await act(step.numbers)
    case .sync: if phone.awaited == nil { try beginSync(phone) }
    case .deliver: try await deliver(number, keeps: false)
    case .double: try await deliver(number, keeps: true)
    case .drop:
      if network.isEmpty { return }
      network.remove(at: Int(number % UInt64(network.count)))
      figures.lost += 1
    case .timeout: phone.awaited = nil
    case .killPhone: phone.power.arm(Int(number % 12) + 1)
    case .killServer: server.power.arm(Int(number % 12) + 1)
    case .clock: phone.jump(by: Int64(number % 800_000_000) - 400_000_000)
    case .dismiss: try phone.dismiss(number)
    case .widget: try phone.checkWidget()
    case .search:
      let user = ids.users[Int(number % UInt64(ids.users.count))]
      let input = JSONValue.object([.init("query", .string("name_\(user)"))])
      if let answer = server.answer("SearchProfiles", input, phone.user) {
        try phone.remember(
          RememberedAnswer(
            name: "SearchProfiles", input: input, answer: answer, time: clock.now))
      }
    case .erase:
      hasErased = true
      try await server.erase(ids.users[Int(number % UInt64(ids.users.count))])
    }
  }

  private var maker: CommandMaker {
    serial += 1
    return CommandMaker(ids: ids, serial: serial, now: clock.now)
  }

  private func tap(_ phone: SimulatedPhone, _ numbers: [UInt64]) throws {
    if numbers[0] % 101 == 0 {
      _ = try phone.tap(Wave.about.name, .object([]))
      return
    }
    let command = maker.command(numbers, isTap: true)
    // The command may be on the disk although the power failed.
    if let secret = command.secret { phone.secrets.insert(secret) }
    guard let answer = try phone.tap(command.name, command.input) else { return }
    ids.add(command.name, answer)
    figures.commands += 1
  }

  private func act(_ numbers: [UInt64]) async throws {
    let user = ids.users[Int(numbers[3] % UInt64(ids.users.count))]
    let command = maker.command(numbers, isTap: false)
    if let secret = command.secret {
      for phone in phones where phone.user == user { phone.secrets.insert(secret) }
    }
    if let answer = try await server.perform(command, as: user) { ids.add(command.name, answer) }
  }

  // MARK: Network

  private func beginSync(_ phone: SimulatedPhone) throws {
    do {
      send(try phone.beginSync(), of: phone)
    } catch is Interrupted {
      phone.awaited = nil
    }
  }

  private func send(_ step: OfflineState.Step?, of phone: SimulatedPhone) {
    phone.awaited = nil
    guard let step else { return }
    nextMessage += 1
    phone.awaited = nextMessage
    network.append(
      Envelope(id: nextMessage, phone: phone.number, isRequest: true, message: .request(step)))
  }

  private func deliver(_ number: UInt64, keeps: Bool) async throws {
    if network.isEmpty { return }
    let index = Int(number % UInt64(network.count))
    let envelope = network[index]
    if !keeps { network.remove(at: index) }
    try await arrive(envelope)
  }

  private func arrive(_ envelope: Envelope) async throws {
    let phone = phones[envelope.phone]
    if case .request(let step) = envelope.message {
      guard
        let answer = try await server.answer(
          step, from: phone.user, isOld: phone.number % 2 == 1)
      else { return }
      var reply = envelope
      (reply.isRequest, reply.message) = (false, answer)
      network.append(reply)
      return
    }
    let isAwaited = phone.awaited == envelope.id
    let next = try phone.receive(envelope.message, isAwaited: isAwaited)
    if isAwaited { send(next, of: phone) }
  }

  // MARK: Rest

  /// Ends all faults, and syncs all phones twice: the second time they see each other's commands.
  private func rest() async throws {
    network = []
    server.isBusy = false
    server.power.disarm()
    for phone in phones {
      phone.power.disarm()
      try phone.reopen()
    }
    for _ in 0..<2 { for phone in phones { try await syncAlone(phone) } }
  }

  /// Syncs a phone without faults, in a bounded number of requests.
  private func syncAlone(_ phone: SimulatedPhone) async throws {
    var left = phone.state.pending.count / OfflineState.batch + 6
    try beginSync(phone)
    while let request = network.popLast() {
      left -= 1
      try check(left > 0, "not drained", "\(phone.user) sends requests without end")
      try await arrive(request)
      if let answer = network.popLast() { try await arrive(answer) }
    }
    try check(
      phone.state.pending.isEmpty, "not drained",
      "\(phone.user) has \(phone.state.pending.count) pending commands after a sync")
  }

  private func checkAll() async throws {
    let events = try await events()
    for phone in phones {
      try await checkPersonalLog(of: phone)
      try checkAnswers(of: phone, ids)
      try checkCommands(of: phone, events)
    }
    try checkLog()
  }

  private func finish() {
    for phone in phones {
      figures.kills += phone.power.kills
      for outcome in phone.outcomes.values { figures.outcomes[outcome.kind, default: 0] += 1 }
    }
    figures.kills += server.power.kills
    let passed = clock.now.milliseconds - SimulatedClock.start.milliseconds
    figures.days = Double(passed) / 86_400_000 * Double(phones.count)
    figures.hash = XXH64.hash(logBytes, seed: 0)
  }

  /// The bytes of the log's segments.
  var logBytes: [UInt8] {
    let disk = server.power.disk
    return disk.paths.filter { $0.hasPrefix("/log/0") && $0.hasSuffix(".jsonl") }
      .flatMap { disk[$0] ?? [] }
  }
}
