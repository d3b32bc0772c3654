/// A clone: what is appended goes to the shared log first, then to the folder.
extension FileLog {
  /// What became of a group that was to be appended to the shared log.
  enum Sent {
    case appended
    case failed(WriteFailure)
    /// Others were first; what they did is here now, unless that failed.
    case outrun(LogError?)
  }

  /// Opens a clone for appending: finishes what an earlier process left, takes over rewritings, and
  /// fetches what others appended.
  /// - Throws: as `init`; `RemoteFault` where the shared log is not reached or is another one.
  /// - Complexity: as `init`, a round trip, and what has to be fetched.
  public static func open(
    clone path: String, of remote: any RemoteLog, segmentSize: Int = FileLog.defaultSegmentSize,
    files: FileSystem = .posix, environment: RuntimeEnvironment = .system
  ) async throws(LogError) -> FileLog {
    try await Takeover(folder: path, files: files).perform(from: remote)
    while true {
      do throws(LogError) {
        let log = try FileLog(
          path: path, creating: false, segmentSize: segmentSize, files: files,
          environment: environment, remote: remote)
        try await log.pull()
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
  /// - Throws: `.file`, `.notALog` if there is a log already; as `open`. What was fetched until
  ///   then stays, and `open` goes on from there.
  public static func clone(
    _ remote: any RemoteLog, address: String, to path: String,
    segmentSize: Int = FileLog.defaultSegmentSize, files: FileSystem = .posix,
    environment: RuntimeEnvironment = .system, progress: (UInt64, UInt64) -> Void = { _, _ in }
  ) async throws(LogError) -> FileLog {
    let head = try await remote.head()  // before a folder is made for nothing
    do {
      let log = try FileLog(path: path, creating: true, files: files)
      if await log.head() > 0 {
        throw LogError.notALog(path: path, reason: "there is a log with events here already")
      }
      try log.beginFirstSegment()
    }
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
      let waiters = beginPull([])
      let failure = await takeIn(remote, nil)
      endPull(waiters, failure)
      if let failure { throw failure }
      return
    }
  }

  /// Appends to a shared log what it lacks of the log in a folder, a clone or one that becomes it.
  /// - Returns: how many events.
  /// - Throws: `RemoteFault.parted` if the shared log does not end at an event of this one.
  /// - Complexity: parsing the lines, and a round trip for each megabyte of them.
  public static func push(
    _ path: String, to remote: any RemoteLog, files: FileSystem = .posix,
    progress: (UInt64, UInt64) -> Void = { _, _ in }
  ) async throws(LogError) -> UInt64 {
    var pushed: UInt64 = 0
    var limit = 1 << 20
    while true {
      let (head, view) = (try await remote.head(), try LogView(path: path, files: files))
      let local = try view.head()
      guard head.rewritings == (try view.rewritings()).entries.count else {
        throw .rewritten(path: path)
      }
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
          limit *= 2
          continue
        }
        let group = RemoteGroup(after: known, commits)
        guard try await remote.append(group) == .appended else { break }
        pushed += last.seq - known.seq
        known = LogHead(last)
        progress(known.seq, local.seq)
      }
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
    guard case .moved(let head) = answer else {
      state.withLock { $0.losses = 0 }
      return .appended
    }
    let waiters = beginPull(group.waiters)
    state.withLock { $0.losses += 1 }
    let failure = await takeIn(remote, head)
    endPull(waiters, failure)
    return .outrun(failure)
  }

  /// Gives up what is planned, and holds those who come meanwhile.
  /// - Returns: who waits for what was given up.
  private func beginPull(_ waiters: [Waiter]) -> [Waiter] {
    state.withLock { state in
      let all = waiters + state.waiters
      state.waiters = []
      state.giveUp()
      state.isPulling = true
      return all
    }
  }

  private func endPull(_ waiters: [Waiter], _ failure: LogError?) {
    let (held, durable) = state.withLock { state in
      let held = state.held
      state.held = []
      (state.isPulling, state.isWriting) = (false, false)
      return (held, state.durable.seq)
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
        guard head.rewritings == (try view().rewritings()).entries.count else {
          state.withLock { $0.isOutdated = true }
          throw .rewritten(path: path)
        }
        if head.seq == local.seq, head.sum == local.sum { return nil }
        guard head.seq > local.seq else {
          throw try await Self.parting(view(), remote, head, local)
        }
        let bytes = try await remote.lines(after: local.seq, limit: limit)
        let commits = try SealedCommits(bytes, after: local.seq, from: remote.name).commits
        // A commit that is larger than the limit, or that somebody is still appending.
        if commits.isEmpty { limit *= 2 }
        if let failure = write(commits) {
          // Where the first line does not follow our last, it is not the log that we know.
          if case .invalidEvent(LineFault(.wrongSum)) = failure,
            state.withLock({ $0.durable }) == local
          {
            throw try await Self.parting(view(), remote, head, local)
          }
          throw failure
        }
        if state.withLock({ $0.durable.seq }) >= head.seq { return nil }
      }
    } catch {
      return error
    }
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

  /// Finds out from where on a clone and its remote differ.
  private static func parting(
    _ view: LogView, _ remote: any RemoteLog, _ head: RemoteHead, _ local: LogHead
  ) async throws(LogError) -> LogError {
    func isCommon(_ position: UInt64) async throws(LogError) -> Bool {
      if position == 0 { return true }
      guard let theirs = try await remote.sum(at: position) else { return false }
      return try view.line(at: position)?.event.sum == theirs
    }
    if head.seq <= local.seq, try await isCommon(head.seq) {
      return .remote(.lost(remote.name, local: local.seq, remote: head.seq))
    }
    // Sums stand for all before them, so that the last common event is found by halving.
    var (low, high) = (UInt64(0), min(head.seq, local.seq) + 1)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if try await isCommon(middle) { low = middle } else { high = middle }
    }
    return .remote(
      .parted(remote.name, common: low, local: local.seq, remote: head.seq))
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
    return RemoteGroup(after: durable.seq, durable.sum, lines, losses: losses)
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
