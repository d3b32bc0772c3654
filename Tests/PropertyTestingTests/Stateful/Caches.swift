import PropertyTesting

extension PlantedBug {
  static let caches = [
    PlantedBug(
      "a write leaves a stale entry in the cache",
      ["read(0) → 0", "write(0, 1) → done", "read(0) → 0"],
      or: ["read(1) → 0", "write(1, 1) → done", "read(1) → 0"],
      running: ReadCache.init(isBuggy:)),
    PlantedBug(
      "an LRU cache has one entry too few",
      ["put(0) → done", "put(1) → done", "get(0) → nothing"],
      running: { LRUCache(bug: $0 ? .offByOne : nil) }),
    PlantedBug(
      "an LRU cache evicts an entry that was just read",
      [
        "put(0) → done", "put(1) → done", "get(0) → 0", "put(2) → done", "get(0) → nothing",
      ],
      or: ["put(1) → done", "put(0) → done", "get(1) → 1", "put(2) → done", "get(0) → 0"],
      running: { LRUCache(bug: $0 ? .readsDoNotCount : nil) }),
    PlantedBug(
      "a lease is still held at the moment at which it ends",
      [#"acquire("ann") → true"#, "wait(10) → done", #"acquire("ben") → false"#],
      running: Lease.init(isBuggy:)),
    PlantedBug(
      "a transfer to the same account creates money",
      [#"deposit(1, to: "ann") → 1"#, #"transfer(1, from: "ann", to: "ann") → 2"#],
      running: Bank.init(isBuggy:)),
    PlantedBug(
      "a redo repeats an edit from before the last edit",
      ["type(0) → [0]", "undo → []", "type(0) → [0]", "redo → [0, 0]"],
      running: Editor.init(isBuggy:)),
  ]
}

/// A cache in front of a store of numbers.
struct ReadCache: ValueMachine {
  enum Command {
    case read(Int)
    case write(Int, Int)
  }
  struct Subject {
    var store: [Int: Int] = [:]
    var cache: [Int: Int] = [:]
  }

  let isBuggy: Bool
  let model: [Int: Int] = [:]
  let rules: [Rule<ReadCache>] = [
    Rule("read") { t, _ in .read(t.draw(.int(0...9))) },
    Rule("write") { t, _ in .write(t.draw(.int(0...9)), t.draw(.int(0...9))) },
  ]
  var subject: Subject { Subject() }

  func perform(_ command: Command, on subject: inout Subject) -> String {
    switch command {
    case .read(let key):
      let number = subject.cache[key] ?? subject.store[key] ?? 0
      subject.cache[key] = number
      return "\(number)"
    case .write(let key, let number):
      subject.store[key] = number
      if !isBuggy { subject.cache[key] = nil }
      return "done"
    }
  }

  func respond(to command: Command, _ store: inout [Int: Int], seeing response: String) -> String {
    switch command {
    case .read(let key): return "\(store[key] ?? 0)"
    case .write(let key, let number):
      store[key] = number
      return "done"
    }
  }
}

/// A cache that keeps the two keys that were used last. The value of a key is the key.
struct LRUCache: ValueMachine {
  enum Command {
    case put(Int)
    case get(Int)
  }
  enum Bug { case offByOne, readsDoNotCount }
  struct Subject {
    var clock = 0
    /// For each key, the time of its last use.
    var uses: [Int: Int] = [:]
  }

  let bug: Bug?
  /// The keys, from the one that was used last.
  let model: [Int] = []
  let rules: [Rule<LRUCache>] = [
    Rule("put") { t, _ in .put(t.draw(.int(0...9))) },
    Rule("get") { t, _ in .get(t.draw(.int(0...9))) },
  ]
  var subject: Subject { Subject() }

  func perform(_ command: Command, on cache: inout Subject) -> String {
    cache.clock += 1
    switch command {
    case .put(let key):
      cache.uses[key] = cache.clock
      let oldest = cache.uses.min { $0.value < $1.value }
      if let oldest, cache.uses.count > (bug == .offByOne ? 1 : 2) { cache.uses[oldest.key] = nil }
      return "done"
    case .get(let key):
      if cache.uses[key] == nil { return "nothing" }
      if bug != .readsDoNotCount { cache.uses[key] = cache.clock }
      return "\(key)"
    }
  }

  func respond(to command: Command, _ keys: inout [Int], seeing response: String) -> String {
    switch command {
    case .put(let key):
      keys = Array(([key] + keys.filter { $0 != key }).prefix(2))
      return "done"
    case .get(let key):
      guard keys.contains(key) else { return "nothing" }
      keys = [key] + keys.filter { $0 != key }
      return "\(key)"
    }
  }
}

/// A lease that one user holds for ten seconds.
struct Lease: ValueMachine {
  enum Command {
    case acquire(String)
    case wait(Int)
  }
  struct Subject {
    var now = 0
    var holder: String?
    var end = 0
  }

  let isBuggy: Bool
  let model = Subject()
  let rules: [Rule<Lease>] = [
    Rule("acquire") { t, _ in .acquire(t.draw(.element(of: ["ann", "ben"]))) },
    Rule("wait") { t, _ in .wait(t.draw(.int(1...100))) },
  ]
  var subject: Subject { Subject() }

  func perform(_ command: Command, on lease: inout Subject) -> String {
    switch command {
    case .acquire(let user):
      let isHeld = isBuggy ? lease.now <= lease.end : lease.now < lease.end
      if isHeld, let holder = lease.holder, holder != user { return "false" }
      (lease.holder, lease.end) = (user, lease.now + 10)
      return "true"
    case .wait(let seconds):
      lease.now += seconds
      return "done"
    }
  }

  func respond(to command: Command, _ lease: inout Subject, seeing response: String) -> String {
    Lease(isBuggy: false).perform(command, on: &lease)
  }
}

/// Two accounts with money.
struct Bank: ValueMachine {
  enum Command {
    case deposit(Int, to: String)
    case transfer(Int, from: String, to: String)
  }
  typealias Subject = [String: Int]

  let isBuggy: Bool
  let model: [String: Int] = ["ann": 0, "ben": 0]
  static let user = Generator<String>.element(of: ["ann", "ben"])
  let rules: [Rule<Bank>] = [
    Rule("deposit") { t, _ in .deposit(t.draw(.int(1...99)), to: t.draw(user)) },
    Rule("transfer") { t, _ in
      .transfer(t.draw(.int(1...99)), from: t.draw(user), to: t.draw(user))
    },
  ]
  var subject: [String: Int] { model }

  func perform(_ command: Command, on accounts: inout [String: Int]) -> String {
    switch command {
    case .deposit(let amount, let user):
      accounts[user, default: 0] += amount
      return text(accounts[user])
    case .transfer(let amount, let sender, let receiver):
      let (have, had) = (accounts[sender, default: 0], accounts[receiver, default: 0])
      if have < amount { return "refused" }
      accounts[sender] = have - amount
      accounts[receiver] = (isBuggy ? had : accounts[receiver, default: 0]) + amount
      return text(accounts[sender])
    }
  }

  func respond(to command: Command, _ accounts: inout [String: Int], seeing response: String)
    -> String
  {
    switch command {
    case .deposit(let amount, let user):
      accounts[user, default: 0] += amount
      return text(accounts[user])
    case .transfer(let amount, let sender, let receiver):
      if accounts[sender, default: 0] < amount { return "refused" }
      accounts[sender, default: 0] -= amount
      accounts[receiver, default: 0] += amount
      return text(accounts[sender])
    }
  }
}

/// A text whose edits can be undone and repeated.
struct Editor: ValueMachine {
  enum Command {
    case type(Int)
    case undo, redo
  }
  struct Subject {
    var text: [Int] = []
    var undone: [Int] = []
  }
  struct Model: Sendable {
    var texts: [[Int]] = [[]]
    /// The index of the present text.
    var index = 0
  }

  let isBuggy: Bool
  let model = Model()
  let rules: [Rule<Editor>] = [
    Rule("type") { t, _ in .type(t.draw(.int(0...9))) },
    Rule("undo") { _, _ in .undo },
    Rule("redo") { _, _ in .redo },
  ]
  var subject: Subject { Subject() }

  func perform(_ command: Command, on editor: inout Subject) -> String {
    switch command {
    case .type(let letter):
      editor.text.append(letter)
      if !isBuggy { editor.undone = [] }
    case .undo: if let letter = editor.text.popLast() { editor.undone.append(letter) }
    case .redo: if let letter = editor.undone.popLast() { editor.text.append(letter) }
    }
    return "\(editor.text)"
  }

  func respond(to command: Command, _ model: inout Model, seeing response: String) -> String {
    switch command {
    case .type(let letter):
      model.texts = model.texts.prefix(model.index + 1) + [model.texts[model.index] + [letter]]
      model.index += 1
    case .undo: model.index = max(0, model.index - 1)
    case .redo: model.index = min(model.texts.count - 1, model.index + 1)
    }
    return "\(model.texts[model.index])"
  }
}
