import EventLog
import Events
import Projections

extension Replay {
  /// Asks about the state after a position. What `ask` reads comes from the last checkpoint; if
  /// that turns out to be damaged, asks again about a state rebuilt from the log's text.
  ///
  /// ```swift
  /// let most = try await Replay<FollowerRanking>.answer(of: view) { replay in
  ///   replay.projection.rows(limit: 1, names: replay.names).map { replay.names[$0.user] }
  /// }
  /// most  // ["lena"]
  /// ```
  /// - Parameters:
  ///   - usesCheckpoint: false reads the log's text from its beginning.
  ///   - ignoring: called with each checkpoint that is not used, and why.
  ///   - ask: called once, and once more if the checkpoint was damaged.
  /// - Throws: what `run` throws.
  /// - Complexity: with a checkpoint, the pages that `ask` and later events touch, or all of its
  ///   pages if more events follow; otherwise that of `run`.
  public static func answer<Answer>(
    _ projection: P = P(), of history: some History, until: UInt64 = .max,
    options: Options = Options(),
    usesCheckpoint: Bool = true, ignoring: (Ignored) -> Void = { _ in },
    _ ask: (inout Replay) -> Answer
  ) async throws(LogError) -> Answer {
    var replay = Replay(projection)
    if usesCheckpoint {
      let ignored = replay.restore(
        history, until: until, lazily: true, beforeRun: true, unknown: options.unknown)
      for ignored in ignored { ignoring(ignored) }
    }
    let answer: Result<Answer, LogError>
    do throws(LogError) {
      try await replay.run(history, until: until, options: options)
      answer = .success(ask(&replay))
    } catch {
      // Damaged names can make a line look wrong: then the log is not to blame.
      answer = .failure(error)
    }
    if let answer = replay.restored.checked(answer) { return try answer.get() }
    ignoring(Ignored(path: replay.restoredFrom ?? "", fault: .damaged))
    replay = Replay(projection)
    try await replay.run(history, until: until, options: options)
    return ask(&replay)
  }

  /// The state after a position, of which a checkpoint may still hold pages: who reads more of it
  /// has the answers `checked`.
  /// - Parameters, throws: as of `answer`.
  package static func caughtUp(
    _ projection: P = P(), with history: some History, until: UInt64 = .max,
    options: Options = Options(), usesCheckpoint: Bool = true,
    ignoring: (Ignored) -> Void = { _ in }
  ) async throws(LogError) -> Replay {
    try await answer(
      projection, of: history, until: until, options: options, usesCheckpoint: usesCheckpoint,
      ignoring: ignoring
    ) { $0 }
  }

  /// A state built elsewhere, as of the event at `head`.
  package init(
    _ projection: P, names: Names, head: LogHead, skipped: [UnknownType: Int] = [:]
  ) {
    self.init(projection)
    (self.names, self.head, self.skipped) = (names, head, skipped)
  }
}
