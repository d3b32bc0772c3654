import Events

/// Makes a log of a finished backup.
///
/// The log is made beside its place and checked in full: each line, each file and each photo. It
/// takes its place as the last step, so nothing is there until all of it is.
/// - Complexity: O(bytes), each read twice.
public struct Restoration: Sendable {
  /// What a backup has.
  public struct Report: Equatable, Sendable {
    public var head: UInt64
    public var sum: UInt64
    public var photos: Int
    public var files: Int
    /// When the backup was made.
    public var time: Timestamp
  }

  /// The file that marks a folder of an unfinished restore.
  private static let mark = "restoring"

  private let folder: String
  private let files: FileSystem
  private let manifest: BackupManifest

  /// - Parameter folder: the backup's folder.
  /// - Throws: `.noBackup`, `.damaged`, `.inUse`, `.log`.
  public init(from folder: String, files: FileSystem = .posix) throws(BackupError) {
    (self.folder, self.files) = (folder, files)
    if let holder = Self.holder(folder, files) {
      throw .inUse(path: folder, holder: holder)
    }
    guard let manifest = try BackupManifest(in: folder, files) else {
      throw .noBackup(path: folder)
    }
    self.manifest = manifest
  }

  /// Restores the backup.
  /// - Parameters:
  ///   - path: the new log's folder, which must be empty or not there.
  ///   - photos: the folder for the photos; nil is `photos` in the log.
  ///   - progress: gets the bytes written so far.
  /// - Throws: `.occupied`, `.damaged`, `.log`; nothing is at `path` then that was not there.
  @discardableResult
  public func run(
    to path: String, photos: String? = nil, progress: (Int) -> Void = { _ in }
  ) throws(BackupError) -> Report {
    let path = Self.trimmed(path)
    // The log's own folder of photos is made with the log.
    let photos = photos.map(Self.trimmed).flatMap { $0 == path + "/photos" ? nil : $0 }
    var isPlaced = false
    for place in [path] + (photos.map { [$0] } ?? []) { try checkEmpty(place) }
    let draft = path + "." + Self.mark
    let photoDraft = photos.map { $0 + "." + Self.mark } ?? draft + "/photos"
    try begin(draft)
    if photos != nil { try begin(photoDraft) }
    do throws(BackupError) {
      var done = 0
      try copySegments(draft, &done, progress)
      for file in manifest.sides { try copy(file, file.stored, to: draft, &done, progress) }
      if !manifest.photos.isEmpty { try makeDirectory(photoDraft) }
      for (_, file) in manifest.photos.sorted(by: { $0.key < $1.key }) {
        let stored = BackupRun.photoFolder + "/" + file.stored
        try copy(file, stored, to: photoDraft, &done, progress)
      }
      try verify(draft)
      if let photos {
        try place(photoDraft, photos)
        isPlaced = true
      }
      try place(draft, path)
    } catch {
      try? files.removeAll(draft)
      if let photos { try? files.removeAll(isPlaced ? photos : photoDraft) }
      throw error
    }
    return report
  }

  /// Reads and checks all of the backup and writes nothing.
  /// - Throws: `.damaged`, `.log`.
  public func check(progress: (Int) -> Void = { _ in }) throws(BackupError) -> Report {
    var done = 0
    for file in manifest.sides { done += try bytes(of: file, file.stored).count }
    for file in manifest.photos.values {
      done += try bytes(of: file, BackupRun.photoFolder + "/" + file.stored).count
      progress(done)
    }
    // A run under way or interrupted may have begun more segments, of which any may be empty.
    var view = try damaged(manifest.logFolder) { () throws(LogError) in
      try LogView(path: folder + "/" + manifest.logFolder, files: files, replacing: [])
    }
    let segments = try manifest.segments.map { (segment) throws(BackupError) in
      let path = view.path + "/" + segment.name
      guard let size = try? files.status(path).size else {
        throw BackupError.damaged(path: path, reason: "it is missing")
      }
      if size < segment.size {
        throw BackupError.damaged(path: path, reason: "it has \(size) bytes of \(segment.size)")
      }
      return (segment, path)
    }
    view.segments = segments.compactMap { segment, path in
      guard var known = view.segments.first(where: { $0.path == path }) else { return nil }
      known.size = segment.size
      known.lacksLineFeed = false
      known.end = nil
      return known
    }
    view.tail = .none
    try verify(view)
    return report
  }

  private var report: Report {
    Report(
      head: manifest.head, sum: manifest.sum, photos: manifest.photos.count,
      files: manifest.sides.count, time: manifest.time)
  }

  // MARK: Copying

  private func copySegments(
    _ draft: String, _ done: inout Int, _ progress: (Int) -> Void
  ) throws(BackupError) {
    for segment in manifest.segments {
      let source = folder + "/" + manifest.logFolder + "/" + segment.name
      let target = draft + "/" + segment.name
      let from = try opened(source)
      defer { try? files.close(from, source) }
      let to = try storing { () throws(FileError) in try files.open(target, .createNew) }
      defer { try? files.close(to, target) }
      var at = 0
      while at < segment.size {
        let count = min(BackupRun.piece, segment.size - at)
        var bytes = [UInt8](repeating: 0, count: count)
        let got = try storing { () throws(FileError) in
          try bytes.withUnsafeMutableBufferPointer { (raw) throws(FileError) in
            guard let base = raw.baseAddress else { return 0 }
            return try files.readAll(from, into: base, count, at: at, source)
          }
        }
        guard got == count else {
          throw .damaged(path: source, reason: "it has \(at + got) bytes of \(segment.size)")
        }
        try storing { () throws(FileError) in try files.writeAll(bytes, to: to, target) }
        at += count
        done += count
        progress(done)
      }
      try storing { () throws(FileError) in try files.sync(to, target) }
    }
  }

  private func opened(_ path: String) throws(BackupError) -> Int32 {
    do throws(FileError) {
      return try files.open(path, .read)
    } catch {
      if error.isNotFound { throw .damaged(path: path, reason: "it is missing") }
      throw .log(.file(error))
    }
  }

  /// The bytes of a copy.
  /// - Throws: `.damaged` if they are not those that were copied.
  private func bytes(
    of file: BackupManifest.File, _ stored: String
  ) throws(BackupError) -> [UInt8] {
    let path = folder + "/" + stored
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try files.contents(of: path)
    } catch {
      if error.isNotFound { throw .damaged(path: path, reason: "it is missing") }
      throw .log(.file(error))
    }
    guard bytes.count == file.size, XXH64.hash(bytes, seed: 0) == file.hash else {
      throw .damaged(path: path, reason: "its bytes are not those that were copied")
    }
    return bytes
  }

  private func copy(
    _ file: BackupManifest.File, _ stored: String, to root: String, _ done: inout Int,
    _ progress: (Int) -> Void
  ) throws(BackupError) {
    let bytes = try bytes(of: file, stored)
    var directory = root
    for part in file.path.split(separator: "/").dropLast() {
      directory += "/" + part
      try makeDirectory(directory)
    }
    let target = root + "/" + file.path
    try storing { () throws(FileError) in
      let open = try files.open(target, .createNew)
      defer { try? files.close(open, target) }
      try files.writeAll(bytes, to: open, target)
      try files.sync(open, target)
      try files.syncDirectory(directory)
    }
    done += bytes.count
    progress(done)
  }

  // MARK: Checking

  private func verify(_ draft: String) throws(BackupError) {
    let view = try damaged(draft) { () throws(LogError) in
      try LogView(path: draft, files: files)
    }
    try verify(view)
  }

  private func verify(_ view: LogView) throws(BackupError) {
    let found = try damaged(view.path) { () throws(LogError) in try view.verify() }
    guard view.tail == .none, found.head.seq == manifest.head, found.head.sum == manifest.sum
    else {
      throw .damaged(
        path: folder, reason: "its events end at \(found.head.seq), not at \(manifest.head)")
    }
  }

  /// Names damage of the log as damage of the backup.
  private func damaged<T>(
    _ path: String, _ body: () throws(LogError) -> T
  ) throws(BackupError) -> T {
    do throws(LogError) {
      return try body()
    } catch {
      switch error {
      case .file: throw .log(error)
      case .damaged(var damage):
        // The draft is about to go: names the file in the backup.
        damage.file = folder + "/" + manifest.logFolder + "/" + fileName(damage.file)
        throw .damaged(path: folder, reason: "\(damage)")
      default: throw .damaged(path: folder, reason: "\(error)")
      }
    }
  }

  /// Who makes a backup in a folder just now; nil if nobody does.
  private static func holder(_ folder: String, _ files: FileSystem) -> String? {
    let path = folder + "/lock"
    guard let file = try? files.open(path, .read) else { return nil }
    defer { try? files.close(file, path) }
    guard (try? files.isLocked(file, path)) == true else { return nil }
    let text = (try? files.contents(of: path, limit: 200)) ?? []
    return printable(String(decoding: text.filter { $0 != 0x0a }, as: UTF8.self))
  }

  // MARK: Folders

  private static func trimmed(_ path: String) -> String {
    var path = path[...]
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    return String(path)
  }

  private func checkEmpty(_ path: String) throws(BackupError) {
    let isEmpty: Bool
    do throws(FileError) {
      let kind = try files.status(path).kind
      let names = kind == .directory ? try files.list(path) : [path]
      isEmpty = names.isEmpty
    } catch {
      if error.isNotFound { return }
      throw .log(.file(error))
    }
    if !isEmpty { throw .occupied(path: path) }
  }

  /// Makes the folder of an unfinished restore; an earlier one is removed.
  private func begin(_ draft: String) throws(BackupError) {
    let mark = draft + "/" + Self.mark
    if (try? files.status(draft)) != nil {
      guard (try? files.status(mark)) != nil || (try? files.list(draft)) == [] else {
        throw .occupied(path: draft)
      }
      try storing { () throws(FileError) in try files.removeAll(draft) }
    }
    do throws(FileError) {
      try files.makeDirectory(draft)
      try files.replace(mark, in: draft, Array("an unfinished restore\n".utf8))
    } catch {
      throw .cannotMake(error)
    }
  }

  /// Gives a finished folder its name. The mark goes last: without it a restore that was killed
  /// here could not be repeated.
  private func place(_ draft: String, _ path: String) throws(BackupError) {
    try storing { () throws(FileError) in
      try files.syncDirectory(draft)
      try files.rename(draft, path)
      try files.syncDirectory(parentDirectory(path))
      try files.remove(path + "/" + Self.mark)
      try files.syncDirectory(path)
    }
  }

  private func makeDirectory(_ path: String) throws(BackupError) {
    do throws(FileError) {
      try files.makeDirectory(path)
      try files.syncDirectory(parentDirectory(path))
    } catch {
      if !error.isExisting { throw .log(.file(error)) }
    }
  }
}
