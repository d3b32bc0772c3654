import Aggregates
import EventLog
import Events
import Projections
import Replaying

extension Core {
  /// Opens a core on a log in a folder, from its last usable checkpoint.
  ///
  /// ```swift
  /// let core = try await Core.open(FileLog(path: "eventlogs/demo"))
  /// try await core.saveCheckpoint()
  /// core.position  // 300
  /// ```
  /// - Parameters:
  ///   - catalogue: includes the app's own projections for the core to maintain; `projection`
  ///     returns them.
  ///   - useCases: includes the app's own, for `perform` and a server.
  ///   - usesCheckpoints: false replays the log from its first event, and leaves no checkpoint
  ///     behind.
  ///   - rules, unknown: as in `init`.
  /// - Throws: read errors of the log, including `.unknownType`. An unusable checkpoint is not an
  ///   error; `ignoredStates` names it.
  /// - Complexity: reading the events after the last checkpoint; the checkpoint itself is read page
  ///   by page, when it is looked at. A core leaves checkpoints behind by itself.
  public static func open(
    _ log: FileLog, rules: Rules? = nil, catalogue: Catalogue = .standard,
    useCases: UseCaseList = .standard, usesCheckpoints: Bool = true,
    unknown: ChunkConsumer.UnknownPolicy = .stop, environment: RuntimeEnvironment = .system
  ) async throws(LogError) -> Core {
    try await open(
      log, log.view(), until: .max, try await log.rules(rules), catalogue,
      useCases, usesCheckpoints, unknown, environment)
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
  ///   - follows: false leaves what is appended later unseen, which suits a process that asks once:
  ///     ending a watch of the folder can take Linux ten milliseconds.
  ///   - rules: nil means the rules that the log records, or climb's if it records none.
  ///   - usesCheckpoints: false replays the log from its first event.
  /// - Throws: read errors of the log, including `.unknownType`; `RulesRefusal`.
  /// - Complexity: reading the events after the checkpoint; the checkpoint itself is read page by
  ///   page, when it is looked at.
  public static func open(
    reading view: LogView, until: UInt64? = nil, follows: Bool = true, rules: Rules? = nil,
    catalogue: Catalogue = .standard, useCases: UseCaseList = .standard,
    usesCheckpoints: Bool = true, unknown: ChunkConsumer.UnknownPolicy = .stop
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
      usesCheckpoints, unknown, environment)
  }

  /// Opens a core on the log as it was after a position, which can decide again what the log has
  /// after it, and nothing else.
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
    from blank: CoreState? = nil
  ) async throws(LogError) -> Core {
    let blank = blank ?? CoreState(catalogue)
    var ignored: [IgnoredState] = []
    var options = ReplayOptions()
    options.unknown = unknown
    var state = try await Replay.caughtUp(
      blank, with: view, until: until, options: options, usesCheckpoint: usesCheckpoints,
      ignoring: { ignored.append(IgnoredState(path: $0.path, .fault($0.fault))) })
    if usesCheckpoints, unknown == .stop, state.saveIfDue(view) {
      // What has been written need not stay in memory.
      var again = Replay(blank)
      if again.restore(view, until: until, lazily: true, unknown: unknown).isEmpty,
        again.head == state.head
      {
        state = again
      }
    }
    return try await Core(
      store, rules: rules, from: state, ignoring: ignored, unknown: unknown,
      environment: environment, leavesCheckpoints: usesCheckpoints, catalogue: catalogue,
      useCases: useCases)
  }
}
