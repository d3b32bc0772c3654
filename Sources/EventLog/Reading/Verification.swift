import Dispatch
import Events
import Synchronization

extension LogView {
  /// The result of a verification that found no fault.
  public struct Verification: Equatable, Sendable {
    /// The position, time and checksum of the last event.
    public var head = LogHead()
    /// The number of bytes in all segments.
    public var bytes = 0
    /// The number of segments of the log.
    public var segments = 0
    /// The number of streams in the log.
    public var streams = 0
    /// The number of events of each unknown type and version, except those of apps.
    public var unknown: [UnknownType: Int] = [:]
  }

  /// Checks a log completely: each line's checksum, position, time, revision, stream and batch. The
  /// strict parser also parses each line.
  ///
  /// It reads on several threads. If it finds any fault, it starts again on one thread, line by
  /// line, and reports the first fault of that run.
  /// - Parameters:
  ///   - jobs: the number of threads; at least 1.
  ///   - progress: called with the number of bytes checked so far and in total, on any thread.
  /// - Throws: `.damaged` at the first damaged line; `.file`.
  /// - Complexity: O(bytes), about 0.7 microseconds of processor time for each line. If a line is
  ///   damaged, four microseconds more for each line up to it. Memory: 12 bytes for each event.
  public func verify(
    jobs: Int = 2, progress: @Sendable (Int, Int) -> Void = { _, _ in }
  ) throws(LogError) -> Verification {
    let key = UInt64.random(in: 0..<StreamRevisions.prime)
    let found = try verify(jobs: jobs, key: key, chunkSize: Self.chunkSize, progress)
    if let found { return found }
    return try verifyInOrder(progress: progress)
  }

  /// Checks a log like `verify`, but on one thread, line by line.
  func verifyInOrder(
    progress: (Int, Int) -> Void = { _, _ in }
  ) throws(LogError) -> Verification {
    let found = try verifyLines { progress($0, size) }
    try checkEmptySegment(after: found.head)
    return Verification(
      head: found.head, bytes: found.bytes, segments: segments.count, streams: found.streams,
      unknown: found.unknown)
  }

  /// Returns the name of the process that has the log open for writing; nil if there is none.
  public func writer() -> String? {
    guard case .files(let files, _) = source, let file = try? files.open(path + "/lock", .read)
    else {
      return nil
    }
    defer { try? files.close(file, path) }
    guard (try? files.isLocked(file, path)) == true else { return nil }
    var text = [UInt8](repeating: 0, count: 200)
    let length = (try? files.read(file, &text, text.count, 0, path)) ?? 0
    return printable(String(decoding: text.prefix(length).filter { $0 != 0x0a }, as: UTF8.self))
  }
}

extension LogView {
  /// Checks the log on several threads.
  /// - Parameter key: the random key for `StreamRevisions`.
  /// - Returns: the result; nil if there is any fault.
  /// - Throws: `.file`, `.notALog`, if no earlier line has a fault.
  func verify(
    jobs: Int, key: UInt64, chunkSize: Int, _ progress: @Sendable (Int, Int) -> Void
  ) throws(LogError) -> Verification? {
    let chunks = try chunks(chunkSize: chunkSize)
    let threads = max(1, min(jobs, chunks.count))
    let lines = LineVerifier(self, chunks, key: key)
    DispatchQueue.concurrentPerform(iterations: threads) { _ in lines.run(progress) }
    guard let found = lines.result() else { return nil }
    let parts = found.revisions.parts
    // The number of streams; nil if the revisions of some stream are not 1, 2, 3 …
    let streams = Mutex<Int?>(0)
    DispatchQueue.concurrentPerform(iterations: threads) { thread in
      for index in stride(from: thread, to: parts.count, by: threads) {
        guard streams.withLock({ $0 != nil }) else { return }
        let count = StreamRevisions.streamCount(parts[index])
        streams.withLock { all in all = count.flatMap { more in all.map { $0 + more } } }
      }
    }
    guard let count = streams.withLock({ $0 }) else { return nil }
    if let failure = found.failure { throw failure }
    do throws(LogError) {
      try checkEmptySegment(after: found.head)
    } catch {
      return nil
    }
    return Verification(
      head: found.head, bytes: found.bytes, segments: segments.count, streams: count,
      unknown: found.unknown.filter { !$0.key.isOfApp })
  }
}

/// A verifier of a log's chunks on any number of threads. It joins the chunks' findings in log
/// order.
private final class LineVerifier: Sendable {
  struct Found {
    var head = LogHead()
    var bytes = 0
    var revisions = StreamRevisions()
    var unknown: [UnknownType: Int] = [:]
    var failure: LogError?
    fileprivate var batch: Batch?
  }

  fileprivate struct Checked {
    /// The chunk's first and last lines; nil if the whole chunk is inside one line, which another
    /// chunk holds.
    var ends: ChunkEnds?
    var findings = LineChecker.Findings()
    var unknown: [UnknownType: Int] = [:]
    var byteCount: Int
  }

  private struct State {
    /// The index of the next chunk to check.
    var next = 0
    /// The index of the next chunk whose findings are joined to those of the earlier chunks.
    var needed = 0
    /// The findings of checked chunks that cannot be joined yet, by index; nil for a chunk with a
    /// fault.
    var ready: [Int: Result<Checked?, LogError>] = [:]
    /// The joined findings; nil after any fault.
    var found: Found? = Found()
  }

  private let state = Mutex(State())
  private let view: LogView
  private let chunks: [LogView.Chunk]
  private let key: UInt64

  init(_ view: LogView, _ chunks: [LogView.Chunk], key: UInt64) {
    (self.view, self.chunks, self.key) = (view, chunks, key)
  }

  func result() -> Found? { state.withLock { $0.found } }

  /// Checks chunks until none are left, or until a chunk has a fault or cannot be read.
  func run(_ progress: (Int, Int) -> Void) {
    var checker = LineChecker(key: key)
    let size = view.size
    while let index = state.withLock({ takeNext(&$0) }) {
      let checked = check(chunks[index], &checker)
      let done = state.withLock { state in
        state.ready[index] = checked
        while let result = state.ready.removeValue(forKey: state.needed) {
          state.needed += 1
          Self.add(result, to: &state.found)
        }
        return state.found?.bytes
      }
      if let done { progress(done, size) }
    }
  }

  private func takeNext(_ state: inout State) -> Int? {
    guard let found = state.found, found.failure == nil, state.next < chunks.count else {
      return nil
    }
    defer { state.next += 1 }
    return state.next
  }

  private func check(
    _ chunk: LogView.Chunk, _ checker: inout LineChecker
  ) -> Result<Checked?, LogError> {
    do throws(LogError) {
      let chunk = try view.scan(chunk, wanted: .all)
      guard let scan = chunk.after else { return .success(Checked(byteCount: chunk.byteCount)) }
      guard let findings = checker.check(chunk) else { return .success(nil) }
      return .success(
        Checked(
          ends: chunk.ends, findings: findings, unknown: scan.unknown,
          byteCount: chunk.byteCount))
    } catch {
      return .failure(error)
    }
  }

  /// Joins the next chunk's findings to those of the earlier chunks.
  private static func add(_ result: Result<Checked?, LogError>, to found: inout Found?) {
    guard found?.failure == nil else { return }
    switch result {
    case .failure(let failure): found?.failure = failure
    case .success(let checked):
      if let checked, found?.add(checked) == true { return }
      found = nil
    }
  }
}

extension LineVerifier.Found {
  /// Joins the next chunk's findings; returns false if they do not continue the earlier ones.
  fileprivate mutating func add(_ checked: LineVerifier.Checked) -> Bool {
    bytes += checked.byteCount
    guard let ends = checked.ends else { return true }
    let isInside = batch.map { $0.index < $0.count } ?? false
    guard ends.fault(after: head) == nil, !(ends.beginsFile && isInside),
      Batch.follows(checked.findings.firstBatch, batch)
    else { return false }
    head = ends.last
    batch = checked.findings.lastBatch
    revisions.append(checked.findings.revisions)
    unknown.merge(checked.unknown, uniquingKeysWith: +)
    return true
  }
}
