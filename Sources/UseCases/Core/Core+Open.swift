import Aggregates
import Events
import Projections

extension Core {
  /// Opens a core on a log in a folder, from the last checkpoint that fits it.
  ///
  /// ```swift
  /// let core = try await Core.open(FileLog(path: "eventlogs/demo"))
  /// try await core.saveCheckpoint()
  /// core.position  // 259
  /// ```
  /// - Parameters:
  ///   - catalogue: with the projections of the app's own that the core is to keep; `projection`
  ///     gives them.
  ///   - usesCheckpoints: false replays the log from its first event.
  ///   - unknown: as in `init`.
  /// - Throws: what reading the log throws, `.unknownType` among it. A checkpoint that cannot be
  ///   used is no error: `ignoredStates` names it.
  /// - Complexity: reading the state, then the events after it.
  public static func open(
    _ log: FileLog, rules: Rules = .climb, catalogue: Catalogue = .standard,
    usesCheckpoints: Bool = true, unknown: ChunkConsumer.UnknownPolicy = .stop,
    environment: RuntimeEnvironment = .system
  ) async throws(LogError) -> Core {
    try await open(
      log, log.view(), until: .max, rules, catalogue, usesCheckpoints, unknown, environment)
  }

  /// Opens a core that only answers, on a log as it was after a position, from the last checkpoint
  /// before that.
  ///
  /// ```swift
  /// let core = try await Core.open(reading: view, until: 100)
  /// core.position  // 100
  /// ```
  /// - Parameters:
  ///   - until: what comes after it is not seen, now or later; nil is the whole log, with what is
  ///     appended to it.
  ///   - usesCheckpoints: false replays the log from its first event.
  /// - Throws: what reading the log throws, `.unknownType` among it.
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

  /// Writes a checkpoint of what the core knows, for the next `open`; earlier ones that are no
  /// longer worth their room are removed.
  /// - Returns: false where there is nothing to write or nowhere to write it: an empty log, one
  ///   that is not a `FileLog`, a core that passes over unknown types.
  /// - Throws: `.file` for what the file system refuses; nothing but the checkpoint is affected.
  /// - Complexity: O(state) time and bytes, after the commands that came before.
  @discardableResult
  public func saveCheckpoint() async throws(LogError) -> Bool {
    guard let log = store as? FileLog, unknown == .stop else { return false }
    // Between two groups of commands: what is decided is durable then.
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
