import Events

extension WriterIndex {
  /// Whether a checkpoint is worth its writing: the events after the last one take a writer that
  /// opens the log longer than can be felt, and writing costs little beside having appended them.
  static func isCheckpointDue(at position: UInt64, last: UInt64) -> Bool {
    position >= last + max(10_000, position / 16)
  }

  /// Opens the index of a log from its last usable checkpoint, and reads the lines after that;
  /// all lines if there is none.
  /// - Parameter hashing: for an index that is made anew.
  /// - Returns: the index, and the end of the log.
  /// - Throws: `.damaged`, `.file`, for the lines that are read.
  static func open(
    _ view: LogView, _ hashing: Hashing
  ) throws(LogError) -> (index: WriterIndex, head: LogHead) {
    let base = Base(of: view) ?? Base(hashing: hashing)
    return try read(view, after: base.head, base)
  }

  /// Adds the lines after a head to what is known of those up to it. The log is checked as far as
  /// it is read.
  static func read(
    _ view: LogView, after head: LogHead, _ base: Base
  ) throws(LogError) -> (index: WriterIndex, head: LogHead) {
    var index = WriterIndex(base)
    var consumer = ChunkConsumer(after: head, unknown: .skip)
    var names = Names()
    var parser = LineParser()
    for chunk in try view.chunks(after: head.seq, until: .max) {
      let chunk = try view.scan(chunk, wanted: .all)
      try consumer.join(chunk)
      try consumer.finish(chunk)
      try chunk.forEachLine { (line, bytes, head) throws(LogError) in
        if let head {
          index.append(head.stream, head.id, revision: min(head.rev, line.moment.seq))
        } else {
          let parsed = try? parser.parse(bytes, names: &names).line
          var stream = parsed?.stream ?? ""
          let id = parsed?.id ?? EventID(high: 0, low: 0)
          let revision = parsed?.rev.map { min($0, line.moment.seq) }
          stream.withUTF8 { _ = index.append($0, id, revision: revision) }
        }
      }
    }
    try view.checkEmptySegment(after: consumer.head)
    return (index, consumer.head)
  }
}

extension WriterIndex.Base {
  /// The last checkpoint of a log that is of it and can be read; nil if there is none.
  fileprivate init?(of view: LogView) {
    guard let checkpoints = view.checkpoints else { return nil }
    for entry in checkpoints.entries(of: Checkpoints.writer) {
      self.init()
      let file = try? checkpoints.restore(entry, of: view, lazily: true) { code(with: &$0) }
      guard let file else { continue }
      (self.file, head) = (file, file.head)
      if streams.count == position, ids.count == position { return }
    }
    return nil
  }

  private mutating func code(with coder: inout StateCoder) {
    coder.part("writer", version: 2) { coder in
      coder(&hashing.seed)
      coder(&hashing.bits)
      streams.code(with: &coder)
      ids.code(with: &coder)
    }
    if !(1...32).contains(hashing.bits) { coder.fail() }
  }

  /// Writes a checkpoint of this and the events after it, and removes the earlier ones.
  /// - Parameter hashes: of the events after the base, at least up to the head.
  /// - Returns: false if the base turns out to be damaged.
  /// - Throws: file system errors, which affect nothing but the checkpoint.
  /// - Complexity: O(log): 16 bytes an event are read, merged and written, as much is held in
  ///   memory meanwhile.
  func save(
    _ hashes: EventHashes, head: LogHead, _ checkpoints: Checkpoints
  ) throws(FileError) -> Bool {
    var all = self
    if let file {
      // Read anew and whole: the pages that the writer has are few, and shall stay few.
      guard checkpoints.read(file, lazily: false, { all.code(with: &$0) }) else { return false }
    }
    let new = hashes.prefix(Int(head.seq - position))
    all.streams = all.streams.adding(new.streams, after: position)
    all.ids = all.ids.adding(new.ids, after: position)
    let isWritten = try checkpoints.write(Checkpoints.writer, head: head, skipped: [:]) {
      all.code(with: &$0)
    }
    if isWritten { checkpoints.removeOthers(of: Checkpoints.writer, than: head.seq) }
    return isWritten
  }
}
