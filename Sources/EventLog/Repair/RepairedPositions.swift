import Events

/// The ledger and the bookmarks of a damaged log, which a repair gives to the new log.
struct RepairedPositions {
  private var ledger: Rewritings
  private var bookmarks: [Bookmarks.Bookmark]

  /// Reads the files of a damaged log.
  /// - Throws: `.file`; `.notALog` if a line is invalid.
  init(of path: String, _ files: FileSystem) throws(LogError) {
    ledger = try Rewritings(folder: path, files: files)
    bookmarks = try Bookmarks.read(path + "/" + Bookmarks.fileName, files)
  }

  /// Writes the files of the new log: the ledger with an entry for the repair, and the bookmarks at
  /// the positions that their revisions have in the new log.
  /// - Parameter before: the checksum of the last kept event in the damaged log.
  func write(
    to new: LogView, of repair: Repair, before: UInt64, _ files: FileSystem
  ) throws(LogError) {
    var positions = self
    let after = try new.head().sum
    if !repair.missing.isEmpty || before != after {
      let lost = repair.missing.reduce(0) { $0 + UInt64($1.count) }
      var entry = Rewritings.Entry(
        time: RuntimeEnvironment.system.now(),
        first: repair.latest == nil ? repair.missing.first?.lowerBound ?? 1 : 1,
        head: UInt64(repair.kept) + lost, before: before, after: after, reason: "repair")
      (entry.lost, entry.latest) = (repair.missing, repair.latest)
      positions.ledger.entries.append(entry)
    }
    // Bookmarks of other logs stay as they are.
    for (index, old) in bookmarks.enumerated() where repair.hasLine(old.seq, old.sum) {
      let head = try new.head(at: repair.position(of: old.seq))
      (positions.bookmarks[index].seq, positions.bookmarks[index].sum) = (head.seq, head.sum)
    }
    if !positions.ledger.entries.isEmpty {
      let text = Array(positions.ledger.text.utf8)
      try io(files.replace(new.path + "/" + Rewritings.fileName, in: new.path, text))
    }
    if !bookmarks.isEmpty {
      let text = Array(Bookmarks.text(positions.bookmarks).utf8)
      try io(files.replace(new.path + "/" + Bookmarks.fileName, in: new.path, text))
    }
  }
}
