import Dispatch
import Events
import Synchronization

/// A search, on several threads, for lines that contain one of some names or have one of some
/// types.
struct ParallelLineFilter {
  let view: LogView
  let jobs: Int
  let checksSums: Bool
  let types: EventTypes
  let search: NameSearch

  struct Found {
    /// The line without its line feed; valid during the call.
    var bytes: UnsafeBufferPointer<UInt8>
    /// The line's type and field offsets; nil if the line contains a name or is not in the
    /// encoder's layout.
    var line: ScannedLine?
  }

  private typealias Part = (
    chunk: ScannedChunk, wanted: [(start: Int, length: Int, line: ScannedLine?)]
  )

  /// Searches batches of chunks on several threads. After each batch, calls `body` with the found
  /// lines, in log order, on the calling thread.
  /// - Throws: `.damaged` at the first damaged line; `.file`; the errors of `body`.
  func run(_ progress: (Int) -> Void, _ body: (Found) throws(LogError) -> Void) throws(LogError) {
    let chunks = try view.chunks(after: 0, until: .max)
    var consumer = ChunkConsumer(after: LogHead(), unknown: .skip)
    var done = 0
    for start in stride(from: 0, to: chunks.count, by: 16 * jobs) {
      for part in filter(chunks[start..<min(start + 16 * jobs, chunks.count)]) {
        let part = try part.get()
        if checksSums { try consumer.join(part.chunk) }
        try take(part, body)
        if checksSums { try consumer.finish(part.chunk) }
        done += part.chunk.byteCount
        progress(done)
      }
    }
  }

  private func filter(_ chunks: ArraySlice<LogView.Chunk>) -> [Result<Part, LogError>] {
    let state = Mutex((next: chunks.startIndex, parts: [Int: Result<Part, LogError>]()))
    DispatchQueue.concurrentPerform(iterations: jobs) { _ in
      while true {
        let index = state.withLock { state in
          state.next += 1
          return state.next - 1
        }
        if index >= chunks.endIndex { return }
        let part = Result { () throws(LogError) in try filter(chunks[index]) }
        state.withLock { $0.parts[index] = part }
      }
    }
    let parts = state.withLock { $0.parts }
    return chunks.indices.compactMap { parts[$0] }
  }

  private func filter(_ chunk: LogView.Chunk) throws(LogError) -> Part {
    let chunk = ScannedChunk(try view.read(chunk), wanted: types, checksSums: checksSums)
    // `ChunkConsumer.join` reports the damage.
    guard let scan = chunk.after, scan.damage == nil else { return (chunk, []) }
    var wanted: [(start: Int, length: Int, line: ScannedLine?)] = []
    chunk.block.withBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      search.forEach(in: bytes) { at in
        var start = at
        while start > 0, bytes[start - 1] != UInt8(ascii: "\n") { start -= 1 }
        let end =
          firstLineFeed(base + at, bytes.count - at).map { $0 - UnsafeRawPointer(base) }
          ?? bytes.count
        wanted.append((start, end - start, nil))
        return end
      }
    }
    for line in scan.lines {
      // A line that needs the strict parser gets no `line`, so the caller parses it in full.
      wanted.append((line.start, line.length, line.data > 1 ? line : nil))
    }
    // Sorts a line found by name before the same line found by type.
    wanted.sort { ($0.start, $0.line == nil ? 0 : 1) < ($1.start, $1.line == nil ? 0 : 1) }
    return (chunk, wanted)
  }

  private func take(_ part: Part, _ body: (Found) throws(LogError) -> Void) throws(LogError) {
    try part.chunk.block.withBytes { (bytes) throws(LogError) in
      var last = -1
      for wanted in part.wanted where wanted.start != last {
        last = wanted.start
        let line = bytes[wanted.start..<wanted.start + wanted.length]
        try body(Found(bytes: UnsafeBufferPointer(rebasing: line), line: wanted.line))
      }
    }
  }
}

extension ParallelLineFilter.Found {
  /// The name of the event's stream; nil if there is no `line`.
  var stream: UnsafeBufferPointer<UInt8>? {
    guard let line, line.stream > 0, line.stream < bytes.count, let base = bytes.baseAddress,
      let end = first(UInt8(ascii: "\""), base + line.stream, bytes.count - line.stream)
    else { return nil }
    return UnsafeBufferPointer(
      start: base + line.stream, count: end - UnsafeRawPointer(base + line.stream))
  }

  /// The id of the event up to which a user has read; nil if there is no `line` or no field `upTo`.
  var upTo: EventID? {
    let word: StaticString = "\"upTo\":\""
    guard let line, let base = bytes.baseAddress else { return nil }
    var at = line.data
    while at + word.utf8CodeUnitCount + EventID.length < bytes.count {
      if equal(base + at, word.utf8Start, word.utf8CodeUnitCount) {
        let start = at + word.utf8CodeUnitCount
        return EventID(UnsafeBufferPointer(rebasing: bytes[start..<start + EventID.length]))
      }
      at += 1
    }
    return nil
  }
}
