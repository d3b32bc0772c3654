import Events

/// What the writer of a log keeps in memory: the index of its streams, and what is planned but not
/// yet written.
struct WriterState: ~Copyable, CommitIndex {
  /// The end of the log as planned, and on disk.
  private(set) var head: LogHead
  private(set) var durable: LogHead
  var index: WriterIndex
  /// The position of the last checkpoint of the index; 0 if there is none that can be used.
  var checkpointed: UInt64
  private(set) var view: LogView
  var waiters: [FileLog.Waiter] = []
  var isWriting = false
  /// Whether what others appended to the shared log is being taken in, and who waits for that.
  var isPulling = false
  var held: [CheckedContinuation<FileLog.Step, Never>] = []
  /// How often in a row others were first.
  var losses = 0
  /// Whether the shared log was rewritten since the clone was opened.
  var isOutdated = false

  /// Uses of keys that the shared log reported, of commands that this clone did not perform.
  private(set) var knownUses: [UInt64: KeyUse] = [:]
  /// Uses of keys that are to be sent to the shared log with what is planned.
  private var uses: [RemoteGroup.Use] = []

  private var pending = ByteBuffer(capacity: 64 << 10)
  /// Where new segments begin in `pending`.
  private var cuts: [WriteGroup.Cut] = []
  /// The events after the durable head, with their streams' numbers.
  var planned: [(event: RecordedEvent, stream: UInt32)] = []
  /// A page of events that were looked up last.
  var lookedUp: [RecordedEvent] = []
  private var segmentFill = 0
  private var hasSegment = false
  private let segmentSize: Int
  private(set) var failure: String?

  /// Reads the log's checkpoint, if there is one, and checks and reads the lines after it.
  init(
    _ view: LogView, segmentSize: Int, _ hashing: WriterIndex.Hashing = .init()
  ) throws(LogError) {
    self.view = view
    self.segmentSize = segmentSize
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

  /// The result of each commit, and whether a group has to be written before they are returned.
  typealias Plan = (results: [Result<Appended, LogError>], writes: Bool)

  /// Judges the commits and encodes those that are to be written.
  mutating func plan(_ commits: [Commit], _ environment: RuntimeEnvironment) -> Plan {
    var writes = false
    var results: [Result<Appended, LogError>] = []
    results.reserveCapacity(commits.count)
    for commit in commits {
      do throws(LogError) {
        try checkRoom(for: commit.events.count)
        switch try CommitPlan.make(commit, &self, environment) {
        case .done(let appended):
          // A repeat waits until the events of the earlier try are durable.
          writes = writes || appended.last > durable.seq
          results.append(.success(appended))
        case .note(let use):
          uses.append(RemoteGroup.Use(use, isNoted: true))
          writes = true
          results.append(.success(.noted))
        case .append(let events):
          let first = head.seq + 1
          add(events)
          if let use = commit.use { uses.append(RemoteGroup.Use(use, isNoted: false)) }
          writes = true
          results.append(.success(Appended(first: first, last: head.seq, isRepeat: false)))
        }
      } catch {
        // A refusal waits too: a caller that looks again must find the events that caused it.
        writes = writes || head.seq > durable.seq
        results.append(.failure(error))
        break
      }
    }
    return (results, writes)
  }

  /// - Throws: `.closed` after a failure, and where the log would have more events than a writer
  ///   can index.
  func checkRoom(for eventCount: Int) throws(LogError) {
    if let failure { throw .closed(reason: failure) }
    guard head.seq + UInt64(eventCount) <= StreamIndex.mostEvents else {
      throw .closed(reason: "a log takes at most \(StreamIndex.mostEvents) events")
    }
  }

  /// - Parameter lines: the events' lines where they are sealed already.
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
      cuts.append(WriteGroup.Cut(offset: start, first: head.seq + 1))
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
    return stream.withUTF8 { index.append($0, event.id) }
  }

  /// Takes what is planned, to be written.
  mutating func takeGroup() -> WriteGroup {
    var bytes = ByteBuffer(capacity: 4 << 10)
    swap(&bytes, &pending)
    let group = WriteGroup(bytes: bytes, cuts: cuts, head: head, uses: uses, waiters: waiters)
    (cuts, uses) = ([], [])
    waiters = []
    return group
  }

  /// Takes note that the group is on disk.
  mutating func commit(_ group: inout WriteGroup) {
    planned.removeFirst(Int(group.head.seq - durable.seq))
    durable = group.head
    view.grow(&group)
    if pending.count == 0 {
      // Nothing was planned meanwhile: keep the larger buffer for the next group.
      swap(&pending, &group.bytes)
      pending.truncate(to: 0)
    }
  }

  /// Remembers uses of keys that the shared log reported.
  mutating func learn(_ uses: [KeyUse]) {
    // A use that was dropped is reported again.
    if knownUses.count > 100_000 { knownUses = [:] }
    for use in uses { knownUses[use.tail] = use }
  }

  /// Refuses all further appends.
  mutating func close(_ reason: String) { failure = failure ?? reason }

  /// Takes back everything after the durable head, since a group could not be written.
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

/// Lines to be written together.
struct WriteGroup: ~Copyable {
  struct Cut {
    var offset: Int
    var first: UInt64
  }
  var bytes: ByteBuffer
  let cuts: [Cut]
  /// The end of the log after they are written.
  let head: LogHead
  /// The uses of keys that go to the shared log with the lines.
  var uses: [RemoteGroup.Use] = []
  let waiters: [FileLog.Waiter]
  /// The segments begun while writing, set by the writer.
  var begun: [LogView.Segment] = []
}

/// Why a group was not written, and whether the file is in an unknown state now.
struct WriteFailure {
  var cause: LogError
  var isFatal: Bool
}
