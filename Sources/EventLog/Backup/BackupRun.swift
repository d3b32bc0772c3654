import Events

/// One run of a backup.
///
/// The order of the steps makes the backup consistent. The run first lists and copies photos, then
/// the other files in the log's folder, and reads the log's end last. If a photo was removed before
/// the run listed photos, an event before the log's end records that removal. The copied events
/// then no longer name that photo. The run then lists and copies the photos that were added
/// meanwhile. A named photo can only be missing if it was added and removed within the run. In that
/// case the run reads the log's end again.
struct BackupRun {
  static let photoFolder = "photos"
  static let progressName = "progress"
  /// The maximum number of times that the run reads the log's end.
  private static let mostRounds = 4

  let backup: Backup
  let last: BackupManifest?
  var next = BackupManifest()
  /// The known copies of photos by photo path, from the last backup and from an interrupted run.
  var copies: [String: BackupManifest.File]
  var storedNames: Set<String>
  var madeFolders: Set<String> = []
  var newPhotos = 0
  var done = 0

  var files: FileSystem { backup.files }

  init(_ backup: Backup, _ last: BackupManifest?) throws(LogError) {
    (self.backup, self.last) = (backup, last)
    copies = last?.photos ?? [:]
    next.run = (last?.run ?? 0) + 1
    storedNames = Set(copies.values.map(\.stored))
    for file in try interruptedCopies() {
      copies[file.path] = file
      storedNames.insert(file.stored)
    }
  }

  /// Copies all new data, then replaces the backup's manifest.
  mutating func finish(_ progress: (String, Int) -> Void) throws(LogError) -> Backup.Report {
    let before = try LogView(path: backup.log, files: files).head().seq
    let (firstNew, wasRewritten) = try chooseFolder()
    try copyPhotos(progress)
    var missing: [String] = []
    for round in 1...Self.mostRounds {
      let stamps = try copySides()
      let view = try LogView(path: backup.log, files: files)
      try checkLedger(view)
      try copyPhotos(progress)
      try copySegments(view, progress)
      missing = try missingPhotos(view, after: firstNew, photosAfter: before)
      let isStill = try stamps == sideStamps() && missing.isEmpty
      if isStill || round == Self.mostRounds { break }
    }
    let old = last
    try commit()
    let kept = Set(next.photos.values.map(\.stored))
    let removed = (old?.photos.values ?? [:].values).filter { !kept.contains($0.stored) }.count
    removeUnused(kept)
    return Backup.Report(
      head: next.head, sum: next.sum, newEvents: next.head - min(firstNew, next.head),
      photos: next.photos.count, newPhotos: newPhotos, removedPhotos: removed,
      files: next.sides.map(\.path), wasRewritten: wasRewritten, missingPhotos: missing)
  }

  // MARK: The log

  /// Chooses the backup's folder for segments: the last backup's, or a new one if the log was
  /// rewritten.
  /// - Returns: the position of the last event already in that folder, and whether the log was
  ///   rewritten.
  /// - Throws: `.otherLog` if the log does not continue the last backup's events.
  private mutating func chooseFolder() throws(LogError) -> (first: UInt64, Bool) {
    let view = try LogView(path: backup.log, files: files)
    let ledger = try view.rewritings()
    next.rewritings = ledger.entries.count
    guard let last else { return (0, false) }
    next.logFolder = last.logFolder
    func otherLog(_ reason: String) -> LogError {
      .backup(.otherLog(path: backup.folder, reason: reason))
    }
    if next.rewritings < last.rewritings {
      throw otherLog("the log was rewritten fewer times than the backup says")
    }
    if let repair = ledger.repair(after: last.rewritings, upTo: last.head) {
      throw otherLog(
        "the log was repaired and lacks events from event \(repair.first) on, which the backup may "
          + "still have: keep it, and choose another folder")
    }
    let head = try view.head().seq
    if last.head > head { throw otherLog("it has \(last.head) events and the log only \(head)") }
    let now = try view.head(at: last.head)
    if now.sum != last.sum {
      let copy = LogHead(seq: last.head, time: try timeOfLastEvent(last), sum: last.sum)
      let position = SubscriptionPosition(copy, rewritings: last.rewritings)
      guard try ledger.carry(position, { (_) throws(LogError) in now }) != nil else {
        throw otherLog("event \(last.head) is different")
      }
    } else if next.rewritings == last.rewritings {
      return (last.head, false)
    }
    let number = Int(last.logFolder.dropFirst("log-".count)) ?? 0
    next.logFolder = "log-\(number + 1)"
    return (0, true)
  }

  /// Returns the time of the last event in a backup.
  private func timeOfLastEvent(_ last: BackupManifest) throws(LogError) -> Timestamp {
    try LogView(path: backup.folder + "/" + last.logFolder, files: files).time(of: last.head)
  }

  /// Checks that nobody rewrote the log after this run chose the folder for segments.
  /// - Throws: `.rewritten` if somebody did.
  private func checkLedger(_ view: LogView) throws(LogError) {
    if try view.rewritings().entries.count != next.rewritings { throw .rewritten(path: backup.log) }
  }

  private mutating func copySegments(
    _ view: LogView, _ progress: (String, Int) -> Void
  ) throws(LogError) {
    let folder = backup.folder + "/" + next.logFolder
    try makeDirectory(folder)
    let isSame = last?.logFolder == next.logFolder
    let known = Dictionary(
      (isSame ? last?.segments ?? [] : []).map { ($0.name, $0.size) },
      uniquingKeysWith: { $1 })
    next.segments = []
    for (index, segment) in view.segments.enumerated() {
      let name = SegmentName.make(segment.first)
      try extend(folder + "/" + name, view, index, trusted: known[name] ?? 0, progress)
      next.segments.append((name, segment.wholeSize))
    }
    let wanted = Set(next.segments.map(\.name))
    for name in try io(files.list(folder)) where !wanted.contains(name) {
      try io(files.remove(folder + "/" + name))
    }
    try io(files.syncDirectory(folder))
    let head = try view.head()
    (next.head, next.sum) = (head.seq, head.sum)
  }

  /// Appends a segment's new bytes to the segment's copy in the backup.
  /// - Parameter trusted: the number of bytes that a finished backup recorded for the copy. Later
  ///   bytes of the copy are compared with the segment.
  private mutating func extend(
    _ path: String, _ view: LogView, _ index: Int, trusted: Int,
    _ progress: (String, Int) -> Void
  ) throws(LogError) {
    let size = view.segments[index].wholeSize
    let isThere = (try? files.status(path)) != nil
    let file = try io(files.open(path, isThere ? .append : .createNew))
    defer { try? files.close(file, path) }
    let have = try io(files.status(path).size)
    var at = min(trusted, have, size)
    while at < min(have, size) {
      let end = min(at + Self.piece, have, size)
      if try io(files.bytes(file, at..<end, path)) != view.wholeBytes(index, at..<end) { break }
      at = end
    }
    if at == size, have == size { return }
    if have > at { try io(files.truncate(file, at, path)) }
    while at < size {
      let bytes = try view.wholeBytes(index, at..<min(at + Self.piece, size))
      try io(files.writeAll(bytes, to: file, path))
      done += bytes.count
      at += bytes.count
      progress("events", done)
    }
    try io(files.sync(file, path))
  }

  static let piece = 1 << 20

  /// Checks the copied events, and finds photos that the newest events name but the backup lacks.
  /// - Parameters:
  ///   - first: the position of the last event that an earlier run checked.
  ///   - start: the log's last position before the run listed photos. Photos of events up to
  ///     `start` are not checked.
  /// - Returns: the paths of photos that an event names and that have no copy.
  private func missingPhotos(
    _ view: LogView, after first: UInt64, photosAfter start: UInt64
  ) throws(LogError) -> [String] {
    var named: [PhotoSubject: String] = [:]
    var names = Names()
    try view.forEachPhotoEvent(after: first, &names) { event, moment, _ in
      guard moment.seq > start, let (subject, path) = event.namedPhoto else { return }
      named[subject] = path
    }
    return named.values.filter { next.photos[$0] == nil }.sorted()
  }

  // MARK: The files beside the segments

  /// Whether a name in a log's folder belongs to a file or folder that `copySides` copies. The
  /// journal of refused commands and the key of signed links are not copied: only the owner of
  /// these files may read them.
  private static func isSide(_ name: String) -> Bool {
    let others = [
      "lock", "checkpoints", "photos", "refusals", "link.key", LineSorter.fileName,
      PendingRewriting.fileName, FileLog.takeOverName, Restoration.mark,
    ]
    return SegmentName.first(name) == nil && !others.contains(name) && !name.hasSuffix(".tmp")
      && !name.hasSuffix(PendingRewriting.suffix)
  }

  /// Returns the final path, the present path and the status of each file beside the segments. If a
  /// rewriting is decided but not finished, returns the rewriting's new files in place of the old
  /// ones.
  private func sideFiles() throws(LogError) -> [(path: String, at: String, FileSystem.Status)] {
    let listing = try io(files.list(backup.log))
    let pending = try PendingRewriting.names(in: backup.log, listing, files) ?? []
    func isNew(_ name: String) -> Bool {
      pending.contains(name) && listing.contains(name + PendingRewriting.suffix)
    }
    var found: [(path: String, at: String, FileSystem.Status)] = []
    for name in listing where Self.isSide(name) && !isNew(name) {
      let path = backup.log + "/" + name
      for (inner, status) in try io(files.tree(path, skipping: { $0.hasSuffix(".tmp") })) {
        let whole = inner.isEmpty ? name : name + "/" + inner
        found.append((whole, backup.log + "/" + whole, status))
      }
    }
    for name in pending where Self.isSide(name) && isNew(name) {
      let path = backup.log + "/" + name + PendingRewriting.suffix
      found.append((name, path, try io(files.status(path))))
    }
    return found
  }

  /// Returns the statuses of the files beside the segments, by path, to detect changes. Skips the
  /// folder `retries`, because its files change with every command. If the backup lacks a line of
  /// these files, only one retried command loses its remembered answer.
  private func sideStamps() throws(LogError) -> [String: FileSystem.Status] {
    var stamps: [String: FileSystem.Status] = [:]
    for (path, _, status) in try sideFiles() where !path.hasPrefix("retries/") {
      stamps[path] = status
    }
    return stamps
  }

  /// Copies the files beside the segments.
  /// - Returns: the files' statuses before the copy.
  private mutating func copySides() throws(LogError) -> [String: FileSystem.Status] {
    let stamps = try sideStamps()
    let name = "files-\(next.run)"
    let folder = backup.folder + "/" + name
    if (try? files.status(folder)) != nil {
      try io(files.removeAll(folder))
      madeFolders = madeFolders.filter { !$0.hasPrefix(folder) }
    }
    try makeDirectory(folder)
    next.sides = []
    for (path, source, _) in try sideFiles() {
      guard let bytes = try ifPresent(files.contents(of: source)) else { continue }
      let stored = name + "/" + path
      try store(bytes, stored, as: .copying(path))
      next.sides.append(
        .init(path: path, size: bytes.count, hash: XXH64.hash(bytes, seed: 0), stored: stored))
    }
    return stamps
  }

  // MARK: Photos

  private mutating func copyPhotos(_ progress: (String, Int) -> Void) throws(LogError) {
    for (path, status) in try io(files.tree(backup.photos, skipping: { $0.hasSuffix(".tmp") }))
    where path != Restoration.mark {
      if let known = next.photos[path], known.isUnchanged(status) { continue }
      if let known = copies[path], known.isUnchanged(status), isStored(known) {
        next.photos[path] = known
        continue
      }
      guard let file = try copyPhoto(path, status) else { continue }
      next.photos[path] = file
      copies[path] = file
      newPhotos += 1
      done += file.size
      progress("photos", done)
    }
  }

  private func photoPath(_ stored: String) -> String {
    backup.folder + "/" + Self.photoFolder + "/" + stored
  }

  private func isStored(_ file: BackupManifest.File) -> Bool {
    (try? files.status(photoPath(file.stored)).size) == file.size
  }

  /// Copies a photo, or reuses a stored copy with the same bytes.
  /// - Returns: the copy; nil if the photo was removed after the run listed it.
  private mutating func copyPhoto(
    _ path: String, _ status: FileSystem.Status
  ) throws(LogError) -> BackupManifest.File? {
    guard let bytes = try ifPresent(files.contents(of: backup.photos + "/" + path)) else {
      return nil
    }
    let hash = XXH64.hash(bytes, seed: 0)
    var file = BackupManifest.File(
      path: path, size: bytes.count, hash: hash, stored: path, identity: status.identity,
      changed: status.changed)
    // Another copy has the same bytes if the log was moved or if the photo was stored again.
    if let known = copies[path], known.size == bytes.count, known.hash == hash, isStored(known),
      (try? files.contents(of: photoPath(known.stored))) == bytes
    {
      file.stored = known.stored
    } else {
      // Takes an unused name, because the last finished backup still needs its own copy.
      var number = 1
      while storedNames.contains(file.stored) {
        number += 1
        file.stored = "\(path)~\(number)"
      }
      storedNames.insert(file.stored)
      try store(bytes, Self.photoFolder + "/" + file.stored)
    }
    try note(file)
    return file
  }

  /// Records a photo's copy in the file `progress`. If this run is interrupted, the next one finds
  /// it there.
  private func note(_ file: BackupManifest.File) throws(LogError) {
    let path = backup.folder + "/" + Self.progressName
    let isThere = (try? files.status(path)) != nil
    var notes = try FileWriter(path, files, isThere ? .append : .createNew)
    try notes.write(Array((JSONValue.object(file.members("photo")).text + "\n").utf8))
  }

  /// Returns the photo copies that an interrupted run recorded. Their bytes are on disk. Ignores a
  /// last record that is cut off.
  private func interruptedCopies() throws(LogError) -> [BackupManifest.File] {
    let path = backup.folder + "/" + Self.progressName
    let text = try ifPresent(files.contents(of: path)) ?? []
    return text.split(separator: 0x0a).compactMap { line in
      (try? JSONValue(object: line)).flatMap { BackupManifest.File($0, "photo") }
    }
  }

  // MARK: The end

  private mutating func commit() throws(LogError) {
    next.time = backup.environment.now()
    try io(files.syncDirectory(backup.folder))
    let path = backup.folder + "/" + BackupManifest.fileName
    try io(files.replace(path, in: backup.folder, next.text))
  }

  /// Removes copied files that the finished backup does not use. The next run retries failed
  /// removals.
  private func removeUnused(_ kept: Set<String>) {
    let (folder, photos) = (backup.folder, backup.folder + "/" + Self.photoFolder)
    try? files.remove(folder + "/" + Self.progressName)
    let used = [next.logFolder, "files-\(next.run)"]
    for name in (try? files.list(folder)) ?? []
    where (name.hasPrefix("log-") || name.hasPrefix("files-")) && !used.contains(name) {
      try? files.removeAll(folder + "/" + name)
    }
    for (path, _) in (try? files.tree(photos, skipping: { _ in false })) ?? []
    where !kept.contains(path) {
      let file = photos + "/" + path
      try? files.remove(file)
      if (try? files.list(parentDirectory(file))) == [] { try? files.remove(parentDirectory(file)) }
    }
  }

  /// Creates a folder in the backup and syncs its name. It also syncs the name of an existing
  /// folder, because a killed run may have created the folder without a sync.
  private mutating func makeDirectory(_ path: String) throws(LogError) {
    guard madeFolders.insert(path).inserted else { return }
    _ = try io(files.makeDirectoryIfMissing(path))
    try io(files.syncDirectory(parentDirectory(path)))
  }

  /// Writes a file's bytes to a path in the backup's folder, and creates the path's folders.
  private mutating func store(
    _ bytes: [UInt8], _ path: String, as mode: FileSystem.Mode = .createNew
  ) throws(LogError) {
    var folder = backup.folder
    for part in path.split(separator: "/").dropLast() {
      folder += "/" + part
      try makeDirectory(folder)
    }
    try io(files.replace(backup.folder + "/" + path, in: folder, bytes, as: mode))
  }
}

extension LogView.Segment {
  /// The segment's size in bytes, plus 1 if its last line has no line feed yet.
  fileprivate var wholeSize: Int { lacksLineFeed ? size + 1 : size }
}

extension LogView {
  /// Returns a range of a segment's bytes. If the segment's last line has no line feed yet, adds
  /// one at the segment's end.
  fileprivate func wholeBytes(_ index: Int, _ range: Range<Int>) throws(LogError) -> [UInt8] {
    let size = segments[index].size
    if range.upperBound <= size { return try bytes(index, range) }
    return try bytes(index, range.lowerBound..<size) + [0x0a]
  }
}
