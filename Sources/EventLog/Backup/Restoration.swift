import Events

/// A restoration of a log from a finished backup.
///
/// A restore writes the log into a temporary folder beside `path`, and checks each line, each file
/// and each photo. Its last step renames that folder to `path`, so `path` never holds an incomplete
/// log.
/// - Complexity: O(bytes of the backup); reads each byte twice.
public struct Restoration: Sendable {
  /// The contents of the backup that was restored or checked.
  public struct Report: Equatable, Sendable {
    /// The position of the last event in the backup.
    public var head: UInt64
    /// The checksum of the last event's line.
    public var sum: UInt64
    /// The number of photos in the backup.
    public var photos: Int
    /// The number of files other than segments and photos.
    public var files: Int
    /// The time when the backup finished.
    public var time: Timestamp
  }

  /// The name of the file that marks an unfinished restore's folder; also that folder's suffix.
  /// A crash can leave it in the restored folder.
  static let mark = "restoring"

  private let folder: String
  private let files: FileSystem
  private let manifest: BackupManifest

  /// Opens the last finished backup in a folder.
  /// - Parameter folder: the backup's folder.
  /// - Throws: `.noBackup`, `.damaged`, `.inUse`, `.log`.
  public init(from folder: String, files: FileSystem = .posix) throws(BackupError) {
    (self.folder, self.files) = (folder, files)
    if let holder = Self.holder(folder, files) { throw .inUse(path: folder, holder: holder) }
    let found = try BackupError.unwrapping { () throws(LogError) in
      try BackupManifest(in: folder, files)
    }
    guard let found else { throw .noBackup(path: folder) }
    manifest = found
  }

  /// Restores the log.
  /// - Parameters:
  ///   - path: the new log's folder, which must be empty or missing.
  ///   - photos: the folder for the photos; nil means `photos` in the log's folder.
  ///   - progress: receives the bytes written so far.
  /// - Throws: `.occupied`, `.damaged`, `.log`; after an error, `path` is as it was before.
  @discardableResult
  public func run(
    to path: String, photos: String? = nil, progress: (Int) -> Void = { _ in }
  ) throws(BackupError) -> Report {
    let path = Self.trimmed(path)
    // If the photos go to `photos` in the log's folder, they are restored with the log.
    let photos = photos.map(Self.trimmed).flatMap { $0 == path + "/photos" ? nil : $0 }
    return try BackupError.unwrapping { () throws(LogError) in
      try restore(to: path, photos, progress)
      return report
    }
  }

  private func restore(
    to path: String, _ photos: String?, _ progress: (Int) -> Void
  ) throws(LogError) {
    var isPlaced = false
    for place in [path] + (photos.map { [$0] } ?? []) { try checkEmpty(place) }
    let draft = path + "." + Self.mark
    let photoDraft = photos.map { $0 + "." + Self.mark } ?? draft + "/photos"
    try begin(draft)
    if photos != nil { try begin(photoDraft) }
    do throws(LogError) {
      var done = 0
      try copySegments(draft, &done, progress)
      for file in manifest.sides where file.path != Self.mark {
        try copy(file, file.stored, to: draft, &done, progress)
      }
      if !manifest.photos.isEmpty { try makeDirectory(photoDraft) }
      for (path, file) in manifest.photos.sorted(by: { $0.key < $1.key }) where path != Self.mark {
        let stored = BackupRun.photoFolder + "/" + file.stored
        try copy(file, stored, to: photoDraft, &done, progress)
      }
      try verify(try damaged { () throws(LogError) in try LogView(path: draft, files: files) })
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
  }

  /// Reads and checks the whole backup and writes nothing.
  /// - Throws: `.damaged`, `.log`.
  public func check(progress: (Int) -> Void = { _ in }) throws(BackupError) -> Report {
    try BackupError.unwrapping { () throws(LogError) in
      var done = 0
      for file in manifest.sides { done += try bytes(of: file, file.stored).count }
      for file in manifest.photos.values {
        done += try bytes(of: file, BackupRun.photoFolder + "/" + file.stored).count
        progress(done)
      }
      try verify(try finishedLog())
      return report
    }
  }

  /// Returns the log as the finished backup recorded it. Leaves out segments and bytes that a
  /// later, unfinished run added.
  private func finishedLog() throws(LogError) -> LogView {
    var view = try damaged { () throws(LogError) in
      try LogView(path: folder + "/" + manifest.logFolder, files: files, replacing: [])
    }
    let found = view.segments
    view.segments = []
    for segment in manifest.segments {
      let path = view.path + "/" + segment.name
      guard let size = try? files.status(path).size else { throw damage(path, "it is missing") }
      if size < segment.size { throw damage(path, "it has \(size) bytes of \(segment.size)") }
      guard var known = found.first(where: { $0.path == path }) else { continue }
      (known.size, known.lacksLineFeed, known.end) = (segment.size, false, nil)
      view.segments.append(known)
    }
    view.tail = .none
    return view
  }

  private var report: Report {
    Report(
      head: manifest.head, sum: manifest.sum, photos: manifest.photos.count,
      files: manifest.sides.count, time: manifest.time)
  }

  // MARK: Copying

  private func copySegments(
    _ draft: String, _ done: inout Int, _ progress: (Int) -> Void
  ) throws(LogError) {
    for segment in manifest.segments {
      let source = folder + "/" + manifest.logFolder + "/" + segment.name
      guard let from = try ifPresent(files.open(source, .read)) else {
        throw damage(source, "it is missing")
      }
      defer { try? files.close(from, source) }
      var target = try FileWriter(draft + "/" + segment.name, files)
      while target.size < segment.size {
        let end = min(target.size + BackupRun.piece, segment.size)
        let bytes = try io(files.bytes(from, target.size..<end, source))
        guard target.size + bytes.count == end else {
          let size = target.size + bytes.count
          throw damage(source, "it has \(size) bytes of \(segment.size)")
        }
        try target.write(bytes)
        done += bytes.count
        progress(done)
      }
      try target.end()
    }
  }

  /// Returns the bytes of a copied file.
  /// - Throws: `.damaged` if the copy is missing or its bytes differ from those that the backup
  ///   wrote.
  private func bytes(of file: BackupManifest.File, _ stored: String) throws(LogError) -> [UInt8] {
    let path = folder + "/" + stored
    guard let bytes = try ifPresent(files.contents(of: path)) else {
      throw damage(path, "it is missing")
    }
    guard bytes.count == file.size, XXH64.hash(bytes, seed: 0) == file.hash else {
      throw damage(path, "its bytes are not those that were copied")
    }
    return bytes
  }

  private func copy(
    _ file: BackupManifest.File, _ stored: String, to root: String, _ done: inout Int,
    _ progress: (Int) -> Void
  ) throws(LogError) {
    let bytes = try bytes(of: file, stored)
    var directory = root
    for part in file.path.split(separator: "/").dropLast() {
      directory += "/" + part
      try makeDirectory(directory)
    }
    var target = try FileWriter(root + "/" + file.path, files, .copying(file.path))
    try target.write(bytes)
    try target.end()
    try io(files.syncDirectory(directory))
    done += bytes.count
    progress(done)
  }

  // MARK: Checking

  private func damage(_ path: String, _ reason: String) -> LogError {
    .backup(.damaged(path: path, reason: reason))
  }

  private func verify(_ view: LogView) throws(LogError) {
    let found = try damaged { () throws(LogError) in try view.verify() }
    guard view.tail == .none, found.head.seq == manifest.head, found.head.sum == manifest.sum else {
      throw damage(folder, "its events end at \(found.head.seq), not at \(manifest.head)")
    }
  }

  /// Runs `body`, and reports damage that it finds in the log as damage of the backup.
  private func damaged<T>(_ body: () throws(LogError) -> T) throws(LogError) -> T {
    do throws(LogError) {
      return try body()
    } catch {
      switch error {
      case .file: throw error
      case .damaged(var found):
        // Names the segment in the backup, because the restore will delete its temporary folder.
        found.file = folder + "/" + manifest.logFolder + "/" + fileName(found.file)
        throw damage(folder, "\(found)")
      default: throw damage(folder, "\(error)")
      }
    }
  }

  /// Returns the name of the process that is making a backup in a folder; nil if there is none.
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

  private func checkEmpty(_ path: String) throws(LogError) {
    guard let kind = try ifPresent(files.status(path).kind) else { return }
    let names = kind == .directory ? try ifPresent(files.list(path)) ?? [] : [path]
    if !names.isEmpty { throw .backup(.occupied(path: path)) }
  }

  /// Creates the temporary folder of a restore. Removes the one that an interrupted restore left.
  private func begin(_ draft: String) throws(LogError) {
    let mark = draft + "/" + Self.mark
    if (try? files.status(draft)) != nil {
      guard (try? files.status(mark)) != nil || (try? files.list(draft)) == [] else {
        throw .backup(.occupied(path: draft))
      }
      try io(files.removeAll(draft))
    }
    do throws(FileError) {
      try files.makeDirectory(draft)
      try files.replace(mark, in: draft, Array("an unfinished restore\n".utf8))
    } catch {
      throw .backup(.cannotMake(error))
    }
  }

  /// Renames a finished temporary folder to its final name, then removes the file `restoring`. That
  /// file must stay until then, because the next restore deletes only a folder that contains it.
  private func place(_ draft: String, _ path: String) throws(LogError) {
    try io(files.syncDirectory(draft))
    try io(files.rename(draft, path))
    try io(files.syncDirectory(parentDirectory(path)))
    try io(files.remove(path + "/" + Self.mark))
    try io(files.syncDirectory(path))
  }

  private func makeDirectory(_ path: String) throws(LogError) {
    if try io(files.makeDirectoryIfMissing(path)) {
      try io(files.syncDirectory(parentDirectory(path)))
    }
  }
}
