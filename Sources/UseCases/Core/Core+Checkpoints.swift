import EventLog
import Events
import Projections
import Replaying
import Synchronization

extension Core {
  /// Whether the checkpoint that the core started from has turned out to be damaged.
  var isDamaged: Bool { state.withLock { $0.isDamaged } }

  /// Rebuilds the state from the text of the log, after a damaged part of a checkpoint was met.
  ///
  /// Called between batches of commands, when everything decided is durable.
  /// - Returns: whether ids that were looked up before still mean the same.
  /// - Complexity: that of a replay.
  func rebuild() async throws(LogError) -> Bool {
    let (restored, names, position) = state.withLock {
      ($0.restored, $0.model.names, $0.model.head.seq)
    }
    guard let restored, restored.isDamaged else { return true }
    var replay = Replay(blank)
    let known = names.restoredAnew(from: restored)
    if let known { replay.names = known }
    var options = ReplayOptions()
    options.unknown = unknown
    try await replay.run(await store.history(), until: position, options: options)
    state.withLock { state in
      state.ignored.append(IgnoredState(path: restored.name, .fault(.damaged)))
      state.restored = nil
      (state.model.society, state.model.views) = (
        replay.projection.society, Reading(replay.projection.views)
      )
      state.model.names = replay.names
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

  /// Writes a checkpoint of a state of its own: sharing a core's tables would make its commands
  /// copy them.
  /// - Returns: its position; nil if there is nothing to write or nowhere to write it.
  private static func save(
    _ view: LogView, _ blank: CoreState
  ) async throws(LogError) -> UInt64? {
    // What is saved is read whole, and may turn out to be damaged only then.
    for usesCheckpoint in [true, false] {
      var replay = try await Replay.caughtUp(blank, with: view, usesCheckpoint: usesCheckpoint)
      do throws(FileError) {
        if try replay.save(view) { return replay.head.seq }
      } catch {
        throw .file(error)
      }
      if !replay.isDamaged { break }
    }
    return nil
  }

  /// Starts writing a checkpoint in the background if so many events have come since the last one
  /// that reading them would be felt, unless one is being written or was a moment ago: the busiest
  /// core spends about a tenth of its time on them.
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
      // What cannot be written once is not tried again: each try could be a replay of everything.
      guard let position else { return }
      self?.didSave(at: position)
      // No longer than a second: what is appended meanwhile makes the next one longer.
      try? await Task.sleep(for: min((ContinuousClock.now - begun) * 10, .seconds(1)))
      self?.state.withLock { $0.isSaving = false }
      self?.saveCheckpointIfDue()
    }
  }

  private func didSave(at position: UInt64) {
    // The next one to open the log for writing wants its index too.
    if let log = store as? FileLog, log.isCheckpointDue { _ = try? log.saveCheckpoint() }
    state.withLock { $0.saved = max($0.saved, position) }
  }
}

extension Core.State {
  var isDamaged: Bool { restored?.isDamaged == true }
}
