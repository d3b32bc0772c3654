import EventLog
import Events
import Projections
import Replaying
import Synchronization

extension Core {
  /// Asks the state between two batches of commands; if its checkpoint cannot be believed, rebuilds
  /// the state and asks again.
  /// - Parameter keepsNumbers: whether the answer needs ids to keep their numbers.
  func asking<Answer: Sendable>(
    keepsNumbers: Bool = false, _ ask: (inout State) -> Answer
  ) async throws(LogError) -> Answer {
    while true {
      let answer = state.withLock { state in
        let restored = state.restored
        return restored.checked(ask(&state))
      }
      if let answer { return answer }
      if try await !rebuild(), keepsNumbers {
        throw .closed(reason: "a checkpoint is damaged; what was decided is in the log")
      }
    }
  }

  /// Rebuilds the state from the text of the log if its checkpoint has proved damaged.
  ///
  /// Called between batches of commands, when everything decided is durable.
  /// - Returns: whether ids that were looked up before still mean the same.
  /// - Complexity: that of a replay.
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

  /// Writes a checkpoint of what is durable for the next `open`; removes earlier ones that are no
  /// longer worth their space.
  /// - Returns: false if there is nothing to write or nowhere to write it: for an empty log, one
  ///   that is not a `FileLog`, or a core that skips unknown types.
  /// - Throws: `.file` for file system errors, which affect nothing but the checkpoint.
  /// - Complexity: the events since the last checkpoint and what they changed; commands go on
  ///   meanwhile.
  @discardableResult
  public func saveCheckpoint() async throws(LogError) -> Bool {
    guard let log = store as? FileLog, unknown == .stop else { return false }
    guard let position = try await Self.save(log.view(), blank) else { return false }
    didSave(at: position)
    return true
  }

  /// Writes a checkpoint of another state than the core's: sharing tables would make commands copy
  /// them.
  /// - Returns: its position; nil if there is nothing to write or nowhere to write it.
  private static func save(
    _ view: LogView, _ blank: CoreState
  ) async throws(LogError) -> UInt64? {
    let saved = try await Replay.answer(blank, of: view) { replay in
      Result { () throws(FileError) in try replay.save(view) ? replay.head.seq : nil }
    }
    do throws(FileError) { return try saved.get() } catch { throw .file(error) }
  }

  /// Starts writing a checkpoint in the background if it is due, unless one is being written or was
  /// a moment ago: the busiest core spends about a tenth of its time on them.
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
    // The core, and with it the log's lock, may go meanwhile.
    environment.start { [weak self, blank] in
      let begun = ContinuousClock.now
      let position = (try? await Self.save(view, blank)) ?? nil
      // A failed save is not tried again: each try could be a replay of everything.
      guard let position else { return }
      self?.didSave(at: position)
      // No longer than a second: what is appended meanwhile makes the next one longer.
      try? await Task.sleep(for: min((ContinuousClock.now - begun) * 10, .seconds(1)))
      self?.state.withLock { $0.isSaving = false }
      self?.saveCheckpointIfDue()
    }
  }

  private func didSave(at position: UInt64) {
    // The next writer wants the log's index too.
    if let log = store as? FileLog, log.isCheckpointDue { _ = try? log.saveCheckpoint() }
    state.withLock { $0.saved = max($0.saved, position) }
  }
}

/// A state, or a checkpoint of one, that a core could not start from.
///
/// ```swift
/// var state = Replay<CoreState>()
/// try await state.run(view)
/// let core = try await Core(log, state: state)
/// core.ignoredStates.count  // 1: the state is of the demo, not of this log
/// ```
public struct IgnoredState: Equatable, Sendable {
  public enum Reason: Equatable, Sendable {
    /// It is damaged, of another log, beyond the log's end, or unreadable.
    case fault(CheckpointFault)
    /// It skipped events of these types, at which the core was told to stop.
    case skippedTypes([UnknownType])
  }

  /// The checkpoint's file; nil if the state did not come from one.
  public var path: String?
  public var reason: Reason

  init(path: String?, _ reason: Reason) {
    self.path = path
    self.reason = reason
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
      return "\(subject) lacks events of unknown types: \(names)"
    }
  }
}

extension Replay<CoreState> {
  /// Why a core on this store cannot start from the state; nil if it can.
  func unusable(
    with store: any EventStore, unknown: ChunkConsumer.UnknownPolicy
  ) async throws(LogError) -> IgnoredState.Reason? {
    guard head.seq > 0 else { return nil }
    if restored.checked(true) == nil { return .fault(.damaged) }
    if unknown == .stop, !skipped.isEmpty { return .skippedTypes(skipped.keys.sorted()) }
    let last = try await store.head()
    guard head.seq <= last else { return .fault(.ahead(position: head.seq, head: last)) }
    // The sum of one event covers all before it.
    let event = try await store.read(after: head.seq - 1, limit: 1).first
    return event?.sum == head.sum ? nil : .fault(.foreign)
  }
}
