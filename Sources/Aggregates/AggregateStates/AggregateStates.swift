import Events

/// The states of all aggregates of a log.
///
/// A state changes in two ways: its decider applies an event (`apply`), or an undo record restores
/// an old state (`restore`). Only `withTable` lists all tables.
package struct AggregateStates: Sendable {
  var profiles = IDStates<ProfileDecider>()
  var follows = PairSet<FollowDecider>()
  var friendships = PairStates<FriendshipDecider>()
  var workouts = IDStates<WorkoutDecider>()
  var chups = PairStates<ChupDecider>()
  var comments = IDStates<CommentDecider>()
  var hearts = PairSet<HeartDecider>()
  var blocks = PairSet<BlockDecider>()
  var reactions = PairStates<ReactionDecider>()
  var groups = IDStates<GroupDecider>()
  var members = PairStates<MemberDecider>()
  var messages = IDRecords<MessageDecider>()
  var reports = IDRecords<ReportDecider>()
  /// The open groups by owner, in no particular order.
  var owned = Lists(blank: GroupID(index: 0))
  /// The members of each group, in no particular order.
  var rosters = Lists(blank: UserID(index: 0))
  /// The open accounts by handle in lower case.
  var handles = TextIndex()
  var freedHandles = FreedHandles()
  /// The shared workouts by owner and local id.
  var localIDs = TextIndex()
  /// Where the decisions' reads are recorded; nil, as nearly always, if they are not.
  package var reads: StateReads?

  package init() {}

  /// Calls a visitor with the table that stores the states of one kind of stream.
  private mutating func withTable(
    of kind: StreamID.Kind, _ visitor: inout some StateTableVisitor
  ) {
    switch kind {
    case .profile: visitor.visit(&profiles)
    case .follow: visitor.visit(&follows)
    case .friendship: visitor.visit(&friendships)
    case .workout: visitor.visit(&workouts)
    case .chup: visitor.visit(&chups)
    case .comment: visitor.visit(&comments)
    case .heart: visitor.visit(&hearts)
    case .block: visitor.visit(&blocks)
    case .reaction: visitor.visit(&reactions)
    case .group: visitor.visit(&groups)
    case .member: visitor.visit(&members)
    case .conversation: visitor.visit(&messages)
    case .report: visitor.visit(&reports)
    // No decision depends on which notifications were read, so there is no table for them.
    case .notifications: break
    }
  }

  /// The version of the bytes that `code` writes to a checkpoint. Increment it if they change.
  package static let version = 8

  package mutating func code(with coder: inout StateCoder) {
    var coding = Coding(coder: coder)
    for kind in StreamID.Kind.allCases { withTable(of: kind, &coding) }
    coder = coding.coder
    owned.code(with: &coder)
    rosters.code(with: &coder)
    handles.code(with: &coder)
    freedHandles.code(with: &coder)
    localIDs.code(with: &coder)
  }

  /// Prefetches the memory that applying an event needs, so that several events' cache misses
  /// overlap.
  package mutating func prefetch(_ event: borrowing Event) {
    guard let place = event.stateStream else { return }
    var prefetching = Prefetching(place: place)
    withTable(of: place.kind, &prefetching)
  }

  /// Applies an event without checking whether it is possible; an app's own event changes nothing.
  /// - Parameter time: the time of the event, from which on a handle that it frees rests.
  package mutating func apply(_ event: borrowing Event, at time: Timestamp) {
    guard let place = event.stateStream else { return }
    let event = copy event
    if place.kind == .profile { return change(profile: place, .event(event), at: time) }
    guard place.kind == .group else { return change(place, .event(event)) }
    let group = GroupID(index: place.a)
    let old = groups.summary(group)?.owner
    // A group ends when its owner's account is deleted. An import may contain later events of it.
    if let old, profile(old).account == .deleted { return }
    change(place, .event(event))
    guard let new = groups.summary(group)?.owner, new != old else { return }
    // The event also changes the memberships of the former and the new owner.
    if let old { change(.member(group, old), .event(event)) }
    change(.member(group, new), .event(event))
  }

  /// The states before an event, to undo the event if it does not become durable.
  package struct UndoRecord: Sendable {
    fileprivate var place: StreamID
    fileprivate var state: SavedState
    /// For a group's event: the memberships, before the event, of the group's old and new owner.
    fileprivate var owners: [(place: StreamID, state: SavedState)] = []
    /// For a profile's event: the profile's handle, and what was known of it before the event.
    fileprivate var freed: (handle: String, entry: FreedHandles.Entry?)?
  }

  /// Returns a record of the states that an event will change; nil if it changes none.
  package mutating func undoRecord(before event: Event) -> UndoRecord? {
    guard let place = event.stateStream else { return nil }
    var record = UndoRecord(place: place, state: saved(place))
    if place.kind == .profile, let handle = profiles[place].handle?.lowercased() {
      record.freed = (handle, freedHandles[handle])
    }
    if place.kind == .group {
      let group = GroupID(index: place.a)
      for owner in event.users + (groups.summary(group).map { [$0.owner] } ?? []) {
        let place = StreamID.member(group, owner)
        record.owners.append((place, saved(place)))
      }
    }
    return record
  }

  private mutating func saved(_ place: StreamID) -> SavedState {
    var saving = Saving(place: place)
    withTable(of: place.kind, &saving)
    return saving.state
  }

  /// Restores the states in a record. Restore the newest record first.
  package mutating func restore(_ record: UndoRecord) {
    change(record.place, .restore(record.state))
    if let (handle, entry) = record.freed, freedHandles[handle] != entry {
      freedHandles[handle] = entry
    }
    for owner in record.owners { change(owner.place, .restore(owner.state)) }
  }

  /// Changes a state and the indexes that depend on it.
  private mutating func change(_ place: StreamID, _ change: StateChange) {
    switch place.kind {
    case .profile: self.change(profile: place, change, at: nil)
    case .workout:
      let states = workouts.change(place, change)
      changeLocalID(place, states)
    case .group:
      let (old, new) = groups.change(place, change)
      if old.summary?.owner == new.summary?.owner { return }
      let group = GroupID(index: place.a)
      if let owner = old.summary?.owner { owned.removeAll(in: owner.index) { $0 == group } }
      if let owner = new.summary?.owner { owned.append(group, to: owner.index) }
    case .member:
      let (old, new) = members.change(place, change)
      if old.isMember == new.isMember { return }
      let user = UserID(index: place.b)
      if old.isMember {
        rosters.removeAll(in: place.a) { $0 == user }
      } else {
        rosters.append(user, to: place.a)
      }
    default:
      var changing = Changing(place: place, change: change)
      withTable(of: place.kind, &changing)
    }
  }

  /// Changes a profile, and the indexes of handles. With a time, a handle that the profile loses
  /// rests from then on.
  private mutating func change(profile: StreamID, _ change: StateChange, at time: Timestamp?) {
    let (old, new) = profiles.change(profile, change)
    // The comparison is by bytes, because the index also compares texts by bytes.
    if same(old.handle, new.handle) { return }
    let (freed, taken) = (old.handle?.lowercased(), new.handle?.lowercased())
    if let freed { handles.remove(freed, profile.a) }
    if let taken { handles.add(taken, profile.a) }
    if let freed, let time, freed != taken {
      freedHandles[freed] = .init(handle: freed, user: UserID(index: profile.a), time: time)
    }
  }

  // These visitors are not local types, because Swift 6.3's Embedded mode cannot read a module with
  // local types for them.
  private struct Changing: StateTableVisitor {
    let place: StreamID
    let change: StateChange
    func visit(_ table: inout some StateTable) { _ = table.change(place, change) }
  }

  private struct Coding: StateTableVisitor {
    var coder: StateCoder
    mutating func visit(_ table: inout some StateTable) { table.code(with: &coder) }
  }

  private struct Prefetching: StateTableVisitor {
    let place: StreamID
    func visit(_ table: inout some StateTable) { table.prefetch(place) }
  }

  private struct Saving: StateTableVisitor {
    let place: StreamID
    var state = SavedState()
    mutating func visit(_ table: inout some StateTable) { state = table.save(place) }
  }

  private mutating func changeLocalID(
    _ place: StreamID, _ states: (old: WorkoutDecider.State, new: WorkoutDecider.State)
  ) {
    switch states {
    // The local id does not change while a workout is shared.
    case (.shared, .shared): break
    case (.shared(let workout, _), _):
      guard let localID = workout.localID else { return }
      localIDs.remove(localID, of: workout.owner.index, place.a)
    case (_, .shared(let workout, _)):
      guard let localID = workout.localID else { return }
      localIDs.add(localID, of: workout.owner.index, place.a)
    default: break
    }
  }
}

/// The states of one kind of aggregate by stream; a stream without events has the initial state.
protocol StateTable: Sendable {
  associatedtype D: Decider
  subscript(stream: StreamID) -> D.State { get set }
  /// Loads a state's memory into the CPU's cache, before the state is read.
  mutating func prefetch(_ stream: StreamID)
  func save(_ stream: StreamID) -> SavedState
  static func state(_ saved: SavedState) -> D.State
  mutating func code(with coder: inout StateCoder)
}

/// An operation that `withTable` can perform on the table of any kind.
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
  /// Changes a stream's state: applies an event with the decider, or restores an old state.
  /// - Returns: The stream's states before and after the change.
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

/// A state with a small summary that is enough for most decisions.
protocol Brief {
  associatedtype Summary: Sendable, BitwiseCopyable
  /// The most frequently read values, without texts, which would have to be decoded.
  var summary: Summary { get }
}

/// The states of aggregates with one id, indexed by the id's number.
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
  /// Most decisions read only a summary, so summaries are stored apart from the states.
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

/// The states of aggregates with two ids whose state is true or false, such as a follow. Only the
/// true states are stored. The hash table has 8 bytes per slot.
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

/// The states of aggregates with two ids. Initial states are not stored. The hash table has 12
/// bytes per slot.
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
