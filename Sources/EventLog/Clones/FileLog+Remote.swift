import Events

/// A clone: what is appended goes to the shared log first, then to the folder.
extension FileLog {
  /// What became of a group that was to be appended to the shared log.
  enum Sent {
    case appended
    case failed(WriteFailure)
    /// Others were first; what they did is here now, unless that failed.
    /// - Parameter durable: the last position before that; what was given up has those after it.
    case outrun(LogError?, durable: UInt64)
  }

  /// Opens a clone for appending: finishes what an earlier process left, takes over rewritings, and
  /// fetches what others appended.
  /// - Throws: as `init`; `RemoteFault` where the shared log is not reached or is another one.
  /// - Complexity: as `init`, a round trip, and what has to be fetched.
  public static func open(
    clone path: String, of remote: any RemoteLog, segmentSize: Int = FileLog.defaultSegmentSize,
    files: FileSystem = .posix, environment: RuntimeEnvironment = .system
  ) async throws(LogError) -> FileLog {
    while true {
      do throws(LogError) {
        try await Takeover(folder: path, files: files).perform(from: remote)
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
  ///   - address: what the clone's file `remote` says.
  ///   - progress: gets the position reached, and that of the end.
  /// - Throws: `.file`, `.notALog` if there is a log already; as `open`. If the connection failed,
  ///   the folder keeps the fetched events, and `open` continues from there. If the shared log is
  ///   damaged, the folder is as it was before the call.
  public static func clone(
    _ remote: any RemoteLog, address: String, to path: String,
    segmentSize: Int = FileLog.defaultSegmentSize, files: FileSystem = .posix,
    environment: RuntimeEnvironment = .system, progress: (UInt64, UInt64) -> Void = { _, _ in }
  ) async throws(LogError) -> FileLog {
    let head = try await remote.head()  // before a folder is made for nothing
    let before = try? files.list(path)
    do {
      let log = try FileLog(path: path, creating: true, files: files)
      if await log.head() > 0 {
        throw LogError.notALog(path: path, reason: "there is a log with events here already")
      }
      try log.beginFirstSegment()
    }
    do throws(LogError) {
      try Clone.link(path, to: address, files: files)
      if head.rewritings > 0 {
        let ledger = try await remote.rewritings().text
        try io { () throws(FileError) in
          try files.replace(path + "/" + Rewritings.fileName, in: path, Array(ledger.utf8))
        }
      }
      try await Clone.fill(path, from: remote, segmentSize: segmentSize, files, progress)
      return try await open(
        clone: path, of: remote, segmentSize: segmentSize, files: files, environment: environment)
    } catch {
      if error.isWrongHistory { Clone.remove(path, keeping: before, files) }
      throw error
    }
  }

  /// Fetches what others appended to the shared log; nothing for a log that is no clone.
  /// - Throws: `RemoteFault`; `.rewritten` if the shared log was rewritten, and the clone has to be
  ///   opened anew.
  public func pull() async throws(LogError) {
    guard let remote else { return }
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
      let failure = await takeIn(remote, nil)
      endPull(waiters, failure, durable)
      if let failure { throw failure }
      return
    }
  }

  /// Offers a group to the shared log. If others were first, all that was planned is given up, and
  /// what they appended is taken in.
  func send(_ group: inout WriteGroup, to remote: any RemoteLog) async -> Sent {
    let outgoing = state.withLock { $0.outgoing(group) }
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
      (waiters, durable) = beginPull(group.waiters)
      state.withLock { $0.learn(uses) }
      // Another clone may have appended events and noted a key after this group was refused.
      if uses.contains(where: { $0.position > durable }) { failure = await takeIn(remote, nil) }
    case .moved(let head):
      (waiters, durable) = beginPull(group.waiters)
      state.withLock { $0.losses += 1 }
      failure = await takeIn(remote, head)
    }
    endPull(waiters, failure, durable)
    return .outrun(failure, durable: durable)
  }

  /// Gives up what is planned, and holds those who come meanwhile.
  /// - Returns: who waits for what was given up, and the last position that was not.
  private func beginPull(_ waiters: [Waiter]) -> (waiters: [Waiter], durable: UInt64) {
    state.withLock { state in
      let all = waiters + state.waiters
      state.waiters = []
      state.giveUp()
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

  /// Appends to the folder what the shared log has after its end. Only who leads may do this.
  private func takeIn(
    _ remote: any RemoteLog, _ known: RemoteHead?
  ) async -> LogError? {
    do throws(LogError) {
      let head: RemoteHead
      if let known { head = known } else { head = try await remote.head() }
      var limit = 4 << 20
      while true {
        let local = state.withLock { $0.durable }
        try checkLedger(remote, head)
        if head.seq == local.seq, head.sum == local.sum { return nil }
        guard head.seq > local.seq else { throw try await parted(remote, local) }
        let bytes = try await remote.lines(after: local.seq, limit: limit)
        let commits = try SealedCommits(bytes, after: local.seq, from: remote.name).commits
        if commits.isEmpty {
          // A commit that is larger than the limit; none is larger than all that can be asked for.
          guard !bytes.isEmpty, limit < largestPage else {
            let reason = "it has no whole commit after event \(local.seq), but ends at \(head.seq)"
            throw .remote(.refused(remote.name, reason: reason))
          }
          limit *= 2
          continue
        }
        if let failure = write(commits) {
          // Where the first line does not follow our last, it is not the log that we know.
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

  /// - Throws: `.rewritten` if the shared log was rewritten since the clone was opened.
  private func checkLedger(_ remote: any RemoteLog, _ head: RemoteHead) throws(LogError) {
    let ours = try view().rewritings().entries.count
    if head.rewritings == ours { return }
    if head.rewritings < ours { throw .remote(.forgotten(remote.name)) }
    state.withLock { $0.isOutdated = true }
    throw .rewritten(path: path)
  }

  /// The error for a shared log that does not continue the clone, unless it is being rewritten.
  private func parted(
    _ remote: any RemoteLog, _ local: LogHead
  ) async throws(LogError) -> LogError {
    let head = try await remote.head()
    try checkLedger(remote, head)
    return try await Self.parting(view(), remote, head, local)
  }

  /// Writes lines of the shared log to the folder.
  private func write(_ commits: [SealedCommit]) -> LogError? {
    let plan = state.withLock { $0.plan(sealed: commits) }
    var group = state.withLock { $0.takeGroup() }
    if let failure = segment.withLock({ $0.write(&group) }) {
      state.withLock { $0.rollBack(failure) }
      return failure.cause
    }
    state.withLock { $0.commit(&group) }
    if case .failure(let error)? = plan.results.last { return error }
    return nil
  }
}

extension WriterState {
  /// What a group is to the shared log.
  func outgoing(_ group: borrowing WriteGroup) -> RemoteGroup {
    let count = Int(group.head.seq - durable.seq)
    var lines: [RemoteGroup.Line] = []
    lines.reserveCapacity(count)
    group.bytes.withBytes { bytes in
      for (planned, line) in zip(planned, bytes.split(separator: UInt8(ascii: "\n"))) {
        let line = UnsafeBufferPointer(rebasing: line)
        lines.append(
          RemoteGroup.Line(
            bytes: Array(line), stream: planned.event.stream, revision: planned.event.rev,
            id: planned.event.id, sum: recordedSum(line) ?? 0))
      }
    }
    return RemoteGroup(
      after: durable.seq, durable.sum, lines, uses: group.uses, losses: losses)
  }

  /// Takes back everything after the durable head: others were first.
  mutating func giveUp() {
    rollBack(WriteFailure(cause: .closed(reason: ""), isFatal: false))
  }
}

extension FileLog {
  /// How often a clone that is followed asks its remote: often while something comes, and less and
  /// less while nothing does.
  private static let pollIntervals = (shortest: 10, longest: 160)

  public func latest() async throws(LogError) -> UInt64 {
    try await pull()
    return await head()
  }

  /// Whether the shared log was rewritten, so that the clone has to be opened anew.
  public var isOutdated: Bool { state.withLock { $0.isOutdated } }

  private func polled() async -> UInt64 {
    try? await pull()
    return await head()
  }

  /// Of a clone, fetches what others append, and yields whenever that was something.
  ///
  /// What cannot be fetched is tried again; the next append reports it.
  public func changes() -> AsyncStream<Void>? {
    guard remote != nil else { return nil }
    return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { changes in
      let task = Task { [weak self] in
        var (seen, wait) = (UInt64(0), Self.pollIntervals.longest)
        while !Task.isCancelled, let head = await self?.polled() {
          wait = min(wait * 2, Self.pollIntervals.longest)
          if head != seen {
            changes.yield()
            wait = Self.pollIntervals.shortest
          }
          seen = head
          try? await Task.sleep(for: .milliseconds(wait))
        }
      }
      changes.onTermination = { _ in task.cancel() }
    }
  }
}
