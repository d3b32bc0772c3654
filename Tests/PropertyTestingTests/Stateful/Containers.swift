import PropertyTesting

extension PlantedBug {
  static let containers = [
    PlantedBug(
      "a full ring buffer looks empty",
      ["put → done", "put → done", "put → done", "count → 0"],
      running: RingBuffer.init(isBuggy:)),
    PlantedBug(
      "a deque that wraps grows without moving its items",
      [
        "push(0) → done", "push(0) → done", "pop → 0", "push(1) → done", "push(0) → done",
        "pop → 0", "pop → 0",
      ],
      running: GrowingDeque.init(isBuggy:)),
    PlantedBug(
      "a linked list keeps its tail after its last item is removed",
      ["append(0) → done", "removeFirst → 0", "append(0) → done", "removeFirst → nothing"],
      running: LinkedList.init(isBuggy:)),
    PlantedBug(
      "a removal from an open-addressed hash table hides a colliding key",
      ["insert(0) → done", "insert(1) → done", "remove(0) → done", "contains(1) → false"],
      running: HashTable.init(isBuggy:)),
    PlantedBug(
      "the removal of a tree's node with two children loses a subtree",
      [
        "insert(1) → done", "insert(0) → done", "insert(2) → done", "remove(1) → done",
        "contains(2) → false",
      ],
      running: SearchTree.init(isBuggy:)),
    PlantedBug(
      "a block that is freed twice is allocated twice",
      [
        "allocate → 0", "free(0) → done", "free(0) → done", "allocate → 0", "allocate → 0",
      ],
      running: BlockPool.init(isBuggy:)),
  ]
}

/// A queue of at most three items, numbered from 0, in a circular array.
struct RingBuffer: ValueMachine {
  enum Command { case put, take, count }
  struct Subject {
    var places: [Int]
    var head = 0
    var tail = 0
    var next = 0
  }

  struct Model: Sendable {
    var items: [Int] = []
    var next = 0
    var isBelowThree: Bool { items.count < 3 }
    var hasItems: Bool { !items.isEmpty }
  }

  let isBuggy: Bool
  let model = Model()
  let rules: [Rule<RingBuffer>] = [
    Rule("put", if: \.isBelowThree) { _, _ in .put },
    Rule("take", if: \.hasItems) { _, _ in .take },
    Rule("count") { _, _ in .count },
  ]
  /// An array without a free place cannot tell a full buffer from an empty one.
  var subject: Subject { Subject(places: Array(repeating: 0, count: isBuggy ? 3 : 4)) }

  func perform(_ command: Command, on buffer: inout Subject) -> String {
    let size = buffer.places.count
    switch command {
    case .put:
      buffer.places[buffer.tail] = buffer.next
      buffer.next += 1
      buffer.tail = (buffer.tail + 1) % size
      return "done"
    case .take:
      defer { buffer.head = (buffer.head + 1) % size }
      return "\(buffer.places[buffer.head])"
    case .count: return "\((buffer.tail - buffer.head + size) % size)"
    }
  }

  func respond(to command: Command, _ model: inout Model, seeing response: String) -> String {
    switch command {
    case .put:
      model.items.append(model.next)
      model.next += 1
      return "done"
    case .take: return "\(model.items.removeFirst())"
    case .count: return "\(model.items.count)"
    }
  }
}

/// A queue in a circular array that doubles when it is full.
struct GrowingDeque: ValueMachine {
  enum Command {
    case push(Int)
    case pop
  }
  struct Subject {
    var places = [0, 0]
    var (head, count) = (0, 0)
  }

  let isBuggy: Bool
  let model: [Int] = []
  let rules: [Rule<GrowingDeque>] = [
    Rule("push") { t, _ in .push(t.draw(.int(0...9))) },
    Rule("pop", if: \.hasItems) { _, _ in .pop },
  ]
  var subject: Subject { Subject() }

  func perform(_ command: Command, on deque: inout Subject) -> String {
    switch command {
    case .push(let item):
      if deque.count == deque.places.count {
        if !isBuggy {
          deque.places = Array(deque.places[deque.head...] + deque.places[..<deque.head])
          deque.head = 0
        }
        deque.places += deque.places.map { _ in 0 }
      }
      deque.places[(deque.head + deque.count) % deque.places.count] = item
      deque.count += 1
      return "done"
    case .pop:
      defer { (deque.head, deque.count) = ((deque.head + 1) % deque.places.count, deque.count - 1) }
      return "\(deque.places[deque.head])"
    }
  }

  func respond(to command: Command, _ items: inout [Int], seeing response: String) -> String {
    guard case .push(let item) = command else { return "\(items.removeFirst())" }
    items.append(item)
    return "done"
  }
}

/// A singly linked list with a head and a tail.
struct LinkedList: ValueMachine {
  enum Command {
    case append(Int)
    case removeFirst
  }
  struct Subject {
    var items: [Int] = []
    var next: [Int?] = []
    var head: Int?
    var tail: Int?
  }

  let isBuggy: Bool
  let model: [Int] = []
  let rules: [Rule<LinkedList>] = [
    Rule("append") { t, _ in .append(t.draw(.int(0...9))) },
    Rule("remove first") { _, _ in .removeFirst },
  ]
  var subject: Subject { Subject() }

  func perform(_ command: Command, on list: inout Subject) -> String {
    switch command {
    case .append(let item):
      let node = list.items.count
      list.items.append(item)
      list.next.append(nil)
      if let tail = list.tail { list.next[tail] = node } else { list.head = node }
      list.tail = node
      return "done"
    case .removeFirst:
      guard let node = list.head else { return "nothing" }
      list.head = list.next[node]
      if !isBuggy, list.head == nil { list.tail = nil }
      return "\(list.items[node])"
    }
  }

  func respond(to command: Command, _ items: inout [Int], seeing response: String) -> String {
    guard case .append(let item) = command else {
      return items.isEmpty ? "nothing" : "\(items.removeFirst())"
    }
    items.append(item)
    return "done"
  }
}

/// A command of a set of numbers.
enum SetCommand {
  case insert(Int)
  case remove(Int)
  case contains(Int)
}

extension ValueMachine where Command == SetCommand, Model == Set<Int> {
  func respond(to command: SetCommand, _ keys: inout Set<Int>, seeing response: String) -> String {
    switch command {
    case .insert(let key): keys.insert(key)
    case .remove(let key): keys.remove(key)
    case .contains(let key): return "\(keys.contains(key))"
    }
    return "done"
  }
}

/// A set of at most four numbers in eight places. A number that collides takes the next free place.
struct HashTable: ValueMachine {
  typealias Command = SetCommand
  typealias Subject = [Int?]

  let isBuggy: Bool
  let model: Set<Int> = []
  let rules: [Rule<HashTable>] = [
    Rule("insert", if: \.isBelowFour) { t, _ in .insert(t.draw(.int(0...31))) },
    Rule("remove") { t, _ in .remove(t.draw(.int(0...31))) },
    Rule("contains") { t, _ in .contains(t.draw(.int(0...31))) },
  ]
  var subject: [Int?] { Array(repeating: nil, count: 8) }

  /// Returns the place of a key, or the free place for it.
  private static func place(of key: Int, in table: [Int?]) -> Int {
    var place = key / 4
    while let other = table[place], other != key { place = (place + 1) % 8 }
    return place
  }

  func perform(_ command: Command, on table: inout [Int?]) -> String {
    switch command {
    case .insert(let key): table[Self.place(of: key, in: table)] = key
    case .remove(let key):
      table[Self.place(of: key, in: table)] = nil
      if isBuggy { break }
      let rest = table.compactMap(\.self)
      table = subject
      for other in rest { table[Self.place(of: other, in: table)] = other }
    case .contains(let key): return "\(table[Self.place(of: key, in: table)] == key)"
    }
    return "done"
  }
}

/// A set of numbers in a binary search tree.
struct SearchTree: ValueMachine {
  typealias Command = SetCommand
  indirect enum Subject: Sendable {
    case leaf
    case node(Subject, Int, Subject)

    func contains(_ key: Int) -> Bool {
      guard case .node(let left, let own, let right) = self else { return false }
      return key == own || (key < own ? left : right).contains(key)
    }

    func inserting(_ key: Int) -> Subject {
      guard case .node(let left, let own, let right) = self else { return .node(.leaf, key, .leaf) }
      if key == own { return self }
      return key < own
        ? .node(left.inserting(key), own, right) : .node(left, own, right.inserting(key))
    }

    var smallest: Int? {
      guard case .node(let left, let own, _) = self else { return nil }
      return left.smallest ?? own
    }

    func removing(_ key: Int, isBuggy: Bool) -> Subject {
      guard case .node(let left, let own, let right) = self else { return self }
      if key < own { return .node(left.removing(key, isBuggy: isBuggy), own, right) }
      if key > own { return .node(left, own, right.removing(key, isBuggy: isBuggy)) }
      guard case .node = left, let next = right.smallest else {
        if case .leaf = left { return right }
        return left
      }
      return isBuggy ? left : .node(left, next, right.removing(next, isBuggy: isBuggy))
    }
  }

  let isBuggy: Bool
  let model: Set<Int> = []
  let rules: [Rule<SearchTree>] = [
    Rule("insert") { t, _ in .insert(t.draw(.int(0...9))) },
    Rule("remove") { t, _ in .remove(t.draw(.int(0...9))) },
    Rule("contains") { t, _ in .contains(t.draw(.int(0...9))) },
  ]
  var subject: Subject { .leaf }

  func perform(_ command: Command, on tree: inout Subject) -> String {
    switch command {
    case .insert(let key): tree = tree.inserting(key)
    case .remove(let key): tree = tree.removing(key, isBuggy: isBuggy)
    case .contains(let key): return "\(tree.contains(key))"
    }
    return "done"
  }
}

/// A pool of numbered blocks that are allocated and freed.
struct BlockPool: ValueMachine {
  enum Command {
    case allocate
    case free(Int)
  }
  struct Subject {
    var count = 0
    var free: [Int] = []
  }
  struct Model: Sendable {
    var used: Set<Int> = []
    /// The numbers of all blocks that were allocated at least once.
    var blocks = Bundle<Int>()
    var hasBlocks: Bool { !blocks.isEmpty }
  }

  let isBuggy: Bool
  let model = Model()
  let rules: [Rule<BlockPool>] = [
    Rule("allocate") { _, _ in .allocate },
    Rule("free", if: \.hasBlocks) { t, model in .free(t.draw(.element(of: model.blocks))) },
  ]
  var subject: Subject { Subject() }

  func perform(_ command: Command, on pool: inout Subject) -> String {
    switch command {
    case .allocate:
      if let block = pool.free.popLast() { return "\(block)" }
      pool.count += 1
      return "\(pool.count - 1)"
    case .free(let block):
      if isBuggy || !pool.free.contains(block) { pool.free.append(block) }
      return "done"
    }
  }

  func respond(to command: Command, _ model: inout Model, seeing response: String) -> String {
    switch command {
    case .allocate:
      guard let block = Int(response), model.used.insert(block).inserted else { return "unused" }
      if !model.blocks.contains(block) { model.blocks.add(block) }
      return response
    case .free(let block):
      model.used.remove(block)
      return "done"
    }
  }
}

extension [Int] {
  fileprivate var hasItems: Bool { !isEmpty }
}

extension Set<Int> {
  fileprivate var isBelowFour: Bool { count < 4 }
}
