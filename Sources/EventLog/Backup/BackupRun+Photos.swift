import Events

/// Copying photos.
extension BackupRun {
  /// Copies photos that are new or changed, of all that are there now.
  mutating func copyPhotos(_ progress: (String, Int) -> Void) throws(BackupError) {
    let found = try storing { () throws(FileError) in
      try files.tree(backup.photos, skipping: { $0.hasSuffix(".tmp") })
    }
    for (path, status) in found {
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

  func isStored(_ file: BackupManifest.File) -> Bool {
    let path = backup.folder + "/" + Self.photoFolder + "/" + file.stored
    return (try? files.status(path).size) == file.size
  }

  /// - Returns: nil if the photo was removed since it was listed.
  mutating func copyPhoto(
    _ path: String, _ status: FileSystem.Status
  ) throws(BackupError) -> BackupManifest.File? {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try files.contents(of: backup.photos + "/" + path)
    } catch {
      if error.isNotFound { return nil }
      throw .log(.file(error))
    }
    let hash = XXH64.hash(bytes, seed: 0)
    var file = BackupManifest.File(
      path: path, size: bytes.count, hash: hash, stored: path, identity: status.identity,
      changed: status.changed)
    // The same bytes in another file: the log was moved, or the photo stored again.
    if let known = copies[path], known.size == bytes.count, known.hash == hash, isStored(known),
      (try? files.contents(of: backup.folder + "/" + Self.photoFolder + "/" + known.stored))
        == bytes
    {
      file.stored = known.stored
      try note(file)
      return file
    }
    // The last finished backup keeps its own copy.
    var number = 1
    while storedNames.contains(file.stored) {
      number += 1
      file.stored = "\(path)~\(number)"
    }
    storedNames.insert(file.stored)
    let target = backup.folder + "/" + Self.photoFolder + "/" + file.stored
    try makeDirectories(Self.photoFolder + "/" + file.stored)
    try storing { () throws(FileError) in
      try files.replace(target, in: parentDirectory(target), bytes)
    }
    try note(file)
    return file
  }

  /// Notes a copy, so that a run after an interrupted one finds it.
  func note(_ file: BackupManifest.File) throws(BackupError) {
    let path = backup.folder + "/" + Self.progressName
    let line = JSONValue.object(file.members("photo")).text + "\n"
    let isThere = (try? files.status(path)) != nil
    try storing { () throws(FileError) in
      let open = try files.open(path, isThere ? .append : .createNew)
      defer { try? files.close(open, path) }
      try files.writeAll(Array(line.utf8), to: open, path)
    }
  }

  /// The copies of an interrupted run. Their photos are on the disk; the notes may be cut off.
  func interruptedCopies() throws(BackupError) -> [BackupManifest.File] {
    let text: [UInt8]
    do throws(FileError) {
      text = try files.contents(of: backup.folder + "/" + Self.progressName)
    } catch {
      if error.isNotFound { return [] }
      throw .log(.file(error))
    }
    return text.split(separator: 0x0a).compactMap { line in
      (try? JSONValue(object: line)).flatMap { BackupManifest.File($0, "photo") }
    }
  }
}
