import Aggregates
import Events
import Projections

extension Core {
  /// Opens a core on a log in a folder, from its last usable checkpoint.
  ///
  /// ```swift
  /// let core = try await Core.open(FileLog(path: "eventlogs/demo"))
  /// try await core.saveCheckpoint()
  /// core.position  // 259
  /// ```
  /// - Parameters:
  ///   - catalogue: includes the app's own projections for the core to maintain; `projection`
  ///     returns them.
  ///   - usesCheckpoints: false replays the log from its first event.
  ///   - unknown: as in `init`.
  /// - Throws: read errors of the log, including `.unknownType`. An unusable checkpoint is not an
  ///   error; `ignoredStates` names it.
  /// - Complexity: reading the state, then the events after it.
  public static func open(
    _ log: FileLog, rules: Rules = .climb, catalogue: Catalogue = .standard,
    usesCheckpoints: Bool = true, unknown: ChunkConsumer.UnknownPolicy = .stop,
    environment: RuntimeEnvironment = .system
  ) async throws(LogError) -> Core {
    try await open(
      log, log.view(), until: .max, rules, catalogue, usesCheckpoints, unknown, environment)
  }

  /// Opens a read-only core on a log as it was after a position, from the last checkpoint before
  /// it.
  ///
  /// ```swift
  /// let core = try await Core.open(reading: view, until: 100)
  /// core.position  // 100
  /// ```
  /// - Parameters:
  ///   - until: later events are never seen; nil means the whole log, including what is appended
  ///     later.
  ///   - usesCheckpoints: false replays the log from its first event.
  /// - Throws: read errors of the log, including `.unknownType`.
  /// - Complexity: reading the state, then the events after it.
  public static func open(
    reading view: LogView, until: UInt64? = nil, rules: Rules = .climb,
    catalogue: Catalogue = .standard, usesCheckpoints: Bool = true,
    unknown: ChunkConsumer.UnknownPolicy = .stop
  ) async throws(LogError) -> Core {
    try await open(
      try ReadOnlyLog(view, until: until), view, until: until ?? .max, rules, catalogue,
      usesCheckpoints, unknown, .system)
  }

  private static func open(
    _ store: any EventStore, _ view: LogView, until: UInt64, _ rules: Rules,
    _ catalogue: Catalogue, _ usesCheckpoints: Bool, _ unknown: ChunkConsumer.UnknownPolicy,
    _ environment: RuntimeEnvironment
  ) async throws(LogError) -> Core {
    var state = Replay(CoreState(catalogue))
    let ignored = usesCheckpoints ? state.restore(view, until: until, unknown: unknown) : []
    return try await Core(
      store, rules: rules, from: state,
      ignoring: ignored.map { IgnoredState(path: $0.path, .fault($0.fault)) }, unknown: unknown,
      environment: environment)
  }

  /// Writes a checkpoint of the core's state for the next `open`; removes earlier ones that are no
  /// longer worth their space.
  /// - Returns: false if there is nothing to write or nowhere to write it: for an empty log, one
  ///   that is not a `FileLog`, or a core that skipped unknown types.
  /// - Throws: `.file` for file system errors, which affect nothing but the checkpoint.
  /// - Complexity: O(state) time and bytes, after the commands submitted earlier.
  @discardableResult
  public func saveCheckpoint() async throws(LogError) -> Bool {
    guard let log = store as? FileLog, unknown == .stop else { return false }
    // Between two groups of commands, everything decided is durable.
    let (state, names, position) = await withCheckedContinuation { continuation in
      submit([
        .barrier {
          continuation.resume(
            returning: self.state.withLock { state in
              (CoreState(state.model), state.model.names, state.model.head.seq)
            })
        }
      ])
    }
    guard position > 0, let last = try await log.read(after: position - 1, limit: 1).first
    else { return false }
    var replay = Replay(state, names: names, head: LogHead(last))
    do throws(FileError) {
      return try replay.save(log.view())
    } catch {
      throw .file(error)
    }
  }
}

extension CoreState {
  fileprivate init(_ model: Model) {
    self.init()
    society = model.society
    views = model.views
  }
}
