import Events

/// Copying the files beside the segments.
extension BackupRun {
  /// Names in a log's folder that a backup leaves out or copies in another way.
  private static func isSide(_ name: String) -> Bool {
    let others = [
      "lock", "checkpoints", "photos", LineSorter.fileName, PendingRewriting.fileName,
    ]
    return SegmentName.first(name) == nil && !others.contains(name) && !name.hasSuffix(".tmp")
      && !name.hasSuffix(PendingRewriting.suffix)
  }

  /// The files beside the segments: where each belongs, where it is now, and its state. Of a
  /// rewriting that is decided but not finished, the new files count.
  func sideFiles() throws(BackupError) -> [(path: String, at: String, FileSystem.Status)] {
    let listing = try storing { () throws(FileError) in try files.list(backup.log) }
    let pending =
      try backingUp { () throws(LogError) in
        try PendingRewriting.names(in: backup.log, listing, files)
      } ?? []
    return try storing { () throws(FileError) in
      var found: [(path: String, at: String, FileSystem.Status)] = []
      for name in listing where Self.isSide(name) {
        if pending.contains(name), listing.contains(name + PendingRewriting.suffix) { continue }
        let path = backup.log + "/" + name
        for (inner, status) in try files.tree(path, skipping: { $0.hasSuffix(".tmp") }) {
          let whole = inner.isEmpty ? name : name + "/" + inner
          found.append((whole, backup.log + "/" + whole, status))
        }
      }
      for name in pending where Self.isSide(name) && listing.contains(name + ".new") {
        let path = backup.log + "/" + name + PendingRewriting.suffix
        found.append((name, path, try files.status(path)))
      }
      return found
    }
  }

  /// What tells whether the files beside the segments changed. Those in `retries` change with every
  /// command; a lost line of theirs costs a retry its remembered answer and nothing else.
  func sideStamps() throws(BackupError) -> [String: FileSystem.Status] {
    var stamps: [String: FileSystem.Status] = [:]
    for (path, _, status) in try sideFiles() where !path.hasPrefix("retries/") {
      stamps[path] = status
    }
    return stamps
  }

  /// Copies the files beside the segments.
  /// - Returns: their states before that.
  mutating func copySides() throws(BackupError) -> [String: FileSystem.Status] {
    let stamps = try sideStamps()
    let name = "files-\(next.run)"
    let folder = backup.folder + "/" + name
    if (try? files.status(folder)) != nil {
      try storing { () throws(FileError) in try files.removeAll(folder) }
      madeFolders = madeFolders.filter { !$0.hasPrefix(folder) }
    }
    try makeDirectory(folder)
    next.sides = []
    for (path, source, _) in try sideFiles() {
      let bytes: [UInt8]
      do throws(FileError) {
        bytes = try files.contents(of: source)
      } catch {
        if error.isNotFound { continue }
        throw .log(.file(error))
      }
      let stored = name + "/" + path
      try makeDirectories(stored)
      let target = backup.folder + "/" + stored
      try storing { () throws(FileError) in
        try files.replace(target, in: parentDirectory(target), bytes)
      }
      next.sides.append(
        .init(
          path: path, size: bytes.count, hash: XXH64.hash(bytes, seed: 0), stored: stored))
    }
    return stamps
  }
}
