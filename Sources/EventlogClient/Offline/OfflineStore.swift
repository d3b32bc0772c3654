import PersonalLogs
import Synchronization
import UseCases

/// A phone's own copy of all that one person may see, with the same use cases as a core, on or off
/// line.
///
/// ```swift
/// let phone = try await OfflineStore("/path/of/the/app/eventlog", server: remote, of: "alice")
/// let follow = phone.useCase(FollowUser.self)
/// _ = try await follow.execute(.init(followee: "bob"), as: "alice")  // at once, also off line
/// try await phone.sync()
/// for outcome in phone.outcomes { print(outcome.name, outcome.kind) }  // FollowUser applied
/// ```
/// A query answers from the personal log and the pending commands, in memory. A command is decided
/// on the same state by the deciders of the server, stored in the outbox with one disk sync, and
/// answered. `sync` sends the pending commands. The server decides each again, once, and every
/// command gets an outcome; see docs/offline.md.
///
/// A call that needs state that the phone does not hold goes to the server, after the pending
/// commands. Without a connection it fails with `UseCaseError.offline`.
///
/// Several processes of an app may open the folder. One of them writes; the others answer queries
/// and follow its changes, and their commands fail with `LogError.locked`.
public final class OfflineStore: OutcomeSource {
  private let state: Mutex<OfflineState>
  private let server: any OfflineServer
  private let observers = Mutex<[Int: AsyncStream<CommandOutcome>.Continuation]>([:])
  private let syncs = Mutex(Syncs())
  /// The id of the person.
  public let user: String

  private typealias SyncTask = Task<Result<Void, UseCaseError>, Never>

  /// The running sync, and the one that waits for it.
  private struct Syncs {
    var running: SyncTask?
    var next: SyncTask?
  }

  /// Opens the folder of a person, and creates it if it is missing.
  /// - Parameters:
  ///   - folder: the path of a folder that no other person uses.
  ///   - server: the server, such as a `RemoteCore`.
  ///   - user: the id of the person that the server's session names.
  ///   - writes: whether this process performs commands and syncs, if no other process does. Pass
  ///     false in a widget.
  ///   - useCases: the built-in use cases and the app's own commands.
  ///   - environment: the clock and the randomness.
  /// - Throws: `refused(.notAuthorized)` if the folder belongs to another person; `log` if it
  ///   cannot be read.
  /// - Complexity: O(personal log and pending commands).
  public init(
    _ folder: String, server: any OfflineServer, of user: String, writes: Bool = true,
    useCases: UseCaseList = .standard, environment: RuntimeEnvironment = .system
  ) async throws(UseCaseError) {
    (self.server, self.user) = (server, user)
    let core: Core
    do throws(LogError) {
      core = try await .deciding(useCases, environment)
    } catch {
      throw .log(error)
    }
    state = Mutex(
      try OfflineState(OfflineFolder(folder), of: user, core: core, environment, writes: writes))
  }

  deinit {
    for observer in observers.withLock({ $0 }).values { observer.finish() }
    state.withLock { $0.release() }
  }

  // MARK: Use cases

  /// Returns a use case that the phone performs, and the server if the phone cannot.
  public func useCase<U: DescribedUseCase>(_: U.Type) -> any UseCase<U.Input, U.Output> {
    OfflineUseCase<U>(phone: self)
  }

  /// Answers a query from the phone; on line from the server, if the phone does not hold all that
  /// the answer shows; off line with the last answer of the server.
  /// - Throws: the query's error; `offline` if there is no answer.
  public func answer<Q: Query>(
    _ query: Q.Type, _ input: Q.Input
  ) async throws(UseCaseError) -> OfflineAnswer<Q.Output> {
    do throws(UseCaseError) {
      return try withState { state throws(UseCaseError) in try state.answer(query, input) }
    } catch {
      guard case .offline = error else { throw error }
    }
    let name = Q.about.name
    do throws(UseCaseError) {
      let value = try await server.perform(Q.self, input, as: user)
      let now = withState { state in
        let answer = RememberedAnswer(
          name: name, input: input.json, answer: value.json, time: state.environment.now())
        try? state.remember(answer)
        return answer.time
      }
      return OfflineAnswer(value: value, settled: value, asOf: now)
    } catch {
      guard error.isOffline else { throw error }
      guard let last = withState({ $0.remembered(name, input.json) }),
        let value = try? Q.Output(json: last.answer)
      else { throw .offline(reason: "the phone has no answer to \(name)") }
      return OfflineAnswer(value: value, settled: value, asOf: last.time)
    }
  }

  /// Decides a command and stores it in the outbox.
  fileprivate func perform<C: Command>(
    _ command: C.Type, _ input: C.Input
  ) async throws(UseCaseError) -> C.Output {
    do throws(UseCaseError) {
      return try withState { state throws(UseCaseError) in try state.perform(command, input) }
    } catch {
      guard case .offline = error else { throw error }
    }
    return try await performOnServer(command, input)
  }

  /// Lets the server perform a use case, after the pending commands.
  fileprivate func performOnServer<U: DescribedUseCase>(
    _ useCase: U.Type, _ input: U.Input
  ) async throws(UseCaseError) -> U.Output {
    let last = withState { $0.pending.last?.id }
    do throws(UseCaseError) {
      try await sync()
    } catch {
      // A person without a profile has nothing to sync, but may create one.
      if error.isOffline { throw .offline(reason: "\(U.about.name) cannot wait") }
      guard case .refused(.profileNotFound) = error else { throw error }
    }
    if let last, pending.contains(where: { $0.id == last }) {
      throw .unreachable(reason: "the server has not performed the earlier commands")
    }
    let output = try await server.perform(useCase, input, as: user)
    // The personal log is as old as before if this fails; the next sync makes up for it.
    try? await sync()
    return output
  }

  private func withState<R: Sendable, E: Error>(
    _ body: (inout OfflineState) throws(E) -> R
  ) throws(E) -> R {
    try state.withLock { state throws(E) in try body(&state) }
  }

  /// Reads the state, after the changes of other processes.
  private func read<R: Sendable>(_ body: (OfflineState) -> R) -> R {
    withState { state in
      try? state.follow()
      return body(state)
    }
  }

  // MARK: Pending commands and outcomes

  /// The time of the personal log by the server's clock; nil before the first sync.
  public var asOf: Timestamp? { read { $0.reading?.log.time } }

  /// The position of the last event that the personal log reflects; 0 before the first sync.
  public var position: UInt64 { read { $0.reading?.log.position ?? 0 } }

  /// The commands that the server has not answered, in order.
  public var pending: [PendingCommand] {
    withState { state in
      try? state.follow()
      state.settle()
      return state.pending
    }
  }

  public var outcomes: [CommandOutcome] { read { $0.outcomes } }

  /// The number of damaged lines that the outbox had when it was opened. Their commands are not
  /// performed; the file `outbox.damaged` in the folder has them.
  public var damagedLines: Int { read { $0.damagedLines } }

  /// Returns all outcomes that are not dismissed, and then each new one of this process. The stream
  /// ends with the store, and after `delete`.
  public func outcomeUpdates() -> AsyncStream<CommandOutcome> {
    let (stream, continuation) = AsyncStream<CommandOutcome>.makeStream()
    observers.withLock { observers in
      for outcome in outcomes { continuation.yield(outcome) }
      let id = (observers.keys.max() ?? 0) + 1
      observers[id] = continuation
      continuation.onTermination = { [weak self] _ in
        self?.observers.withLock { _ = $0.removeValue(forKey: id) }
      }
    }
    return stream
  }

  public func dismiss(_ id: CommandOutcome.ID) throws(UseCaseError) {
    try withState { state throws(UseCaseError) in try state.dismiss(id) }
  }

  /// Releases the writer's lock, such as when the app goes to the background. The next command or
  /// sync takes it again. A running sync fails with `cancelled`. iOS ends an app that holds a lock
  /// in a shared folder in the background.
  public func release() { withState { $0.release() } }

  /// Deletes the personal log, the outbox and its outcomes, when the person signs out. Pending
  /// commands are lost: check `pending` first. All later calls fail with `sessionEnded`.
  public func delete() throws(UseCaseError) {
    try withState { state throws(UseCaseError) in try state.delete() }
    let streams = observers.withLock { observers in
      defer { observers = [:] }
      return observers.values.map { $0 }
    }
    for stream in streams { stream.finish() }
  }

  // MARK: Sync

  /// Sends the pending commands, fetches the personal log, and decides again the commands that the
  /// new personal log does not reflect.
  ///
  /// Returns without an error if a busy server must get commands again; `pending` has them.
  /// A call during a sync waits for it, and then for another one, which it shares with other such
  /// calls. Cancelling the call does not end the sync.
  /// - Throws: `unreachable` and other errors of the connection; then the commands stay pending.
  ///   `upgradeRequired` if this version cannot read the personal log.
  public func sync() async throws(UseCaseError) {
    let task = syncs.withLock { syncs -> SyncTask in
      if let next = syncs.next { return next }
      let earlier = syncs.running
      let task = SyncTask {
        if let earlier {
          _ = await earlier.value
          self.syncs.withLock { ($0.running, $0.next) = ($0.next, nil) }
        }
        defer { self.syncs.withLock { if $0.next == nil { $0.running = nil } } }
        do throws(UseCaseError) {
          try await self.performSync()
          return .success(())
        } catch {
          return .failure(error)
        }
      }
      if earlier == nil { syncs.running = task } else { syncs.next = task }
      return task
    }
    try await task.value.get()
  }

  /// Syncs now, and again after each pause, until the task is cancelled.
  /// - Throws: the errors after which another try is of no use: `sessionEnded`, `upgradeRequired`
  ///   and refusals, such as `profileNotFound` after the account was deleted.
  public func keepSyncing(every pause: Duration = .seconds(30)) async throws(UseCaseError) {
    while !Task.isCancelled {
      do throws(UseCaseError) {
        try await sync()
      } catch {
        switch error {
        case .sessionEnded, .upgradeRequired, .refused: throw error
        default: break
        }
      }
      try? await Task.sleep(for: pause)
    }
  }

  private func performSync() async throws(UseCaseError) {
    var failure: UseCaseError?
    try withState { state throws(UseCaseError) in try state.beginSync() }
    while let step = withState({ $0.nextStep() }) {
      switch step {
      case .push(let commands):
        do throws(UseCaseError) { try await push(commands) } catch {
          // The personal log is fetched nevertheless, if the server can be reached.
          if error.isOffline || error == .cancelled { throw error }
          failure = error
        }
      case .fetch(let earlier): try await fetch(since: earlier)
      case .ask(let queries):
        // Without new answers, the last ones stay.
        let new = (try? await server.answers(to: queries, as: user)) ?? []
        try withState { state throws(UseCaseError) in try state.receive(new, to: queries) }
      }
    }
    if let failure { throw failure }
  }

  private func push(_ commands: [OutboxCommand]) async throws(UseCaseError) {
    let result: Result<[OutboxReply], UseCaseError>
    do throws(UseCaseError) {
      result = .success(try await server.perform(commands, as: user))
    } catch {
      result = .failure(error)
    }
    // A new observer gets each outcome once: from the state before, or from here.
    try observers.withLock { observers throws(UseCaseError) in
      let new = try withState { state throws(UseCaseError) in
        switch result {
        case .success(let replies): try state.receive(replies)
        case .failure(let error): try state.receive(pushError: error, for: commands)
        }
      }
      for outcome in new { for observer in observers.values { observer.yield(outcome) } }
    }
  }

  private func fetch(since earlier: PersonalLog?) async throws(UseCaseError) {
    do throws(UseCaseError) {
      let log = try await server.personalLog(of: user, since: earlier)
      // Commands may be added while the log is read.
      let snapshot = withState { $0.snapshot }
      let prepared = try OfflineState.prepare(log, snapshot)
      let isNew = try withState { state throws(UseCaseError) in try state.receive(prepared) }
      guard isNew else {
        throw UseCaseError.incompatible(
          reason: "the server's log ends at \(log.position), before the phone's; was it restored?")
      }
    } catch {
      if case .refused(.profileNotFound) = error {
        try withState { state throws(UseCaseError) in try state.receiveNoAccount() }
      }
      throw error
    }
  }
}

/// A use case that a phone performs.
private struct OfflineUseCase<U: DescribedUseCase>: UseCase {
  let phone: OfflineStore

  func execute(_ input: U.Input, as caller: Caller) async throws(UseCaseError) -> U.Output {
    guard let user = caller.user else { throw .refused(.unauthorized) }
    guard isSameUser(user, phone.user), caller.service == nil else {
      throw .refused(.notAuthorized)
    }
    if let query = U.self as? any Query.Type { return try await answer(query, input) }
    if let command = U.self as? any Command.Type { return try await perform(command, input) }
    if let refresh = U.self as? any RefreshingUseCase.Type {
      try? await phone.sync()
      return try await answer(refresh.query, input)
    }
    return try await phone.performOnServer(U.self, input)
  }

  private func answer<Q: Query>(
    _: Q.Type, _ input: U.Input
  ) async throws(UseCaseError) -> U.Output {
    guard let input = input as? Q.Input,
      let output = try await phone.answer(Q.self, input).value as? U.Output
    else { preconditionFailure("\(U.about.name) has other types") }
    return output
  }

  private func perform<C: Command>(
    _: C.Type, _ input: U.Input
  ) async throws(UseCaseError) -> U.Output {
    guard let input = input as? C.Input,
      let output = try await phone.perform(C.self, input) as? U.Output
    else { preconditionFailure("\(U.about.name) has other types") }
    return output
  }
}

extension UseCaseError {
  /// Whether the server could not be reached.
  fileprivate var isOffline: Bool {
    switch self {
    case .unreachable, .offline: true
    default: false
    }
  }
}
