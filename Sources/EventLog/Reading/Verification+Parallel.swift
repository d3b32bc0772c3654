import Dispatch
import Events
import Synchronization

extension LogView {
  /// Checks the log on several threads.
  /// - Parameter key: see `StreamRevisions`.
  /// - Returns: nil if anything looks wrong, whatever it is.
  /// - Throws: `.file`, `.notALog`, where nothing before that looks wrong.
  func verify(
    jobs: Int, key: UInt64, chunkSize: Int, _ progress: @Sendable (Int, Int) -> Void
  ) throws(LogError) -> Verification? {
    let chunks = try chunks(chunkSize: chunkSize)
    let threads = max(1, min(jobs, chunks.count))
    let lines = LineVerifier(self, chunks, key: key)
    DispatchQueue.concurrentPerform(iterations: threads) { _ in lines.run(progress) }
    guard let found = lines.result() else { return nil }
    let parts = found.revisions.parts
    let streams = StreamCounter(parts)
    DispatchQueue.concurrentPerform(iterations: threads) { _ in streams.run() }
    guard let count = streams.count() else { return nil }
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

/// Checks the lines of chunks on any number of threads, and puts what they found together in the
/// order of the chunks.
private final class LineVerifier: Sendable {
  /// What the chunks so far say.
  struct Found {
    var head = LogHead()
    var bytes = 0
    var revisions = StreamRevisions()
    var unknown: [UnknownType: Int] = [:]
    /// Why the next chunk could not be read.
    var failure: LogError?
    fileprivate var batch: Batch?
  }

  /// A chunk's findings, without its bytes.
  fileprivate struct Checked {
    /// Nil for a chunk that lies within a line, which another chunk holds.
    var ends: ChunkEnds?
    var findings = LineChecker.Findings()
    var unknown: [UnknownType: Int] = [:]
    var byteCount: Int
  }

  private struct State {
    /// The next chunk to be checked, and the next one to be put to those before.
    var next = 0
    var needed = 0
    /// By number, what is not needed yet; nil for a chunk that looks wrong.
    var ready: [Int: Result<Checked?, LogError>] = [:]
    /// Nil once anything looks wrong.
    var found: Found? = Found()
  }

  private let state = Mutex(State())
  private let view: LogView
  private let chunks: [LogView.Chunk]
  private let key: UInt64

  init(_ view: LogView, _ chunks: [LogView.Chunk], key: UInt64) {
    self.view = view
    self.chunks = chunks
    self.key = key
  }

  func result() -> Found? { state.withLock { $0.found } }

  /// Checks chunks until there are no more, or one is wrong or cannot be read.
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

  /// Adds what the next chunk says to what those before it say.
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
  /// Adds what the next chunk says; false if it does not fit to those before.
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

/// Counts streams on any number of threads, and checks their revisions.
private final class StreamCounter: Sendable {
  private struct State {
    var next = 0
    /// Nil once the revisions of a stream are not 1, 2, 3 …
    var count: Int? = 0
  }

  private let state = Mutex(State())
  private let parts: [[StreamRevisions.Entry]]

  init(_ parts: [[StreamRevisions.Entry]]) { self.parts = parts }

  func count() -> Int? { state.withLock { $0.count } }

  func run() {
    while let index = state.withLock({ takeNext(&$0) }) {
      let count = StreamRevisions.streamCount(parts[index])
      state.withLock { state in
        state.count = count.flatMap { more in state.count.map { $0 + more } }
      }
    }
  }

  private func takeNext(_ state: inout State) -> Int? {
    guard state.count != nil, state.next < parts.count else { return nil }
    defer { state.next += 1 }
    return state.next
  }
}
