import Events

/// The checkpoint of the writer's index, by which the log is opened for writing without reading all
/// of it. It is disposable: deleting it costs the next opening its time, and nothing else.
extension FileLog {
  /// Whether opening the log would take longer, by what was appended since the last checkpoint,
  /// than can be felt.
  public var isCheckpointDue: Bool {
    state.withLock { state in
      state.failure == nil
        && WriterIndex.isCheckpointDue(at: state.durable.seq, last: state.checkpointed)
    }
  }

  /// Writes a checkpoint of the writer's index in the log's folder `checkpoints`, for the next time
  /// that the log is opened for writing. The log does so by itself when it is closed and a
  /// checkpoint is due; one that stays open for long may do so at times, on any thread.
  /// - Returns: false if there is nothing new to write.
  /// - Throws: `.file` for file system errors, which affect nothing but the checkpoint; `.damaged`
  ///   if the last checkpoint is damaged and then the log too.
  /// - Complexity: O(log) time and memory, 16 bytes an event; appends meanwhile wait for less than
  ///   a millisecond.
  @discardableResult
  public func saveCheckpoint() throws(LogError) -> Bool {
    try saving.withLock { (_) throws(LogError) in
      let (base, hashes, head, view) = state.withLock { state in
        (state.index.base, state.index.hashes, state.durable, state.view)
      }
      let isNew = state.withLock { $0.failure == nil && head.seq > $0.checkpointed }
      guard isNew, let checkpoints = view.checkpoints else { return false }
      // What comes before a checkpoint is not read again.
      try io { () throws(FileError) in
        try segment.withLock { (s) throws(FileError) in try s.sync() }
      }
      let isSaved = try io { () throws(FileError) in
        try base.save(hashes, head: head, checkpoints)
      }
      if !isSaved {
        // The last checkpoint is damaged: the log has all that was in it.
        let blank = WriterIndex.Base(hashing: base.hashing)
        let (index, reached) = try WriterIndex.read(view, after: LogHead(), blank)
        _ = try io { () throws(FileError) in
          try blank.save(index.hashes, head: reached, checkpoints)
        }
      }
      state.withLock { $0.checkpointed = head.seq }
      return true
    }
  }
}
