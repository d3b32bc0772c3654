import Events

/// A step of a simulation. Its numbers choose among the things that exist when the step runs, so a
/// script stays meaningful when steps are left out.
struct Step: Equatable {
  enum Kind: String, CaseIterable {
    /// A person uses the app: a random command on the phone.
    case tap
    /// Somebody acts on another device: a random command at the server.
    case act
    /// A phone begins a sync.
    case sync
    /// The network delivers a random message.
    case deliver
    /// The network loses a random message.
    case drop
    /// The network delivers a random message, and keeps it to deliver it again.
    case double
    /// A phone no longer waits for an answer.
    case timeout
    /// A phone loses power during one of its next calls of the disk.
    case killPhone
    /// The server loses power during one of its next calls of the disk.
    case killServer
    /// The clock of a phone jumps.
    case clock
    /// The person dismisses an outcome.
    case dismiss
    /// Another process of the app answers queries.
    case widget
    /// A person searches; the phone remembers the answer.
    case search
    /// A person's data are erased from the log.
    case erase
  }

  var kind: Kind
  var phone: Int
  var numbers: [UInt64]

  var json: JSONValue {
    .object([
      .init("step", .string(kind.rawValue)), .init("phone", .int(phone)),
      .init("numbers", .array(numbers.map { .int($0) })),
    ])
  }

  init(_ kind: Kind, _ phone: Int, _ numbers: [UInt64]) {
    (self.kind, self.phone, self.numbers) = (kind, phone, numbers)
  }

  init?(_ json: JSONValue) {
    guard case .string(let word)? = json["step"], let kind = Kind(rawValue: word),
      let phone = json["phone"]?.uint64, case .array(let numbers)? = json["numbers"]
    else { return nil }
    self.init(kind, Int(phone), numbers.compactMap(\.uint64))
    if self.numbers.count < 4 { return nil }
  }
}

/// A whole simulation: what happens, in order.
struct Script {
  var seed: UInt64
  var phones: Int
  var steps: [Step]

  /// Draws a script from a seed.
  init(seed: UInt64, phones: Int, steps count: Int) {
    (self.seed, self.phones) = (seed, phones)
    var random = SplitMix64(seed: seed ^ 0x9e37_79b9)
    // Each seed has its own faults, so that some simulations have few of them.
    let weights: [(Step.Kind, UInt64)] = [
      (.tap, 30), (.act, 12), (.sync, 12), (.deliver, 45), (.drop, random.next() % 5),
      (.double, random.next() % 5), (.timeout, random.next() % 4),
      (.killPhone, random.next() % 4), (.killServer, random.next() % 3), (.clock, 1),
      (.dismiss, 4), (.widget, 2), (.search, 1), (.erase, random.next() % 8 == 0 ? 1 : 0),
    ]
    let sum = weights.reduce(0) { $0 + $1.1 }
    steps = (0..<count).map { _ in
      var left = random.next() % sum
      let kind = weights.first { weight in
        if left < weight.1 { return true }
        left -= weight.1
        return false
      }
      let phone = Int(random.next() % UInt64(phones))
      return Step(kind?.0 ?? .tap, phone, (0..<4).map { _ in random.next() >> 16 })
    }
  }

  /// Reads a script: a line with the seed and the number of phones, and then a line for each step.
  init?(text: String) {
    let lines = text.split(separator: "\n").map { try? JSONValue(String($0)) }
    guard let head = lines.first ?? nil, let seed = head["seed"]?.uint64,
      let phones = head["phones"]?.uint64
    else { return nil }
    (self.seed, self.phones) = (seed, Int(phones))
    steps = lines.dropFirst().compactMap { $0.flatMap(Step.init) }
    if steps.count + 1 != lines.count { return nil }
  }

  var text: String {
    let head = JSONValue.object([.init("seed", .int(seed)), .init("phones", .int(phones))])
    return ([head.text] + steps.map(\.json.text)).joined(separator: "\n") + "\n"
  }
}
