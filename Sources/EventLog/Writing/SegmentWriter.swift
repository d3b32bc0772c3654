import Events

/// A writer that appends batches of lines to a log's last segment. It begins new segments, and
/// undoes failed writes.
struct SegmentWriter: ~Copyable {
  private let folder: String
  private let files: FileSystem
  /// Whether `write` syncs each batch to the disk before it returns. A clone does not sync: after a
  /// power failure it fetches lost lines again, and clones on one disk would wait for each other.
  private let syncs: Bool
  private var file: Int32?
  private var path = ""
  private var size = 0
  private var identity: UInt64 = 0

  init(
    _ folder: String, _ view: LogView, _ files: FileSystem, syncs: Bool = true
  ) throws(LogError) {
    (self.folder, self.files, self.syncs) = (folder, files, syncs)
    if let last = view.segments.last {
      path = last.path
      let path = self.path
      let opened = try io { () throws(FileError) in try files.open(path, .append) }
      do throws(FileError) {
        // A killed process may have left readable lines that are not on the disk yet.
        try files.sync(opened, path)
        try files.syncDirectory(folder)
        try files.syncDirectory(parentDirectory(folder))
        let status = try files.status(path)
        (file, size, identity) = (opened, status.size, status.identity)
      } catch {
        try? files.close(opened, path)
        throw .file(error)
      }
    }
  }

  /// Syncs the written bytes if `write` does not sync them.
  func sync() throws(FileError) {
    if let file, !syncs { try files.sync(file, path) }
  }

  private var isClosed = false

  mutating func close() {
    isClosed = true
    if let file, !syncs { try? files.sync(file, path) }
    try? closeFile()
  }

  /// Closes the file only once. Even if closing fails, another file may already have the
  /// descriptor.
  private mutating func closeFile() throws(FileError) {
    guard let closing = file else { return }
    file = nil
    try files.close(closing, path)
  }

  /// Writes and syncs a batch of lines. Returns the failure, or nil. After a failure that is not
  /// fatal, the segments are as they were before the call.
  mutating func write(_ batch: inout WriteBatch) -> WriteFailure? {
    if isClosed { return WriteFailure(cause: .closed(reason: "it was closed"), isFatal: true) }
    let old = (size: size, path: path, identity: identity)
    do throws(FileError) {
      try checkIdentity()
      var from = 0
      for cut in batch.cuts {
        try write(batch.bytes, from..<cut.offset)
        from = cut.offset
        try begin(cut.first, &batch)
      }
      try write(batch.bytes, from..<batch.bytes.count)
    } catch {
      return undo(batch, old, error)
    }
    guard let file, syncs else { return nil }
    do throws(FileError) {
      try files.sync(file, path)
    } catch {
      // The kernel may have marked the pages clean, so the state on disk is unknown (fault 10 of
      // docs/reliability.md).
      return WriteFailure(cause: .file(error), isFatal: true)
    }
    return nil
  }

  /// Checks that the file is still the one that was opened, and has the size that this writer left.
  private func checkIdentity() throws(FileError) {
    guard file != nil else { return }
    let status = try files.status(path)
    if status.size != size || status.identity != identity {
      throw FileError.stale("append", path)
    }
  }

  private mutating func write(
    _ bytes: borrowing ByteBuffer, _ range: Range<Int>
  ) throws(FileError) {
    guard !range.isEmpty, let file else { return }
    let path = self.path
    try bytes.withBytes { (all) throws(FileError) in
      let piece = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(all)[range])
      try files.writeAll(piece, to: file, path)
    }
    size += range.count
  }

  mutating func beginFirst() throws(LogError) -> LogView.Segment {
    var batch = WriteBatch(bytes: ByteBuffer(capacity: 0), cuts: [], head: LogHead(), waiters: [])
    do throws(FileError) {
      try begin(1, &batch)
    } catch {
      close()
      try? files.remove(path)
      path = ""
      throw .file(error)
    }
    return batch.begun[0]
  }

  /// Begins a new segment. First syncs the old segment, then creates the new file and syncs its
  /// name.
  private mutating func begin(_ first: UInt64, _ batch: inout WriteBatch) throws(FileError) {
    if let file { try files.sync(file, path) }
    try closeFile()
    path = folder + "/" + SegmentName.make(first)
    size = 0
    file = try files.open(path, .createNew)
    try files.syncDirectory(folder)
    identity = try files.status(path).identity
    batch.begun.append(LogView.Segment(path: path, first: first, size: 0, identity: identity))
  }

  /// If there was no space, undoes the write of a batch. After another error, the state on disk is
  /// unknown, so the failure is fatal.
  private mutating func undo(
    _ batch: borrowing WriteBatch, _ old: (size: Int, path: String, identity: UInt64),
    _ error: FileError
  ) -> WriteFailure {
    guard error.isFull else { return WriteFailure(cause: .file(error), isFatal: true) }
    do throws(FileError) {
      if path != old.path {
        try closeFile()
        for segment in batch.begun.reversed() { try files.remove(segment.path) }
        if batch.begun.last?.path != path { try? files.remove(path) }
        try files.syncDirectory(folder)
        path = old.path
      }
      // `begin` may have closed the old segment before it failed.
      if file == nil, !path.isEmpty { file = try files.open(path, .append) }
      if let file {
        try files.truncate(file, old.size, path)
        try files.sync(file, path)
      }
      (size, identity) = (old.size, old.identity)
      return WriteFailure(cause: .file(error), isFatal: false)
    } catch {
      return WriteFailure(cause: .file(error), isFatal: true)
    }
  }
}
