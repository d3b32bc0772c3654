import EventLog
import Events
import Projections

extension Replay {
  /// A checkpoint that was not used, and the reason.
  public struct Ignored: Equatable, Sendable {
    /// The checkpoint's path.
    public var path: String
    /// The reason why it was not used.
    public var fault: CheckpointFault
  }

  /// Returns the answer of `ask` about the state at a position, computed from the last checkpoint.
  /// If that checkpoint turns out to be damaged, deletes it, rebuilds the state from the log, and
  /// calls `ask` again.
  ///
  /// ```swift
  /// let most = try await Replay<FollowerRanking>.answer(of: view) { replay in
  ///   replay.projection.rows(limit: 1, names: replay.names).map { replay.names[$0.user] }
  /// }
  /// most  // ["lena"]
  /// ```
  /// - Parameters:
  ///   - usesCheckpoint: if false, the state is computed from the log's beginning.
  ///   - ignoring: called with each checkpoint that is not used, and the reason.
  ///   - ask: computes the answer; called again if the checkpoint was damaged.
  /// - Throws: as `run`.
  /// - Complexity: with a checkpoint, reads the pages that `ask` and the later events need, or all
  ///   pages if more events than pages follow. Without a checkpoint, as `run`.
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
      // If the checkpoint's table of names is damaged, a correct line can look wrong.
      answer = .failure(error)
    }
    if let answer = replay.restored.checked(answer) { return try answer.get() }
    ignoring(Ignored(path: replay.restoredFrom ?? "", fault: .damaged))
    replay = Replay(projection)
    try await replay.run(history, until: until, options: options)
    return ask(&replay)
  }

  /// Returns the state at a position, computed like the state in `answer`. Some pages may not be
  /// read yet, so the caller must check each later answer with `Optional.checked`.
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

  /// Replaces the state with that of the projection's last usable checkpoint at or before a
  /// position. Changes nothing if there is none.
  /// - Parameter unknown: with `.stop`, a checkpoint is not used if its state skipped events of
  ///   unknown types.
  /// - Returns: the checkpoints that were not used because they are damaged, foreign, newer or
  ///   ahead of the log.
  /// - Complexity: O(state), about the time of copying it in memory.
  public mutating func restore(
    _ history: some History, until: UInt64 = .max, unknown: ChunkConsumer.UnknownPolicy = .skip
  ) -> [Ignored] {
    restore(history, until: until, lazily: false, unknown: unknown)
  }

  /// Replaces the state like `restore(_:until:unknown:)`.
  /// - Parameters:
  ///   - lazily: whether large tables are read only on access. The caller must then check each
  ///     answer with `Optional.checked`.
  ///   - beforeRun: whether the caller will next apply the events up to `until`. If there are more
  ///     such events than the tables have pages, the tables are read at once even if `lazily` is
  ///     true.
  /// - Complexity: a few small reads if tables are read only on access.
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
        // A nil file means that the checkpoint belongs to other projections or other versions.
        guard let file, unknown != .stop || file.skipped.isEmpty else { continue }
        (self.projection, self.names) = (projection, names)
        (self.head, self.skipped, restored) = (file.head, file.skipped, file)
        saved = file.head.seq
        return ignored
      } catch {
        // A checkpoint with an older format or without its base is not used, but that is not
        // reported.
        if error == .older || error == .incomplete { continue }
        ignored.append(Ignored(path: checkpoints.path(entry), fault: error))
      }
    }
    return ignored
  }

  /// Writes a checkpoint of the state if one is due. Ignores failures.
  /// - Parameter ofPast: whether a state before the log's end is saved too. It is saved if the last
  ///   checkpoint before it is at least a sixteenth of the history away.
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

  /// Writes a checkpoint of the current state, and removes earlier ones that are not worth their
  /// space.
  /// - Returns: false if the projection or the history has no checkpoints.
  /// - Throws: file system errors, which affect only the checkpoint, not the state.
  @discardableResult
  public mutating func save(
    _ history: some History, as name: String = P.name
  ) throws(FileError) -> Bool {
    guard head.seq > 0, let checkpoints = Self.checkpoints(of: history) else { return false }
    func code(_ coder: inout StateCoder) {
      names.code(with: &coder)
      projection.codeParts(with: &coder)
    }
    if let file = restored, restored.checked(true) != nil,
      checkpoints.path(checkpoints.entry(name, head.seq, code)) == file.name
    {
      return true
    }
    let written = try checkpoints.write(name, head: head, skipped: skipped, code)
    guard let written else { return false }
    saved = head.seq
    let end = (try? history.head().seq) ?? head.seq
    // The checkpoints may take an eighth of the log's size, or 16 MiB if that is more.
    checkpoints.thin(
      name, upTo: max(end, head.seq), keeping: written, room: max(history.size / 8, 1 << 24))
    return true
  }

  /// Returns the format of the checkpoints that `save` writes, such as `3-1f0c93aa`. Programs with
  /// the same format read each other's checkpoints.
  public func checkpointFormat() -> String {
    var (names, projection) = (names, projection)
    return Checkpoints.format {
      names.code(with: &$0)
      projection.codeParts(with: &$0)
    }
  }

  private static func checkpoints(of history: some History) -> Checkpoints? {
    (history as? any CheckpointedHistory)?.checkpoints
  }
}
