import Aggregates
import EventLog
import Events
import Projections
import Replaying
import Synchronization

/// A log and the state derived from it: what use cases are created with.
///
/// ```swift
/// let core = try await Core(FileLog(path: "my.log", creating: true), rules: .climb)
/// try await CreateProfile(core).execute(.init(user: "alice", handle: "alice"), as: "alice")
/// try await GetProfile(core).execute(.init(handle: "ALICE"), as: nil).row.user  // "alice"
/// ```
/// Commands are decided one at a time, each on the state before it, appended in batches (one sync
/// for all that wait), and answered when they are durable; only then do queries see them. Each
/// commit names the position of the whole log at which it was decided, so that rules across streams
/// hold even if others append to the same log: the store refuses an outdated commit, the core
/// catches up and decides anew.
/// - Complexity: opening replays the log, at several hundred thousand events a second or more;
///   memory grows with users, edges and texts. A command costs its decision and its share of a
///   sync.
public final class Core: Sendable {
  struct State {
    var model: Model
    var observers: [Int: AsyncStream<Void>.Continuation] = [:]
    var observersMade = 0
    /// Follows the store; ends with the core.
    var following: Task<Void, Never>?
    /// Why the last attempt to read what others appended failed; nil if it did not.
    var failure: LogError?
    /// The checkpoint that the model reads its tables from.
    var restored: (any SavedState)?
    /// The position of the last checkpoint.
    var saved: UInt64 = 0
    /// Whether one is being written, or was a moment ago.
    var isSaving = false
    var watchesBatches: (@Sendable (CommandBatchReport) -> Void)?
    var ignored: [IgnoredState] = []
  }

  let state: Mutex<State>
  /// Apart from the state, which is locked while a whole batch is decided: the next caller need not
  /// wait for that.
  let queue = Mutex(CommandQueue())
  let store: any EventStore
  let unknown: ChunkConsumer.UnknownPolicy
  let environment: RuntimeEnvironment
  /// The state of the empty log.
  let blank: CoreState
  let leavesCheckpoints: Bool
  /// The projections that it maintains.
  let catalogue: Catalogue
  /// The use cases that it performs by name.
  public let useCases: UseCaseList
  /// The states and checkpoints that the core could not use, and why; it then used an earlier one,
  /// or the text of the log. Damage to a part of a checkpoint is found when the part is read.
  public var ignoredStates: [IgnoredState] { state.withLock { $0.ignored } }

  /// Replays the log, after the state if one is given; `Core.open` takes one from a checkpoint.
  /// - Parameters:
  ///   - rules: an empty log in a folder records them in its file `rules.json`, and other rules are
  ///     refused from then on. Nil means the recorded rules, or climb's if none are recorded.
  ///   - state: what is already known of this log. It is not used, as `ignoredStates` then tells,
  ///     if it is damaged, of another log, beyond the log's end, or skipped events that `unknown`
  ///     does not allow to skip.
  ///   - unknown: what to do at events of unknown types or versions: stop, by default, since they
  ///     might forbid what this code decides.
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

  init(
    _ store: any EventStore, rules: Rules, from start: Replay<CoreState>,
    ignoring ignored: [IgnoredState], unknown: ChunkConsumer.UnknownPolicy,
    environment: RuntimeEnvironment, leavesCheckpoints: Bool, catalogue: Catalogue = .standard,
    useCases: UseCaseList = .standard
  ) async throws(LogError) {
    var model = Model(rules: rules)
    let reason = try await start.unusable(with: store, unknown: unknown)
    (model.views, model.names) = (Reading(start.blank.views), start.newNames())
    if reason == nil {
      (model.society, model.views) = (
        start.projection.society, Reading(start.projection.views)
      )
      (model.names, model.head) = (start.names, Moment(seq: start.head.seq, time: start.head.time))
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
    (self.catalogue, self.useCases) = (catalogue, useCases)
    self.store = store
    self.unknown = unknown
    self.environment = environment
    follow()
  }

  deinit { state.withLock { $0.following?.cancel() } }

  public var rules: Rules { state.withLock { $0.model.rules } }

  /// The position of the last event that queries see.
  public var position: UInt64 { state.withLock { $0.model.head.seq } }

  /// The position of the last event in the log.
  public func head() async throws(LogError) -> UInt64 { try await store.head() }

  /// The position of the last checkpoint that the core started from or wrote; 0 if there is none.
  public var checkpointed: UInt64 { state.withLock { $0.saved } }

  /// A projection of the app's own, as of the last event that queries see; nil if it was not in the
  /// catalogue that the core was opened with.
  ///
  /// It reads its tables as it is asked. If a checkpoint proves damaged then, the next query or
  /// command rebuilds the core, and `ignoredStates` names the checkpoint; `ask` never answers from
  /// a damaged one.
  public func projection<P: ExplainedProjection>(_ type: P.Type) -> P? {
    state.withLock { $0.model.views.all[type] }
  }

  /// The interned id of a user, of a UUID in any case; nil if no event names the user.
  public func number(of user: String) -> UserID? {
    state.withLock { $0.model.names.resolve(user: user) }
  }

  /// A user's id as the log writes it: a UUID may be given in any case, and a new one is written in
  /// lower case.
  public func spelling(ofUser name: String) -> String {
    EventID(name) == nil ? name : state.withLock { $0.model.names.spelling(ofUser: name) }
  }

  /// The caller, with the user's id as the log writes it.
  public func spelled(_ caller: Caller) -> Caller {
    var caller = caller
    caller.user = caller.user.map(spelling)
    return caller
  }

  /// Whether an event names the item.
  public func knows(_ item: ForgettingRequest.Item) -> Bool {
    state.withLock { $0.model.names.find(item.id, item.kind) != nil }
  }

  /// Describes the first broken invariant of any projection; nil if all hold.
  /// - Complexity: O(state); for tests.
  public func brokenInvariant() -> String? {
    state.withLock { $0.model.views.brokenInvariant($0.model.names) }
  }

  /// Applies what others have appended to the log.
  public func catchUp() async throws(UseCaseError) {
    try await betweenBatches { () async throws(LogError) in try await self.readOthers() }
  }

  /// Asks the model; if its checkpoint cannot be believed, rebuilds the state and asks again.
  /// - Returns: the result, and the position of the last event that it reflects.
  func answer<Output: Sendable>(
    to caller: Caller, _ ask: (borrowing Model, Caller) throws(UseCaseError) -> Output
  ) async throws(UseCaseError) -> (result: Result<Output, UseCaseError>, position: UInt64) {
    while true {
      if let answer = answered(caller, ask) { return answer }
      try await betweenBatches { () async throws(LogError) in _ = try await self.rebuild() }
    }
  }

  /// Asks the model once, on the calling thread.
  /// - Returns: nil if the state must be rebuilt first.
  func answered<Output: Sendable>(
    _ caller: Caller, _ ask: (borrowing Model, Caller) throws(UseCaseError) -> Output
  ) -> (result: Result<Output, UseCaseError>, position: UInt64)? {
    state.withLock { state in
      state.model.now = caller.time ?? environment.now()
      state.model.photoBase = caller.photoBase
      let result = Result { () throws(UseCaseError) in try ask(state.model, caller) }
      return state.restored.checked((result, state.model.head.seq))
    }
  }
}

extension EventStore {
  /// Calls `body` with each decoded event after a position, in order, and its actor.
  /// - Returns: the last event, skipped or not; nil if there is none after `position`.
  func catchUp(
    after position: UInt64, unknown: ChunkConsumer.UnknownPolicy, _ names: inout Names,
    _ body: (borrowing Event, EventActor, Moment) -> Void
  ) async throws(LogError) -> Moment? {
    guard try await head() > position else { return nil }
    return try await history().forEachTypedEvent(after: position, &names, unknown: unknown, body)
  }
}
