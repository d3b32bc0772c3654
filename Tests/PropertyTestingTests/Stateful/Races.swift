import PropertyTesting

extension PlantedBug {
  static let races = [
    PlantedBug(
      "an update is lost at an `await`",
      ["task 1: add → 1", "task 2: add → 1"],
      racing: Counter.init(isBuggy:)),
    PlantedBug(
      "two tasks acquire two locks in different orders",
      ["task 1: move(from: 0, to: 1) → no answer", "task 2: move(from: 1, to: 0) → no answer"],
      racing: Drawers.init(isBuggy:)),
    PlantedBug(
      "a lock loses a wake-up",
      ["task 1: use → done", "task 2: use → no answer"],
      racing: Room.init(isBuggy:)),
    PlantedBug(
      "a seat is sold twice",
      ["task 1: buy(0) → true", "task 2: buy(0) → true"],
      racing: Hall.init(isBuggy:)),
    PlantedBug(
      "a value that is created once is created twice",
      ["task 1: load(0) → 1", "task 2: load(0) → 2"],
      racing: Loader.init(isBuggy:)),
    PlantedBug(
      "a reader sees half of a write",
      ["task 1: set(1) → done", "task 2: read → [1, 0]"],
      racing: Pair.init(isBuggy:)),
    PlantedBug(
      "two doctors leave because each sees the other (write skew)",
      [#"task 1: leave("ann") → true"#, #"task 2: leave("ben") → true"#],
      racing: Ward.init(isBuggy:)),
    PlantedBug(
      "a pop compares a head that was removed and added again (ABA)",
      [
        "task 1: pop → 0", "task 1: pop → 0", "task 1: push(0) → done", "task 2: push(0) → done",
        "task 2: push(0) → done", "task 2: pop → 0", "after: pop → 0",
      ],
      racing: LockFreeStack.init(isBuggy:)),
  ]
}

/// A counter that reads, waits and writes.
struct Counter: RacingMachine {
  enum Command { case add, read }
  actor System {
    var count = 0
    func add(_ isBuggy: Bool) async -> Int {
      let old = count
      await Task.yield()
      count = (isBuggy ? old : count) + 1
      return count
    }
  }

  let isBuggy: Bool
  let model = 0
  let rules: [Rule<Counter>] = [Rule("add") { _, _ in .add }, Rule("read") { _, _ in .read }]
  func system(on interleaver: Interleaver?) -> System { System() }

  func perform(_ command: Command, on counter: System) async -> String {
    switch command {
    case .add: "\(await counter.add(isBuggy))"
    case .read: "\(await counter.count)"
    }
  }

  func respond(to command: Command, _ count: inout Int, seeing response: String) -> String {
    if case .add = command { count += 1 }
    return "\(count)"
  }
}

/// A lock that tasks wait for in order.
actor WaitingLock {
  private var isHeld = false
  private var waiting: [UnsafeContinuation<Void, Never>] = []

  /// - Parameter isLate: whether the task waits a moment after it has read the lock and before it
  ///   enters the queue.
  func lock(isLate: Bool = false) async {
    if isHeld {
      if isLate { await Task.yield() }
      await withUnsafeContinuation { waiting.append($0) }
    }
    isHeld = true
  }

  func unlock() {
    if waiting.isEmpty { isHeld = false } else { waiting.removeFirst().resume() }
  }
}

/// Three drawers, each with a lock. A move locks two of them.
struct Drawers: RacingMachine {
  enum Command { case move(from: Int, to: Int) }

  let isBuggy: Bool
  let model = 0
  let rules: [Rule<Drawers>] = [
    Rule("move") { t, _ in
      let from = t.draw(.int(0...2))
      return .move(from: from, to: (from + t.draw(.int(1...2))) % 3)
    }
  ]
  func system(on interleaver: Interleaver?) -> [WaitingLock] { (0...2).map { _ in WaitingLock() } }

  func perform(_ command: Command, on locks: [WaitingLock]) async -> String {
    guard case .move(var first, var second) = command else { return "" }
    if !isBuggy, first > second { swap(&first, &second) }
    await locks[first].lock()
    await locks[second].lock()
    await locks[second].unlock()
    await locks[first].unlock()
    return "done"
  }

  func respond(to command: Command, _ model: inout Int, seeing response: String) -> String {
    "done"
  }
}

/// A room that one task may use at a time.
struct Room: RacingMachine {
  enum Command { case use }

  let isBuggy: Bool
  let model = 0
  let rules: [Rule<Room>] = [Rule("use") { _, _ in .use }]
  func system(on interleaver: Interleaver?) -> WaitingLock { WaitingLock() }

  func perform(_ command: Command, on lock: WaitingLock) async -> String {
    await lock.lock(isLate: isBuggy)
    await Task.yield()
    await lock.unlock()
    return "done"
  }

  func respond(to command: Command, _ model: inout Int, seeing response: String) -> String {
    "done"
  }
}

/// A hall that sells a seat after the payment.
struct Hall: RacingMachine {
  enum Command { case buy(Int) }
  actor System {
    var sold: Set<Int> = []
    func buy(_ seat: Int, _ isBuggy: Bool) async -> Bool {
      if sold.contains(seat) { return false }
      await Task.yield()
      return sold.insert(seat).inserted || isBuggy
    }
  }

  let isBuggy: Bool
  let model: Set<Int> = []
  let rules: [Rule<Hall>] = [Rule("buy") { t, _ in .buy(t.draw(.int(0...4))) }]
  func system(on interleaver: Interleaver?) -> System { System() }

  func perform(_ command: Command, on hall: System) async -> String {
    guard case .buy(let seat) = command else { return "" }
    return "\(await hall.buy(seat, isBuggy))"
  }

  func respond(to command: Command, _ sold: inout Set<Int>, seeing response: String) -> String {
    guard case .buy(let seat) = command else { return "" }
    return "\(sold.insert(seat).inserted)"
  }
}

/// A loader that creates the value of a key at the key's first use.
struct Loader: RacingMachine {
  enum Command { case load(Int) }
  actor System {
    var values: [Int: Int] = [:]
    var created = 0
    func load(_ key: Int, _ isBuggy: Bool) async -> Int {
      if let value = values[key] { return value }
      await Task.yield()
      if !isBuggy, let value = values[key] { return value }
      created += 1
      values[key] = created
      return created
    }
  }

  let isBuggy: Bool
  let model: [Int: String] = [:]
  let rules: [Rule<Loader>] = [Rule("load") { t, _ in .load(t.draw(.int(0...4))) }]
  func system(on interleaver: Interleaver?) -> System { System() }

  func perform(_ command: Command, on loader: System) async -> String {
    guard case .load(let key) = command else { return "" }
    return "\(await loader.load(key, isBuggy))"
  }

  func respond(to command: Command, _ values: inout [Int: String], seeing response: String)
    -> String
  {
    guard case .load(let key) = command else { return "" }
    if values[key] == nil { values[key] = response }
    return values[key]!
  }
}

/// Two numbers that must be equal.
struct Pair: RacingMachine {
  enum Command {
    case set(Int)
    case read
  }
  actor System {
    var numbers = [0, 0]
    func set(_ number: Int, _ isBuggy: Bool) async {
      numbers[0] = number
      if isBuggy { await Task.yield() }
      numbers[1] = number
    }
  }

  let isBuggy: Bool
  let model = 0
  let rules: [Rule<Pair>] = [
    Rule("set") { t, _ in .set(t.draw(.int(0...9))) }, Rule("read") { _, _ in .read },
  ]
  func system(on interleaver: Interleaver?) -> System { System() }

  func perform(_ command: Command, on pair: System) async -> String {
    switch command {
    case .set(let number):
      await pair.set(number, isBuggy)
      return "done"
    case .read: return "\(await pair.numbers)"
    }
  }

  func respond(to command: Command, _ number: inout Int, seeing response: String) -> String {
    guard case .set(let new) = command else { return "\([number, number])" }
    number = new
    return "done"
  }
}

/// Two doctors, of whom at least one must stay.
struct Ward: RacingMachine {
  enum Command {
    case leave(String)
    case come(String)
  }
  actor System {
    var present: Set<String> = ["ann", "ben"]
    func leave(_ doctor: String, _ isBuggy: Bool) async -> Bool {
      if present.count < 2 { return false }
      await Task.yield()
      if !isBuggy, present.count < 2 { return false }
      return present.remove(doctor) != nil
    }
    func come(_ doctor: String) { present.insert(doctor) }
  }

  let isBuggy: Bool
  let model: Set<String> = ["ann", "ben"]
  static let doctor = Generator<String>.element(of: ["ann", "ben"])
  let rules: [Rule<Ward>] = [
    Rule("leave") { t, _ in .leave(t.draw(doctor)) },
    Rule("come") { t, _ in .come(t.draw(doctor)) },
  ]
  func system(on interleaver: Interleaver?) -> System { System() }

  func perform(_ command: Command, on ward: System) async -> String {
    switch command {
    case .leave(let doctor): return "\(await ward.leave(doctor, isBuggy))"
    case .come(let doctor):
      await ward.come(doctor)
      return "done"
    }
  }

  func respond(to command: Command, _ present: inout Set<String>, seeing response: String)
    -> String
  {
    switch command {
    case .leave(let doctor):
      return "\(present.count == 2 && present.remove(doctor) != nil)"
    case .come(let doctor):
      present.insert(doctor)
      return "done"
    }
  }
}

/// A stack whose nodes are used again. A pop reads the head, and replaces it if it is still the
/// head. A version of the head tells whether it changed meanwhile.
struct LockFreeStack: RacingMachine {
  enum Command {
    case push(Int)
    case pop
  }
  actor System {
    var (items, next, free) = ([Int](), [Int?](), [Int]())
    var head: Int?
    var version = 0

    func push(_ item: Int) {
      let node = free.isEmpty ? items.count : free.removeFirst()
      if node == items.count { (items, next) = (items + [0], next + [nil]) }
      (items[node], next[node], head, version) = (item, head, node, version + 1)
    }

    func pop(_ isBuggy: Bool) async -> Int? {
      while let node = head {
        let (new, old) = (next[node], version)
        await Task.yield()
        guard node == head, isBuggy || version == old else { continue }
        (head, version) = (new, version + 1)
        free.append(node)
        return items[node]
      }
      return nil
    }
  }

  let isBuggy: Bool
  let model: [Int] = []
  let rules: [Rule<LockFreeStack>] = [
    Rule("pop") { _, _ in .pop }, Rule("push") { t, _ in .push(t.draw(.int(0...3))) },
  ]
  func system(on interleaver: Interleaver?) -> System { System() }
  func questions(_ model: [Int]) -> [Command] { [.pop] }

  func perform(_ command: Command, on stack: System) async -> String {
    switch command {
    case .push(let item):
      await stack.push(item)
      return "done"
    case .pop: return text(await stack.pop(isBuggy))
    }
  }

  func respond(to command: Command, _ items: inout [Int], seeing response: String) -> String {
    guard case .push(let item) = command else { return text(items.popLast()) }
    items.append(item)
    return "done"
  }
}
