import Events

/// The states of one kind of aggregate, by stream; the initial state where nothing has happened.
protocol StateTable: Sendable {
  associatedtype D: Decider
  subscript(stream: StreamID) -> D.State { get set }
  mutating func code(with coder: inout StateCoder)
}

extension StateTable {
  /// Lets the decider apply an event of a stream.
  mutating func evolve(_ stream: StreamID, _ event: borrowing Event) {
    D.evolve(&self[stream], event)
  }
}

/// A state with a small summary that most questions need.
protocol Brief {
  associatedtype Summary: Sendable
  /// What is asked for most; without texts, whose reference counts are costly to touch.
  var summary: Summary { get }
}

/// The states of aggregates that are identified by one id, indexed by its number.
struct IDStates<D: Decider>: StateTable where D.State: Brief & Storable {
  private(set) var states: [D.State] = []
  /// Kept separately: twice as fast for chups and hearts, which need nothing else of a workout.
  private var summaries: [D.State.Summary] = []
  private let none = D.initial.summary

  subscript(stream: StreamID) -> D.State {
    _read {
      if Int(stream.a) < states.count {
        yield states[Int(stream.a)]
      } else {
        yield D.initial
      }
    }
    _modify {
      while states.count <= Int(stream.a) {
        states.append(D.initial)
        summaries.append(none)
      }
      defer { summaries[Int(stream.a)] = states[Int(stream.a)].summary }
      yield &states[Int(stream.a)]
    }
  }

  func summary(_ id: some DenseID) -> D.State.Summary {
    Int(id.index) < summaries.count ? summaries[Int(id.index)] : none
  }

  mutating func code(with coder: inout StateCoder) {
    coder(&states)
    if coder.isReading { summaries = states.map { $0.summary } }
  }
}

/// A state that can be encoded as a number: 0 for the decider's initial state.
protocol Numbered {
  var number: UInt32 { get }
  init(number: UInt32)
}

/// The states of aggregates that are identified by two ids: 12 bytes per slot, and none for the
/// initial state.
struct PairStates<D: Decider>: StateTable where D.State: Numbered {
  private var numbers = KeyTable()

  subscript(stream: StreamID) -> D.State {
    get { D.State(number: numbers[KeyTable.key(stream.a, stream.b)] ?? 0) }
    set {
      let key = KeyTable.key(stream.a, stream.b)
      let number = newValue.number
      if number == 0 { _ = numbers.remove(key) } else { numbers.set(key, number) }
    }
  }

  mutating func code(with coder: inout StateCoder) { numbers.code(with: &coder) }
}

/// The holders of keys: normally one per key; several only after an import.
struct Holders<Key: Hashable & Sendable, ID: DenseID>: Sendable {
  private var first: [Key: ID] = [:]
  private var rest: [Key: [ID]] = [:]

  /// The holder with the lowest number, so that the order of arrival does not matter.
  subscript(key: Key) -> ID? { first[key] }

  func isHeld(_ key: Key, byOtherThan id: ID) -> Bool {
    guard let holder = first[key] else { return false }
    return holder != id || rest[key] != nil
  }

  mutating func add(_ key: Key, _ id: ID) {
    guard let holder = first[key] else {
      first[key] = id
      return
    }
    let isLower = id.index < holder.index
    if isLower { first[key] = id }
    rest[key, default: []].append(isLower ? holder : id)
  }

  mutating func remove(_ key: Key, _ id: ID) {
    guard first[key] == id else {
      rest[key]?.removeAll { $0 == id }
      if rest[key]?.isEmpty == true { rest[key] = nil }
      return
    }
    first[key] = nil
    for other in rest.removeValue(forKey: key) ?? [] { add(key, other) }
  }
}
