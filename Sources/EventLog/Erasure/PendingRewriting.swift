import Events

/// The files of a log that a rewriting replaces, all of them or none.
///
/// Each is written beside the old one, with `.new` after its name, and synced. The file
/// `rewriting`, which names them, is what decides: without it the log is the old one, and whatever
/// is called `.new` goes; with it the log is the new one, which readers see at once and the next
/// writer makes so by renaming. What the old log left behind goes with it: checkpoints, recovered
/// bytes, and temporary files.
struct PendingRewriting {
  static let fileName = "rewriting"
  static let suffix = ".new"

  let folder: String
  let files: FileSystem
  /// The names of what is replaced.
  var names: [String] = []

  func newPath(_ name: String) -> String { folder + "/" + name + Self.suffix }

  /// Writes a small file that is to be replaced.
  mutating func write(_ text: String, _ name: String) throws(LogError) {
    names.append(name)
    let path = newPath(name)
    try io { () throws(FileError) in
      let file = try files.open(path, .createNew)
      defer { try? files.close(file, path) }
      try files.writeAll(Array(text.utf8), to: file, path)
      try files.sync(file, path)
    }
  }

  /// Whether the log is the new one, or may be.
  var isDecided: Bool {
    do throws(FileError) {
      _ = try files.status(folder + "/" + Self.fileName)
      return true
    } catch {
      return !error.isNotFound
    }
  }

  /// The names that a rewriting replaces; nil if there is none under way in the folder.
  /// - Parameter listing: the folder's files.
  /// - Throws: `.notALog` if the file `rewriting` is not one.
  static func names(
    in folder: String, _ listing: [String], _ files: FileSystem
  ) throws(LogError) -> [String]? {
    let path = folder + "/" + fileName
    guard listing.contains(fileName) else { return nil }
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try files.contents(of: path, limit: 64 << 20)
    } catch {
      if error.isNotFound { return nil }
      throw .file(error)
    }
    guard let value = try? JSONValue(object: bytes), case .array(let values)? = value["files"]
    else {
      throw .notALog(path: path, reason: "it does not list the files of a rewriting")
    }
    return values.compactMap { if case .string(let name) = $0 { name } else { nil } }
  }

  /// Looks at a file that was new when the folder was listed, and may have got its name since.
  static func wherever<T>(
    _ path: String, _ look: (String) throws(FileError) -> T
  ) throws(FileError) -> T {
    do throws(FileError) {
      return try look(path)
    } catch {
      guard error.isNotFound, path.hasSuffix(suffix) else { throw error }
      return try look(String(path.dropLast(suffix.count)))
    }
  }

  /// Replaces the files: from then on the log is the new one, whatever happens.
  /// - Throws: `.file`; the log is then the old one, unless the last call alone failed.
  func commit() throws(LogError) {
    let list = JSONValue.object([.init("files", .array(names.map(JSONValue.string)))])
    try io { () throws(FileError) in
      try files.syncDirectory(folder)
      try files.replace(folder + "/" + Self.fileName, in: folder, Array((list.text + "\n").utf8))
    }
  }

  /// Removes what was written for a rewriting that will not be.
  func undo() {
    for name in names { try? files.remove(newPath(name)) }
  }

  /// Finishes or undoes a rewriting that was interrupted; nothing if there was none.
  ///
  /// Only who has the log's lock may do this.
  static func settle(_ folder: String, _ files: FileSystem) throws(LogError) {
    let listing = try io { () throws(FileError) in try files.list(folder) }
    if let names = try names(in: folder, listing, files) {
      return try PendingRewriting(folder: folder, files: files, names: names).finish(listing)
    }
    let left = leftovers(listing)
    for name in left { try remove(folder + "/" + name, files) }
    if !left.isEmpty { try io { () throws(FileError) in try files.syncDirectory(folder) } }
  }

  /// Whether a rewriting was interrupted.
  static func isPending(_ listing: [String]) -> Bool {
    listing.contains(fileName) || !leftovers(listing).isEmpty
  }

  private static func leftovers(_ listing: [String]) -> [String] {
    listing.filter {
      $0.hasSuffix(".jsonl" + suffix) || $0 == Rewritings.fileName + suffix
        || $0 == Bookmarks.fileName + suffix || $0 == fileName + ".tmp"
    }
  }

  /// Puts the new files in their places, and removes what the old log left behind.
  private func finish(_ listing: [String]) throws(LogError) {
    for name in names where listing.contains(name + Self.suffix) {
      try io { () throws(FileError) in try files.rename(newPath(name), folder + "/" + name) }
    }
    for inner in ["checkpoints", "recovered"] where listing.contains(inner) {
      let path = folder + "/" + inner
      try io { () throws(FileError) in
        for name in try files.list(path) { try files.removeAll(path + "/" + name) }
        try files.syncDirectory(path)
      }
    }
    let temporary = [Bookmarks.fileName + ".tmp", Self.fileName + ".tmp", LineSorter.fileName]
    for name in listing where temporary.contains(name) {
      try Self.remove(folder + "/" + name, files)
    }
    try io { () throws(FileError) in try files.syncDirectory(folder) }
    // Last, so that whatever was interrupted is done again.
    try Self.remove(folder + "/" + Self.fileName, files)
    try io { () throws(FileError) in try files.syncDirectory(folder) }
  }

  private static func remove(_ path: String, _ files: FileSystem) throws(LogError) {
    do throws(FileError) {
      try files.remove(path)
    } catch {
      if !error.isNotFound { throw .file(error) }
    }
  }
}
