import Events

/// One run of a backup: what it has copied so far.
///
/// The order makes the backup consistent. The run lists and copies photos, copies the files beside
/// the segments, and only then takes the log's end. A photo that is not in that listing is not
/// named by the copied events either: it was removed after an event that the run has. Photos that
/// came meanwhile are listed and copied after that, so a photo can only be missing if it came
/// and went within the run; then the run takes the log's end again.
struct BackupRun {
  static let photoFolder = "photos"
  static let progressName = "progress"
  /// How many times the run takes the log's end.
  private static let mostRounds = 4

  let backup: Backup
  let last: BackupManifest?
  var next = BackupManifest()
  /// Copies by their paths among the photos: of the last backup, and of an interrupted run.
  var copies: [String: BackupManifest.File]
  var storedNames: Set<String>
  var madeFolders: Set<String> = []
  var newPhotos = 0
  var done = 0

  var files: FileSystem { backup.files }

  init(_ backup: Backup, _ last: BackupManifest?) throws(BackupError) {
    (self.backup, self.last) = (backup, last)
    copies = last?.photos ?? [:]
    next.run = (last?.run ?? 0) + 1
    storedNames = Set(copies.values.map(\.stored))
    for file in try interruptedCopies() {
      copies[file.path] = file
      storedNames.insert(file.stored)
    }
  }

  /// Copies all that is new and replaces the manifest.
  mutating func finish(
    _ progress: (String, Int) -> Void
  ) throws(BackupError) -> Backup.Report {
    let before = try backingUp { () throws(LogError) in
      try LogView(path: backup.log, files: files).head().seq
    }
    let (firstNew, wasRewritten) = try chooseFolder()
    try copyPhotos(progress)
    var missing: [String] = []
    for round in 1...Self.mostRounds {
      let stamps = try copySides()
      let view = try backingUp { () throws(LogError) in
        try LogView(path: backup.log, files: files)
      }
      try checkLedger(view)
      try copyPhotos(progress)
      try copySegments(view, progress)
      missing = try checkEvents(view, after: firstNew, photosAfter: before)
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

  /// Chooses the folder for the segments: the last one, or a new one if the log was rewritten.
  /// - Returns: the last event that the folder has, and whether the log was rewritten.
  /// - Throws: `.otherLog`.
  private mutating func chooseFolder() throws(BackupError) -> (first: UInt64, Bool) {
    let view = try backingUp { () throws(LogError) in
      try LogView(path: backup.log, files: files)
    }
    let ledger = try backingUp { () throws(LogError) in try view.rewritings() }
    next.rewritings = ledger.entries.count
    guard let last else { return (0, false) }
    next.logFolder = last.logFolder
    if ledger.entries.count < last.rewritings {
      throw .otherLog(
        path: backup.folder, reason: "the log was rewritten fewer times than the backup says")
    }
    let (head, there) = try backingUp { () throws(LogError) in
      let head = try view.head()
      return (head.seq, last.head <= head.seq ? try view.head(at: last.head).sum : nil)
    }
    guard let there else {
      throw .otherLog(
        path: backup.folder,
        reason: "it has \(last.head) events and the log only \(head)")
    }
    let isRewritten = ledger.entries.count > last.rewritings
    if !isRewritten, there == last.sum { return (last.head, false) }
    guard isRewritten else {
      throw .otherLog(path: backup.folder, reason: "event \(last.head) is another one")
    }
    let number = Int(last.logFolder.dropFirst("log-".count)) ?? 0
    next.logFolder = "log-\(number + 1)"
    return (0, true)
  }

  /// - Throws: `.rewritten` if the log was rewritten since the folder was chosen.
  private func checkLedger(_ view: LogView) throws(BackupError) {
    let count = try backingUp { () throws(LogError) in try view.rewritings().entries.count }
    if count != next.rewritings { throw .log(.rewritten(path: backup.log)) }
  }

  private mutating func copySegments(
    _ view: LogView, _ progress: (String, Int) -> Void
  ) throws(BackupError) {
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
      next.segments.append(.init(name: name, size: segment.wholeSize))
    }
    let wanted = Set(next.segments.map(\.name))
    try storing { () throws(FileError) in
      for name in try files.list(folder) where !wanted.contains(name) {
        try files.remove(folder + "/" + name)
      }
      try files.syncDirectory(folder)
    }
    let head = try backingUp { () throws(LogError) in try view.head() }
    (next.head, next.sum) = (head.seq, head.sum)
  }

  /// Makes a copy of a segment as long as the segment.
  /// - Parameter trusted: the bytes that a finished backup has; later ones are compared.
  private mutating func extend(
    _ path: String, _ view: LogView, _ index: Int, trusted: Int,
    _ progress: (String, Int) -> Void
  ) throws(BackupError) {
    let size = view.segments[index].wholeSize
    let isThere = (try? files.status(path)) != nil
    let file = try storing { () throws(FileError) in
      try files.open(path, isThere ? .append : .createNew)
    }
    defer { try? files.close(file, path) }
    let have = try storing { () throws(FileError) in try files.status(path).size }
    var at = min(trusted, have, size)
    while at < min(have, size) {
      let end = min(at + Self.piece, have, size)
      let ours = try storing { () throws(FileError) in try read(file, path, at..<end) }
      let theirs = try backingUp { () throws(LogError) in try view.wholeBytes(index, at..<end) }
      if ours != theirs { break }
      at = end
    }
    if at == size, have == size { return }
    try storing { () throws(FileError) in
      if have > at { try files.truncate(file, at, path) }
    }
    while at < size {
      let end = min(at + Self.piece, size)
      let bytes = try backingUp { () throws(LogError) in try view.wholeBytes(index, at..<end) }
      try storing { () throws(FileError) in try files.writeAll(bytes, to: file, path) }
      done += bytes.count
      at = end
      progress("events", done)
    }
    try storing { () throws(FileError) in try files.sync(file, path) }
  }

  static let piece = 1 << 20

  private func read(
    _ file: Int32, _ path: String, _ range: Range<Int>
  ) throws(FileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    let count = try bytes.withUnsafeMutableBufferPointer { (raw) throws(FileError) in
      guard let base = raw.baseAddress else { return 0 }
      return try files.readAll(file, into: base, raw.count, at: range.lowerBound, path)
    }
    return Array(bytes.prefix(count))
  }

  /// Checks the copied events, and looks for the photos that the newest name.
  /// - Parameters:
  ///   - first: events up to this one were checked by an earlier run.
  ///   - start: photos of events up to this one were there when the run listed photos.
  /// - Returns: named photos that have no copy.
  private func checkEvents(
    _ view: LogView, after first: UInt64, photosAfter start: UInt64
  ) throws(BackupError) -> [String] {
    var named: [PhotoSubject: String] = [:]
    try backingUp { () throws(LogError) in
      var names = Names()
      try view.forEachPhotoEvent(after: first, &names) { event, moment, _ in
        guard moment.seq > start, let (subject, path) = event.namedPhoto else { return }
        named[subject] = path
      }
    }
    return named.values.filter { next.photos[$0] == nil }.sorted()
  }

  // MARK: The end

  private mutating func commit() throws(BackupError) {
    next.time = backup.environment.now()
    try storing { () throws(FileError) in
      try files.syncDirectory(backup.folder)
      try files.replace(
        backup.folder + "/" + BackupManifest.fileName, in: backup.folder, next.text)
    }
  }

  /// Removes copies that the finished backup does not have. What cannot be removed is removed by
  /// the next run.
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
      if (try? files.list(parentDirectory(file))) == [] {
        try? files.remove(parentDirectory(file))
      }
    }
  }

  /// Makes a folder, and has its name on the disk: a run that was killed may have made it.
  mutating func makeDirectory(_ path: String) throws(BackupError) {
    guard madeFolders.insert(path).inserted else { return }
    do throws(FileError) {
      try files.makeDirectory(path)
    } catch {
      if !error.isExisting { throw .log(.file(error)) }
    }
    try storing { () throws(FileError) in try files.syncDirectory(parentDirectory(path)) }
  }

  /// Makes the folders that a path in the backup's folder is in.
  mutating func makeDirectories(_ path: String) throws(BackupError) {
    var folder = backup.folder
    for part in path.split(separator: "/").dropLast() {
      folder += "/" + part
      try makeDirectory(folder)
    }
  }
}

extension LogView.Segment {
  /// The size with the line feed that the last line may lack.
  fileprivate var wholeSize: Int { lacksLineFeed ? size + 1 : size }
}

extension LogView {
  /// Bytes of a segment; a line feed that the last line lacks is there.
  fileprivate func wholeBytes(_ index: Int, _ range: Range<Int>) throws(LogError) -> [UInt8] {
    let size = segments[index].size
    if range.upperBound <= size { return try bytes(index, range) }
    return try bytes(index, range.lowerBound..<size) + [0x0a]
  }
}
