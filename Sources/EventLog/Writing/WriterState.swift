import Events

/// A writer's state in memory: the index of streams and ids, and the events that are planned but
/// not written yet.
struct WriterState: ~Copyable, CommitIndex {
  /// The last event of the log, including planned events.
  private(set) var head: LogHead
  /// The last event of the log on disk.
  private(set) var durable: LogHead
  var index: WriterIndex
  /// The position of the last usable checkpoint of the index; 0 if there is none.
  var checkpointed: UInt64
  private(set) var view: LogView
  var waiters: [FileLog.Waiter] = []
  var isWriting = false
  /// Whether other clones' events are being fetched from the shared log.
  var isPulling = false
  /// The callers that wait until `isPulling` is false again.
  var held: [CheckedContinuation<FileLog.Step, Never>] = []
  /// The number of attempts in a row that failed because other clones appended first.
  var losses = 0
  /// The last position of the shared log that this clone has heard of.
  var shared: UInt64 = 0
  /// The last time at which another clone sent events to this one.
  var sent: ContinuousClock.Instant?
  /// Whether the shared log was rewritten since the clone was opened.
  var isOutdated = false

  /// The uses of keys that the shared log reported to this writer.
  private(set) var knownUses: [UInt64: KeyUse] = [:]
  /// The uses of keys to send to the shared log with the planned lines.
  private var uses: [RemoteBatch.Use] = []

  private var pending = ByteBuffer(capacity: 64 << 10)
  /// The offsets in `pending` at which new segments begin.
  private var cuts: [WriteBatch.Cut] = []
  /// The planned events, which are not on disk yet, with their streams' numbers in the index.
  var planned: [(event: RecordedEvent, stream: UInt32)] = []
  private var known = KnownEvents()
  private var segmentFill = 0
  private var hasSegment = false
  private let segmentSize: Int
  private(set) var failure: String?
  /// Whether the last write of a clone to its folder failed.
  var isFailing = false

  /// Restores the index from the log's checkpoint, if there is one, then reads and checks the later
  /// lines.
  init(
    _ view: LogView, segmentSize: Int, _ hashing: WriterIndex.Hashing = .init()
  ) throws(LogError) {
    (self.view, self.segmentSize) = (view, segmentSize)
    (index, head) = try WriterIndex.open(view, hashing)
    durable = head
    checkpointed = index.base.position
  }

  mutating func openSegment(first: UInt64?, size: Int) {
    hasSegment = first != nil
    segmentFill = size
    view.finishRecovery()
  }

  mutating func adopt(_ segment: LogView.Segment) {
    view.segments.append(segment)
    openSegment(first: segment.first, size: 0)
  }

  /// The result of each commit, and whether a batch must be written before the caller gets the
  /// results.
  typealias Plan = (results: [Result<Appended, LogError>], writes: Bool)

  /// Decides about commits, and encodes the lines of those that are to be written.
  mutating func plan(_ commits: [Commit], _ environment: RuntimeEnvironment) -> Plan {
    var writes = false
    var results: [Result<Appended, LogError>] = []
    results.reserveCapacity(commits.count)
    for commit in commits {
      do throws(LogError) {
        try checkRoom(for: commit.events.count)
        switch try CommitPlan.make(commit, &self, environment) {
        case .done(let appended):
          // A repeated commit waits until the earlier attempt's events are durable.
          writes = writes || appended.last > durable.seq
          results.append(.success(appended))
        case .note(let use):
          uses.append(RemoteBatch.Use(use, isNoted: true))
          writes = true
          results.append(.success(.noted))
        case .append(let events):
          let first = head.seq + 1
          add(events)
          if let use = commit.use { uses.append(RemoteBatch.Use(use, isNoted: false)) }
          writes = true
          results.append(.success(Appended(first: first, last: head.seq, isRepeat: false)))
        }
      } catch {
        // A refused commit waits too, because a caller that reads again must find the events that
        // caused the refusal.
        writes = writes || head.seq > durable.seq
        results.append(.failure(error))
        break
      }
    }
    return (results, writes)
  }

  /// Checks that the log accepts more events.
  /// - Throws: `.closed` after a failure, or if the events would exceed the index's limit.
  func checkRoom(for eventCount: Int) throws(LogError) {
    if let failure { throw .closed(reason: failure) }
    guard head.seq + UInt64(eventCount) <= StreamIndex.mostEvents else {
      throw .closed(reason: "a log takes at most \(StreamIndex.mostEvents) events")
    }
  }

  /// Encodes events, and adds them to the planned lines and the index.
  /// - Parameter lines: the events' lines, if they are already sealed.
  mutating func add(_ events: [RecordedEvent], lines: [[UInt8]]? = nil) {
    let start = pending.count
    var sum = head.sum
    if let lines {
      for line in lines {
        pending.append(line)
        pending.append(UInt8(ascii: "\n"))
      }
      sum = events.last?.sum ?? sum
    } else {
      for event in events { sum = pending.appendLine(event, after: sum) }
    }
    let size = pending.count - start
    if !hasSegment || segmentFill > 0 && segmentFill + size > segmentSize {
      cuts.append(WriteBatch.Cut(offset: start, first: head.seq + 1))
      segmentFill = 0
      hasSegment = true
    }
    segmentFill += size
    for event in events { planned.append((event, indexed(event))) }
    if let last = events.last { head = LogHead(seq: last.seq, time: last.time, sum: sum) }
  }

  /// Adds a planned event to the index, and returns its stream's number.
  mutating func indexed(_ event: RecordedEvent) -> UInt32 {
    var stream = event.stream
    return stream.withUTF8 { stream in
      guard var correlation = event.correlation?.text else {
        return index.append(stream, event.id, correlation: nil)
      }
      return correlation.withUTF8 { index.append(stream, event.id, correlation: $0) }
    }
  }

  /// Removes the planned lines, and returns them as a batch to write.
  mutating func takeBatch() -> WriteBatch {
    var bytes = ByteBuffer(capacity: 4 << 10)
    swap(&bytes, &pending)
    let batch = WriteBatch(bytes: bytes, cuts: cuts, head: head, uses: uses, waiters: waiters)
    (cuts, uses) = ([], [])
    waiters = []
    return batch
  }

  /// Records that a batch of lines is on disk.
  mutating func commit(_ batch: inout WriteBatch) {
    planned.removeFirst(Int(batch.head.seq - durable.seq))
    durable = batch.head
    view.grow(&batch)
    if pending.count == 0 {
      // If nothing was planned meanwhile, keeps the larger buffer for the next batch.
      swap(&pending, &batch.bytes)
      pending.truncate(to: 0)
    }
  }

  /// Stores uses of keys that the shared log reported.
  mutating func learn(_ uses: [KeyUse]) {
    // If a use is dropped here, the shared log reports it again when it is needed. The answer of a
    // use may have 8 KiB.
    if knownUses.count > 10_000 { knownUses = [:] }
    for use in uses { knownUses[use.tail] = use }
  }

  /// Refuses all further appends.
  mutating func close(_ reason: String) { failure = failure ?? reason }

  /// Drops all planned events, because a batch could not be written.
  mutating func rollBack(_ failure: WriteFailure) {
    for (_, stream) in planned.reversed() { index.removeLast(stream) }
    planned = []
    pending.truncate(to: 0)
    (cuts, uses) = ([], [])
    head = durable
    segmentFill = view.segments.last?.size ?? 0
    hasSegment = !view.segments.isEmpty
    if failure.isFatal { self.failure = "\(failure.cause)" }
  }
}

/// A batch of lines to write together.
struct WriteBatch: ~Copyable {
  struct Cut {
    var offset: Int
    var first: UInt64
  }
  var bytes: ByteBuffer
  let cuts: [Cut]
  /// The last event of the log after the batch is written.
  let head: LogHead
  /// The uses of keys to send to the shared log with the lines.
  var uses: [RemoteBatch.Use] = []
  let waiters: [FileLog.Waiter]
  /// The new segments that `SegmentWriter` begins while it writes the batch.
  var begun: [LogView.Segment] = []
}

/// The reason why a batch of lines was not written, and whether the state on disk is now unknown.
struct WriteFailure {
  var cause: LogError
  var isFatal: Bool
}

/// Lookups of streams and ids. The index returns candidate positions, which are checked in the log.
extension WriterState {
  /// Returns a stream's last revision; 0 if there is no such stream.
  /// - Throws: `.damaged`, `.file`, for the lines that it reads.
  /// - Complexity: for the first lookup of a stream, two or three pages of the checkpoint and, if
  ///   the stream exists, a line of the log.
  mutating func revision(of stream: String) throws(LogError) -> UInt64 {
    if let known = index.streams.revision(of: stream) { return known }
    for position in try ask({ $0.earlier(stream) }).reversed() {
      guard let event = try view.line(at: position)?.event else { throw changed }
      guard event.stream == stream else { continue }
      index.note(stream, revision: event.rev, last: position)
      return event.rev
    }
    // If the index was just rebuilt, it knows the stream.
    return index.streams.revision(of: stream) ?? 0
  }

  mutating func find(_ id: EventID) throws(LogError) -> RecordedEvent? {
    try first(ask { $0.candidates(id) }, upTo: head) { $0.id == id }
  }

  /// Returns the first known use of a command's key; nil if there is none. The shared log reported
  /// the use, or the log has an event with the key, which may still be only planned.
  mutating func use(of tail: UInt64) throws(LogError) -> KeyUse? {
    if let known = knownUses[tail] { return known }
    return try find(tail: tail, upTo: head).map { KeyUse($0) }
  }

  /// Returns the first durable event whose version 7 id has these last 64 bits; nil if there is
  /// none.
  mutating func find(tail: UInt64) throws(LogError) -> RecordedEvent? {
    try find(tail: tail, upTo: durable)
  }

  private mutating func find(tail: UInt64, upTo end: LogHead) throws(LogError) -> RecordedEvent? {
    try first(ask { $0.candidates(tail: tail) }, upTo: end) {
      $0.id.low == tail && $0.id.time != nil
    }
  }

  private mutating func first(
    _ candidates: [UInt64], upTo end: LogHead, where isIt: (RecordedEvent) -> Bool
  ) throws(LogError) -> RecordedEvent? {
    for seq in candidates where seq <= end.seq {
      let event =
        seq > durable.seq
        ? planned[Int(seq - durable.seq) - 1].event : try known.event(at: seq, in: view)
      if let event, isIt(event) { return event }
    }
    return nil
  }

  /// Returns the positions of a stream's events after a revision, ascending. The `earlier`
  /// positions are only candidates: their events may belong to other streams or have earlier
  /// revisions.
  mutating func positions(
    of stream: String, after revision: UInt64
  ) throws(LogError) -> (earlier: [UInt64], later: [UInt64]) {
    if let later = index.streams.positions(of: stream, after: revision), later.after <= revision {
      return ([], later.positions)
    }
    let earlier = try ask { $0.earlier(stream) }
    return (earlier, index.streams.positions(of: stream, after: revision)?.positions ?? [])
  }

  /// Queries the index. If its checkpoint is damaged, rebuilds the index from the log and queries
  /// it again.
  /// - Complexity: O(events of the log) if the index is rebuilt.
  private mutating func ask(
    _ question: (borrowing WriterIndex) -> [UInt64]?
  ) throws(LogError) -> [UInt64] {
    if let answer = question(index) { return answer }
    let blank = WriterIndex.Base(hashing: index.base.hashing)
    let (index, head) = try WriterIndex.read(view, after: LogHead(), blank)
    guard head == durable else { throw changed }
    self.index = index
    checkpointed = 0
    for place in planned.indices { planned[place].stream = indexed(planned[place].event) }
    return question(self.index) ?? []
  }

  private var changed: LogError {
    .notALog(path: view.path, reason: "it is no longer the log that was opened")
  }
}

extension WriterState {
  /// Plans to append sealed commits, up to the first one that does not continue this log.
  mutating func plan(sealed commits: [SealedCommit]) -> Plan {
    var results: [Result<Appended, LogError>] = []
    for commit in commits {
      do throws(LogError) {
        try checkRoom(for: commit.events.count)
        try check(commit)
        let first = head.seq + 1
        add(commit.events, lines: commit.lines)
        results.append(.success(Appended(first: first, last: head.seq, isRepeat: false)))
      } catch {
        results.append(.failure(error))
        break
      }
    }
    return (results, head.seq > durable.seq)
  }

  /// Checks a commit like `verify`, because correct checksums do not prove that the other log was
  /// valid.
  private mutating func check(_ commit: SealedCommit) throws(LogError) {
    if let first = commit.events.first, first.seq != head.seq + 1 {
      throw .conflict(
        Conflict(stream: nil, expected: .exact(first.seq - 1), actual: head.seq))
    }
    var reached = head
    var revisions: [String: UInt64] = [:]
    for (offset, event) in commit.events.enumerated() {
      let line = commit.lines[offset]
      guard event.seq == reached.seq + 1, rightSum(line, after: reached.sum) == event.sum
      else { throw .invalidEvent(LineFault(.wrongSum)) }
      if reached.seq > 0, event.time < reached.time {
        throw .timeGoesBack(last: reached.time, given: event.time)
      }
      let before =
        if let known = revisions[event.stream] { known } else {
          try self.revision(of: event.stream)
        }
      let revision = before + 1
      guard event.rev == revision else {
        throw .invalidEvent(LineFault(.wrongRevision(expected: revision), path: "rev"))
      }
      revisions[event.stream] = revision
      let place =
        commit.events.count > 1 ? Batch(index: offset + 1, count: commit.events.count) : nil
      guard event.batch == place else {
        throw .invalidEvent(LineFault(.brokenBatch, path: "batch"))
      }
      reached = LogHead(event)
    }
  }
}
