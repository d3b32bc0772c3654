import EventLog
import Events

/// A scan of a log, or of a piece of it, into rows of typed columns.
///
/// It checks the checksum, position and time of each line, also of lines that become no rows. It
/// also checks that the first line follows the event before the piece. So the pieces of a log,
/// read on any number of machines, are verified together like the whole log.
/// - Complexity: O(bytes), about 1 GB/s a core for lines that become no rows. Memory is a few
///   blocks of 4 MiB for each task.
package struct ColumnScan: Sendable {
  /// The number of a log's chunks that become one batch of rows.
  private static let chunksInBatch = 16

  /// The columns, in the order of the rows' values.
  package var columns: [EventColumn]
  /// The conditions that an event must meet.
  package var selection: ColumnReader.Selection
  /// The number of tasks that read, at least 1.
  package var jobs: Int

  package init(
    _ columns: [EventColumn], _ selection: ColumnReader.Selection = .init(), jobs: Int = 1
  ) {
    (self.columns, self.selection, self.jobs) = (columns, selection, jobs)
  }

  /// Reads the lines that start within a range of a log's bytes.
  /// - Parameters:
  ///   - before: the event before the range; nil if the line before the range is to be believed.
  ///   - encode: returns the bytes of a batch; called on several threads.
  ///   - write: receives the bytes of each batch in the log's order.
  /// - Throws: `.damaged` at the first damaged line; the rows before it were written.
  package func run(
    _ view: LogView, bytes: Range<Int>, after before: LogHead? = nil,
    encode: @escaping @Sendable (RowBatch) -> [UInt8], write: ([UInt8]) throws(LogError) -> Void
  ) async throws(LogError) {
    let (chunks, stated) = try view.chunks(bytes: bytes)
    var next = 0
    try await run(after: before ?? stated, encode, write) { () throws(LogError) in
      guard next < chunks.count else { return nil }
      let group = chunks[next..<min(next + Self.chunksInBatch, chunks.count)]
      next += group.count
      return { () throws(LogError) in
        var scanned: [ScannedChunk] = []
        for chunk in group { scanned.append(try view.scan(chunk, wanted: selection.types)) }
        return scanned
      }
    }
  }

  /// Reads the lines of a stream. `before` is the event before its first line.
  package func run(
    _ stream: consuming SealedStream, after before: LogHead,
    encode: @escaping @Sendable (RowBatch) -> [UInt8], write: ([UInt8]) throws(LogError) -> Void
  ) async throws(LogError) {
    var stream = Optional(stream)
    try await run(after: before, encode, write) { () throws(LogError) in
      guard let block = try stream?.next() else { return nil }
      return { () throws(LogError) in [ScannedChunk(block, wanted: selection.types)] }
    }
  }

  private typealias Job = @Sendable () throws(LogError) -> [ScannedChunk]

  /// The rows of some chunks, and the chunks. Nobody has checked yet that they follow the chunks
  /// before.
  private struct Part: Sendable {
    var chunks: [ScannedChunk]
    /// The index of a chunk with a line of a wrong form, the line's number in it, and the fault.
    typealias Failure = (chunk: Int, line: Int, fault: LineFault)
    var failure: Failure?
    var bytes: [UInt8] = []
  }

  private func run(
    after before: LogHead, _ encode: @escaping @Sendable (RowBatch) -> [UInt8],
    _ write: ([UInt8]) throws(LogError) -> Void, _ next: () throws(LogError) -> Job?
  ) async throws(LogError) {
    var consumer = ChunkConsumer(after: before, unknown: .skip)
    var pending: [Task<Result<Part, LogError>, Never>] = []
    var failure: LogError?
    do throws(LogError) {
      var isAtEnd = false
      while true {
        while !isAtEnd, pending.count < max(jobs, 1) {
          guard let job = try next() else {
            isAtEnd = true
            break
          }
          pending.append(Task { read(job, encode) })
        }
        if pending.isEmpty { break }
        let part = try await pending.removeFirst().value.get()
        var intact = 0
        do throws(LogError) {
          try check(part, &consumer, &intact)
        } catch {
          let bytes = rows(part.chunks[..<intact], encode).bytes
          if !bytes.isEmpty { try write(bytes) }
          throw error
        }
        if !part.bytes.isEmpty { try write(part.bytes) }
      }
    } catch {
      failure = error
    }
    for task in pending { _ = await task.value }
    if let failure { throw failure }
  }

  /// Reads chunks and makes rows of them.
  private func read(
    _ job: Job, _ encode: @Sendable (RowBatch) -> [UInt8]
  ) -> Result<Part, LogError> {
    do throws(LogError) {
      var part = Part(chunks: try job())
      (part.bytes, part.failure) = rows(part.chunks[...], encode)
      return .success(part)
    } catch {
      return .failure(error)
    }
  }

  /// Returns the encoded rows of chunks, up to the first line of a wrong form, and its place.
  private func rows(
    _ chunks: ArraySlice<ScannedChunk>, _ encode: @Sendable (RowBatch) -> [UInt8]
  ) -> (bytes: [UInt8], failure: Part.Failure?) {
    var failure: Part.Failure?
    var reader = ColumnReader(columns, selection)
    for (index, chunk) in chunks.enumerated() {
      if let (line, fault) = chunk.read(into: &reader) {
        failure = (index, line, fault)
        break
      }
    }
    if reader.rows == 0 { return ([], failure) }
    return (encode(RowBatch(rows: reader.rows, columns: reader.finish())), failure)
  }

  /// Checks that a part continues the log. `intact` becomes the number of its chunks whose lines
  /// are those of the log, up to the first damaged line.
  private func check(
    _ part: Part, _ consumer: inout ChunkConsumer, _ intact: inout Int
  ) throws(LogError) {
    for (index, chunk) in part.chunks.enumerated() {
      try consumer.join(chunk)
      intact = index + 1
      if let failure = part.failure, failure.chunk == index {
        throw consumer.damage(chunk, failure.line, failure.fault)
      }
      try consumer.finish(chunk)
    }
  }
}

/// Rows of typed columns.
package struct RowBatch: Sendable {
  /// The number of rows, at least 1.
  package var rows: Int
  /// The columns, each with a value or null for each row.
  package var columns: [ColumnBuilder]
}
