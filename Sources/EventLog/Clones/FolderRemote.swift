import Events

/// A log in a folder that several clones share, on one machine or on a network file system with
/// locks. It is the reference implementation of `RemoteLog`.
///
/// Each append locks the folder, opens the log, writes, and releases the lock. Other readers and
/// writers can use the log like any other.
/// - Complexity: an append writes its lines, with some system calls and syncs. An append with
///   command keys also reads the file `keys`. That file has the keys of one day's commands that
///   appended no events.
public struct FolderRemote: RemoteLog {
  /// The shared log's folder.
  public let path: String
  let files: FileSystem
  let segmentSize: Int
  let patience: Duration

  public var name: String { path }

  /// Opens a shared log in a folder.
  /// - Throws: `.noSuchLog`, `.notALog`; `RemoteFault.isClone` if the folder is itself a clone.
  public init(
    path: String, segmentSize: Int = FileLog.defaultSegmentSize, files: FileSystem = .posix,
    patience: Duration = .seconds(10)
  ) throws(LogError) {
    (self.path, self.files) = (path, files)
    (self.segmentSize, self.patience) = (segmentSize, patience)
    if let address = try Clone.address(of: path, files: files) {
      throw .remote(.isClone(path: path, of: address))
    }
    _ = try LogView(path: path, files: files)
  }

  public func head() async throws(LogError) -> RemoteHead {
    try end(of: try LogView(path: path, files: files))
  }

  private func end(of view: LogView) throws(LogError) -> RemoteHead {
    let head = try view.head()
    return RemoteHead(
      seq: head.seq, sum: head.sum, rewritings: try view.rewritings().entries.count)
  }

  public func lines(after position: UInt64, limit: Int) async throws(LogError) -> [UInt8] {
    try LogView(path: path, files: files).lines(after: position, limit: limit)
  }

  public func sum(at position: UInt64) async throws(LogError) -> UInt64? {
    if position == 0 { return 0 }
    return try LogView(path: path, files: files).line(at: position)?.event.sum
  }

  public func rewritings() async throws(LogError) -> Rewritings {
    try LogView(path: path, files: files).rewritings()
  }

  public func append(_ batch: RemoteBatch) async throws(LogError) -> RemoteAnswer {
    try await locked { (view) throws(LogError) in
      let head = try end(of: view)
      guard head.seq == batch.seq, head.sum == batch.sum else {
        // An earlier attempt, whose answer was lost, may have appended the lines. If another clone
        // sent the same lines, the uses of keys are not recorded, and the commands are decided
        // again.
        let last = batch.seq + UInt64(batch.lines.count)
        let there = try view.line(at: last)?.event.sum
        guard there != nil, there == batch.lines.last?.sum else { return .moved(head) }
        let noted = try noted(of: batch.tails).used
        let isOurs = batch.uses.allSatisfy { use in
          !use.isNoted || noted.contains { $0.isSame(as: use.use) }
        }
        return isOurs ? .appended : .moved(head)
      }
      let noted = try noted(of: batch.tails)
      let used = noted.used.filter { use in
        !batch.uses.contains { $0.use.isSame(as: use) }
      }
      if !used.isEmpty { return .used(used) }
      if !batch.lines.isEmpty { try write(batch, view) }
      // Records the uses last, because a recorded use implies that the earlier lines of the log
      // exist.
      try note(batch.uses, after: noted)
      return .appended
    }
  }

  // MARK: Keys of commands that appended nothing

  /// The bytes of the file `keys`, the recorded uses of a batch's keys, and the time of reading.
  private typealias Noted = (text: [UInt8], used: [KeyUse], now: Timestamp)

  private var keysPath: String { path + "/keys" }

  private func noted(of tails: Set<UInt64>) throws(LogError) -> Noted {
    let now = RuntimeEnvironment.system.now()
    if tails.isEmpty { return ([], [], now) }
    guard let text = try ifPresent(files.contents(of: keysPath)) else { return ([], [], now) }
    return (text, KeyUses.read(text, of: tails, now: now), now)
  }

  public func uses(of tails: [UInt64]) async throws(LogError) -> [KeyUse] {
    try noted(of: Set(tails)).used
  }

  private func note(_ uses: [RemoteBatch.Use], after noted: Noted) throws(LogError) {
    let new = uses.lazy.filter(\.isNoted).map(\.use).filter { use in
      !noted.used.contains { $0.isSame(as: use) }
    }
    if new.isEmpty { return }
    var text = noted.text
    if text.count > Self.mostKeys {
      text = KeyUses.read(text, now: noted.now).flatMap { Array(KeyUses.lines($0).utf8) }
    }
    for use in new { text += KeyUses.lines(use).utf8 }
    try io(files.replace(keysPath, in: path, text, as: .createPrivate))
  }

  /// If the file `keys` is larger than this, in bytes, an append removes uses older than a day.
  private static let mostKeys = 1 << 20

  private func write(_ batch: RemoteBatch, _ view: LogView) throws(LogError) {
    var bytes = ByteBuffer(capacity: 4 << 10)
    var sum = batch.sum
    for (offset, line) in batch.lines.enumerated() {
      guard let next = line.bytes.withUnsafeBufferPointer({ rightSum($0, after: sum) }) else {
        let seq = batch.seq + UInt64(offset) + 1
        throw .remote(.damaged(path, seq: seq, LineFault(.wrongSum)))
      }
      sum = next
      bytes.append(line.bytes)
      bytes.append(UInt8(ascii: "\n"))
    }
    let fill = view.segments.last?.size ?? 0
    let begins = view.segments.isEmpty || fill > 0 && fill + bytes.count > segmentSize
    let cuts = begins ? [WriteBatch.Cut(offset: 0, first: batch.seq + 1)] : []
    let head = LogHead(seq: batch.seq + UInt64(batch.lines.count), sum: sum)
    var lines = WriteBatch(bytes: bytes, cuts: cuts, head: head, waiters: [])
    var writer = try SegmentWriter(path, view, files)
    defer { writer.close() }
    if let failure = writer.write(&lines) { throw failure.cause }
  }

  public func rewrite(_ rewriting: RemoteRewriting) async throws(LogError) -> RemoteAnswer {
    try await locked { (view) async throws(LogError) in
      let head = try end(of: view)
      if head == rewriting.after, head != rewriting.before { return .appended }
      guard head == rewriting.before else { return .moved(head) }
      try await RewritingReplication(folder: path, files: files).replace(
        from: rewriting.first, through: rewriting.after.seq, rewriting.ledger
      ) { (position, limit) throws(LogError) in try rewriting.lines(position, limit) }
      return .appended
    }
  }

  /// Takes the folder's lock, waiting for it at most `patience`, and calls `body` with the folder's
  /// log.
  func locked<T>(_ body: (LogView) async throws(LogError) -> T) async throws(LogError) -> T {
    let start = ContinuousClock.now
    while true {
      let lock: WriterLock
      do throws(LogError) {
        lock = try WriterLock(path, files)
      } catch {
        guard case .locked = error, ContinuousClock.now - start < patience else { throw error }
        try? await Task.sleep(for: .microseconds(Int.random(in: 200...2_000)))
        continue
      }
      defer { lock.release() }
      try PendingRewriting.settle(path, files)
      _ = try Recovery(of: try LogView(path: path, files: files), files)
      return try await body(try LogView(path: path, files: files))
    }
  }
}

extension RemoteBatch {
  fileprivate var tails: Set<UInt64> { Set(uses.map(\.use.tail)) }
}
