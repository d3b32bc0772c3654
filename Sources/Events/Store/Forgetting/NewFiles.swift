/// Writes segments beside the old ones, under their names with `.new` after them, each synced
/// before the next begins.
struct NewFiles: ~Copyable {
  private static let pieceSize = 4 << 20

  private let view: LogView
  private let files: FileSystem
  private var file: Int32?
  private var path = ""
  /// What comes next in the segment.
  var out = ByteBuffer(capacity: pieceSize + 1 << 20)

  init(_ view: LogView, _ files: FileSystem) { (self.view, self.files) = (view, files) }

  deinit { if let file { try? files.close(file, path) } }

  /// Ends the segment before, if there is one, and begins the one in place of an old one.
  mutating func begin(_ segment: Int, _ pending: inout PendingRewriting) throws(LogError) {
    try end()
    let name = fileName(view.segments[segment].path)
    pending.names.append(name)
    let path = pending.newPath(name)
    file = try io { () throws(FileError) in try files.open(path, .createNew) }
    self.path = path
  }

  mutating func flushIfFull() throws(LogError) { if out.count >= Self.pieceSize { try flush() } }

  private mutating func flush() throws(LogError) {
    guard let file, out.count > 0 else { return }
    let path = path
    try io { () throws(FileError) in
      try out.withBytes { (bytes) throws(FileError) in
        try files.writeAll(UnsafeRawBufferPointer(bytes), to: file, path)
      }
    }
    out.truncate(to: 0)
  }

  mutating func end() throws(LogError) {
    try flush()
    guard let file else { return }
    let path = path
    try io { () throws(FileError) in try files.sync(file, path) }
    self.file = nil
    try io { () throws(FileError) in try files.close(file, path) }
  }

  /// Copies the beginning of a segment as it is.
  mutating func copy(_ segment: Int, to end: Int) throws(LogError) {
    for start in stride(from: 0, to: end, by: Self.pieceSize) {
      out.append(try view.bytes(segment, start..<min(end, start + Self.pieceSize)))
      try flush()
    }
  }
}
