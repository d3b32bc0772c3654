import Events

/// The files of a log that a rewriting replaces, all or none.
///
/// Each new file is written beside the old one, with the suffix `.new`, and synced. The file
/// `rewriting`, which lists them, decides:
/// - Without it the log is the old one, and the next writer removes the `.new` files.
/// - With it the log is the new one, which readers see at once. The next writer renames the files
///   and removes the old log's checkpoints, recovered bytes and temporary files.
struct PendingRewriting {
  static let fileName = "rewriting"
  static let suffix = ".new"

  let folder: String
  let files: FileSystem
  /// The names of the files to replace.
  var names: [String] = []

  func newPath(_ name: String) -> String { folder + "/" + name + Self.suffix }

  /// Writes the new version of a small file.
  mutating func write(_ text: String, _ name: String) throws(LogError) {
    names.append(name)
    var file = try FileWriter(newPath(name), files)
    try file.write(Array(text.utf8))
    try file.end()
  }

  /// Whether the rewriting is decided; true if that cannot be determined.
  private var isDecided: Bool {
    do throws(FileError) {
      _ = try files.status(folder + "/" + Self.fileName)
      return true
    } catch {
      return !error.isNotFound
    }
  }

  /// Returns the names of the files that a decided rewriting replaces; nil if there is none.
  /// - Parameter listing: the folder's files.
  /// - Throws: `.notALog` if the file `rewriting` is invalid.
  static func names(
    in folder: String, _ listing: [String], _ files: FileSystem
  ) throws(LogError) -> [String]? {
    let path = folder + "/" + fileName
    guard listing.contains(fileName),
      let bytes = try ifPresent(files.contents(of: path, limit: 64 << 20))
    else { return nil }
    guard let value = try? JSONValue(object: bytes), case .array(let values)? = value["files"]
    else { throw .notALog(path: path, reason: "it does not list the files of a rewriting") }
    return values.compactMap { if case .string(let name) = $0 { name } else { nil } }
  }

  /// Reads a file that was new when the folder was listed, and may meanwhile have its final name.
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

  /// Decides the rewriting: from then on the log is the new one, even after a crash.
  /// - Throws: `.file`; the log is then the old one, unless only the last call failed.
  private func commit() throws(LogError) {
    let list = JSONValue.object([.init("files", .array(names.map(JSONValue.string)))])
    try io(files.syncDirectory(folder))
    let text = Array((list.text + "\n").utf8)
    try io(files.replace(folder + "/" + Self.fileName, in: folder, text))
  }

  /// Replaces files of a folder, all or none. After an error, removes the new files if the log is
  /// still the old one.
  /// - Parameter write: writes the new files.
  static func perform(
    _ folder: String, _ files: FileSystem,
    _ write: (inout PendingRewriting) async throws(LogError) -> Void
  ) async throws(LogError) {
    var pending = PendingRewriting(folder: folder, files: files)
    do throws(LogError) {
      try await write(&pending)
      try pending.commit()
      // The new log is decided; if a step fails now, the next writer does it.
      try settle(folder, files)
    } catch {
      if !pending.isDecided {
        for name in pending.names { try? files.remove(pending.newPath(name)) }
      }
      throw error
    }
  }

  /// Finishes or undoes an interrupted rewriting, if there is one. The caller must hold the lock.
  static func settle(_ folder: String, _ files: FileSystem) throws(LogError) {
    let listing = try io(files.list(folder))
    if let names = try names(in: folder, listing, files) {
      return try PendingRewriting(folder: folder, files: files, names: names).finish(listing)
    }
    let left = leftovers(listing)
    for name in left { try ifPresent(files.remove(folder + "/" + name)) }
    if !left.isEmpty { try io(files.syncDirectory(folder)) }
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

  /// Renames the new files to their final names, and removes the old log's other files.
  private func finish(_ listing: [String]) throws(LogError) {
    for name in names where listing.contains(name + Self.suffix) {
      try io(files.rename(newPath(name), folder + "/" + name))
    }
    for inner in ["checkpoints", "recovered"] where listing.contains(inner) {
      let path = folder + "/" + inner
      for name in try io(files.list(path)) { try io(files.removeAll(path + "/" + name)) }
      try io(files.syncDirectory(path))
    }
    let temporary = [Bookmarks.fileName + ".tmp", Self.fileName + ".tmp", LineSorter.fileName]
    for name in listing where temporary.contains(name) {
      try ifPresent(files.remove(folder + "/" + name))
    }
    try io(files.syncDirectory(folder))
    // Last: after an interruption before this, all steps are repeated.
    try ifPresent(files.remove(folder + "/" + Self.fileName))
    try io(files.syncDirectory(folder))
  }
}
