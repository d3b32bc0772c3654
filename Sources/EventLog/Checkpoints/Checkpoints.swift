import Events

/// The checkpoints of a history: files in a folder, which can be deleted at any time.
///
/// A checkpoint is used only if its bytes are intact and the log's line at its position has the
/// same checksum. That checksum depends on all earlier lines.
///
/// Programs of different versions can use one folder at the same time. A file's name contains the
/// file's format, and a program reads only checkpoints that have all parts that it needs.
public struct Checkpoints: Sendable {
  private let folder: String
  private let files: FileSystem
  /// Returns whether the states to be written still belong to this history.
  private let isCurrent: @Sendable () -> Bool

  /// - Parameters:
  ///   - folder: the checkpoints' folder, created with the first checkpoint; its parent must exist.
  ///   - isCurrent: returns whether the log was not rewritten since the history was opened. After a
  ///     rewriting, a checkpoint could bring back erased data.
  public init(
    folder: String, files: FileSystem = .posix, isCurrent: @escaping @Sendable () -> Bool = { true }
  ) {
    (self.folder, self.files, self.isCurrent) = (folder, files, isCurrent)
  }

  package struct Entry: Equatable, Sendable {
    package var name: String
    package var position: UInt64
    /// The file's format (`CheckpointFile.format(of:)`); nil if a version wrote the file that did
    /// not put the format into the name.
    package var format: String?
  }

  /// The name of the checkpoint that holds the index of streams and ids. A writer restores that
  /// index when it opens the log.
  static let writer = "writer"

  /// Returns the checkpoints that this version may be able to read, except those of the writer's
  /// index, the highest position first.
  package func entries() -> [Entry] { all().filter { $0.name != Self.writer && $0.isReadable } }

  /// Returns the checkpoints with a name that this version may be able to read, the highest
  /// position first.
  package func entries(of name: String) -> [Entry] {
    all().filter { $0.name == name && $0.isReadable }
  }

  private func all() -> [Entry] {
    guard let files = try? files.list(folder) else { return [] }
    return files.compactMap { Entry(file: $0) }
      .sorted { ($0.position, $1.file) > ($1.position, $0.file) }
  }

  package func path(_ entry: Entry) -> String { folder + "/" + entry.file }

  /// Returns the entry of a checkpoint of the parts that `body` encodes.
  package func entry(
    _ name: String, _ position: UInt64, _ body: (inout StateCoder) -> Void
  ) -> Entry {
    Entry(name: name, position: position, format: Self.format(body))
  }

  /// Returns the format of checkpoints of the parts that `body` encodes, such as `3-1f0c93aa`.
  package static func format(_ body: (inout StateCoder) -> Void) -> String {
    var coder = StateCoder()
    body(&coder)
    return CheckpointFile.format(of: coder.parts)
  }

  /// Opens a checkpoint and checks that it belongs to this history.
  package func open(
    _ entry: Entry, of history: some History
  ) throws(CheckpointFault) -> CheckpointFile {
    let position = entry.position
    let file: CheckpointFile
    do throws(CheckpointFault) {
      file = try CheckpointFile(path: path(entry), files)
    } catch {
      guard error == .damaged else { throw error }
      // Another process may have replaced the file between two reads.
      file = try CheckpointFile(path: path(entry), files)
    }
    guard file.head.seq == position else { throw .damaged }
    // An unreadable line counts as missing here; reading the log later reports its damage.
    if let line = try? history.line(at: position) {
      guard line.event.sum == file.head.sum else { throw .foreign }
    } else {
      throw .ahead(position: position, head: (try? history.head().seq) ?? 0)
    }
    return file
  }

  /// Opens a checkpoint of this history and reads the parts that `body` decodes, like `read`.
  /// - Returns: nil if the checkpoint lacks one of these parts.
  package func restore(
    _ entry: Entry, of history: some History, lazily: Bool, before distance: UInt64 = 0,
    _ body: (inout StateCoder) -> Void
  ) throws(CheckpointFault) -> CheckpointFile? {
    let file = try open(entry, of: history)
    let isRead = read(file, lazily: lazily, before: distance, body)
    if file.isDamaged { throw .damaged }
    return isRead ? file : nil
  }

  /// Reads the parts that `body` decodes.
  /// - Parameters:
  ///   - lazily: whether a table's pages are read only on access. The caller must then check each
  ///     answer with `Optional.checked`.
  ///   - distance: the number of events that the caller will apply next. If the tables have fewer
  ///     pages than `distance`, all pages are read at once, even if `lazily` is true. A page then
  ///     takes a fraction of the time.
  /// - Returns: false if one of the parts is missing or damaged.
  package func read(
    _ file: any SavedState, lazily: Bool, before distance: UInt64 = 0,
    _ body: (inout StateCoder) -> Void
  ) -> Bool {
    var coder = StateCoder(file, lazily: lazily)
    body(&coder)
    if lazily, coder.isSound, coder.pageCount < distance {
      coder = StateCoder(file, lazily: false)
      body(&coder)
    }
    return coder.isSound && !file.isDamaged
  }

  /// Writes a checkpoint of the parts that `body` encodes.
  /// - Returns: the checkpoint; nil if the state cannot be saved or came from a damaged checkpoint,
  ///   or if the log was rewritten meanwhile.
  package func write(
    _ name: String, head: LogHead, skipped: [UnknownType: Int], _ body: (inout StateCoder) -> Void
  ) throws(FileError) -> Entry? {
    var coder = StateCoder()
    body(&coder)
    guard coder.isSound else { return nil }
    do throws(FileError) {
      try files.makeDirectory(folder)
    } catch  where error.isExisting {}
    try files.syncDirectory(parentDirectory(folder))
    try removeTemporaryFiles()
    let entry = Entry(
      name: name, position: head.seq, format: CheckpointFile.format(of: coder.parts))
    let path = path(entry)
    let isWritten = try CheckpointFile.write(
      coder.parts, head: head, skipped: skipped, to: path, in: folder, files)
    // A rewriting removes the existing checkpoints. This one may have been written after that
    // removal.
    if isWritten, !isCurrent() {
      try files.remove(path)
      return nil
    }
    return isWritten ? entry : nil
  }

  /// Removes the temporary files of killed processes: those that did not change for ten minutes.
  /// Another process may be writing the others.
  private func removeTemporaryFiles() throws(FileError) {
    let end = (systemTime().milliseconds - 600_000) * 1_000_000
    for name in try files.list(folder) where name.hasSuffix(".tmp") {
      let path = folder + "/" + name
      if let status = try? files.status(path), status.changed < end { try? files.remove(path) }
    }
  }

  /// Removes the checkpoints with a name that are not worth their space.
  ///
  /// Of the format of `new` it keeps:
  /// - the last checkpoint up to `position`, and the new checkpoint;
  /// - checkpoints beyond `position`, because they show that the log lost its last events;
  /// - further checkpoints, newest first, while their total size is at most `room`. Their positions
  ///   are at least a sixteenth of the last checkpoint's position apart.
  ///
  /// It also keeps the last checkpoint of the other format that was saved last, for the program of
  /// the version before or after this one, and the earlier files that a kept file builds on.
  /// - Parameters:
  ///   - new: the checkpoint that was just written; nil if it is the last one.
  ///   - room: the most bytes that the further checkpoints may take together.
  package func thin(
    _ name: String, upTo position: UInt64 = .max, keeping new: Entry? = nil, room: Int = .max
  ) {
    let all = all()
    let format = (new ?? all.first { $0.name == name && $0.isReadable })?.format
    let entries = all.filter {
      $0.name == name && $0.format == format && $0.position <= position
    }
    guard let last = entries.first else { return }
    var spaced: [Entry] = []
    for entry in entries.dropFirst().reversed()
    where entry.position - (spaced.last?.position ?? 0) >= last.position / 16 {
      spaced.append(entry)
    }
    var doomed = Set(entries.map(\.file))
    doomed.remove(last.file)
    if let new { doomed.remove(new.file) }
    var left = room
    for entry in spaced.reversed() where entry != new {
      left -= (try? files.status(path(entry)).size) ?? 0
      if left < 0 { break }
      doomed.remove(entry.file)
    }
    remove(doomed.union(unneeded(all, name, format)), of: all)
  }

  /// Returns the files of other formats that `thin` does not keep.
  private func unneeded(_ all: [Entry], _ name: String, _ format: String?) -> Set<String> {
    let others = all.filter { $0.name == name && $0.format != format }
    let dated = others.map { (entry: $0, time: (try? files.status(path($0)).changed) ?? 0) }
    guard let last = dated.max(by: { ($0.time, $0.entry.position) < ($1.time, $1.entry.position) })
    else { return [] }
    let kept = others.filter { entry in
      // A file in an unknown format may build on any other file of its format.
      entry.format == last.entry.format && (entry == last.entry || !entry.isReadable)
    }
    return Set(others.map(\.file)).subtracting(kept.map(\.file))
  }

  /// Removes files, except those that another checkpoint builds on.
  private func remove(_ doomed: Set<String>, of all: [Entry]) {
    var doomed = doomed
    guard !doomed.isEmpty else { return }
    for entry in all where !doomed.contains(entry.file) && entry.isReadable {
      var file = try? CheckpointFile(path: path(entry), files)
      while let base = file?.base {
        doomed.remove(fileName(base.path))
        file = base
      }
    }
    for name in doomed { try? files.remove(folder + "/" + name) }
  }

  /// Removes the checkpoints with the name and the format of `new` up to its position, and the
  /// files of other formats that `thin` does not keep.
  func removeOthers(than new: Entry) {
    let all = all()
    let earlier = all.filter {
      $0.name == new.name && $0.format == new.format && $0.position < new.position
    }
    remove(unneeded(all, new.name, new.format).union(earlier.map(\.file)), of: all)
  }

  /// Whether a new checkpoint is due: at least 4,096 events follow the last one, which take
  /// noticeable time to read.
  package static func isDue(_ position: UInt64, after last: UInt64) -> Bool {
    position >= last &+ 4_096
  }
}

extension Checkpoints.Entry {
  private static let suffix = ".checkpoint"

  /// Parses the name of a file, such as `core-0000000000000300.3-1f0c93aa.checkpoint`.
  init?(file: String) {
    var stem = file.dropLast(Self.suffix.count)
    guard file.hasSuffix(Self.suffix) else { return nil }
    format = nil
    if let dot = stem.lastIndex(of: "."), UInt64(stem.suffix(16)) == nil {
      format = String(stem[stem.index(after: dot)...])
      stem = stem[..<dot]
    }
    guard stem.utf8.count > 17, stem.dropLast(16).hasSuffix("-"),
      let position = UInt64(stem.suffix(16)), position > 0
    else { return nil }
    (name, self.position) = (String(stem.dropLast(17)), position)
  }

  /// The name of the file.
  var file: String {
    name + "-" + position.padded(to: 16) + (format.map { "." + $0 } ?? "") + Self.suffix
  }

  /// Whether this version knows the arrangement of the file's bytes. The file may still lack parts
  /// that this version needs.
  var isReadable: Bool { format?.hasPrefix("\(CheckpointFile.arrangement)-") ?? true }
}

extension Optional where Wrapped == any SavedState {
  /// Returns `answer`, which the caller computed from a state that was restored from this
  /// checkpoint. If the checkpoint turned out to be damaged, deletes its file and returns nil. The
  /// caller then rebuilds the state from the log and computes the answer again.
  ///
  /// Only this function handles damage that is found after a checkpoint was opened. A page is
  /// checked when it is first read, because checking the whole checkpoint would take longer than
  /// most queries.
  package func checked<Answer>(_ answer: Answer) -> Answer? {
    guard let self, self.isDamaged else { return answer }
    self.remove()
    return nil
  }
}

/// A history with a folder for checkpoints. A replay starts from the last undamaged checkpoint of
/// this history.
public protocol CheckpointedHistory: History {
  /// The history's checkpoints; nil if the history has no folder for them.
  var checkpoints: Checkpoints? { get }
}

extension Names {
  /// Reads and checks the table of names in a saved state again. Adds the names that this table
  /// received after the state was saved, and returns the result.
  /// - Returns: nil if the saved names are damaged, or if a name would get a different number.
  /// - Complexity: O(names).
  package func restoredAnew(from saved: any SavedState) -> Names? {
    guard saved.isIntact(part: "names") else { return nil }
    var (fresh, coder) = (Names(), StateCoder(saved, lazily: false))
    fresh.code(with: &coder)
    fresh.appEvents = appEvents
    guard coder.isSound else { return nil }
    do throws(InvalidID) {
      for kind in IDKind.allCases {
        guard fresh.count(of: kind) <= count(of: kind) else { return nil }
        for index in UInt32(fresh.count(of: kind))..<UInt32(count(of: kind)) {
          let id = AnyID(kind, index)
          guard try fresh.intern(self[id], kind) == id else { return nil }
        }
      }
    } catch {
      return nil
    }
    return fresh
  }
}
