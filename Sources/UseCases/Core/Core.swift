import Aggregates
import Events
import Projections
import Synchronization

/// A log with everything that is known from it: what the use cases are made of.
///
/// ```swift
/// let core = try await Core(FileLog(path: "my.log", creating: true), rules: .climb)
/// try await CreateProfile(core).execute(.init(user: "alice", handle: "alice"), as: "alice")
/// try await GetProfile(core).execute(.init(handle: "ALICE"), as: nil).row.user  // "alice"
/// ```
/// Commands are decided one after the other on the state before them, appended in groups (one
/// sync for all that wait), and answered when they are durable; only then do queries see them.
/// Each commit names the position of the whole log it was decided at, so that rules which cross
/// streams hold even when others append to the same log: such a commit is refused by the store,
/// the core catches up, and decides anew.
/// - Complexity: opening replays the log, some hundred thousand events a second and more; memory
///   by users, edges and texts. A command costs its decision and its share of a sync.
public final class Core: Sendable {
  struct State {
    var model: Model
    /// What waits for the one that appends.
    var queue: [Errand] = []
    var isRunning = false
    var observers: [Int: AsyncStream<Void>.Continuation] = [:]
    var observersMade = 0
    /// Follows the store; ends with the core.
    var following: Task<Void, Never>?
    /// Why what others appended could not be read, as of the last try.
    var failure: LogError?
  }

  /// Something that has to be done alone, in order.
  enum Errand {
    case command(Pending)
    case catchUp(@Sendable (UseCaseError?) -> Void)
    /// Called when everything before it is answered.
    case barrier(@Sendable () -> Void)
  }

  let state: Mutex<State>
  let store: any EventStore
  let unknown: ChunkConsumer.UnknownPolicy
  let environment: RuntimeEnvironment
  /// The states and checkpoints that the core could have started from and did not, and why; it then
  /// started from an earlier one, or from the log's first event.
  public let ignoredStates: [IgnoredState]

  /// Replays the log, after the state if one is given; `Core.open` finds one in a checkpoint.
  /// - Parameters:
  ///   - state: what is known of this log already. One that is damaged, of another log, of a later
  ///     position than the log has, or with events passed over that `unknown` forbids to pass
  ///     over, is not used; `ignoredStates` then says so.
  ///   - unknown: what to do at events of types or versions this code does not know: by default it
  ///     stops, since what it does not know might forbid what it decides.
  /// - Throws: what reading the log throws, `.unknownType` among it.
  public convenience init(
    _ store: any EventStore, rules: Rules = .climb, state: Replay<CoreState> = .init(),
    unknown: ChunkConsumer.UnknownPolicy = .stop, environment: RuntimeEnvironment = .system
  ) async throws(LogError) {
    try await self.init(
      store, rules: rules, from: state, ignoring: [], unknown: unknown, environment: environment)
  }

  init(
    _ store: any EventStore, rules: Rules, from start: Replay<CoreState>,
    ignoring ignored: [IgnoredState], unknown: ChunkConsumer.UnknownPolicy,
    environment: RuntimeEnvironment
  ) async throws(LogError) {
    var model = Model(rules: rules)
    let reason = try await start.unusable(with: store, unknown: unknown)
    ignoredStates = ignored + (reason.map { [IgnoredState(path: start.restoredFrom, $0)] } ?? [])
    if reason == nil {
      (model.society, model.views) = (start.projection.society, start.projection.views)
      (model.names, model.head) = (start.names, Moment(seq: start.head.seq, time: start.head.time))
    }
    var names = model.names
    let reached = try await store.catchUp(after: model.head.seq, unknown: unknown, &names) {
      event, _, moment in model.apply(event, at: moment)
    }
    model.head = reached ?? model.head
    model.names = names
    model.views.settle()
    assert(model.views.brokenInvariant(names) == nil, model.views.brokenInvariant(names) ?? "")
    state = Mutex(State(model: model))
    self.store = store
    self.unknown = unknown
    self.environment = environment
    follow()
  }

  deinit { state.withLock { $0.following?.cancel() } }

  public var rules: Rules { state.withLock { $0.model.rules } }

  /// The position of the last event that queries see.
  public var position: UInt64 { state.withLock { $0.model.head.seq } }

  /// A projection of the app's own, as of the last event that queries see; nil for one that was not
  /// in the catalogue the core was opened with.
  public func projection<P: ExplainedProjection>(_ type: P.Type) -> P? {
    state.withLock { $0.model.views[type] }
  }

  /// The number of a user in the projections; nil for one that no event names.
  public func number(of user: String) -> UserID? {
    state.withLock { $0.model.names.find(user: user) }
  }

  /// What must hold of every projection; the first thing that does not, in words, or nil.
  /// - Complexity: O(state); for tests.
  public func brokenInvariant() -> String? {
    state.withLock { $0.model.views.brokenInvariant($0.model.names) }
  }

  /// Takes in what others appended to the log since.
  public func catchUp() async throws(UseCaseError) {
    let error = await withCheckedContinuation { continuation in
      submit([.catchUp { continuation.resume(returning: $0) }])
    }
    if let error { throw error }
  }

  func answer<Q: Query>(
    _ query: Q, _ input: Q.Input, as caller: Caller
  ) throws(UseCaseError) -> Q.Output {
    try state.withLock { (state) throws(UseCaseError) in
      try query.answer(input, to: caller, in: state.model)
    }
  }

  /// - Returns: the answer, and the positions of the events appended.
  func performed<C: Command>(
    _ command: C, _ input: C.Input, as caller: Caller
  ) async throws(UseCaseError) -> (output: C.Output, seqs: Range<UInt64>) {
    typealias Performed = (output: C.Output, seqs: Range<UInt64>)
    let result: Result<Performed, UseCaseError> = await withCheckedContinuation { continuation in
      let pending = Pending(
        caller: caller,
        decide: { (model) throws(UseCaseError) in
          let decided = try command.decide(input, in: &model)
          return { model, seqs in
            continuation.resume(returning: .success((command.answer(decided, in: model), seqs)))
          }
        },
        fail: { continuation.resume(returning: .failure($0)) })
      submit([.command(pending)])
    }
    return try result.get()
  }
}

extension EventStore {
  /// Calls `body` with each typed event after a position, in order, with who acted.
  /// - Returns: the last event there is, passed over or not; nil if there is none after `position`.
  func catchUp(
    after position: UInt64, unknown: ChunkConsumer.UnknownPolicy, _ names: inout Names,
    _ body: (borrowing Event, UserID, Moment) -> Void
  ) async throws(LogError) -> Moment? {
    guard try await head() > position else { return nil }
    return try await history().forEachTypedEvent(after: position, &names, unknown: unknown, body)
  }
}
