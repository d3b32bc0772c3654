import Events

/// A writer's index of a log's streams, ids and correlation ids. It consists of a base, for the
/// events up to a checkpoint, and of the events after the base.
///
/// It finds candidate positions by hash. `WriterState` checks them in the log.
struct WriterIndex: Sendable {
  /// The hash function for streams and ids. It has a random seed, so that nobody can choose names
  /// that collide.
  struct Hashing: Sendable {
    var seed = UInt64.random(in: .min ... .max)
    /// The number of hash bits used; fewer than 32 only in tests, to make hashes collide.
    var bits: UInt32 = 32

    func hash(_ stream: UnsafeBufferPointer<UInt8>) -> UInt32 {
      cut(XXH64.hash(stream.baseAddress, stream.count, seed: seed))
    }

    func hash(_ stream: String) -> UInt32 {
      var stream = stream
      return stream.withUTF8 { hash($0) }
    }

    /// Hashes only the last 64 bits of a version 7 id, so that these bits alone are enough to find
    /// the event.
    func hash(_ id: EventID) -> UInt32 {
      if id.time != nil { return hash(tail: id.low) }
      return withUnsafeBytes(of: id) { cut(XXH64.hash($0.baseAddress, $0.count, seed: ~seed)) }
    }

    func hash(tail: UInt64) -> UInt32 {
      withUnsafeBytes(of: tail) { cut(XXH64.hash($0.baseAddress, $0.count, seed: ~seed)) }
    }

    /// Returns the upper half of a hash. Its highest `bits` bits are kept, and the rest are 0.
    /// `Postings` estimates the index of an entry from the ratio of its hash to 2³². So a
    /// test that uses fewer bits must drop the lowest ones.
    private func cut(_ hash: UInt64) -> UInt32 {
      UInt32(truncatingIfNeeded: hash >> 32) & (.max << (32 - bits))
    }
  }

  /// The index of the events up to a checkpoint. It never changes.
  struct Base: Sendable {
    var hashing = Hashing()
    /// The last event that the base includes.
    var head = LogHead()
    var streams = Postings()
    var ids = Postings()
    /// The positions of the events with a correlation id, by its hash.
    var correlations = Postings()
    /// The checkpoint file from which the base is read, page by page; nil for an empty base.
    var file: (any SavedState)?

    var position: UInt64 { head.seq }
  }

  let base: Base
  /// The streams of the events after the base, and other streams that were looked up.
  private(set) var streams: StreamIndex
  private var ids = GrowingPostings()
  /// The hashes of the events after the base.
  private(set) var hashes = EventHashes()

  init(_ base: Base) {
    self.base = base
    streams = StreamIndex(after: base.position)
  }

  /// The position of the last event in the index.
  var position: UInt64 { base.position + UInt64(hashes.count) }

  /// Adds the next event of the log.
  /// - Parameters:
  ///   - revision: the event's revision; nil means the stream's last revision plus 1.
  ///   - correlation: the event's correlation id; nil if it has none.
  /// - Returns: the stream's number for `removeLast`.
  @discardableResult
  mutating func append(
    _ stream: UnsafeBufferPointer<UInt8>, _ id: EventID, revision: UInt64? = nil,
    correlation: UnsafeBufferPointer<UInt8>?
  ) -> UInt32 {
    let hash = base.hashing.hash(id)
    hashes.append(stream: base.hashing.hash(stream), id: hash)
    ids.insert(hash, position)
    if let correlation {
      hashes.add(correlation: base.hashing.hash(correlation), at: position)
    }
    return streams.append(stream, revision: revision).stream
  }

  /// Removes the last event, which must be of this stream. The index still finds its id, but at a
  /// position that the log does not have.
  mutating func removeLast(_ stream: UInt32) {
    hashes.removeLast(at: position)
    streams.removeLast(stream)
  }

  mutating func note(_ stream: String, revision: UInt64, last position: UInt64) {
    streams.note(stream, revision: revision, last: position)
  }

  /// Returns the possible positions of the event with an id; nil if the index must be rebuilt.
  func candidates(_ id: EventID) -> [UInt64]? { candidates(base.hashing.hash(id)) }

  /// Returns the possible positions of events whose version 7 ids end with these 64 bits; nil if
  /// the index must be rebuilt.
  func candidates(tail: UInt64) -> [UInt64]? { candidates(base.hashing.hash(tail: tail)) }

  private func candidates(_ hash: UInt32) -> [UInt64]? {
    if base.position == 0 { return ids.positions(of: hash) }
    return base.file.checked(base.ids.positions(of: hash) + ids.positions(of: hash))
  }

  /// Returns the possible positions of a stream's events in the base; nil if the index must be
  /// rebuilt.
  func earlier(_ stream: String) -> [UInt64]? {
    if base.position == 0 { return [] }
    return base.file.checked(base.streams.positions(of: base.hashing.hash(stream)))
  }
}

/// The hashes of the streams and ids of consecutive events, with 8 bytes for each event. They are
/// kept in pieces. After a copy for a checkpoint, the next append then copies only one piece.
struct EventHashes: Sendable {
  private static let pieceCount = 1 << 16
  private var full: [[UInt64]] = []
  private var open: [UInt64] = []
  /// The entries of the correlation ids, as in `Postings`.
  private(set) var correlations: [UInt64] = []

  var count: Int { full.count * Self.pieceCount + open.count }

  mutating func append(stream: UInt32, id: UInt32) {
    if open.count == Self.pieceCount {
      full.append(open)
      open = []
    }
    open.append(UInt64(stream) << 32 | UInt64(id))
  }

  mutating func add(correlation hash: UInt32, at position: UInt64) {
    correlations.append(Postings.entry(hash, position))
  }

  /// Removes the hashes of the last event, which is at this position.
  mutating func removeLast(at position: UInt64) {
    if let last = correlations.last, Postings.position(last) == position {
      correlations.removeLast()
    }
    if open.isEmpty { open = full.removeLast() }
    open.removeLast()
  }

  /// Returns the hashes of the first `count` events.
  func prefix(_ count: Int) -> (streams: [UInt32], ids: [UInt32]) {
    var streams: [UInt32] = []
    var ids: [UInt32] = []
    streams.reserveCapacity(count)
    ids.reserveCapacity(count)
    for piece in full + [open] {
      for hashes in piece.prefix(count - streams.count) {
        streams.append(UInt32(hashes >> 32))
        ids.append(UInt32(truncatingIfNeeded: hashes))
      }
    }
    return (streams, ids)
  }
}

extension WriterIndex {
  /// Whether a new checkpoint is due. It is due if reading the events since the last one takes
  /// noticeable time, and writing one takes little time compared with appending them.
  static func isCheckpointDue(at position: UInt64, last: UInt64) -> Bool {
    position >= last + max(10_000, position / 16)
  }

  /// Restores the index from the last usable checkpoint, if there is one, and reads the log's later
  /// lines.
  /// - Parameter hashing: the hash function, used if there is no checkpoint.
  /// - Returns: the index, and the end of the log.
  /// - Throws: `.damaged`, `.file`, for the lines that it reads.
  static func open(
    _ view: LogView, _ hashing: Hashing
  ) throws(LogError) -> (index: WriterIndex, head: LogHead) {
    let base = Base(of: view) ?? Base(hashing: hashing)
    return try read(view, after: base.head, base)
  }

  /// Returns the index of a log. It adds the events after `base` to the base. To find these events,
  /// it reads and checks their lines.
  /// - Parameter head: the last event that `base` includes.
  /// - Returns: the index, and the end of the log.
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
          index.append(
            head.stream, head.id, revision: min(head.rev, line.moment.seq),
            correlation: LineHead.correlation(bytes))
        } else {
          let parsed = try? parser.parse(bytes, names: &names).line
          var stream = parsed?.stream ?? ""
          let id = parsed?.id ?? EventID(high: 0, low: 0)
          let revision = parsed?.rev.map { min($0, line.moment.seq) }
          stream.withUTF8 {
            _ = index.append(
              $0, id, revision: revision, correlation: LineHead.correlation(bytes))
          }
        }
      }
    }
    try view.checkEmptySegment(after: consumer.head)
    return (index, consumer.head)
  }
}

extension WriterIndex.Base {
  /// Restores the base from the log's last usable checkpoint; nil if there is none.
  init?(of view: LogView) {
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
    coder.part("writer", version: 3) { coder in
      coder(&hashing.seed)
      coder(&hashing.bits)
      streams.code(with: &coder)
      ids.code(with: &coder)
      correlations.code(with: &coder)
    }
    if !(1...32).contains(hashing.bits) { coder.fail() }
  }

  /// Writes a checkpoint of the base and the events after it, and removes earlier ones.
  /// - Parameter hashes: the hashes of the events after the base, at least up to `head`.
  /// - Returns: false if the base is damaged.
  /// - Throws: file system errors, which affect only the checkpoint, not the log.
  /// - Complexity: O(events of the log): reads, merges and writes 16 bytes for each event, and
  ///   holds them in memory.
  func save(
    _ hashes: EventHashes, head: LogHead, _ checkpoints: Checkpoints
  ) throws(FileError) -> Bool {
    var all = self
    if let file {
      // Reads a second copy of the base in full, so that the writer's own copy keeps few pages in
      // memory.
      guard checkpoints.read(file, lazily: false, { all.code(with: &$0) }) else { return false }
    }
    let new = hashes.prefix(Int(head.seq - position))
    all.streams = all.streams.adding(new.streams, after: position)
    all.ids = all.ids.adding(new.ids, after: position)
    all.correlations = all.correlations.adding(
      hashes.correlations.filter { Postings.position($0) <= head.seq })
    let written = try checkpoints.write(Checkpoints.writer, head: head, skipped: [:]) {
      all.code(with: &$0)
    }
    if let written { checkpoints.removeOthers(than: written) }
    return written != nil
  }
}

extension LogView {
  /// Writes a checkpoint of the index with which a writer opens the log. A `FileLog` of this log
  /// then opens fast. Another process may be the log's writer meanwhile.
  /// - Parameter least: the number of new events for which it is written.
  /// - Returns: the position of the last event in the saved index, which is an earlier index if
  ///   there are fewer new events; nil if there is none.
  /// - Throws: `.file`; `.damaged` for a line that it reads.
  /// - Complexity: as `FileLog.saveCheckpoint`, plus the lines after the last checkpoint.
  @discardableResult
  public func saveWriterIndex(ifNew least: UInt64 = 1) throws(LogError) -> UInt64? {
    guard let checkpoints, case .files(let files, _) = source, let last = segments.last else {
      return nil
    }
    let base = WriterIndex.Base(of: self) ?? WriterIndex.Base()
    guard try self.head().seq >= base.position + least else {
      return base.position > 0 ? base.position : nil
    }
    let (index, head) = try WriterIndex.read(self, after: base.head, base)
    // The next opening does not read events before the checkpoint again, so they must be on the
    // disk.
    let file = try io(files.open(last.path, .read))
    let synced = Result { () throws(FileError) in try files.sync(file, last.path) }
    try? files.close(file, last.path)
    try io(synced.get())
    return try io(index.base.save(index.hashes, head: head, checkpoints)) ? head.seq : nil
  }
}
