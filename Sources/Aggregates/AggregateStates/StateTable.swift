import Events

/// The states of one kind of aggregate by stream; a stream without events has the initial state.
protocol StateTable: Sendable {
  associatedtype D: Decider
  subscript(stream: StreamID) -> D.State { get set }
  /// Reads the memory of a state, so that it is in the cache when the state is read.
  mutating func prefetch(_ stream: StreamID)
  func save(_ stream: StreamID) -> SavedState
  static func state(_ saved: SavedState) -> D.State
  mutating func code(with coder: inout StateCoder)
}

/// An operation that is the same for all tables.
protocol StateTableVisitor {
  mutating func visit(_ table: inout some StateTable)
}

/// A saved state of any kind of aggregate: the number or the record that its table stores.
struct SavedState: Sendable {
  var number: UInt32 = 0
  var record: [UInt64] = []
}

enum StateChange {
  case event(Event)
  case restore(SavedState)
}

extension StateTable {
  /// Applies an event of a stream with the decider, or restores an old state.
  /// - Returns: The states before and after.
  mutating func change(
    _ stream: StreamID, _ change: StateChange
  ) -> (old: D.State, new: D.State) {
    let old = self[stream]
    var new = old
    switch change {
    case .event(let event): D.evolve(&new, event)
    case .restore(let saved): new = Self.state(saved)
    }
    self[stream] = new
    return (old, new)
  }
}

/// A state with a small summary that answers most questions.
protocol Brief {
  associatedtype Summary: Sendable, BitwiseCopyable
  /// The most frequently read values, without texts, which would have to be decoded.
  var summary: Summary { get }
}

/// The states of aggregates with one id, indexed by its number.
struct IDRecords<D: Decider>: StateTable where D.State: Storable {
  private var states = Records<D.State>()

  subscript(index: UInt32) -> D.State {
    get { states[index] ?? D.initial }
    set { states[index] = newValue }
  }

  subscript(stream: StreamID) -> D.State {
    get { self[stream.a] }
    set { self[stream.a] = newValue }
  }

  mutating func prefetch(_ stream: StreamID) { states.prefetch(stream.a) }

  func save(_ stream: StreamID) -> SavedState { SavedState(record: states.encoded(stream.a)) }

  static func state(_ saved: SavedState) -> D.State {
    Records<D.State>.decode(saved.record) ?? D.initial
  }

  mutating func code(with coder: inout StateCoder) { states.code(with: &coder) }
}

/// The states of aggregates with one id, and their summaries.
struct IDStates<D: Decider>: StateTable where D.State: Brief & Storable {
  private var states = IDRecords<D>()
  /// The summaries are stored separately, because a chup reads nothing else of a workout.
  private var summaries = Column(D.initial.summary)

  subscript(stream: StreamID) -> D.State {
    get { states[stream] }
    set {
      states[stream] = newValue
      summaries[stream.a] = newValue.summary
    }
  }

  mutating func prefetch(_ stream: StreamID) { states.prefetch(stream) }

  func save(_ stream: StreamID) -> SavedState { states.save(stream) }

  static func state(_ saved: SavedState) -> D.State { IDRecords<D>.state(saved) }

  func summary(_ id: some DenseID) -> D.State.Summary { summaries[id.index] }

  mutating func code(with coder: inout StateCoder) {
    states.code(with: &coder)
    summaries.code(with: &coder)
  }
}

/// A state that can be encoded as a number; 0 is the decider's initial state.
protocol Numbered {
  var number: UInt32 { get }
  init(number: UInt32)
}

/// The states of aggregates with two ids that either exist or not: 8 bytes a slot, and none for
/// those that do not exist.
struct PairSet<D: Decider>: StateTable where D.State == Bool {
  private var keys = KeySet()

  subscript(stream: StreamID) -> Bool {
    get { keys.contains(KeySet.key(stream.a, stream.b)) }
    set {
      let key = KeySet.key(stream.a, stream.b)
      if newValue { keys.insert(key) } else { keys.remove(key) }
    }
  }

  mutating func prefetch(_ stream: StreamID) { keys.prefetch(KeySet.key(stream.a, stream.b)) }

  func save(_ stream: StreamID) -> SavedState { SavedState(number: self[stream] ? 1 : 0) }

  static func state(_ saved: SavedState) -> Bool { saved.number != 0 }

  mutating func code(with coder: inout StateCoder) { keys.code(with: &coder) }
}

/// The states of aggregates with two ids: 12 bytes a slot, and none for the initial state.
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

  mutating func prefetch(_ stream: StreamID) {
    numbers.prefetch(KeyTable.key(stream.a, stream.b))
  }

  func save(_ stream: StreamID) -> SavedState { SavedState(number: self[stream].number) }

  static func state(_ saved: SavedState) -> D.State { D.State(number: saved.number) }

  mutating func code(with coder: inout StateCoder) { numbers.code(with: &coder) }
}
