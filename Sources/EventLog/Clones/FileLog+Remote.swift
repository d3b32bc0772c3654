import Events

/// A clone appends to the shared log first, then to its folder.
extension FileLog {
  /// The result of appending a batch of lines to the shared log.
  enum Sent {
    case appended
    case failed(WriteFailure)
    /// Other clones appended to the shared log first. This clone now has their events, or an error
    /// if fetching them failed.
    /// - Parameter durable: this clone's last position before it fetched their events.
    case outrun(LogError?, durable: UInt64)
  }

  /// Opens a clone for appending. Finishes interrupted work, copies rewritings of the shared log,
  /// and fetches its new events and rules.
  /// - Throws: as `init`; `RemoteFault` if the shared log cannot be reached or is not the clone's.
  /// - Complexity: as `init`, a round trip to the shared log, and fetching the new events.
  public static func open(
    clone path: String, of remote: any RemoteLog, segmentSize: Int = FileLog.defaultSegmentSize,
    files: FileSystem = .posix, environment: RuntimeEnvironment = .system
  ) async throws(LogError) -> FileLog {
    while true {
      do throws(LogError) {
        try await RewritingReplication(folder: path, files: files).perform(from: remote)
        let log = try FileLog(
          path: path, creating: false, segmentSize: segmentSize, files: files,
          environment: environment, remote: remote)
        try await log.pull()
        try await log.pullRules(from: remote)
        return log
      } catch {
        guard case .damaged(let damage) = error, damage.seq > 0 else { throw error }
        try Clone.cut(path, at: damage, files)
      }
    }
  }

  /// Makes a clone of a shared log in a new folder.
  /// - Parameters:
  ///   - address: the content of the clone's file `remote`.
  ///   - progress: receives the clone's last position so far, and the shared log's last position.
  /// - Throws: `.file`; `.notALog` if the folder already has a log with events; as `open`. If the
  ///   connection failed, the folder keeps the fetched events, and `open` fetches the others. If
  ///   the shared log is damaged, the folder is as it was before the call.
  public static func clone(
    _ remote: any RemoteLog, address: String, to path: String,
    segmentSize: Int = FileLog.defaultSegmentSize, files: FileSystem = .posix,
    environment: RuntimeEnvironment = .system, progress: (UInt64, UInt64) -> Void = { _, _ in }
  ) async throws(LogError) -> FileLog {
    let head = try await remote.head()  // fails before a folder is created
    let before = try? files.list(path)
    do {
      let log = try FileLog(path: path, creating: true, files: files)
      if await log.head() > 0 {
        throw LogError.notALog(
          path: path, reason: "there is already a log with events here; choose another folder")
      }
      try log.beginFirstSegment()
    }
    do throws(LogError) {
      try Clone.link(path, to: address, files: files)
      if head.rewritings > 0 {
        let ledger = try await remote.rewritings().text
        try io(files.replace(path + "/" + Rewritings.fileName, in: path, Array(ledger.utf8)))
      }
      try await Clone.fill(path, from: remote, segmentSize: segmentSize, files, progress)
      return try await open(
        clone: path, of: remote, segmentSize: segmentSize, files: files, environment: environment)
    } catch {
      if error.isWrongHistory { Clone.remove(path, keeping: before, files) }
      throw error
    }
  }

  /// Fetches the events that other clones appended to the shared log. Does nothing if this log is
  /// not a clone.
  /// - Throws: `RemoteFault`; `.rewritten` if the shared log was rewritten. Then open the clone
  ///   again.
  public func pull() async throws(LogError) {
    guard let remote else { return }
    if let failure = await alone({ await takeIn(remote, nil) }) { throw failure }
  }

  /// Appends lines of the shared log that another clone has sent. Skips lines that this clone has,
  /// and ignores lines that do not continue it: the next pull fetches the right ones.
  /// - Parameters:
  ///   - lines: whole lines, which the shared log has acknowledged.
  ///   - position: the position of the event before the first line.
  package func takeIn(_ lines: [UInt8], after position: UInt64) async {
    guard let remote, !lines.isEmpty else { return }
    _ = await alone {
      let local = state.withLock { state in
        state.sent = environment.instant()
        return state.durable.seq
      }
      guard position <= local else { return nil }
      var rest = lines[...]
      for _ in position..<local {
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        rest = rest[(end + 1)...]
      }
      let sealed = try? SealedCommits(Array(rest), after: local, from: remote.name)
      if let commits = sealed?.commits, !commits.isEmpty { _ = write(commits) }
      return nil
    }
  }

  /// Calls `body` while nothing is appended.
  private func alone(_ body: () async -> LogError?) async -> LogError? {
    while true {
      let step = await withCheckedContinuation { continuation in
        let step: Step? = state.withLock { state in
          if state.isPulling {
            state.held.append(continuation)
            return nil
          }
          if state.isWriting {
            state.waiters.append(Waiter(continuation: continuation, results: []))
            return nil
          }
          state.isWriting = true
          return .lead([])
        }
        if let step { continuation.resume(returning: step) }
      }
      guard case .lead = step else { continue }
      let (waiters, durable) = beginPull([])
      let failure = await body()
      endPull(waiters, failure, durable)
      return failure
    }
  }

  /// Sends a batch of lines to the shared log. If other clones appended first, drops all events
  /// that this clone planned to append, and fetches the other clones' events.
  func send(_ batch: inout WriteBatch, to remote: any RemoteLog) async -> Sent {
    let outgoing = state.withLock { $0.outgoing(batch) }
    let answer: RemoteAnswer
    do throws(LogError) {
      answer = try await remote.append(outgoing)
    } catch {
      return .failed(WriteFailure(cause: error, isFatal: false))
    }
    var failure: LogError?
    let (waiters, durable): ([Waiter], UInt64)
    switch answer {
    case .appended:
      state.withLock { $0.losses = 0 }
      return .appended
    case .used(let uses):
      (waiters, durable) = beginPull(batch.waiters)
      state.withLock { $0.learn(uses) }
      // Another clone may have appended events and noted a key after this batch was refused.
      if uses.contains(where: { $0.position > durable }) { failure = await takeIn(remote, nil) }
    case .moved(let head):
      (waiters, durable) = beginPull(batch.waiters)
      state.withLock { $0.losses += 1 }
      failure = await takeIn(remote, head)
    }
    endPull(waiters, failure, durable)
    return .outrun(failure, durable: durable)
  }

  /// Drops all planned events. New callers then wait until `endPull`.
  /// - Returns: the callers whose planned events were dropped, and the last position on disk.
  private func beginPull(_ waiters: [Waiter]) -> (waiters: [Waiter], durable: UInt64) {
    state.withLock { state in
      let all = waiters + state.waiters
      state.waiters = []
      state.rollBack(WriteFailure(cause: .closed(reason: ""), isFatal: false))
      state.isPulling = true
      return (all, state.durable.seq)
    }
  }

  private func endPull(_ waiters: [Waiter], _ failure: LogError?, _ durable: UInt64) {
    let held = state.withLock { state in
      let held = state.held
      state.held = []
      (state.isPulling, state.isWriting) = (false, false)
      return held
    }
    for waiter in waiters {
      waiter.continuation.resume(
        returning: failure.map {
          .done(Self.finalResults(waiter.results, $0, durable: durable))
        } ?? .again)
    }
    for continuation in held { continuation.resume(returning: .again) }
  }

  /// Fetches the shared log's next events and appends them to this clone's folder. Only the caller
  /// for which `isWriting` was set may call this.
  private func takeIn(_ remote: any RemoteLog, _ known: RemoteHead?) async -> LogError? {
    do throws(LogError) {
      let head: RemoteHead
      if let known { head = known } else { head = try await remote.head() }
      state.withLock { $0.shared = head.seq }
      var limit = 4 << 20
      while true {
        let local = state.withLock { $0.durable }
        try checkLedger(remote, head)
        if head.seq == local.seq, head.sum == local.sum { return nil }
        guard head.seq > local.seq else { throw try await parted(remote, local) }
        let bytes = try await remote.lines(after: local.seq, limit: limit)
        let commits = try SealedCommits(bytes, after: local.seq, from: remote.name).commits
        if commits.isEmpty {
          // The next commit is larger than the limit.
          guard !bytes.isEmpty, limit < Self.largestPage else {
            let reason = "it has no whole commit after event \(local.seq), but ends at \(head.seq)"
            throw .remote(.refused(remote.name, reason: reason))
          }
          limit *= 2
          continue
        }
        if let failure = write(commits) {
          // If the first fetched line does not follow this clone's last line, the shared log is
          // another log.
          if case .invalidEvent(LineFault(.wrongSum)) = failure,
            state.withLock({ $0.durable }) == local
          {
            throw try await parted(remote, local)
          }
          throw failure
        }
        if state.withLock({ $0.durable.seq }) >= head.seq { return nil }
      }
    } catch {
      return error
    }
  }

  /// Checks that the shared log has the same number of rewritings as this clone.
  /// - Throws: `.rewritten` if the shared log was rewritten after this clone was opened;
  ///   `RemoteFault.forgotten` if it has fewer rewritings.
  private func checkLedger(_ remote: any RemoteLog, _ head: RemoteHead) throws(LogError) {
    let ours = try view().rewritings().entries.count
    if head.rewritings == ours { return }
    if head.rewritings < ours { throw .remote(.forgotten(remote.name)) }
    state.withLock { $0.isOutdated = true }
    throw .rewritten(path: path)
  }

  /// Returns the error for a shared log that does not continue this clone.
  /// - Throws: `.rewritten` if the logs differ because the shared log was rewritten.
  private func parted(
    _ remote: any RemoteLog, _ local: LogHead
  ) async throws(LogError) -> LogError {
    let head = try await remote.head()
    try checkLedger(remote, head)
    return try await Self.parting(view(), remote, head, local)
  }

  private func write(_ commits: [SealedCommit]) -> LogError? {
    let plan = state.withLock { $0.plan(sealed: commits) }
    var batch = state.withLock { $0.takeBatch() }
    let failure = segment.withLock { $0.write(&batch) }
    noteWrite(failure)
    if let failure {
      state.withLock { $0.rollBack(failure) }
      return failure.cause
    }
    state.withLock { $0.commit(&batch) }
    if case .failure(let error)? = plan.results.last { return error }
    return nil
  }
}

extension WriterState {
  /// Returns a batch's planned events as sealed lines to send to the shared log.
  func outgoing(_ batch: borrowing WriteBatch) -> RemoteBatch {
    let count = Int(batch.head.seq - durable.seq)
    var lines: [RemoteBatch.Line] = []
    lines.reserveCapacity(count)
    batch.bytes.withBytes { bytes in
      for (planned, line) in zip(planned, bytes.split(separator: UInt8(ascii: "\n"))) {
        let line = UnsafeBufferPointer(rebasing: line)
        lines.append(
          RemoteBatch.Line(
            bytes: Array(line), stream: planned.event.stream, revision: planned.event.rev,
            id: planned.event.id, sum: recordedSum(line) ?? 0))
      }
    }
    return RemoteBatch(
      after: durable.seq, durable.sum, lines, uses: batch.uses, losses: losses)
  }
}

extension FileLog {
  /// The pauses between polls of the shared log, in milliseconds: short while events arrive, and
  /// long while the shared log announces its events.
  private static let pollIntervals = (shortest: 10, longest: 160, announced: 1_000)

  public func latest() async throws(LogError) -> UInt64 {
    try await pull()
    return await head()
  }

  /// The last position of the shared log that this clone has heard of; 0 if this log is no clone.
  package var sharedHead: UInt64 { state.withLock { $0.shared } }

  /// Whether the shared log was rewritten after this clone was opened. Then the clone must be
  /// opened again.
  public var isOutdated: Bool { state.withLock { $0.isOutdated } }

  private func polled() async -> UInt64 {
    try? await pull()
    return await head()
  }

  /// Waits until the shared log announces events that this clone lacks, but not longer than
  /// `duration`.
  /// - Returns: whether the shared log announced any events.
  private func awaitOthers(_ remote: any RemoteLog, within duration: Duration) async -> Bool {
    let end = environment.instant() + duration
    var isHeard = false
    while case let left = end - environment.instant(), left > .zero,
      let announced = await remote.awaitEvents(within: left)
    {
      isHeard = true
      if await !isSent(announced) { break }
    }
    return isHeard
  }

  /// Waits for another clone to send the events up to a position, which costs less than a pull.
  /// Waits longer if one has sent events in the last tenth of a second.
  /// - Returns: whether this clone has the events.
  private func isSent(_ position: UInt64) async -> Bool {
    let (head, sent) = state.withLock { state in
      state.shared = max(state.shared, position)
      return (state.durable.seq, state.sent)
    }
    if head >= position { return true }
    let isFed = sent.map { environment.instant() - $0 < .milliseconds(100) } ?? false
    await environment.sleep(.milliseconds(isFed ? 20 : 5))
    return await self.head() >= position
  }

  /// Returns a stream that yields after each change of the clone; nil if this log is not a clone. A
  /// task polls the shared log for new events, and when the shared log announces events. It retries
  /// after errors, which the next append reports.
  ///
  /// A pooler between client and server may swallow announcements. So the task relies on them only
  /// as long as each new event was announced.
  public func changes() -> AsyncStream<Void>? {
    guard let remote else { return nil }
    return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { changes in
      let task = Task { [weak self] in
        var (seen, wait) = (UInt64(0), Self.pollIntervals.longest)
        var (isHeard, isAnnounced) = (false, false)
        while !Task.isCancelled, let head = await self?.polled() {
          let isNew = head != seen
          if isNew { changes.yield() }
          isAnnounced = isHeard || isAnnounced && !isNew
          wait =
            if isAnnounced {
              Self.pollIntervals.announced
            } else if isNew {
              Self.pollIntervals.shortest
            } else {
              min(wait * 2, Self.pollIntervals.longest)
            }
          seen = head
          isHeard = await self?.awaitOthers(remote, within: .milliseconds(wait)) ?? false
        }
      }
      changes.onTermination = { _ in task.cancel() }
    }
  }
}

extension FileLog {
  /// The largest page of lines to request, in bytes.
  private static let largestPage = 1 << 30

  /// Appends to a shared log the events that it lacks. Reads these events from a log in a folder.
  /// - Returns: the number of pushed events.
  /// - Throws: `RemoteFault.parted` or `.lost` if the shared log does not end at an event of the
  ///   folder's log.
  /// - Complexity: parses the lines; a round trip for each megabyte.
  public static func push(
    _ path: String, to remote: any RemoteLog, files: FileSystem = .posix,
    progress: (UInt64, UInt64) -> Void = { _, _ in }
  ) async throws(LogError) -> UInt64 {
    try await pushRules(path, to: remote, files)
    var pushed: UInt64 = 0
    var limit = 1 << 20
    while true {
      let (head, view) = (try await remote.head(), try LogView(path: path, files: files))
      let local = try view.head()
      let ours = try view.rewritings().entries.count
      if head.rewritings < ours { throw .remote(.forgotten(remote.name)) }
      if head.rewritings > ours { throw .rewritten(path: path) }
      if head.seq > local.seq, try await remote.sum(at: local.seq) == local.sum { return pushed }
      let known = head.seq == 0 ? LogHead() : try view.line(at: head.seq).map { LogHead($0.event) }
      guard var known, known.sum == head.sum else {
        throw try await parting(view, remote, head, local)
      }
      if known.seq == local.seq { return pushed }
      while known.seq < local.seq {
        let bytes = try view.lines(after: known.seq, limit: limit)
        let commits = try SealedCommits(bytes, after: known.seq, from: path).commits
        guard let last = commits.last?.events.last else {
          guard limit < Self.largestPage else {
            throw .closed(reason: "a commit is too large to push")
          }
          limit *= 2
          continue
        }
        let batch = RemoteBatch(after: known, commits)
        guard try await remote.append(batch) == .appended else { break }
        pushed += last.seq - known.seq
        known = LogHead(last)
        progress(known.seq, local.seq)
      }
    }
  }
}
