import Events
import Projections
import Synchronization

extension Core {
  /// Whether the checkpoint that the core started from has turned out to be damaged.
  var isDamaged: Bool { state.withLock { $0.isDamaged } }

  /// Rebuilds the state from the text of the log, after a damaged part of a checkpoint was met.
  ///
  /// Called between groups of commands, when everything decided is durable.
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
    let position = try await Self.save(log.view(), blank)
    // The next one to open the log for writing wants its index too.
    if log.isCheckpointDue { _ = try? log.saveCheckpoint() }
    if let position { state.withLock { $0.saved = max($0.saved, position) } }
    return position != nil
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
  /// that reading them would be felt, and none is being written or was within ten times as long as
  /// that took: the busiest core gives a tenth of one processor to them.
  func saveCheckpointIfDue() {
    guard leavesCheckpoints, unknown == .stop, let view = (store as? FileLog)?.view() else {
      return
    }
    let isDue = state.withLock { state in
      guard !state.isSaving, Checkpoints.isDue(state.model.head.seq, after: state.saved),
        state.nextSave.map({ $0 <= .now }) ?? true
      else { return false }
      state.isSaving = true
      return true
    }
    guard isDue else { return }
    // The core, and with it the log's lock, may go meanwhile.
    environment.start { [weak self, blank] in
      let begun = ContinuousClock.now
      let position = (try? await Self.save(view, blank)) ?? nil
      // What cannot be written once is not tried again: each try could be a replay of everything.
      guard let self, let position else { return }
      if let log = self.store as? FileLog, log.isCheckpointDue { _ = try? log.saveCheckpoint() }
      self.state.withLock { state in
        state.saved = max(state.saved, position)
        state.isSaving = false
        let end = ContinuousClock.now
        state.nextSave = end + (end - begun) * 10
      }
    }
  }
}

extension Core.State {
  var isDamaged: Bool { restored?.isDamaged == true }
}
