import Dispatch
import Events
import Synchronization

/// A writer of a new checkpoint file. It writes bytes at the file's end, in large pieces.
///
/// All cores pack the pages of a table. At the same time, one of them writes the pages that were
/// packed before, because the system needs as long to write pages as a core needs to pack them.
struct CheckpointWriter {
  /// The number of pages that one core packs at a time.
  private static let runLength = 64
  /// The number of runs of pages that are packed while earlier ones are written.
  private static let runCount = 8

  let files: FileSystem
  let file: Int32
  let path: String
  /// The file's size once `flush` has written all bytes.
  private(set) var offset = 0
  /// Bytes that are not written yet.
  private var waiting: [UInt8] = []

  init(files: FileSystem, file: Int32, path: String) {
    (self.files, self.file, self.path) = (files, file, path)
  }

  mutating func write(_ bytes: [UInt8]) throws(FileError) {
    waiting += bytes
    offset += bytes.count
    if waiting.count > 1 << 20 { try flush() }
  }

  /// Packs and writes the pages of a section.
  /// - Returns: two numbers for each page: where its packed bytes end, counted from the section's
  ///   start, and their checksum.
  mutating func pack(_ section: StateCoder.Section) throws(FileError) -> [UInt64] {
    var list: [UInt64] = []
    let start = offset
    let pageCount = (section.byteCount + Pages.size - 1) / Pages.size
    list.reserveCapacity(pageCount * 2)
    var result: Result<Void, FileError> = .success(())
    section.withBytes { raw in
      result = Result { () throws(FileError) in
        for first in stride(from: 0, to: pageCount, by: Self.runLength * Self.runCount) {
          for run in try packed(first, section, raw) {
            for page in run.pages {
              list += [UInt64(offset - start + page.end), page.sum]
            }
            waiting += run.bytes
            offset += run.bytes.count
          }
        }
      }
    }
    try result.get()
    return list
  }

  /// Packs some runs of a section's pages, from page `first` on, and writes the waiting bytes
  /// meanwhile.
  private mutating func packed(
    _ first: Int, _ section: StateCoder.Section, _ raw: UnsafeRawBufferPointer
  ) throws(FileError) -> [Run] {
    let pageCount = (section.byteCount + Pages.size - 1) / Pages.size
    let end = min(first + Self.runLength * Self.runCount, pageCount)
    let starts = Array(stride(from: first, to: end, by: Self.runLength))
    let (stride, byteCount) = (section.stride, section.byteCount)
    // This is safe because the threads only read the table, and end before this function returns.
    nonisolated(unsafe) let raw = raw
    let runs = Mutex([Run](repeating: Run(), count: starts.count))
    let written = Mutex(Result<Void, FileError>.success(()))
    let (writer, isFull) = (self, waiting.count > 1 << 18)
    if isFull { waiting.removeAll(keepingCapacity: true) }
    DispatchQueue.concurrentPerform(iterations: starts.count + 1) { number in
      guard number > 0 else {
        if isFull { written.withLock { $0 = writer.written() } }
        return
      }
      let start = starts[number - 1]
      let run = Run(
        start..<min(start + Self.runLength, end), raw, stride: stride, byteCount: byteCount)
      runs.withLock { $0[number - 1] = run }
    }
    try written.withLock { $0 }.get()
    return runs.withLock { $0 }
  }

  mutating func flush() throws(FileError) {
    try written().get()
    waiting.removeAll(keepingCapacity: true)
  }

  /// Writes the waiting bytes, and does not remove them.
  private func written() -> Result<Void, FileError> {
    waiting.withUnsafeBytes { bytes in
      Result { () throws(FileError) in try files.writeAll(bytes, to: file, path) }
    }
  }

  mutating func align() throws(FileError) {
    try write([UInt8](repeating: 0, count: -offset & 7))
  }

  /// Consecutive packed pages of a section.
  private struct Run: Sendable {
    var bytes: [UInt8] = []
    /// For each page, where its packed bytes end in `bytes`, and their checksum.
    var pages: [(end: Int, sum: UInt64)] = []

    init() {}

    init(
      _ numbers: Range<Int>, _ raw: UnsafeRawBufferPointer, stride: Int, byteCount: Int
    ) {
      guard let base = raw.baseAddress else { return }
      bytes = [UInt8](unsafeUninitializedCapacity: numbers.count * PackedPage.maxCount) {
        (room, count) in
        guard let target = UnsafeMutableRawPointer(room.baseAddress) else { return }
        for number in numbers {
          let page = PackedPage(number, stride: stride, tableCount: byteCount)
          let size = page.pack(base + number * Pages.size, into: target + count)
          let sum = XXH64.hash(target + count, size, seed: UInt64(number))
          count += size
          pages.append((count, sum))
        }
      }
    }
  }
}
