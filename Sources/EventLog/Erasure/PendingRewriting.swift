import Events

/// A replacement of some of a log's files by a rewriting, all or none.
///
/// The writer first writes and syncs each new file beside the old file, with the suffix `.new`. It
/// then writes a file `rewriting`, which lists the new files. That file decides which log is valid:
/// - If `rewriting` is missing, the old files are valid. The next writer removes the `.new` files.
/// - If `rewriting` exists, the new files are valid, and readers use them at once. The next writer
///   renames them. It removes the old log's checkpoints, recovered bytes and temporary files, and
///   the answers that were recorded with the keys of retries.
struct PendingRewriting {
  static let fileName = "rewriting"
  static let suffix = ".new"

  let folder: String
  let files: FileSystem
  /// The names of the files to replace.
  var names: [String] = []

  func newPath(_ name: String) -> String { folder + "/" + name + Self.suffix }

  /// Writes the new version of a small file, with the suffix `.new`.
  mutating func write(_ text: String, _ name: String) throws(LogError) {
    names.append(name)
    var file = try FileWriter(newPath(name), files)
    try file.write(Array(text.utf8))
    try file.end()
  }

  /// Whether the file `rewriting` exists; true if that cannot be determined.
  private var isDecided: Bool {
    do throws(FileError) {
      _ = try files.status(folder + "/" + Self.fileName)
      return true
    } catch {
      return !error.isNotFound
    }
  }

  /// Returns the names of the files that a decided rewriting replaces; nil if there is none.
  /// - Parameter listing: the names in the folder.
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

  /// Calls `look` with a file's path, and returns the result. If a file with the suffix `.new` is
  /// missing, another process has renamed it. Then calls `look` with the path without the suffix.
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

  /// Writes the file `rewriting`. From then on the new files are valid, even after a crash.
  /// - Throws: `.file`. The old files are then still valid, unless only the last system call
  ///   failed.
  private func commit() throws(LogError) {
    let list = JSONValue.object([.init("files", .array(names.map(JSONValue.string)))])
    try io(files.syncDirectory(folder))
    let text = Array((list.text + "\n").utf8)
    try io(files.replace(folder + "/" + Self.fileName, in: folder, text))
  }

  /// Replaces files of a folder, all or none. After an error, removes the new files if the old ones
  /// are still valid.
  /// - Parameter write: writes the new files into the folder.
  static func perform(
    _ folder: String, _ files: FileSystem,
    _ write: (inout PendingRewriting) async throws(LogError) -> Void
  ) async throws(LogError) {
    var pending = PendingRewriting(folder: folder, files: files)
    do throws(LogError) {
      try await write(&pending)
      try pending.commit()
      // The new files are valid now. If a step of `settle` fails, the next writer repeats it.
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

  /// Whether the folder has files of an interrupted rewriting.
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
    // Answers can name people.
    try KeyUses.eraseAnswers(in: folder, files)
    try io(files.syncDirectory(folder))
    // Removes the file `rewriting` last. If the process is interrupted before, the next writer
    // repeats all steps.
    try ifPresent(files.remove(folder + "/" + Self.fileName))
    try io(files.syncDirectory(folder))
  }
}
