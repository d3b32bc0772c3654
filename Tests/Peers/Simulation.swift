#if Server
  import Aggregates
  import EventLog
  import Events
  import FaultTesting
  import Server
  import UseCases

  /// The numbers of a simulation.
  struct Figures {
    var commands = 0
    var accepted = 0
    var refused = 0
    /// Commands without a key whose outcome the client does not know.
    var unknown = 0
    /// Answers 503.
    var unavailable = 0
    var kills = 0
    var pauses = 0
    var takeovers = 0
    var lost = 0
    var seconds = 0.0
    /// The longest time that a command with a key waited for its outcome, in seconds.
    var longest = 0.0
    /// A hash of the final log.
    var hash: UInt64 = 0

    static func + (a: Figures, b: Figures) -> Figures {
      var sum = a
      (sum.commands, sum.accepted) = (a.commands + b.commands, a.accepted + b.accepted)
      (sum.refused, sum.unknown) = (a.refused + b.refused, a.unknown + b.unknown)
      (sum.unavailable, sum.kills) = (a.unavailable + b.unavailable, a.kills + b.kills)
      (sum.pauses, sum.takeovers) = (a.pauses + b.pauses, a.takeovers + b.takeovers)
      (sum.lost, sum.seconds) = (a.lost + b.lost, a.seconds + b.seconds)
      sum.longest = max(a.longest, b.longest)
      sum.hash = a.hash &* 31 &+ b.hash
      return sum
    }
  }

  /// Servers on clones of one shared log, clients, and a network, in simulated time.
  @MainActor final class Simulation {
    let script: Script
    let network: SimulatedNetwork
    private(set) var servers: [SimulatedServer] = []
    private(set) var clients: [SimulatedClient] = []
    private(set) var figures = Figures()
    private var violation: Violation?
    private var serial = 0
    private static let clientCount = 4

    init(_ script: Script) {
      self.script = script
      Scheduler.shared.begin(seed: script.seed)
      network = SimulatedNetwork(seed: script.seed &* 31)
      servers = (0..<script.subjects).map { SimulatedServer($0, network, seed: script.seed) }
      clients = (0..<Self.clientCount).map { SimulatedClient("u\($0)", self) }
    }

    private var scheduler: Scheduler { .shared }

    func randomServer() -> SimulatedServer {
      servers[Int(network.number(below: UInt64(servers.count)))]
    }

    /// Notes a broken promise unless a condition holds.
    func require(_ holds: Bool, _ invariant: String, _ detail: @autoclosure () -> String) {
      if !holds, violation == nil { violation = Violation(invariant, detail()) }
    }

    // MARK: Running

    /// Runs all steps, ends all faults, and checks the promises.
    func run() throws {
      defer { for server in servers { server.finish() } }
      for server in servers { server.start() }
      for client in clients {
        client.add(
          SimulatedCommand(
            client.user, "CreateProfile",
            ["user": .string(client.user), "handle": .string("name_\(client.user)")],
            key: "first-\(client.user)"))
      }
      try pass(.seconds(3))
      for step in script.steps {
        perform(step)
        try pass(step.pause)
      }
      try rest()
      try checkAll()
      finish()
    }

    private func pass(_ duration: Duration) throws {
      scheduler.run(until: scheduler.now + duration)
      if let violation = violation ?? network.database.violation
        ?? servers.lazy.compactMap(\.violation).first
      {
        throw violation
      }
    }

    private func perform(_ step: Step) {
      let (number, server) = (step.numbers[0], servers[step.subject % servers.count])
      // A fault lasts for up to 4 s, some for up to 12.
      let length = Duration.milliseconds(step.numbers[1] % (number % 5 == 0 ? 12_000 : 4_000))
      switch step.kind {
      case .command:
        let client = clients[Int(number % UInt64(clients.count))]
        client.add(command(of: client.user, step.numbers))
      case .read: clients[Int(number % UInt64(clients.count))].read(at: server)
      case .pause:
        guard let process = server.process, !process.isPaused else { return }
        figures.pauses += 1
        process.pause()
        scheduler.after(length) { process.resume() }
      case .kill: server.kill(nil, restartingIn: length)
      case .power:
        let losses = SimulatedDisk.Loss.allCases
        server.kill(losses[Int(number % UInt64(losses.count))], restartingIn: length)
      case .leave: server.leave(changes: false, restartingIn: length)
      case .change: server.leave(changes: true, restartingIn: length)
      case .cutDatabase: network.cutDatabase(server.number, for: length)
      case .cutPeers:
        let other = servers[Int(number / 7 % UInt64(servers.count))]
        network.cutPeers([server.number, other.number], for: length)
      case .loss: network.losesUntil = scheduler.now + length
      case .stall: network.database.stalledUntil = scheduler.now + length
      }
    }

    private func command(of user: String, _ numbers: [UInt64]) -> SimulatedCommand {
      serial += 1
      let (a, b) = (numbers[1], numbers[2])
      let key = b % 8 == 0 ? nil : "key-\(serial)"
      let text = "zq\(serial)qz"
      let other = JSONValue.string("u\(a / 16 % 5)")
      switch a % 16 {
      case 0...3:
        return SimulatedCommand(user, "UpdateProfile", ["bio": .string(text)], text: text, key: key)
      case 4...6:
        let date = JSONValue.string("2026-01-01T10:00:00.000Z")
        return SimulatedCommand(
          user, "ShareWorkout", ["date": date, "text": .string(text)], text: text,
          key: b % 3 == 0 ? nil : key, isRun: b % 3 == 0)
      case 7...9: return SimulatedCommand(user, "ToggleFollow", ["followee": other], key: key)
      case 10, 11: return SimulatedCommand(user, "FollowUser", ["followee": other], key: key)
      case 12: return SimulatedCommand(user, "UnfollowUser", ["followee": other], key: key)
      case 13:
        // Whether the handle is free depends on other clients.
        return SimulatedCommand(
          user, "UpdateProfile", ["handle": .string("handle\(b / 8 % 5)")], key: "key-\(serial)")
      default:
        let name = "x\(serial)"
        return SimulatedCommand(
          name, "CreateProfile", ["user": .string(name), "handle": .string("handle\(b / 8 % 5)")],
          key: "key-\(serial)")
      }
    }

    // MARK: Answers

    /// Notes a server's answer, and checks that the server shows what it acknowledges.
    /// - Parameter position: the last event that the server's queries see.
    func note(
      _ command: SimulatedCommand, _ response: Response, _ bytes: [UInt8], _ position: UInt64,
      at server: SimulatedServer
    ) {
      let text = String(decoding: bytes, as: UTF8.self)
      require(
        response.status < 500 || response.status == 503, "server error",
        "\(response.status) \(text) for \(command.description)")
      if response.status == 503 { return }
      guard let json = try? JSONValue(text) else {
        return require(false, "server error", "\(response.status) \(text)")
      }
      let result = json["error"] ?? json["result"]
      var seqs: [UInt64] = []
      if case .array(let numbers)? = json["seq"] { seqs = numbers.compactMap(\.uint64) }
      // A run whose line failed answers 200 too. The line may have been performed.
      if command.isRun, json["error"] != nil { return }
      require(
        position >= seqs.last ?? 0, "own write not read",
        "server \(server.number) shows \(position) and acknowledged \(seqs) of "
          + "\(command.description); \(response.headers.map { "\($0.name): \($0.value)" })")
      require(
        network.database.head.seq >= seqs.last ?? 0, "acknowledged and lost",
        "server \(server.number) acknowledged \(seqs) of \(network.database.head.seq)")
      let answer = SimulatedCommand.Answer(
        status: response.status, text: result?.text ?? "", seqs: seqs)
      if let first = command.answers.first {
        require(
          first == answer, "two outcomes", "\(command.description): \(first) and \(answer)")
      } else {
        command.answers.append(answer)
      }
    }

    // MARK: Rest

    /// Ends all faults, and waits until each command has an outcome and each clone all events.
    private func rest() throws {
      network.heal()
      for server in servers { server.process?.resume() }
      let end = scheduler.now + .seconds(90)
      while scheduler.now < end, !isAtRest { try pass(.milliseconds(500)) }
      for client in clients {
        try check(client.isIdle, "no outcome", "\(client.user) waits for an answer")
      }
      for server in servers {
        try check(server.isUp, "not up", "server \(server.number) does not start")
      }
      // Messages that arrive late must not change anything.
      try pass(.seconds(8))
    }

    private var isAtRest: Bool {
      clients.allSatisfy(\.isIdle) && servers.allSatisfy(\.isUp)
    }

    private func finish() {
      for client in clients {
        figures.commands += client.commands.count
        figures.unavailable += client.unavailable
        figures.longest = max(figures.longest, client.longestWait / .seconds(1))
        for command in client.commands {
          switch command.answers.first {
          case nil: figures.unknown += 1
          case let answer? where command.isAccepted(answer): figures.accepted += 1
          default: figures.refused += 1
          }
        }
      }
      figures.kills = servers.reduce(0) { $0 + $1.kills }
      (figures.takeovers, figures.lost) = (network.database.takeovers, network.losses)
      figures.seconds = scheduler.now / .seconds(1)
      figures.hash = XXH64.hash(network.database.lines(after: 0, limit: .max), seed: 0)
    }
  }

  extension SimulatedCommand {
    func isAccepted(_ answer: Answer) -> Bool {
      answer.status == 200 && !(isRun && answer.seqs.isEmpty)
    }
  }

  extension JSONValue {
    /// The text of a string; empty for another value.
    var plain: String { if case .string(let text) = self { text } else { "" } }
  }

  /// Runs a script. Returns its figures, and the promise that was not kept.
  @MainActor func outcome(of script: Script) -> (figures: Figures, violation: Violation?) {
    let simulation = Simulation(script)
    do {
      try simulation.run()
      return (simulation.figures, nil)
    } catch let violation as Violation {
      return (simulation.figures, violation)
    } catch {
      return (simulation.figures, Violation("a check failed", "\(error)"))
    }
  }
#endif
