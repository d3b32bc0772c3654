import Aggregates
import EventLog
import Events
import Projections
import Replaying
import Synchronization

/// A log and the state derived from it. Use cases are created with a core.
///
/// ```swift
/// let core = try await Core(FileLog(path: "my.log", creating: true), rules: .climb)
/// try await CreateProfile(core).execute(.init(user: "alice", handle: "alice"), as: "alice")
/// try await GetProfile(core).execute(.init(handle: "ALICE"), as: nil).row.user  // "alice"
/// ```
/// The core decides commands one at a time, each on the state after the previous command. It
/// appends the events of all waiting commands in one batch with one sync. It answers a command
/// after the command's events are durable; only then do queries see these events.
///
/// Each commit contains the log position at which its command was decided. If another writer has
/// appended meanwhile, the store refuses the commit. The core then reads the new events and decides
/// the command again.
/// - Complexity: `init` replays the log, at several hundred thousand events a second or more.
///   Memory grows with the numbers of users, relationships and texts. A command costs its decision
///   and its share of a sync.
public final class Core: Sendable {
  struct State {
    var model: Model
    var observers: [Int: AsyncStream<Void>.Continuation] = [:]
    var observersMade = 0
    /// The task that reads new events when other writers append; cancelled when the core is
    /// released.
    var following: Task<Void, Never>?
    /// The error of the last attempt to read other writers' events; nil if that attempt succeeded.
    var failure: LogError?
    /// The checkpoint from which the model reads its tables on demand; nil if there is none.
    var restored: (any SavedState)?
    var saved: UInt64 = 0
    /// The state that `saveOpened` saves if that is due; nil unless `open` was to save it later.
    var opened: Replay<CoreState>?
    /// Whether a checkpoint is being written, or the pause after the last one is not over.
    var isSaving = false
    var watchesBatches: (@Sendable (CommandBatchReport) -> Void)?
    var ignored: [IgnoredState] = []
  }

  let state: Mutex<State>
  /// The waiting commands. The queue has its own lock, so that callers do not wait while a batch is
  /// decided.
  let queue = Mutex(CommandQueue())
  package let store: any EventStore
  let unknown: ChunkConsumer.UnknownPolicy
  package let environment: RuntimeEnvironment
  /// The state of an empty log, with the catalogue's projections.
  let blank: CoreState
  let leavesCheckpoints: Bool
  let catalogue: Catalogue
  /// The use cases that `perform` can find by name.
  public let useCases: UseCaseList
  /// The settings for the traces of requests.
  public let tracing: Tracing
  /// The states and checkpoints that the core could not use, with the reasons.
  ///
  /// The core finds damage to a part of a checkpoint only when it reads that part.
  public var ignoredStates: [IgnoredState] { state.withLock { $0.ignored } }

  /// Creates a core by replaying the log, or only the events after `state`; see also `open`.
  /// - Parameters:
  ///   - store: the log.
  ///   - rules: the rules for commands. An empty log in a folder records them in `rules.json`;
  ///     later it refuses other rules. Nil means the recorded rules, or `.climb` if none are
  ///     recorded.
  ///   - state: a state of this log. The core ignores a state that is damaged, belongs to another
  ///     log, or is newer than the log's last event. It also ignores a state without events of
  ///     unknown types if `unknown` is `.stop`. See `ignoredStates`.
  ///   - unknown: whether to stop at or skip events of unknown types. A skipped event might forbid
  ///     a command that this version allows.
  ///   - environment: the clock, randomness and scheduling.
  /// - Throws: read errors of the log, including `.unknownType`; `RulesRefusal`.
  public convenience init(
    _ store: any EventStore, rules: Rules? = nil, state: Replay<CoreState> = .init(),
    unknown: ChunkConsumer.UnknownPolicy = .stop, environment: RuntimeEnvironment = .system
  ) async throws(LogError) {
    try await self.init(
      store, rules: try await store.rules(rules), from: state, ignoring: [], unknown: unknown,
      environment: environment,
      leavesCheckpoints: false)
  }

  package init(
    _ store: any EventStore, rules: Rules, from start: Replay<CoreState>,
    ignoring ignored: [IgnoredState], unknown: ChunkConsumer.UnknownPolicy,
    environment: RuntimeEnvironment, leavesCheckpoints: Bool, catalogue: Catalogue = .standard,
    useCases: UseCaseList = .standard, tracing: Tracing = Tracing()
  ) async throws(LogError) {
    var model = Model(rules: rules)
    let reason = try await start.unusable(with: store, unknown: unknown)
    (model.views, model.names) = (Reading(start.blank.views), start.newNames())
    if reason == nil {
      model.take(start)
      model.head = Moment(seq: start.head.seq, time: start.head.time)
    }
    var names = model.names
    let reached = try await store.catchUp(after: model.head.seq, unknown: unknown, &names) {
      event, _, moment in model.apply(event, at: moment)
    }
    model.head = reached ?? model.head
    model.names = names
    model.views.settle()
    assert(
      reason == nil && start.restored != nil || model.views.brokenInvariant(names) == nil,
      model.views.brokenInvariant(names) ?? "")
    var state = State(model: model)
    state.ignored = ignored + (reason.map { [IgnoredState(path: start.restoredFrom, $0)] } ?? [])
    if reason == nil { (state.restored, state.saved) = (start.restored, start.saved) }
    self.state = Mutex(state)
    blank = start.blank
    self.leavesCheckpoints = leavesCheckpoints
    (self.catalogue, self.useCases, self.tracing) = (catalogue, useCases, tracing)
    (self.store, self.unknown, self.environment) = (store, unknown, environment)
    follow()
  }

  deinit { state.withLock { $0.following?.cancel() } }

  /// The rules by which the core decides commands.
  public var rules: Rules { state.withLock { $0.model.rules } }

  /// The position of the last event that queries see.
  public var position: UInt64 { state.withLock { $0.model.head.seq } }

  /// Returns the position of the last event in the store; the core may not have read it yet.
  public func head() async throws(LogError) -> UInt64 { try await store.head() }

  /// The position of the last checkpoint that the core started from or wrote; 0 if there is none.
  public var checkpointed: UInt64 { state.withLock { $0.saved } }

  /// Returns an app's own projection, as of the last event that queries see; nil if it is not in
  /// the catalogue with which the core was opened.
  ///
  /// The projection reads its tables on demand, perhaps from a checkpoint that turns out to be
  /// damaged. Use `ask` for an answer that never comes from a damaged checkpoint.
  public func projection<P: ExplainedProjection>(_ type: P.Type) -> P? {
    state.withLock { $0.model.views.all[type] }
  }

  /// Returns the dense id of a user; nil if no event names the user. A UUID may be in upper or
  /// lower case.
  public func number(of user: String) -> UserID? {
    state.withLock { $0.model.names.resolve(user: user) }
  }

  /// Returns a user's id as the log spells it.
  ///
  /// A UUID may be in upper or lower case. A UUID that is not in the log becomes lower case.
  public func spelling(ofUser name: String) -> String {
    EventID(name) == nil ? name : state.withLock { $0.model.names.spelling(ofUser: name) }
  }

  /// Returns the caller, with the user's id as the log spells it.
  public func spelled(_ caller: Caller) -> Caller {
    var caller = caller
    caller.user = caller.user.map(spelling)
    return caller
  }

  /// Returns whether any event in the log names the item.
  public func knows(_ item: ForgettingRequest.Item) -> Bool {
    state.withLock { $0.model.names.find(item.id, item.kind) != nil }
  }

  /// Returns a description of a broken invariant of the projections; nil if all invariants hold.
  /// - Complexity: O(state), so use it only in tests.
  public func brokenInvariant() -> String? {
    state.withLock { $0.model.views.brokenInvariant($0.model.names) }
  }

  /// Reads and applies the events that other writers have appended to the log.
  public func catchUp() async throws(UseCaseError) {
    try await betweenBatches { () async throws(LogError) in try await self.readOthers() }
  }

  /// Calls `ask` with the model. If the checkpoint that the model reads from is damaged, rebuilds
  /// the state and calls `ask` again.
  /// - Returns: the result of `ask`, and the position of the last event that it reflects.
  package func answer<Output: Sendable>(
    to caller: Caller, _ ask: (Model, Caller) throws(UseCaseError) -> Output
  ) async throws(UseCaseError) -> (result: Result<Output, UseCaseError>, position: UInt64) {
    while true {
      if let answer = answered(caller, ask) { return answer }
      try await rebuildIfDamaged()
    }
  }

  /// Rebuilds the state if the checkpoint that it reads from is damaged.
  package func rebuildIfDamaged() async throws(UseCaseError) {
    try await betweenBatches { () async throws(LogError) in _ = try await self.rebuild() }
  }

  /// Calls `ask` once with the model, on the calling thread.
  /// - Parameter reads: receives the state that `ask` reads, if it is given.
  /// - Returns: nil if the checkpoint is damaged, so that the state must be rebuilt first.
  package func answered<Output: Sendable>(
    _ caller: Caller, recording reads: ReadSet? = nil,
    _ ask: (Model, Caller) throws(UseCaseError) -> Output
  ) -> (result: Result<Output, UseCaseError>, position: UInt64)? {
    state.withLock { state in
      state.model.now = caller.time ?? environment.now()
      state.model.photoBase = caller.photoBase
      state.model.views.looks = reads
      defer { state.model.views.looks = nil }
      let result = Result { () throws(UseCaseError) in try ask(state.model, caller) }
      return state.restored.checked((result, state.model.head.seq))
    }
  }
}

extension Core {
  /// The threads for reads that take long: two, with one read of each caller at a time.
  package static let longReads = WorkQueue("eventlog.reads", most: 2, mostWaiting: 256)

  /// Calls `ask` once with a snapshot of the model, on the calling thread. Commands are decided and
  /// other queries answered meanwhile.
  ///
  /// Use it for a query that may take more than some milliseconds, on a thread of `longReads`: the
  /// threads of commands and connections must not wait.
  /// - Returns: nil if the checkpoint is damaged, so that the state must be rebuilt first.
  /// - Complexity: the state is locked for some hundred microseconds, in proportion to the number
  ///   of tables. Each page of 4 KiB that `ask` reads, and each that a command changes meanwhile,
  ///   is copied once.
  package func answeredApart<Output: Sendable>(
    _ caller: Caller, _ ask: (Model, Caller) throws(UseCaseError) -> Output
  ) -> (result: Result<Output, UseCaseError>, position: UInt64)? {
    var (model, restored) = state.withLock { ($0.model.snapshot(), $0.restored) }
    model.now = caller.time ?? environment.now()
    model.photoBase = caller.photoBase
    let result = Result { () throws(UseCaseError) in try ask(model, caller) }
    return restored.checked((result, model.head.seq))
  }
}

extension Model {
  /// Replaces the model's state, except its head.
  mutating func take(_ replay: Replay<CoreState>) {
    (aggregates, names) = (replay.projection.aggregates, replay.names)
    views = Reading(replay.projection.views)
    // Ids may have other numbers now.
    touched = nil
  }
}

extension EventStore {
  /// Calls `body` with each event after a position and its actor, in log order.
  /// - Returns: the moment of the log's last event, skipped or not; nil if no event is after
  ///   `position`.
  func catchUp(
    after position: UInt64, unknown: ChunkConsumer.UnknownPolicy, _ names: inout Names,
    _ body: (borrowing Event, EventActor, Moment) -> Void
  ) async throws(LogError) -> Moment? {
    guard try await head() > position else { return nil }
    return try await history().forEachTypedEvent(after: position, &names, unknown: unknown, body)
  }
}

extension Core {
  /// Opens a core on a log in a folder, starting from the log's last usable checkpoint.
  ///
  /// ```swift
  /// let core = try await Core.open(FileLog(path: "eventlogs/demo"))
  /// try await core.saveCheckpoint()
  /// core.position  // 300
  /// ```
  /// - Parameters:
  ///   - log: the log in a folder.
  ///   - rules: as in `init`.
  ///   - catalogue: the projections that the core maintains, including the app's own. `projection`
  ///     returns an app's own projection.
  ///   - useCases: the use cases for `perform` and a server, including the app's own.
  ///   - usesCheckpoints: false replays the log from its first event, and writes no checkpoints.
  ///   - unknown: as in `init`.
  ///   - tracing: the traces of requests to leave, such as a journal of refused commands.
  ///   - environment: the clock, randomness and scheduling.
  /// - Throws: read errors of the log, including `.unknownType`. An unusable checkpoint is not an
  ///   error; `ignoredStates` lists it.
  /// - Complexity: O(events after the last checkpoint). The core reads the checkpoint page by page
  ///   on demand, and writes new checkpoints by itself.
  public static func open(
    _ log: FileLog, rules: Rules? = nil, catalogue: Catalogue = .standard,
    useCases: UseCaseList = .standard, usesCheckpoints: Bool = true,
    unknown: ChunkConsumer.UnknownPolicy = .stop, tracing: Tracing = Tracing(),
    environment: RuntimeEnvironment = .system
  ) async throws(LogError) -> Core {
    try await open(
      log, log.view(), until: .max, try await log.rules(rules), catalogue,
      useCases, usesCheckpoints, unknown, environment, tracing)
  }

  /// Opens a read-only core on a log as it was after event `until`, starting from the last usable
  /// checkpoint up to that position.
  ///
  /// ```swift
  /// let core = try await Core.open(reading: view, until: 100)
  /// core.position  // 100
  /// ```
  /// - Parameters:
  ///   - view: the log.
  ///   - until: the position of the last event to read; nil means the whole log, including events
  ///     appended later.
  ///   - follows: whether to read events appended later. Pass false in a process that asks only
  ///     once, because ending the watch of the folder can take 10 ms on Linux.
  ///   - rules: as in `init`, but the log does not record them.
  ///   - catalogue: the projections that the core maintains, including the app's own.
  ///   - useCases: the use cases for `perform` and a server, including the app's own.
  ///   - usesCheckpoints: false replays the log from its first event.
  ///   - unknown: whether to stop at or skip events of unknown types.
  /// - Throws: read errors of the log, including `.unknownType`; `RulesRefusal`.
  public static func open(
    reading view: LogView, until: UInt64? = nil, follows: Bool = true, rules: Rules? = nil,
    catalogue: Catalogue = .standard, useCases: UseCaseList = .standard,
    usesCheckpoints: Bool = true, unknown: ChunkConsumer.UnknownPolicy = .stop
  ) async throws(LogError) -> Core {
    try await open(
      reading: view, until: until, follows: follows, rules: rules, catalogue: catalogue,
      useCases: useCases, usesCheckpoints: usesCheckpoints, unknown: unknown, savesLater: false)
  }

  /// Opens a read-only core like the public function. If `savesLater`, the core writes the
  /// checkpoint only in `saveOpened`, so that it can answer before.
  package static func open(
    reading view: LogView, until: UInt64? = nil, follows: Bool = true, rules: Rules? = nil,
    catalogue: Catalogue = .standard, useCases: UseCaseList = .standard,
    usesCheckpoints: Bool = true, unknown: ChunkConsumer.UnknownPolicy = .stop, savesLater: Bool
  ) async throws(LogError) -> Core {
    var environment = RuntimeEnvironment.system
    if let until {
      let time = try view.time(of: until)
      environment.now = { time }
    }
    let last: UInt64? =
      if let until { until } else if follows { nil } else { try view.head().seq }
    let rules = try view.recordedRules().current(rules) ?? .climb
    return try await open(
      try ReadOnlyLog(view, until: last), view, until: last ?? .max, rules, catalogue, useCases,
      usesCheckpoints, unknown, environment, savesLater: savesLater)
  }

  /// Writes the checkpoint that `open` with `savesLater` did not write, if it is due. Ignores
  /// failures. Call it once, after the core's last answer.
  package func saveOpened(_ view: LogView) {
    var opened = state.withLock { $0.opened.take() }
    opened?.saveIfDue(view)
  }

  /// Opens a core as of a position. Its commands succeed only if their events are the next events
  /// in the log (`RepeatingLog`).
  func repeating(after position: UInt64, _ view: LogView) async throws(LogError) -> Core {
    var environment = RuntimeEnvironment.system
    let time = try view.time(of: position)
    environment.now = { time }
    return try await Self.open(
      try RepeatingLog(view, after: position), view, until: position, rules, catalogue, useCases,
      true, unknown, environment, from: blank)
  }

  private static func open(
    _ store: any EventStore, _ view: LogView, until: UInt64, _ rules: Rules,
    _ catalogue: Catalogue, _ useCases: UseCaseList, _ usesCheckpoints: Bool,
    _ unknown: ChunkConsumer.UnknownPolicy, _ environment: RuntimeEnvironment,
    _ tracing: Tracing = Tracing(), from blank: CoreState? = nil, savesLater: Bool = false
  ) async throws(LogError) -> Core {
    let blank = blank ?? CoreState(catalogue)
    var ignored: [IgnoredState] = []
    var options = ReplayOptions()
    options.unknown = unknown
    var state = try await Replay.caughtUp(
      blank, with: view, until: until, options: options, usesCheckpoint: usesCheckpoints,
      ignoring: { ignored.append(IgnoredState(path: $0.path, .fault($0.fault))) })
    let isSaved = usesCheckpoints && unknown == .stop
    if isSaved, !savesLater, state.saveIfDue(view) {
      // The state is now in a checkpoint, so it need not stay in memory.
      var again = Replay(blank)
      if again.restore(view, until: until, lazily: true, unknown: unknown).isEmpty,
        again.head == state.head
      {
        state = again
      }
    }
    let core = try await Core(
      store, rules: rules, from: state, ignoring: ignored, unknown: unknown,
      environment: environment, leavesCheckpoints: usesCheckpoints, catalogue: catalogue,
      useCases: useCases, tracing: tracing)
    if isSaved, savesLater { core.state.withLock { $0.opened = state } }
    return core
  }
}

extension Core {
  /// Calls `ask` with the state, between two batches of commands.
  ///
  /// If the checkpoint that the state reads from is damaged, rebuilds the state and calls `ask`
  /// again.
  /// - Parameter keepsNumbers: whether the answer is valid only if all ids keep their dense
  ///   numbers.
  func asking<Answer: Sendable>(
    keepsNumbers: Bool = false, _ ask: (inout State) -> Answer
  ) async throws(LogError) -> Answer {
    while true {
      let answer = state.withLock { state in
        let restored = state.restored
        return restored.checked(ask(&state))
      }
      if let answer { return answer }
      if try await !rebuild(), keepsNumbers {
        throw .closed(reason: "a checkpoint is damaged; the decided events are in the log")
      }
    }
  }
}
