#if Server
  import Events
  import Server
  import UseCases

  /// A command of a client, and the answers that servers gave.
  @MainActor final class SimulatedCommand {
    /// An answer other than 503.
    struct Answer: Equatable {
      var status: Int
      /// The result, or the error's code.
      var text: String
      var seqs: [UInt64]
    }

    let user: String
    let name: String
    let input: JSONValue
    /// The text that only this command's event has; nil if it has none.
    let text: String?
    /// The key; nil for a command that is sent once.
    let key: String?
    /// Whether it is sent as a line of `/v1/run`, which servers must not repeat.
    let isRun: Bool
    var answers: [Answer] = []
    /// Whether the client no longer waits for an answer.
    var isOver = false
    let begun = Scheduler.shared.now

    init(
      _ user: String, _ name: String, _ fields: KeyValuePairs<String, JSONValue>,
      text: String? = nil,
      key: String?, isRun: Bool = false
    ) {
      (self.user, self.name, self.text, self.key) = (user, name, text, key)
      (input, self.isRun) = (.object(fields.map { .init($0.key, $0.value) }), isRun)
    }

    /// The request's head and body.
    var request: (RequestHead, [UInt8]) {
      var head = RequestHead("POST", isRun ? "/v1/run" : "/v1/do/\(name)")
      head[.user] = user
      if !isRun { head[.idempotencyKey] = key }
      let line = JSONValue.object([.init("do", .string(name)), .init("with", input)])
      return (head, Array((isRun ? line : input).text.utf8))
    }

    var description: String {
      let form = isRun ? "in a run" : key.map { "with \($0)" } ?? "without a key"
      return "\(name) \(input.text) of \(user), \(form),"
    }
  }

  /// A client that sends one command after the other, each to any server. It repeats a command with
  /// a key until a server answers it.
  @MainActor final class SimulatedClient {
    let user: String
    private unowned let simulation: Simulation
    private(set) var commands: [SimulatedCommand] = []
    private var next = 0
    private var attempts = 0
    private var position: UInt64 = 0
    /// The bio that the last acknowledged command set; nil if it is not known.
    private var bio: String?
    private(set) var unavailable = 0
    private(set) var longestWait = Duration.zero

    init(_ user: String, _ simulation: Simulation) {
      (self.user, self.simulation) = (user, simulation)
    }

    private var scheduler: Scheduler { .shared }
    var isIdle: Bool { next == commands.count }

    func add(_ command: SimulatedCommand) {
      commands.append(command)
      if next == commands.count - 1 { attempt() }
    }

    private func attempt() {
      let command = commands[next]
      attempts += 1
      let number = attempts
      let server = simulation.randomServer()
      // Ends the attempt once, with a pause before the next one.
      let fail: (Duration) -> Void = { [self] pause in
        guard number == attempts, !command.isOver else { return }
        attempts += 1
        if command.key == nil {
          if command.name == "UpdateProfile" { bio = nil }
          return finish(command)
        }
        scheduler.after(pause) { [self] in attempt() }
      }
      let delay = simulation.network.delay()
      scheduler.after(delay) { [self] in
        guard server.isUp, let process = server.process else {
          // Nothing was sent, so any command may be sent again.
          guard number == attempts, !command.isOver else { return }
          return scheduler.after(.milliseconds(50)) { [self] in
            if number == attempts, !command.isOver { attempt() }
          }
        }
        let (head, body) = command.request
        server.request(head, body) { [self] response, bytes, position in
          simulation.note(command, response, bytes, position, at: server)
          scheduler.after(simulation.network.delay()) { [self] in
            if response.status == 503 {
              unavailable += 1
              return fail(.milliseconds(100 + simulation.network.number(below: 400)))
            }
            if command.isOver || commands[next] !== command { return }
            learn(command, response, position)
            finish(command)
          }
        }
        watch(process, fail, number)
      }
      scheduler.after(.seconds(9)) { fail(.zero) }
    }

    /// Notices now and then whether the server has ended without an answer.
    private func watch(
      _ process: SimulatedProcess, _ fail: @escaping (Duration) -> Void, _ number: Int
    ) {
      if number != attempts { return }
      if process.isDead { return fail(.milliseconds(50)) }
      scheduler.after(.milliseconds(500)) { [self] in watch(process, fail, number) }
    }

    private func finish(_ command: SimulatedCommand) {
      command.isOver = true
      longestWait = max(longestWait, scheduler.now - command.begun)
      next += 1
      attempts += 1
      if next < commands.count { attempt() }
    }

    private func learn(_ command: SimulatedCommand, _ response: Response, _ position: UInt64) {
      self.position = max(self.position, position)
      if response.status == 200, command.name == "UpdateProfile", let text = command.text {
        bio = text
      }
    }

    /// Reads the own profile at a server that may be behind.
    func read(at server: SimulatedServer) {
      var head = RequestHead("GET", "/v1/do/GetProfile?user=\(user)")
      (head[.user], head[.minPosition]) = (user, "\(position)")
      let (least, bio, isQuiet) = (position, bio, isIdle)
      server.request(head, []) { [self] response, bytes, position in
        guard response.status == 200 else { return }
        simulation.require(
          position >= least, "stale read", "\(user) asked for \(least) and got \(position)")
        guard isQuiet, isIdle, self.bio == bio, let bio else { return }
        let result = (try? JSONValue(String(decoding: bytes, as: UTF8.self)))?["result"]
        simulation.require(
          result?["bio"] == .string(bio), "stale read",
          "\(user) has \(bio), not \(result?.text ?? "")")
      }
    }
  }
#endif
