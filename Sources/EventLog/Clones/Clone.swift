import Events

/// What makes a folder with a log a clone: the file `remote`, which names the log that it is a
/// clone of.
///
/// A copy of the folder is a clone too.
public enum Clone {
  static let fileName = "remote"

  /// The address of the log that a folder is a clone of; nil if it is none.
  /// - Throws: `.file`; `.notALog` if the file is not what `link` writes.
  public static func address(
    of folder: String, files: FileSystem = .posix
  ) throws(LogError) -> String? {
    let path = folder + "/" + fileName
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try files.contents(of: path, limit: 64 << 10)
    } catch {
      // What is no folder is no clone; what it is others say.
      if error.isNotFound || (try? files.status(folder).kind) != .directory { return nil }
      throw .file(error)
    }
    guard let value = try? JSONValue(object: bytes), case .string(let url)? = value["url"],
      !url.isEmpty
    else { throw .notALog(path: path, reason: #"a line {"url":"…"} should be in it"#) }
    return url
  }

  /// Makes a log in a folder a clone of a shared one, to which all of it is pushed. Nobody else can
  /// write to it meanwhile.
  /// - Parameter address: what the file `remote` says.
  /// - Returns: how many events were pushed.
  /// - Throws: as `FileLog.push`; the log is no clone then. `.locked` while somebody writes to it.
  public static func share(
    _ folder: String, with remote: any RemoteLog, address: String, files: FileSystem = .posix,
    progress: (UInt64, UInt64) -> Void = { _, _ in }
  ) async throws(LogError) -> UInt64 {
    let lock = try LogLock(folder, files)
    defer { lock.release() }
    try PendingRewriting.settle(folder, files)
    let ours = try Rewritings(folder: folder, files: files).entries
    let head = try await remote.head()
    if head.seq == 0, head.rewritings == 0 {
      // An empty log has nothing to replace, but its clones have to know the ledger.
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

  /// An address without its passwords, for messages.
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
    // Every parameter that is a password: password, sslpassword.
    for (number, part) in rest.split(
      separator: "password=", omittingEmptySubsequences: false
    ).enumerated() {
      if number == 0 {
        parts.append(part)
      } else {
        parts += [
          "password=***", part[(part.firstIndex { "&#".contains($0) } ?? part.endIndex)...],
        ]
      }
    }
    return parts.joined()
  }

  /// Cuts a clone off before a damaged line, which the power may have left half-written: the shared
  /// log has it. What is cut off is kept in the folder `recovered`.
  static func cut(_ folder: String, at damage: Damage, _ files: FileSystem) throws(LogError) {
    let lock = try LogLock(folder, files)
    defer { lock.release() }
    let names = try io { () throws(FileError) in try files.list(folder) }
    let later = names.filter { SegmentName.first($0) != nil && $0 > EventLog.fileName(damage.file) }
    for name in later.sorted().reversed() + [EventLog.fileName(damage.file)] {
      let path = folder + "/" + name
      let start = name == EventLog.fileName(damage.file) ? damage.offset : 0
      let size = try io { () throws(FileError) in try files.status(path).size }
      if size > start { _ = try Recovery.keep(start..<size, of: path, in: folder, files) }
      try io { () throws(FileError) in
        // An empty segment could be named after another event than the one that comes next.
        if later.contains(name) || start == 0 { return try files.remove(path) }
        let file = try files.open(path, .append)
        defer { try? files.close(file, path) }
        try files.truncate(file, start, path)
        try files.sync(file, path)
      }
    }
    try io { () throws(FileError) in try files.syncDirectory(folder) }
  }

  /// Removes what `FileLog.clone` put into a folder.
  /// - Parameter before: the names that were in the folder before; nil if there was no folder. Only
  ///   an empty log can have been there.
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

  /// Makes a folder with a log a clone of the log at an address, or of another one than before.
  public static func link(
    _ folder: String, to address: String, files: FileSystem = .posix
  ) throws(LogError) {
    let value = JSONValue.object([.init("url", .string(address))])
    try io { () throws(FileError) in
      try files.replace(folder + "/" + fileName, in: folder, Array((value.text + "\n").utf8))
    }
  }
}
