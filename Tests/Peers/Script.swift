import Events

/// A step of a simulation. Its numbers choose among the things that exist when the step runs, so a
/// script stays meaningful when steps are left out.
struct Step: Equatable {
  enum Kind: String, CaseIterable {
    /// A client gets one more command to send.
    case command
    /// A client reads its own writes at any server.
    case read
    /// A server stops for a while, and goes on with what it believed.
    case pause
    /// A server's process is killed, and started again later.
    case kill
    /// A server's machine loses power, and the server is started again later.
    case power
    /// A server is ended as by SIGTERM, and started again later.
    case leave
    /// As `leave`, but a version that knows no lease is started later, or the other way around.
    case change
    /// A server cannot reach the database for a while.
    case cutDatabase
    /// A server cannot reach another server for a while, or be reached.
    case cutPeers
    /// For a while connections are lost, before or after the request had its effect.
    case loss
    /// The database answers nothing for a while.
    case stall
  }

  var kind: Kind
  var server: Int
  var numbers: [UInt64]

  var json: JSONValue {
    .object([
      .init("step", .string(kind.rawValue)), .init("server", .int(server)),
      .init("numbers", .array(numbers.map { .int($0) })),
    ])
  }

  init(_ kind: Kind, _ server: Int, _ numbers: [UInt64]) {
    (self.kind, self.server, self.numbers) = (kind, server, numbers)
  }

  init?(_ json: JSONValue) {
    guard case .string(let word)? = json["step"], let kind = Kind(rawValue: word),
      let server = json["server"]?.uint64, case .array(let numbers)? = json["numbers"]
    else { return nil }
    self.init(kind, Int(server), numbers.compactMap(\.uint64))
    if self.numbers.count < 4 { return nil }
  }

  /// The time until the next step.
  var pause: Duration {
    let number = Int(numbers[3] % 1_000)
    return .milliseconds(numbers[3] / 1_000 % 16 == 0 ? number * 3 : number / 10)
  }
}

/// A whole simulation: the faults and commands, in order.
struct Script {
  var seed: UInt64
  var servers: Int
  var steps: [Step]

  /// Draws a script from a seed.
  init(seed: UInt64, servers: Int, steps count: Int) {
    (self.seed, self.servers) = (seed, servers)
    var random = SplitMix64(seed: seed ^ 0x9e37_79b9)
    // Each seed has its own faults, so that some simulations have few of them.
    let weights: [(Step.Kind, UInt64)] = [
      (.command, 60), (.read, 10), (.pause, random.next() % 5), (.kill, random.next() % 4),
      (.power, random.next() % 3), (.leave, random.next() % 3),
      (.change, random.next() % 3 == 0 ? 2 : 0), (.cutDatabase, random.next() % 4),
      (.cutPeers, random.next() % 4), (.loss, random.next() % 4), (.stall, random.next() % 2),
    ]
    let sum = weights.reduce(0) { $0 + $1.1 }
    steps = (0..<count).map { _ in
      var left = random.next() % sum
      let kind = weights.first { weight in
        if left < weight.1 { return true }
        left -= weight.1
        return false
      }
      let server = Int(random.next() % UInt64(servers))
      return Step(kind?.0 ?? .command, server, (0..<4).map { _ in random.next() >> 16 })
    }
  }

  /// Reads a script: a line with the seed and the number of servers, then a line for each step.
  init?(text: String) {
    let lines = text.split(separator: "\n").map { try? JSONValue(String($0)) }
    guard let head = lines.first ?? nil, let seed = head["seed"]?.uint64,
      let servers = head["servers"]?.uint64
    else { return nil }
    (self.seed, self.servers) = (seed, Int(servers))
    steps = lines.dropFirst().compactMap { $0.flatMap(Step.init) }
    if steps.count + 1 != lines.count { return nil }
  }

  var text: String {
    let head = JSONValue.object([.init("seed", .int(seed)), .init("servers", .int(servers))])
    return ([head.text] + steps.map(\.json.text)).joined(separator: "\n") + "\n"
  }
}
