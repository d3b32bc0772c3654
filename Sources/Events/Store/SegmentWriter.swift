/// The end of the last segment: writes groups, begins segments, cuts back what failed.
struct SegmentWriter: ~Copyable {
  private let folder: String
  private let files: FileSystem
  private var file: Int32?
  private var path = ""
  private var size = 0

  init(_ folder: String, _ view: LogView, _ files: FileSystem) throws(LogError) {
    self.folder = folder
    self.files = files
    if let last = view.segments.last {
      path = last.path
      let path = self.path
      file = try io { () throws(FileError) in try files.open(path, .append) }
      size = try io { () throws(FileError) in try files.status(path).size }
    }
  }

  mutating func close() { try? closeFile() }

  /// Closes the file; a descriptor is gone whether or not closing it reports an error, and closing
  /// it again could close another's.
  private mutating func closeFile() throws(FileError) {
    guard let closing = file else { return }
    file = nil
    try files.close(closing, path)
  }

  /// Writes and syncs a group; on failure the segments are as before, or the failure is fatal.
  mutating func write(_ group: inout WriteGroup) -> WriteFailure? {
    let old = (size: size, path: path)
    do throws(FileError) {
      try checkIdentity()
      var from = 0
      for cut in group.cuts {
        try write(group.bytes, from..<cut.offset)
        from = cut.offset
        try begin(cut.first, &group)
      }
      try write(group.bytes, from..<group.bytes.count)
    } catch {
      return undo(group, old, error)
    }
    guard let file else { return nil }
    do throws(FileError) {
      try files.sync(file, path)
    } catch {
      // The kernel may have marked the pages clean: what is on disk is unknown (faults 10).
      return WriteFailure(cause: .file(error), isFatal: true)
    }
    return nil
  }

  /// The file must still be the one that was opened, and as long as we left it.
  private func checkIdentity() throws(FileError) {
    guard file != nil else { return }
    if try files.status(path).size != size {
      throw FileError(call: "append", path: path, code: 116)  // ESTALE
    }
  }

  private mutating func write(
    _ bytes: borrowing ByteBuffer, _ range: Range<Int>
  ) throws(FileError) {
    guard !range.isEmpty, let file else { return }
    let path = self.path
    let written = try bytes.withBytes { (all) throws(FileError) -> Int in
      var done = range.lowerBound
      while done < range.upperBound {
        done += try files.write(file, all.baseAddress! + done, range.upperBound - done, path)
      }
      return done - range.lowerBound
    }
    size += written
  }

  mutating func beginFirst() throws(LogError) -> LogView.Segment {
    var group = WriteGroup(bytes: ByteBuffer(capacity: 0), cuts: [], head: LogHead(), waiters: [])
    do throws(FileError) {
      try begin(1, &group)
    } catch {
      throw .file(error)
    }
    return group.begun[0]
  }

  /// Begins a segment: the old one is synced first, then the new one's name.
  private mutating func begin(_ first: UInt64, _ group: inout WriteGroup) throws(FileError) {
    if let file { try files.sync(file, path) }
    try closeFile()
    path = folder + "/" + SegmentName.make(first)
    size = 0
    file = try files.open(path, .createNew)
    try files.syncDirectory(folder)
    group.begun.append(
      LogView.Segment(
        path: path, first: first, size: 0, identity: try files.status(path).identity))
  }

  /// Cuts back to where the group began. Only a lack of room is taken back: after any other
  /// error what the disk holds is unknown.
  private mutating func undo(
    _ group: borrowing WriteGroup, _ old: (size: Int, path: String), _ error: FileError
  ) -> WriteFailure {
    guard error.isFull else { return WriteFailure(cause: .file(error), isFatal: true) }
    do throws(FileError) {
      if path != old.path {
        try closeFile()
        for segment in group.begun.reversed() { try files.remove(segment.path) }
        if group.begun.last?.path != path, !old.path.isEmpty { try? files.remove(path) }
        try files.syncDirectory(folder)
        path = old.path
        if !path.isEmpty { file = try files.open(path, .append) }
      }
      if let file {
        try files.truncate(file, old.size, path)
        try files.sync(file, path)
      }
      size = old.size
      return WriteFailure(cause: .file(error), isFatal: false)
    } catch {
      return WriteFailure(cause: .file(error), isFatal: true)
    }
  }
}
