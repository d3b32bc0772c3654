import Events

extension Clone {
  private static let pageSize = 8 << 20

  /// Fetches what a shared log has into the empty first segment of a new clone.
  ///
  /// Lines are checked to belong together by their sums, and not parsed: opening the clone reads
  /// them. A page is checked and written while the next one is on its way.
  /// - Throws: `RemoteFault`, `.file`. What was fetched until then stays.
  static func fill(
    _ folder: String, from remote: any RemoteLog, segmentSize: Int, _ files: FileSystem,
    _ progress: (UInt64, UInt64) -> Void
  ) async throws(LogError) {
    let lock = try LogLock(folder, files)
    defer { lock.release() }
    let head = try await remote.head().seq
    // Another process may have filled it since it was made.
    let isEmpty = try LogView(path: folder, files: files).size == 0
    if head == 0 || !isEmpty { return }
    var end = (seq: UInt64(0), sum: UInt64(0))
    var segment = try Segment(folder, first: 1, isNew: false, files)
    let limit = min(pageSize, segmentSize)
    var page = try await remote.lines(after: 0, limit: limit)
    while true {
      let whole = try wholeCommits(page, after: end.seq, of: remote.name)
      // A commit that is larger than a page is left to `pull`.
      guard whole.count > 0 else { break }
      let start = end.seq
      let reached = start + UInt64(whole.lines)
      let next = Task {
        await Result.of { () throws(LogError) in
          reached < head ? try await remote.lines(after: reached, limit: limit) : []
        }
      }
      for line in page[..<whole.count].split(separator: UInt8(ascii: "\n")) {
        guard let sum = line.withUnsafeBufferPointer({ rightSum($0, after: end.sum) }) else {
          throw .remote(.damaged(remote.name, seq: end.seq + 1, LineFault(.wrongSum)))
        }
        end = (end.seq + 1, sum)
      }
      if segment.size > 0, segment.size + whole.count > segmentSize {
        try segment.end()
        segment = try Segment(folder, first: start + 1, isNew: true, files)
      }
      try segment.write(page[..<whole.count])
      progress(end.seq, head)
      page = try await next.value.get()
      if page.isEmpty { break }
    }
    try segment.end()
    try io { () throws(FileError) in try files.syncDirectory(folder) }
  }

  /// How many bytes and lines of a page are of commits that end in it.
  private static func wholeCommits(
    _ page: [UInt8], after position: UInt64, of name: String
  ) throws(LogError) -> (count: Int, lines: Int) {
    var lines = page.count { $0 == UInt8(ascii: "\n") }
    var end = page.count
    var parser = LineParser()
    var names = Names()
    while lines > 0 {
      let start = page[..<(end - 1)].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
      do throws(LineFault) {
        let batch = try parser.parse(Array(page[start..<end - 1]), names: &names).line.batch
        if batch.map({ $0.index == $0.count }) ?? true { return (end, lines) }
      } catch {
        throw .remote(.damaged(name, seq: position + UInt64(lines), error))
      }
      (end, lines) = (start, lines - 1)
    }
    return (0, 0)
  }

  /// A segment that is being filled.
  private struct Segment: ~Copyable {
    private let path: String
    private let files: FileSystem
    private var file: Int32?
    private(set) var size = 0

    init(
      _ folder: String, first: UInt64, isNew: Bool, _ files: FileSystem
    ) throws(LogError) {
      let path = folder + "/" + SegmentName.make(first)
      (self.path, self.files) = (path, files)
      file = try io { () throws(FileError) in
        try files.open(path, isNew ? .createNew : .append)
      }
    }

    deinit { if let file { try? files.close(file, path) } }

    mutating func write(_ bytes: ArraySlice<UInt8>) throws(LogError) {
      guard let file else { return }
      let path = path
      try io { () throws(FileError) in try files.writeAll(Array(bytes), to: file, path) }
      size += bytes.count
    }

    mutating func end() throws(LogError) {
      guard let open = file else { return }
      file = nil
      let path = path
      try io { () throws(FileError) in
        do throws(FileError) {
          try files.sync(open, path)
        } catch {
          try? files.close(open, path)
          throw error
        }
        try files.close(open, path)
      }
    }
  }
}

extension Result {
  fileprivate static func of(
    _ body: () async throws(Failure) -> Success
  ) async -> Result where Failure == LogError {
    do throws(LogError) {
      return .success(try await body())
    } catch {
      return .failure(error)
    }
  }
}
