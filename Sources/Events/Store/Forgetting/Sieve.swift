import Dispatch
import Synchronization

/// Reads a log on several threads for the lines that somebody wants, which few are.
struct Sieve {
  let view: LogView
  let jobs: Int
  /// Whether each line's sum is checked.
  let checksSums: Bool
  let isWanted: @Sendable (ScannedLine, UnsafeBufferPointer<UInt8>) -> Bool

  /// A chunk, and the numbers of the lines wanted of those that the scan found.
  private typealias Part = (chunk: ScannedChunk, wanted: [Int])

  /// Calls `body` with the lines wanted, in order, on this thread.
  /// - Throws: `.damaged` at the first line that is wrong; `.file`; what `body` throws.
  func run(
    _ progress: (Int) -> Void,
    _ body: (ScannedLine, UnsafeBufferPointer<UInt8>) throws(LogError) -> Void
  ) throws(LogError) {
    let chunks = try view.chunks(after: 0, until: .max)
    var consumer = ChunkConsumer(after: LogHead(), unknown: .skip)
    var done = 0
    for start in stride(from: 0, to: chunks.count, by: 32 * jobs) {
      for part in parts(chunks[start..<min(start + 32 * jobs, chunks.count)]) {
        let (chunk, wanted) = try part.get()
        if checksSums { try consumer.join(chunk) }
        try take(chunk, wanted, body)
        if checksSums { try consumer.finish(chunk) }
        done += chunk.byteCount
        progress(done)
      }
    }
  }

  private func parts(_ chunks: ArraySlice<LogView.Chunk>) -> [Result<Part, LogError>] {
    let found = Mutex([Int: Result<Part, LogError>]())
    let next = Atomic(chunks.startIndex)
    DispatchQueue.concurrentPerform(iterations: min(jobs, chunks.count)) { _ in
      while true {
        let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
        guard index < chunks.endIndex else { return }
        let part = Result { () throws(LogError) in try sieve(chunks[index]) }
        found.withLock { $0[index] = part }
      }
    }
    return found.withLock { found in chunks.indices.compactMap { found[$0] } }
  }

  private func sieve(_ chunk: LogView.Chunk) throws(LogError) -> Part {
    let chunk = ScannedChunk(try view.read(chunk), wanted: .all, checksSums: checksSums)
    guard let scan = chunk.after else { return (chunk, []) }
    let wanted = chunk.block.withBytes { bytes in
      scan.lines.indices.filter { number in
        let line = scan.lines[number]
        return isWanted(
          line, UnsafeBufferPointer(rebasing: bytes[line.start..<line.start + line.length]))
      }
    }
    return (chunk, wanted)
  }

  private func take(
    _ chunk: ScannedChunk, _ wanted: [Int],
    _ body: (ScannedLine, UnsafeBufferPointer<UInt8>) throws(LogError) -> Void
  ) throws(LogError) {
    guard let scan = chunk.after else { return }
    try chunk.block.withBytes { (bytes) throws(LogError) in
      for number in wanted {
        let line = scan.lines[number]
        try body(
          line, UnsafeBufferPointer(rebasing: bytes[line.start..<line.start + line.length]))
      }
    }
  }
}

extension ScannedLine {
  /// Whether only the strict parser can tell what the line names: it is not in the encoder's
  /// layout, or spells letters as `\u0061`.
  func isUnusual(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard data > 1, let base = bytes.baseAddress else { return true }
    var at = 0
    while let found = first(UInt8(ascii: "\\"), base + at, bytes.count - at) {
      at = found - UnsafeRawPointer(base) + 2
      if at <= bytes.count, base[at - 1] == UInt8(ascii: "u") { return true }
    }
    return false
  }

  /// The part of a line in which names are: what comes before the stream, and the sum, have none.
  func naming(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    guard data > 1, stream > 0, stream < bytes.count - sumLength else { return bytes }
    return UnsafeBufferPointer(rebasing: bytes[(stream - 1)..<(bytes.count - sumLength)])
  }

  /// Whether it names another event, in a line of the encoder's layout: as its cause, or as what
  /// somebody has read up to.
  func refers(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    if type == .conversationRead || type == .notificationsRead { return true }
    let end = data - Envelope.data.utf8CodeUnitCount - EventID.length
    let start = end - Envelope.id.utf8CodeUnitCount
    guard start > 0, let base = bytes.baseAddress else { return true }
    // Nearly always the id stands right before the data.
    if equal(base + start, Envelope.id.utf8Start, end - start) { return false }
    return true
  }
}
