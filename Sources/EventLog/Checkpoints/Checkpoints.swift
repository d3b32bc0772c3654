import Events

/// The checkpoints of a history: files in a folder, which can be deleted at any time.
///
/// A checkpoint is used only if its bytes are intact and the log's line at its position has the
/// same checksum. That checksum depends on all earlier lines.
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
  }

  /// The name of the checkpoint that holds the index of streams and ids. A writer restores that
  /// index when it opens the log.
  static let writer = "writer"

  /// Returns all checkpoints except those of the writer's index, the highest position first.
  package func entries() -> [Entry] { all().filter { $0.name != Self.writer } }

  package func entries(of name: String) -> [Entry] { all().filter { $0.name == name } }

  private func all() -> [Entry] {
    guard let files = try? files.list(folder) else { return [] }
    return files.compactMap { file -> Entry? in
      let stem = file.dropLast(Self.suffix.count)
      guard file.hasSuffix(Self.suffix), stem.utf8.count > 17, stem.dropLast(16).hasSuffix("-"),
        let position = UInt64(stem.suffix(16)), position > 0
      else { return nil }
      return Entry(name: String(stem.dropLast(17)), position: position)
    }.sorted { ($0.position, $1.name) > ($1.position, $0.name) }
  }

  private static let suffix = ".checkpoint"

  package func path(_ entry: Entry) -> String {
    folder + "/" + entry.name + "-" + entry.position.padded(to: 16) + Self.suffix
  }

  /// Whether a saved state was read from the checkpoint with this name and position.
  package func isAt(_ saved: any SavedState, _ name: String, _ position: UInt64) -> Bool {
    saved.name == path(Entry(name: name, position: position))
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
  /// - Returns: false if the state cannot be saved or came from a damaged checkpoint, or if the log
  ///   was rewritten meanwhile.
  package func write(
    _ name: String, head: LogHead, skipped: [UnknownType: Int], _ body: (inout StateCoder) -> Void
  ) throws(FileError) -> Bool {
    var coder = StateCoder()
    body(&coder)
    guard coder.isSound else { return false }
    do throws(FileError) {
      try files.makeDirectory(folder)
    } catch  where error.isExisting {}
    try files.syncDirectory(parentDirectory(folder))
    // A killed process may have left a temporary file.
    for entry in try files.list(folder) where entry.hasSuffix(".tmp") {
      try? files.remove(folder + "/" + entry)
    }
    let path = path(Entry(name: name, position: head.seq))
    let isWritten = try CheckpointFile.write(
      coder.parts, head: head, skipped: skipped, to: path, in: folder, files)
    // A rewriting removes the existing checkpoints. This one may have been written after that
    // removal.
    if isWritten, !isCurrent() {
      try files.remove(path)
      return false
    }
    return isWritten
  }

  /// Removes the checkpoints with a name that are not worth their space.
  ///
  /// It keeps:
  /// - the last checkpoint up to `position`, and the new checkpoint;
  /// - checkpoints beyond `position`, because they show that the log lost its last events;
  /// - further checkpoints, newest first, while their total size is at most `room`. Their positions
  ///   are at least a sixteenth of the last checkpoint's position apart;
  /// - the earlier files that a kept file builds on.
  ///
  /// Apart from these earlier files, it removes each checkpoint up to `position` that an older
  /// version of this code wrote.
  /// - Parameters:
  ///   - new: the position of the checkpoint that was just written; nil if it is the last one.
  ///   - room: the most bytes that the further checkpoints may take together.
  package func thin(
    _ name: String, upTo position: UInt64 = .max, keeping new: UInt64? = nil, room: Int = .max
  ) {
    let all = all()
    let known = all.filter { $0.name == name && $0.position <= position }
    let entries = known.filter { entry in
      let file = Result { () throws(CheckpointFault) in
        try CheckpointFile(path: path(entry), files)
      }
      if case .failure(.older) = file { return false }
      return true
    }
    guard let last = entries.first else { return }
    var spaced: [Entry] = []
    for entry in entries.dropFirst().reversed()
    where entry.position - (spaced.last?.position ?? 0) >= last.position / 16 {
      spaced.append(entry)
    }
    var doomed = Set(known.map { fileName(path($0)) })
    doomed.remove(fileName(path(last)))
    if let new { doomed.remove(fileName(path(Entry(name: name, position: new)))) }
    var left = room
    for entry in spaced.reversed() where entry.position != new {
      left -= (try? files.status(path(entry)).size) ?? 0
      if left < 0 { break }
      doomed.remove(fileName(path(entry)))
    }
    guard !doomed.isEmpty else { return }
    for entry in all where !doomed.contains(fileName(path(entry))) {
      var file = try? CheckpointFile(path: path(entry), files)
      while let base = file?.base {
        doomed.remove(fileName(base.path))
        file = base
      }
    }
    for name in doomed { try? files.remove(folder + "/" + name) }
  }

  /// Whether a new checkpoint is due: at least 4,096 events follow the last one, which take
  /// noticeable time to read.
  package static func isDue(_ position: UInt64, after last: UInt64) -> Bool {
    position >= last &+ 4_096
  }

  func removeOthers(of name: String, than position: UInt64) {
    for entry in entries(of: name) where entry.position != position {
      try? files.remove(path(entry))
    }
  }
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
