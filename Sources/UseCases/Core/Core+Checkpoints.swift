import EventLog
import Events
import Projections
import Replaying
import Synchronization

extension Core {
  /// Rebuilds the core's state from the log's text if the checkpoint under the state is damaged.
  ///
  /// Call this function only between batches of commands, when all decided events are durable.
  /// - Returns: whether all ids have the same dense numbers as before.
  /// - Complexity: that of a replay of the log.
  func rebuild() async throws(LogError) -> Bool {
    let (restored, names, position) = state.withLock {
      ($0.restored, $0.model.names, $0.model.head.seq)
    }
    guard let saved = restored, restored.checked(true) == nil else { return true }
    var replay = Replay(blank)
    let known = names.restoredAnew(from: saved)
    if let known { replay.names = known }
    var options = ReplayOptions()
    options.unknown = unknown
    try await replay.run(await store.history(), until: position, options: options)
    state.withLock { state in
      state.ignored.append(IgnoredState(path: saved.name, .fault(.damaged)))
      state.restored = nil
      state.model.take(replay)
    }
    return known != nil
  }

  /// Writes a checkpoint of the durable state for the next `open`. Removes earlier checkpoints that
  /// are no longer worth their space.
  /// - Returns: false if no checkpoint is written, because the log is empty or not a `FileLog`, or
  ///   the core skips unknown event types.
  /// - Throws: `.file` for file system errors. They affect only the checkpoint, not the log.
  /// - Complexity: O(events since the last checkpoint, and the state that they changed). The core
  ///   performs commands meanwhile.
  @discardableResult
  public func saveCheckpoint() async throws(LogError) -> Bool {
    guard let log = store as? FileLog, unknown == .stop else { return false }
    guard let position = try await Self.save(log.view(), blank) else { return false }
    didSave(at: position)
    return true
  }

  /// Writes checkpoints of a log's present state and of its writer's index, with which `FileLog`
  /// and `open` are fast. Another process may be the log's writer meanwhile.
  /// - Returns: the checkpoint's position; nil if the log is empty.
  /// - Throws: read errors of the log; `.file` for errors that affect only the checkpoints.
  /// - Complexity: O(events since the last checkpoint that this version can read, and the state).
  public static func saveCheckpoint(
    of view: LogView, catalogue: Catalogue = .standard
  ) async throws(LogError) -> UInt64? {
    let position = try await save(view, CoreState(catalogue))
    // Writing the index takes time for all events; reading these events takes some milliseconds.
    try view.saveWriterIndex(ifNew: 10_000)
    return position
  }

  /// Writes checkpoints near the end of a log that grows meanwhile. Repeats `saveCheckpoint(of:)`,
  /// at most three times, until it takes less than 200 ms.
  /// - Parameter isStopped: whether to stop before the next repetition.
  /// - Throws: read errors of the log; `.file` for errors that affect only the checkpoints.
  package static func saveCheckpoints(
    nearEndOf path: String, catalogue: Catalogue = .standard, isStopped: () -> Bool
  ) async throws(LogError) {
    for _ in 1...3 where !isStopped() {
      let start = ContinuousClock.now
      _ = try await saveCheckpoint(of: LogView(path: path), catalogue: catalogue)
      if ContinuousClock.now - start < .milliseconds(200) { return }
    }
  }

  /// Replays a second state, and writes it as a checkpoint. Writing the core's own state would
  /// force concurrent commands to copy the state's tables.
  /// - Returns: the checkpoint's position; nil if no checkpoint is written.
  private static func save(
    _ view: LogView, _ blank: CoreState
  ) async throws(LogError) -> UInt64? {
    let saved = try await Replay.answer(blank, of: view) { replay in
      Result { () throws(FileError) in try replay.save(view) ? replay.head.seq : nil }
    }
    do throws(FileError) { return try saved.get() } catch { throw .file(error) }
  }

  /// Starts writing a checkpoint in the background if one is due.
  ///
  /// Pauses after each checkpoint, so that even the busiest core spends only about a tenth of its
  /// time on checkpoints.
  func saveCheckpointIfDue() {
    guard leavesCheckpoints, unknown == .stop, let view = (store as? FileLog)?.view() else {
      return
    }
    let isDue = state.withLock { state in
      guard !state.isSaving, Checkpoints.isDue(state.model.head.seq, after: state.saved) else {
        return false
      }
      state.isSaving = true
      return true
    }
    guard isDue else { return }
    // The task has a weak reference, so that the core and the log's lock can be released meanwhile.
    environment.start { [weak self, blank] in
      let begun = ContinuousClock.now
      let position = (try? await Self.save(view, blank)) ?? nil
      // After a failure the core starts no more checkpoints here: each try could replay the whole
      // log.
      guard let position else { return }
      self?.didSave(at: position)
      // The pause is at most a second, because events appended meanwhile slow the next checkpoint.
      try? await Task.sleep(for: min((ContinuousClock.now - begun) * 10, .seconds(1)))
      self?.state.withLock { $0.isSaving = false }
      self?.saveCheckpointIfDue()
    }
  }

  private func didSave(at position: UInt64) {
    // Also saves the log's own index, for the process that opens the log next.
    if let log = store as? FileLog, log.isCheckpointDue { _ = try? log.saveCheckpoint() }
    state.withLock { $0.saved = max($0.saved, position) }
  }
}

/// A saved state or a checkpoint from which a core could not start.
///
/// ```swift
/// var state = Replay<CoreState>()
/// try await state.run(view)
/// let core = try await Core(log, state: state)
/// core.ignoredStates.count  // 1: the state is of the demo, not of this log
/// ```
public struct IgnoredState: Equatable, Sendable {
  /// The reason why the core ignored a state.
  public enum Reason: Equatable, Sendable {
    /// The state is damaged or unreadable, belongs to another log, or is newer than the log's last
    /// event.
    case fault(CheckpointFault)
    /// The state lacks events of these unknown types, but the core is set to stop at unknown types.
    case skippedTypes([UnknownType])
  }

  /// The path of the checkpoint's file; nil if the state did not come from a checkpoint.
  public var path: String?
  /// The reason why the core ignored the state.
  public var reason: Reason

  init(path: String?, _ reason: Reason) {
    (self.path, self.reason) = (path, reason)
  }
}

extension IgnoredState: CustomStringConvertible {
  /// A phrase such as `my.log/checkpoints/core-0000000000000260.checkpoint is damaged`.
  public var description: String {
    let subject = path ?? "the state"
    switch reason {
    case .fault(let fault): return "\(subject) \(fault)"
    case .skippedTypes(let types):
      let names = types.map { "\($0.name) version \($0.version)" }.joined(separator: ", ")
      return "\(subject) was saved without events of unknown types: \(names)"
    }
  }
}

extension Replay<CoreState> {
  /// Returns the reason why a core on `store` cannot start from this state; nil if the core can.
  func unusable(
    with store: any EventStore, unknown: ChunkConsumer.UnknownPolicy
  ) async throws(LogError) -> IgnoredState.Reason? {
    guard head.seq > 0 else { return nil }
    if restored.checked(true) == nil { return .fault(.damaged) }
    if unknown == .stop, !skipped.isEmpty { return .skippedTypes(skipped.keys.sorted()) }
    let last = try await store.head()
    guard head.seq <= last else { return .fault(.ahead(position: head.seq, head: last)) }
    // Comparing one checksum is enough, because an event's checksum covers all events before it.
    let event = try await store.read(after: head.seq - 1, limit: 1).first
    return event?.sum == head.sum ? nil : .fault(.foreign)
  }
}
