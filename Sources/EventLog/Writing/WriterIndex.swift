import Events

/// Where a log's streams and ids are, for its writer: what a checkpoint knows of the events up to a
/// position, and the events after it.
///
/// What it finds by a hash is only where something may be; `WriterState` looks at the log there.
struct WriterIndex: Sendable {
  /// Hashes of streams and ids, seeded, so that nobody can choose names that collide.
  struct Hashing: Sendable {
    var seed = UInt64.random(in: .min ... .max)
    /// How many bits of a hash count; fewer than 32 in tests, where hashes are to collide.
    var bits: UInt32 = 32

    func hash(_ stream: UnsafeBufferPointer<UInt8>) -> UInt32 {
      cut(XXH64.hash(stream.baseAddress, stream.count, seed: seed))
    }

    func hash(_ stream: String) -> UInt32 {
      var stream = stream
      return stream.withUTF8 { hash($0) }
    }

    /// Of a version 7 id only its tail counts, so that it can be found by that alone.
    func hash(_ id: EventID) -> UInt32 {
      if id.time != nil { return hash(tail: id.low) }
      return withUnsafeBytes(of: id) { cut(XXH64.hash($0.baseAddress, $0.count, seed: ~seed)) }
    }

    func hash(tail: UInt64) -> UInt32 {
      withUnsafeBytes(of: tail) { cut(XXH64.hash($0.baseAddress, $0.count, seed: ~seed)) }
    }

    /// The first bits, so that hashes stay evenly spread over all 32.
    private func cut(_ hash: UInt64) -> UInt32 {
      UInt32(truncatingIfNeeded: hash >> 32) & (.max << (32 - bits))
    }
  }

  /// The events up to a position, as a checkpoint has them. Nothing in it ever changes.
  struct Base: Sendable {
    var hashing = Hashing()
    /// The last event.
    var head = LogHead()
    var streams = Postings()
    var ids = Postings()
    /// What it is read from, page by page; nil for an empty one.
    var file: (any SavedState)?

    var position: UInt64 { head.seq }
  }

  let base: Base
  /// The events after the base, and streams that were looked up.
  private(set) var streams: StreamIndex
  private var ids = GrowingPostings()
  /// The hashes of the events after the base.
  private(set) var hashes = EventHashes()

  init(_ base: Base) {
    self.base = base
    streams = StreamIndex(after: base.position)
  }

  /// The position of the last event.
  var position: UInt64 { base.position + UInt64(hashes.count) }

  /// Adds the next event of the log.
  /// - Parameter revision: what the event says; nil is one more than the stream has.
  /// - Returns: the stream's number for `removeLast`.
  @discardableResult
  mutating func append(
    _ stream: UnsafeBufferPointer<UInt8>, _ id: EventID, revision: UInt64? = nil
  ) -> UInt32 {
    let hash = base.hashing.hash(id)
    hashes.append(stream: base.hashing.hash(stream), id: hash)
    ids.insert(hash, position)
    return streams.append(stream, revision: revision).stream
  }

  /// Removes the last event, which must be of this stream. Its id is still found, but then the log
  /// does not have it.
  mutating func removeLast(_ stream: UInt32) {
    hashes.removeLast()
    streams.removeLast(stream)
  }

  mutating func note(_ stream: String, revision: UInt64, last position: UInt64) {
    streams.note(stream, revision: revision, last: position)
  }

  /// The positions at which the id may be; nil if the index must be rebuilt.
  func candidates(_ id: EventID) -> [UInt64]? { candidates(base.hashing.hash(id)) }

  /// The positions at which a version 7 id with this tail may be; nil if the index must be rebuilt.
  func candidates(tail: UInt64) -> [UInt64]? { candidates(base.hashing.hash(tail: tail)) }

  private func candidates(_ hash: UInt32) -> [UInt64]? {
    if base.position == 0 { return ids.positions(of: hash) }
    return base.file.checked(base.ids.positions(of: hash) + ids.positions(of: hash))
  }

  /// The positions at which events of a stream may be in the base; nil if the index must be rebuilt.
  func earlier(_ stream: String) -> [UInt64]? {
    if base.position == 0 { return [] }
    return base.file.checked(base.streams.positions(of: base.hashing.hash(stream)))
  }
}

/// The hashes of consecutive events' streams and ids: 8 bytes an event, in pieces, so that a copy
/// made for a checkpoint costs no more than a piece when the next event is added.
struct EventHashes: Sendable {
  private static let pieceCount = 1 << 16
  private var full: [[UInt64]] = []
  private var open: [UInt64] = []

  var count: Int { full.count * Self.pieceCount + open.count }

  mutating func append(stream: UInt32, id: UInt32) {
    if open.count == Self.pieceCount {
      full.append(open)
      open = []
    }
    open.append(UInt64(stream) << 32 | UInt64(id))
  }

  mutating func removeLast() {
    if open.isEmpty { open = full.removeLast() }
    open.removeLast()
  }

  /// Those of the first events.
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
