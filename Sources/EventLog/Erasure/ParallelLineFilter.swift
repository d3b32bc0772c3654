import Dispatch
import Events
import Synchronization

/// Reads a log on several threads for the lines that somebody wants, which few are: those that have
/// a name in them, and those of some types.
struct ParallelLineFilter {
  let view: LogView
  let jobs: Int
  /// Whether each line's sum is checked.
  let checksSums: Bool
  let types: EventTypes
  let search: NameSearch

  /// A line that is wanted.
  struct Found {
    /// Without the line feed; valid for the length of a call.
    var bytes: UnsafeBufferPointer<UInt8>
    /// Of a line that has no name in it, and is in the encoder's layout, its type and members.
    var line: ScannedLine?
  }

  /// A chunk, and the lines wanted of it.
  private typealias Part = (chunk: ScannedChunk, wanted: [Wanted])

  private struct Wanted {
    var start: Int
    var length: Int
    var line: ScannedLine?
  }

  /// Calls `body` with the lines wanted, in order, on this thread, which also reads where the
  /// others have not read far enough.
  /// - Throws: `.damaged` at the first line that is wrong; `.file`; what `body` throws.
  func run(
    _ progress: (Int) -> Void, _ body: (Found) throws(LogError) -> Void
  ) throws(LogError) {
    let chunks = try view.chunks(after: 0, until: .max)
    let reading = Reading(count: chunks.count, window: 32 * jobs)
    let helpers = DispatchGroup()
    for _ in 1..<max(jobs, 2) where jobs > 1 {
      DispatchQueue.global().async(group: helpers) {
        while let index = reading.next(waits: true) { read(chunks, index, reading) }
      }
    }
    defer {
      reading.end()
      helpers.wait()
    }
    var consumer = ChunkConsumer(after: LogHead(), unknown: .skip)
    var done = 0
    for index in chunks.indices {
      var found = reading.take(index)
      while found == nil {
        if let next = reading.next(waits: false) {
          read(chunks, next, reading)
        } else {
          reading.wait()
        }
        found = reading.take(index)
      }
      guard let (chunk, wanted) = try found?.get() else { return }
      if checksSums { try consumer.join(chunk) }
      try take(chunk, wanted, body)
      if checksSums { try consumer.finish(chunk) }
      done += chunk.byteCount
      progress(done)
    }
  }

  private func read(_ chunks: [LogView.Chunk], _ index: Int, _ reading: Reading) {
    reading.put(Result { () throws(LogError) in try sieve(chunks[index]) }, index)
  }

  /// Which chunks are being read, and those that were read and not yet taken, which are so many at
  /// most.
  private final class Reading: Sendable {
    private struct State {
      var next = 0
      var parts: [Int: Result<Part, LogError>] = [:]
      var isEnding = false
    }

    private let count: Int
    private let window: Int
    private let state = Mutex(State())
    private let room: DispatchSemaphore
    private let isRead = DispatchSemaphore(value: 0)

    init(count: Int, window: Int) {
      (self.count, self.window) = (count, window)
      room = DispatchSemaphore(value: window)
    }

    /// The next chunk to be read; nil at the end, and, for who does not wait, while there is no
    /// room.
    func next(waits: Bool) -> Int? {
      guard room.wait(timeout: waits ? .distantFuture : .now()) == .success else { return nil }
      let next = state.withLock { state -> Int? in
        guard state.next < count, !state.isEnding else { return nil }
        state.next += 1
        return state.next - 1
      }
      if next == nil { room.signal() }
      return next
    }

    func put(_ part: Result<Part, LogError>, _ index: Int) {
      state.withLock { $0.parts[index] = part }
      isRead.signal()
    }

    func take(_ index: Int) -> Result<Part, LogError>? {
      guard let part = state.withLock({ $0.parts.removeValue(forKey: index) }) else { return nil }
      room.signal()
      return part
    }

    /// Waits until a chunk was read.
    func wait() { isRead.wait() }

    /// Nothing more is read.
    func end() {
      state.withLock { $0.isEnding = true }
      // Those who wait for room, and what was never taken.
      for _ in 0...window + 64 { room.signal() }
    }
  }

  private func sieve(_ chunk: LogView.Chunk) throws(LogError) -> Part {
    let chunk = ScannedChunk(try view.read(chunk), wanted: types, checksSums: checksSums)
    // What is damaged is said when it is joined.
    guard let scan = chunk.after, scan.damage == nil else { return (chunk, []) }
    var wanted: [Wanted] = []
    chunk.block.withBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      search.forEach(in: bytes) { at in
        var start = at
        while start > 0, bytes[start - 1] != UInt8(ascii: "\n") { start -= 1 }
        let end =
          firstLineFeed(base + at, bytes.count - at).map { $0 - UnsafeRawPointer(base) }
          ?? bytes.count
        wanted.append(Wanted(start: start, length: end - start))
        return end
      }
    }
    for line in scan.lines {
      // Where only the strict parser reads, it reads all.
      wanted.append(
        Wanted(start: line.start, length: line.length, line: line.data > 1 ? line : nil))
    }
    // The first of a line's several is without its type.
    wanted.sort { ($0.start, $0.line == nil ? 0 : 1) < ($1.start, $1.line == nil ? 0 : 1) }
    return (chunk, wanted)
  }

  private func take(
    _ chunk: ScannedChunk, _ wanted: [Wanted], _ body: (Found) throws(LogError) -> Void
  ) throws(LogError) {
    try chunk.block.withBytes { (bytes) throws(LogError) in
      var last = -1
      for wanted in wanted where wanted.start != last {
        last = wanted.start
        let line = bytes[wanted.start..<wanted.start + wanted.length]
        try body(Found(bytes: UnsafeBufferPointer(rebasing: line), line: wanted.line))
      }
    }
  }
}

extension ParallelLineFilter.Found {
  /// The name of the stream, where there is a `line`.
  var stream: UnsafeBufferPointer<UInt8>? {
    guard let line, line.stream > 0, line.stream < bytes.count, let base = bytes.baseAddress,
      let end = first(UInt8(ascii: "\""), base + line.stream, bytes.count - line.stream)
    else { return nil }
    return UnsafeBufferPointer(
      start: base + line.stream, count: end - UnsafeRawPointer(base + line.stream))
  }

  /// What somebody has read up to, where there is a `line` of such a type.
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
