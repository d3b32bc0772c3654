import Events

/// The operations on a clone. A clone is a log in a folder with a file `remote`, which holds the
/// address of the shared log that it follows. A copy of the folder is a clone too.
public enum Clone {
  static let fileName = "remote"

  /// Returns the address of a clone's shared log; nil if the folder is not a clone.
  /// - Throws: `.file`; `.notALog` if the file `remote` is not as `link` writes it.
  public static func address(
    of folder: String, files: FileSystem = .posix
  ) throws(LogError) -> String? {
    let path = folder + "/" + fileName
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try files.contents(of: path, limit: 64 << 10)
    } catch {
      // A path that is not a folder is not a clone. Opening the log reports that error.
      if error.isNotFound || (try? files.status(folder).kind) != .directory { return nil }
      throw .file(error)
    }
    guard let value = try? JSONValue(object: bytes), let url = value.string("url"), !url.isEmpty
    else { throw .notALog(path: path, reason: #"a line {"url":"…"} should be in it"#) }
    return url
  }

  /// Pushes a log in a folder to a shared log, and makes the folder a clone of it. No other process
  /// can write to the folder meanwhile.
  /// - Parameter address: the content of the file `remote`.
  /// - Returns: the number of pushed events.
  /// - Throws: as `FileLog.push`; `.locked` if another process writes to the log. After an error,
  ///   the folder is not a clone.
  public static func share(
    _ folder: String, with remote: any RemoteLog, address: String, files: FileSystem = .posix,
    progress: (UInt64, UInt64) -> Void = { _, _ in }
  ) async throws(LogError) -> UInt64 {
    let lock = try WriterLock(folder, files)
    defer { lock.release() }
    try PendingRewriting.settle(folder, files)
    let ours = try Rewritings(folder: folder, files: files).entries
    let head = try await remote.head()
    if head.seq == 0, head.rewritings == 0 {
      // An empty shared log has no lines to replace, but its future clones need the ledger of
      // rewritings.
      for count in ours.indices {
        _ = try await remote.rewrite(
          RemoteRewriting(
            before: RemoteHead(rewritings: count), ledger: Rewritings(Array(ours[...count])),
            after: RemoteHead(rewritings: count + 1)
          ) { (_, _) throws(LogError) in [] })
      }
    }
    let pushed = try await FileLog.push(folder, to: remote, files: files, progress: progress)
    try link(folder, to: address, files: files)
    return pushed
  }

  /// Returns an address without its passwords, for messages.
  public static func masked(_ address: String) -> String {
    var parts: [Substring] = []
    var rest = address[...]
    if let scheme = rest.firstIndex(of: ":"), rest[scheme...].hasPrefix("://") {
      let start = rest.index(scheme, offsetBy: 3)
      let end = rest[start...].firstIndex { "/?#".contains($0) } ?? rest.endIndex
      if let at = rest[start..<end].lastIndex(of: "@"),
        let colon = rest[start..<at].firstIndex(of: ":")
      {
        parts = [rest[...colon], "***"]
        rest = rest[at...]
      }
    }
    // Masks the value of every parameter whose name ends in `password`, such as `sslpassword`.
    let pieces = rest.split(separator: "password=", omittingEmptySubsequences: false)
    parts.append(pieces[0])
    for part in pieces.dropFirst() {
      parts += ["password=***", part[(part.firstIndex { "&#".contains($0) } ?? part.endIndex)...]]
    }
    return parts.joined()
  }

  /// Truncates a clone before a damaged line, such as a line half written at a power failure. The
  /// shared log still has that line and the later ones. The folder `recovered` keeps the removed
  /// bytes.
  static func cut(_ folder: String, at damage: Damage, _ files: FileSystem) throws(LogError) {
    let lock = try WriterLock(folder, files)
    defer { lock.release() }
    let damaged = EventLog.fileName(damage.file)
    let later = try io(files.list(folder)).filter { SegmentName.first($0) != nil && $0 > damaged }
    for name in later.sorted().reversed() + [damaged] {
      let path = folder + "/" + name
      let start = name == damaged ? damage.offset : 0
      let size = try io(files.status(path).size)
      if size > start { _ = try Recovery.keep(start..<size, of: path, in: folder, files) }
      // Removes the whole segment, because an empty segment must be named after the next event.
      if start == 0 {
        try io(files.remove(path))
        continue
      }
      let file = try io(files.open(path, .append))
      defer { try? files.close(file, path) }
      try io(files.truncate(file, start, path))
      try io(files.sync(file, path))
    }
    try io(files.syncDirectory(folder))
  }

  /// Removes the files that `FileLog.clone` created in a folder.
  /// - Parameter before: the names of the files that were in the folder before the clone was made;
  ///   nil if there was no folder. These files stay; a segment among them becomes empty again.
  static func remove(_ folder: String, keeping before: [String]?, _ files: FileSystem) {
    guard let before else {
      _ = try? files.removeAll(folder)
      return
    }
    for name in (try? files.list(folder)) ?? [] {
      let path = folder + "/" + name
      if !before.contains(name) {
        _ = try? files.removeAll(path)
      } else if SegmentName.first(name) != nil, let file = try? files.open(path, .append) {
        try? files.truncate(file, 0, path)
        try? files.close(file, path)
      }
    }
    try? files.syncDirectory(folder)
  }

  /// Makes a log in a folder a clone of the shared log at an address. Replaces an earlier address.
  public static func link(
    _ folder: String, to address: String, files: FileSystem = .posix
  ) throws(LogError) {
    let value = JSONValue.object([.init("url", .string(address))])
    let text = Array((value.text + "\n").utf8)
    try io(files.replace(folder + "/" + fileName, in: folder, text))
  }

  // MARK: Filling a new clone

  private static let pageSize = 8 << 20

  /// Fetches the lines of a shared log into the empty first segment of a new clone.
  ///
  /// It checks the lines' checksums. It does not parse the lines, because opening the clone parses
  /// them. It fetches the next page of lines while it checks and writes a page.
  /// - Throws: `RemoteFault`, `.file`. The lines fetched before the error stay in the folder.
  static func fill(
    _ folder: String, from remote: any RemoteLog, segmentSize: Int, _ files: FileSystem,
    _ progress: (UInt64, UInt64) -> Void
  ) async throws(LogError) {
    let lock = try WriterLock(folder, files)
    defer { lock.release() }
    let head = try await remote.head().seq
    // Another process may have filled the folder since it was created.
    let isEmpty = try LogView(path: folder, files: files).size == 0
    if head == 0 || !isEmpty { return }
    var end = (seq: UInt64(0), sum: UInt64(0))
    var segment = try FileWriter(folder + "/" + SegmentName.make(1), files, .append)
    let limit = min(pageSize, segmentSize)
    var page = try await remote.lines(after: 0, limit: limit)
    while true {
      let whole = try wholeCommits(page, after: end.seq, of: remote.name)
      // Later, `pull` fetches a commit that is larger than a page.
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
        segment = try FileWriter(folder + "/" + SegmentName.make(start + 1), files)
      }
      try segment.write(Array(page[..<whole.count]))
      progress(end.seq, head)
      page = try await next.value.get()
      if page.isEmpty { break }
    }
    try segment.end()
    try io(files.syncDirectory(folder))
  }

  /// Returns the number of bytes and lines at the start of a page that form whole commits.
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
