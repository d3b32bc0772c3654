import Events
import Synchronization

/// A log on disk that is open for writing. A log can have one writer at a time, and any number of
/// readers.
///
/// ```swift
/// let log = try FileLog(path: "my.log", creating: true)
/// try await log.append(Commit([event]))  // returns when it is durable
/// ```
/// Appends that arrive during a write wait. The writer then writes them together, with one
/// `fdatasync` (group commit). If there is no space for a write, the writer undoes it, and the log
/// stays usable. After any other disk error, the log refuses appends until it is reopened.
/// - Complexity: opening reads the lines after the last checkpoint of the writer's index
///   (`saveCheckpoint`), or all lines if there is no checkpoint. An append takes time for its
///   lines, one write and one sync.
public final class FileLog: EventStore {
  /// The default size of a segment, 256 MiB.
  public static let defaultSegmentSize = 256 << 20

  /// The name of the socket in the log's folder on which a server listens for its successor.
  package static let takeOverName = "take-over"

  struct Waiter {
    var continuation: CheckedContinuation<Step, Never>
    var results: [Result<Appended, LogError>]
  }

  enum Step {
    case done([Result<Appended, LogError>])
    case lead([Result<Appended, LogError>])
    /// Other clones appended to the shared log first. This clone now has their events, and the
    /// caller must plan its commits again.
    case again
  }

  let state: Mutex<WriterState>
  let segment: Mutex<SegmentWriter>
  private let lock: WriterLock
  let saving = Mutex(())
  let files: FileSystem
  let path: String
  let environment: RuntimeEnvironment
  /// The shared log, if this log is a clone.
  public let remote: (any RemoteLog)?
  /// The repair of the log's tail when it was opened; nil if no repair was needed.
  public let recovery: Recovery?

  /// Opens a log for writing and repairs its tail.
  /// - Parameters:
  ///   - creating: whether to create an empty log if there is none.
  ///   - segmentSize: the maximum size in bytes. A commit that would exceed it begins a new
  ///     segment.
  /// - Throws: `.locked` with the name of the process that holds the lock, `.noSuchLog`,
  ///   `.damaged`, `.file`; `RulesRefusal.unreadable` if the rules cannot be read;
  ///   `RemoteFault.isClone` for a clone, which `FileLog.open(clone:of:)` opens.
  public convenience init(
    path: String, creating: Bool = false, segmentSize: Int = FileLog.defaultSegmentSize,
    files: FileSystem = .posix, environment: RuntimeEnvironment = .system
  ) throws(LogError) {
    try self.init(
      path: path, creating: creating, segmentSize: segmentSize, files: files,
      environment: environment, remote: nil, hashing: WriterIndex.Hashing())
  }

  /// - Parameter hashing: the seed for hashes, used if the writer's index has no checkpoint.
  init(
    path: String, creating: Bool, segmentSize: Int = FileLog.defaultSegmentSize, files: FileSystem,
    environment: RuntimeEnvironment = .system, remote: (any RemoteLog)? = nil,
    hashing: WriterIndex.Hashing = WriterIndex.Hashing()
  ) throws(LogError) {
    if creating { try Self.create(path, files) }
    var view = try LogView(path: path, files: files)  // refuses other folders before locking
    if remote == nil, let address = try Clone.address(of: path, files: files) {
      throw .remote(.isClone(path: path, of: address))
    }
    lock = try WriterLock(path, files)
    do throws(LogError) {
      try PendingRewriting.settle(path, files)
      // Refuses a log whose rules cannot be read. A clone reads them from its shared log instead.
      if remote == nil { _ = try RecordedRules(folder: path, files: files) }
      view = try LogView(path: path, files: files)
      var state = try WriterState(view, segmentSize: segmentSize, hashing)
      recovery = try Recovery(of: view, files)
      segment = Mutex(try SegmentWriter(path, view, files, syncs: remote == nil))
      state.openSegment(first: view.segments.last?.first, size: view.segments.last?.size ?? 0)
      self.state = Mutex(state)
    } catch {
      lock.release()
      throw error
    }
    (self.files, self.path, self.environment, self.remote) = (files, path, environment, remote)
  }

  /// Writes a checkpoint of the writer's index if one is due, so that the next opening is fast.
  deinit {
    if isCheckpointDue { _ = try? saveCheckpoint() }
    segment.withLock { $0.close() }
    lock.release()
  }

  private static func create(_ path: String, _ files: FileSystem) throws(LogError) {
    do throws(FileError) {
      try files.makeDirectory(path)
    } catch {
      // A killed process may have created the folder without syncing its name: sync it again.
      guard error.isExisting else { throw .file(error) }
    }
    try io { () throws(FileError) in try files.syncDirectory(parentDirectory(path)) }
  }

  /// Refuses further appends and releases the lock, so that another process can rewrite the log.
  /// Until that happens, durable events can still be read. When the call returns, each append in
  /// progress is durable or has failed.
  public func close() {
    segment.withLock { segment in
      state.withLock { $0.close("it was closed to be rewritten") }
      segment.close()
    }
    lock.release()
  }

  public func append(_ commits: [Commit]) async -> [Result<Appended, LogError>] {
    let environment = environment
    return await append { $0.plan(commits, environment) }
  }

  /// Appends lines of another log unchanged, up to the first commit that does not continue this
  /// log.
  func append(sealed commits: [SealedCommit]) async -> [Result<Appended, LogError>] {
    await append { $0.plan(sealed: commits) }
  }

  private func append(
    _ plan: @Sendable (inout WriterState) -> WriterState.Plan
  ) async -> [Result<Appended, LogError>] {
    while true {
      let step = await withCheckedContinuation { continuation in
        let step: Step? = state.withLock { state in
          if state.isPulling {
            state.held.append(continuation)
            return nil
          }
          let (results, writes) = plan(&state)
          if !writes { return .done(results) }
          if state.isWriting {
            state.waiters.append(Waiter(continuation: continuation, results: results))
            return nil
          }
          state.isWriting = true
          return .lead(results)
        }
        if let step { continuation.resume(returning: step) }
      }
      switch step {
      case .done(let results): return results
      case .again: continue
      case .lead(let results):
        // Lets callers that are about to append join the batch, even if there is a single thread.
        await Task.yield()
        var batch = state.withLock { $0.takeBatch() }
        if let remote {
          switch await send(&batch, to: remote) {
          case .appended: break
          case .failed(let failure): return conclude(batch, results, failure)
          case .outrun(let error, let durable):
            if let error { return Self.finalResults(results, error, durable: durable) }
            continue
          }
        }
        // The write and the sync block the caller's thread. On a separate thread, single appends
        // reached only 0.83 of the rate of a bare write and sync, instead of 0.93.
        var failure = segment.withLock { $0.write(&batch) }
        if remote != nil { noteWrite(failure) }
        if let remote, let cause = failure?.cause {
          // The shared log has the events. The next pull fetches them.
          let reason = "the shared log has them, but this clone's folder does not: \(cause)"
          failure?.cause = .remote(.unknownOutcome(remote.name, reason: reason))
        }
        return conclude(batch, results, failure)
      }
    }
  }

  /// Records whether a write of a clone to its folder failed.
  func noteWrite(_ failure: WriteFailure?) {
    state.withLock { $0.isFailing = failure != nil }
  }

  /// Whether the last write of a clone to its folder failed, for example because the disk is full,
  /// or the log refuses appends. A clone with a full disk goes on trying, because it pulls events.
  package var cannotWrite: Bool { state.withLock { $0.isFailing || $0.failure != nil } }

  /// Creates the first segment of an empty log, so that the folder is recognised as a log.
  public func beginFirstSegment() throws(LogError) {
    let isEmpty = state.withLock { $0.view.segments.isEmpty }
    guard isEmpty else { return }
    let begun = try segment.withLock { (segment) throws(LogError) in try segment.beginFirst() }
    state.withLock { $0.adopt(begun) }
  }

  /// Returns the results of an append after its batch of lines was written or failed. After a
  /// failure, a commit that is not durable has failed, even if it repeats an earlier one.
  static func finalResults(
    _ results: [Result<Appended, LogError>], _ failure: LogError?, durable: UInt64
  ) -> [Result<Appended, LogError>] {
    guard let failure else { return results }
    return results.map { result in
      if case .success(let appended) = result, appended.last > durable { return .failure(failure) }
      return result
    }
  }

  /// Records that a batch was written or failed. Resumes the callers that wait for it, and lets the
  /// next waiting caller write.
  private func conclude(
    _ batch: consuming WriteBatch, _ results: [Result<Appended, LogError>],
    _ failure: WriteFailure?
  ) -> [Result<Appended, LogError>] {
    let (next, rest, durable) = state.withLock { state -> (Waiter?, [Waiter], UInt64) in
      if let failure {
        // Commits that were planned after the failed batch fail too.
        let waiters = state.waiters
        state.waiters = []
        state.rollBack(failure)
        state.isWriting = false
        return (nil, waiters, state.durable.seq)
      }
      state.commit(&batch)
      let next = state.waiters.isEmpty ? nil : state.waiters.removeFirst()
      state.isWriting = next != nil
      return (next, [], state.durable.seq)
    }
    for waiter in batch.waiters + rest {
      waiter.continuation.resume(
        returning: .done(Self.finalResults(waiter.results, failure?.cause, durable: durable)))
    }
    if let next { next.continuation.resume(returning: .lead(next.results)) }
    return Self.finalResults(results, failure?.cause, durable: durable)
  }

  public func head() async -> UInt64 { state.withLock { $0.durable.seq } }

  public func read(after position: UInt64, limit: Int) async throws(LogError) -> [RecordedEvent] {
    let (view, head) = state.withLock { ($0.view, $0.durable.seq) }
    guard position < head, limit > 0 else { return [] }
    var result: [RecordedEvent] = []
    try view.forEachEvent(after: position) { event in
      result.append(event)
      return result.count < limit
    }
    return result
  }

  public func read(
    stream: String, after revision: UInt64
  ) async throws(LogError) -> [RecordedEvent] {
    let (view, found, head) = try state.withLock { (state) throws(LogError) in
      (state.view, try state.positions(of: stream, after: revision), state.durable.seq)
    }
    var result: [RecordedEvent] = []
    for position in found.earlier.reversed() {
      guard let event = try view.line(at: position)?.event, event.stream == stream else { continue }
      if event.rev <= revision { break }
      result.append(event)
    }
    result.reverse()
    for position in found.later where position <= head {
      if let line = try view.line(at: position) { result.append(line.event) }
    }
    return result
  }

  public func event(idTail tail: UInt64) async throws(LogError) -> RecordedEvent? {
    try state.withLock { (state) throws(LogError) in try state.find(tail: tail) }
  }

  public func uses(of tails: [UInt64]) async throws(LogError) -> [KeyUse?] {
    let uses = try knownUses(of: tails)
    // Of a use in the log, the shared log may know the whole hash of the input.
    let partial = uses.compactMap { $0?.body == nil ? $0?.tail : nil }
    guard let remote, !partial.isEmpty else { return uses }
    let noted = try await remote.uses(of: partial)
    state.withLock { $0.learn(noted) }
    return try knownUses(of: tails)
  }

  private func knownUses(of tails: [UInt64]) throws(LogError) -> [KeyUse?] {
    try state.withLock { (state) throws(LogError) in
      var uses: [KeyUse?] = []
      for tail in tails { uses.append(try state.use(of: tail)) }
      return uses
    }
  }

  /// Whether this log is a clone, because a shared log records used keys. Any other log has one
  /// writer, which remembers the uses itself.
  public var notesKeys: Bool { remote != nil }

  /// The reason why the log refuses appends until it is reopened; nil if it accepts them.
  public var failure: String? { state.withLock { $0.failure } }

  public func history() async -> LogView { view() }

  /// Returns the log as a reader sees it: only durable events.
  public func view() -> LogView { state.withLock { $0.view } }
}

func fileName(_ path: String) -> String {
  path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
}

package func parentDirectory(_ path: String) -> String {
  let trimmed = path.hasSuffix("/") && path.utf8.count > 1 ? String(path.dropLast()) : path
  guard let slash = trimmed.lastIndex(of: "/") else { return "." }
  return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
}

extension FileLog {
  /// Whether a new checkpoint of the writer's index would save noticeable time at the next opening.
  public var isCheckpointDue: Bool {
    state.withLock { state in
      state.failure == nil
        && WriterIndex.isCheckpointDue(at: state.durable.seq, last: state.checkpointed)
    }
  }

  /// Writes a checkpoint of the writer's index to the folder `checkpoints`. The next opening for
  /// writing then reads only later lines. The file can be deleted at any time.
  ///
  /// When a `FileLog` is deallocated, it writes a checkpoint if one is due. If a log stays open for
  /// long, call this function from time to time, on any thread.
  /// - Returns: false if there is nothing new to write.
  /// - Throws: `.file` for file system errors, which affect only the checkpoint, not the log;
  ///   `.damaged` if both the last checkpoint and the log are damaged.
  /// - Complexity: time and memory O(events of the log), 16 bytes for each event. Appends wait
  ///   meanwhile for less than a millisecond.
  @discardableResult
  public func saveCheckpoint() throws(LogError) -> Bool {
    try saving.withLock { (_) throws(LogError) in
      let (base, hashes, head, view) = state.withLock { state in
        (state.index.base, state.index.hashes, state.durable, state.view)
      }
      let isNew = state.withLock { $0.failure == nil && head.seq > $0.checkpointed }
      guard isNew, let checkpoints = view.checkpoints else { return false }
      // The next opening does not read events before the checkpoint again, so they must be on the
      // disk.
      try io { () throws(FileError) in
        try segment.withLock { (s) throws(FileError) in try s.sync() }
      }
      let isSaved = try io { () throws(FileError) in
        try base.save(hashes, head: head, checkpoints)
      }
      if !isSaved {
        // The last checkpoint is damaged, so the index is rebuilt from the log.
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
