import Events

/// The repair of a log's tail when it was opened for writing.
public struct Recovery: Equatable, Sendable, CustomStringConvertible {
  /// The kind of bytes that were found after the log's last whole commit.
  public var tail: LogView.Tail
  /// The path of the repaired segment.
  public var segment: String
  /// The offset in the segment at which bytes were cut off or a line feed was added.
  public var offset: Int
  /// The path of the file that keeps the bytes that were cut off; nil if there were none.
  public var kept: String?

  /// Repairs a log's tail. It adds a missing line feed. Or it copies a torn line or an incomplete
  /// commit to a file under `recovered/`, syncs the copy, and cuts the bytes off.
  /// - Returns: nil if no repair was needed.
  init?(of view: LogView, _ files: FileSystem) throws(LogError) {
    guard let last = view.segments.last, view.tail != .none else { return nil }
    tail = view.tail
    segment = last.path
    offset = last.size
    kept = nil
    let path = last.path
    let file = try io { () throws(FileError) in try files.open(path, .append) }
    defer { try? files.close(file, path) }
    if view.tail == .unterminated {
      try io { () throws(FileError) in
        var feed: UInt8 = 0x0a
        _ = try files.write(file, &feed, 1, path)
        try files.sync(file, path)
      }
      return
    }
    let fileSize = try io { () throws(FileError) in try files.status(path).size }
    kept = try Self.keep(last.size..<fileSize, of: path, in: view.path, files)
    try io { () throws(FileError) in
      try files.truncate(file, last.size, path)
      try files.sync(file, path)
    }
  }

  /// Copies bytes of a segment to a new file in a folder's subfolder `recovered`, and syncs the
  /// file. Returns the new file's path.
  static func keep(
    _ range: Range<Int>, of segment: String, in folder: String, _ files: FileSystem
  ) throws(LogError) -> String {
    let recovered = folder + "/recovered"
    do throws(FileError) {
      try files.makeDirectory(recovered)
    } catch {
      if !error.isExisting { throw .file(error) }
    }
    let name = segment.split(separator: "/").last.map(String.init) ?? segment
    let base = recovered + "/" + name.prefix(16) + "-\(range.lowerBound)"
    var path = base + ".bytes"
    var attempt = 1
    while true {
      do throws(FileError) {
        try copy(range, of: segment, to: path, files)
        try files.syncDirectory(recovered)
        try files.syncDirectory(folder)
        return path
      } catch {
        guard error.isExisting, attempt < 1_000 else { throw .file(error) }
        attempt += 1
        path = base + "-\(attempt).bytes"
      }
    }
  }

  /// Copies bytes of a segment in pieces, because a tail may have any size.
  private static func copy(
    _ range: Range<Int>, of segment: String, to path: String, _ files: FileSystem
  ) throws(FileError) {
    let target = try files.open(path, .createNew)
    defer { try? files.close(target, path) }
    let source = try files.open(segment, .read)
    defer { try? files.close(source, segment) }
    var buffer = [UInt8](repeating: 0, count: min(range.count, 1 << 20))
    var at = range.lowerBound
    while at < range.upperBound {
      let count = min(buffer.count, range.upperBound - at)
      let got = try buffer.withUnsafeMutableBufferPointer { (raw) throws(FileError) in
        try files.read(source, raw.baseAddress!, count, at, segment)
      }
      // The segment ends early because another process truncated it.
      guard got > 0 else { throw FileError.stale("read", segment) }
      try files.writeAll(Array(buffer[..<got]), to: target, path)
      at += got
    }
    try files.sync(target, path)
  }

  public var description: String {
    switch tail {
    case .none: "nothing to recover"
    case .unterminated: "\(segment): the last line lacked its line feed; added at offset \(offset)"
    case .torn(let bytes):
      "\(segment): a torn tail of \(bytes) bytes at offset \(offset) was cut off; kept in "
        + (kept ?? "")
    case .unfinishedBatch(let events, let bytes):
      "\(segment): the first \(events) events of an unfinished commit (\(bytes) bytes at offset "
        + "\(offset)) were cut off; kept in " + (kept ?? "")
    }
  }
}
