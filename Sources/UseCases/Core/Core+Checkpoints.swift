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
    let keepsIDs = restored.isIntact(part: "names")
    if keepsIDs { replay.names = names }
    var options = ReplayOptions()
    options.unknown = unknown
    try await replay.run(await store.history(), until: position, options: options)
    state.withLock { state in
      state.ignored.append(IgnoredState(path: restored.name, .fault(.damaged)))
      state.restored = nil
      (state.model.society, state.model.views) = (
        replay.projection.society, replay.projection.views
      )
      state.model.names = replay.names
    }
    return keepsIDs
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
    // A state of its own: sharing the core's tables would make its next commands copy them.
    var replay = Replay(blank)
    let view = log.view()
    _ = replay.restore(view, lazily: true, unknown: unknown)
    do throws(LogError) {
      try await replay.run(view)
    } catch {
      if !replay.isDamaged { throw error }
    }
    if replay.isDamaged {
      replay = Replay(blank)
      try await replay.run(view)
    }
    do throws(FileError) {
      let isWritten = try replay.save(view)
      // The next one to open the log for writing wants its index too.
      if log.isCheckpointDue { _ = try? log.saveCheckpoint() }
      if isWritten { state.withLock { $0.saved = max($0.saved, replay.head.seq) } }
      return isWritten
    } catch {
      throw .file(error)
    }
  }

  /// Starts writing a checkpoint in the background if so many events have come since the last one
  /// that reading them would be felt, and none is being written.
  func saveCheckpointIfDue() {
    guard leavesCheckpoints, unknown == .stop, store is FileLog else { return }
    let isDue = state.withLock { state in
      guard !state.isSaving, Checkpoints.isDue(state.model.head.seq, after: state.saved) else {
        return false
      }
      state.isSaving = true
      return true
    }
    guard isDue else { return }
    environment.start { [weak self] in
      // Nobody asked for it: if it fails, the next one is tried after as many events.
      let isWritten = (try? await self?.saveCheckpoint()) == true
      self?.state.withLock { state in
        state.isSaving = false
        if !isWritten { state.saved = state.model.head.seq }
      }
    }
  }
}

extension Core.State {
  var isDamaged: Bool { restored?.isDamaged == true }
}
