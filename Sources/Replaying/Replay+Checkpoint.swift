import EventLog
import Events
import Projections

extension Replay {
  /// A checkpoint that was not used, and the reason.
  public struct Ignored: Equatable, Sendable {
    /// The checkpoint's path.
    public var path: String
    /// The reason.
    public var fault: CheckpointFault
  }

  /// Asks about the state after a position, starting from the last checkpoint. If that proves
  /// damaged, deletes it and asks again about a state rebuilt from the log.
  ///
  /// ```swift
  /// let most = try await Replay<FollowerRanking>.answer(of: view) { replay in
  ///   replay.projection.rows(limit: 1, names: replay.names).map { replay.names[$0.user] }
  /// }
  /// most  // ["lena"]
  /// ```
  /// - Parameters:
  ///   - usesCheckpoint: if false, reads the log from its beginning.
  ///   - ignoring: called with each checkpoint that is not used, and the reason.
  ///   - ask: called once, and again if the checkpoint was damaged.
  /// - Throws: as `run`.
  /// - Complexity: with a checkpoint, the pages that `ask` and later events need, or all of its
  ///   pages if more events follow; otherwise as `run`.
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
      // Damaged names can make a correct line look wrong.
      answer = .failure(error)
    }
    if let answer = replay.restored.checked(answer) { return try answer.get() }
    ignoring(Ignored(path: replay.restoredFrom ?? "", fault: .damaged))
    replay = Replay(projection)
    try await replay.run(history, until: until, options: options)
    return ask(&replay)
  }

  /// Returns the state after a position, like `answer`. Some pages may still be only in the
  /// checkpoint, so later answers must be `checked`.
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

  /// Starts from the projection's last usable checkpoint at or before a position, or from the
  /// beginning if there is none.
  /// - Parameter unknown: whether a state that skipped events of unknown types may be used.
  /// - Returns: the checkpoints that are damaged, foreign, newer or ahead of the log.
  /// - Complexity: O(state), at memory's speed.
  public mutating func restore(
    _ history: some History, until: UInt64 = .max, unknown: ChunkConsumer.UnknownPolicy = .skip
  ) -> [Ignored] {
    restore(history, until: until, lazily: false, unknown: unknown)
  }

  /// - Parameters:
  ///   - lazily: reads large tables on demand; answers must then be `checked`.
  ///   - beforeRun: whether the events up to the position are applied next. If there are more
  ///     events than the tables have pages, the tables are read at once even if `lazily` is true.
  /// - Complexity: a few small reads if tables are read on demand.
  package mutating func restore(
    _ history: some History, until: UInt64 = .max, lazily: Bool,
    beforeRun: Bool = false, unknown: ChunkConsumer.UnknownPolicy = .skip
  ) -> [Ignored] {
    var ignored: [Ignored] = []
    guard let checkpoints = Self.checkpoints(of: history) else { return ignored }
    let head = (try? history.head().seq) ?? 0
    for entry in checkpoints.entries() where entry.position <= until || entry.position > head {
      do throws(CheckpointFault) {
        var (projection, names) = (blank, newNames())
        let distance = beforeRun ? max(min(until, head), entry.position) - entry.position : 0
        let file = try checkpoints.restore(entry, of: history, lazily: lazily, before: distance) {
          (projection, names) = (blank, newNames())
          names.code(with: &$0)
          projection.codeParts(with: &$0)
        }
        // Nil means that the checkpoint is of other projections or other versions.
        guard let file, unknown != .stop || file.skipped.isEmpty else { continue }
        (self.projection, self.names) = (projection, names)
        (self.head, self.skipped, restored) = (file.head, file.skipped, file)
        saved = file.head.seq
        return ignored
      } catch {
        // A checkpoint of an older format, or one whose base is gone, is unusable but not reported.
        if error == .older || error == .incomplete { continue }
        ignored.append(Ignored(path: checkpoints.path(entry), fault: error))
      }
    }
    return ignored
  }

  /// Writes a checkpoint if one is due; ignores failures.
  /// - Parameter ofPast: also keeps a past state if the nearest earlier checkpoint is at least a
  ///   sixteenth of the history away.
  /// - Returns: whether a checkpoint was written.
  @discardableResult
  public mutating func saveIfDue(
    _ history: some History, as name: String = P.name, ofPast: Bool = false
  ) -> Bool {
    guard Checkpoints.isDue(head.seq, after: saved), let end = try? history.head().seq,
      head.seq == end || ofPast && head.seq - saved >= end / 16
    else { return false }
    return (try? save(history, as: name)) == true
  }

  /// Writes a checkpoint of the current state, and removes earlier ones not worth their space.
  /// - Returns: false for a projection or a history without checkpoints.
  /// - Throws: file system errors, which affect only the checkpoint.
  @discardableResult
  public mutating func save(
    _ history: some History, as name: String = P.name
  ) throws(FileError) -> Bool {
    guard head.seq > 0, let checkpoints = Self.checkpoints(of: history) else { return false }
    if let file = restored, checkpoints.isAt(file, name, head.seq), restored.checked(true) != nil {
      return true
    }
    let isWritten = try checkpoints.write(name, head: head, skipped: skipped) {
      names.code(with: &$0)
      projection.codeParts(with: &$0)
    }
    guard isWritten else { return false }
    saved = head.seq
    let end = (try? history.head().seq) ?? head.seq
    // Even a small log's checkpoints may take 16 MiB.
    checkpoints.thin(
      name, upTo: max(end, head.seq), keeping: head.seq, room: max(history.size / 8, 1 << 24))
    return true
  }

  private static func checkpoints(of history: some History) -> Checkpoints? {
    (history as? any CheckpointedHistory)?.checkpoints
  }
}
