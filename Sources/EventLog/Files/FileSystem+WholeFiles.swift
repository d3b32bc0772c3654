import Events

/// Calls the operating system, and turns its error into one of the log.
func io<T>(_ call: @autoclosure () throws(FileError) -> T) throws(LogError) -> T {
  do throws(FileError) {
    return try call()
  } catch {
    throw .file(error)
  }
}

/// Calls the operating system as `io` does.
/// - Returns: nil if the file does not exist.
@discardableResult
func ifPresent<T>(_ call: @autoclosure () throws(FileError) -> T) throws(LogError) -> T? {
  do throws(FileError) {
    return try call()
  } catch {
    if error.isNotFound { return nil }
    throw .file(error)
  }
}

/// A file that is being written: `end` syncs it. It is closed in any case.
struct FileWriter: ~Copyable {
  let path: String
  private let files: FileSystem
  private var file: Int32?
  /// The number of bytes written.
  private(set) var size = 0

  init(_ path: String, _ files: FileSystem, _ mode: FileSystem.Mode = .createNew) throws(LogError) {
    (self.path, self.files) = (path, files)
    file = try io(files.open(path, mode))
  }

  deinit { if let file { try? files.close(file, path) } }

  mutating func write(_ bytes: [UInt8]) throws(LogError) {
    guard let file else { return }
    try io(files.writeAll(bytes, to: file, path))
    size += bytes.count
  }

  mutating func end() throws(LogError) {
    guard let open = file else { return }
    try io(files.sync(open, path))
    file = nil
    try io(files.close(open, path))
  }
}

/// Reading and writing whole files.
extension FileSystem {
  /// Reads bytes of a file, with as many calls as it takes.
  /// - Returns: how many were read; fewer than asked for if the file ends earlier.
  func readAll(
    _ file: Int32, into target: UnsafeMutableRawPointer, _ count: Int, at offset: Int,
    _ path: String
  ) throws(FileError) -> Int {
    var done = 0
    while done < count {
      let got = try read(file, target + done, count - done, offset + done, path)
      if got == 0 { break }
      done += got
    }
    return done
  }

  /// The bytes of an open file in a range; fewer if the file ends earlier.
  func bytes(_ file: Int32, _ range: Range<Int>, _ path: String) throws(FileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    let count = try bytes.withUnsafeMutableBufferPointer { (raw) throws(FileError) in
      guard let base = raw.baseAddress else { return 0 }
      return try readAll(file, into: base, raw.count, at: range.lowerBound, path)
    }
    return Array(bytes.prefix(count))
  }

  /// The bytes of a file, at most `limit`.
  package func contents(of path: String, limit: Int = .max) throws(FileError) -> [UInt8] {
    let size = min(try status(path).size, limit)
    let file = try open(path, .read)
    defer { try? close(file, path) }
    return try bytes(file, 0..<size, path)
  }

  /// Writes all bytes, with as many calls as it takes.
  /// - Throws: what writing throws; EIO if a call writes nothing.
  func writeAll(_ bytes: UnsafeRawBufferPointer, to file: Int32, _ path: String) throws(FileError) {
    guard let base = bytes.baseAddress else { return }
    var done = 0
    while done < bytes.count {
      let taken = try write(file, base + done, bytes.count - done, path)
      guard taken > 0 else { throw FileError(call: "write", path: path, code: 5) }  // EIO
      done += taken
    }
  }

  package func writeAll(_ bytes: [UInt8], to file: Int32, _ path: String) throws(FileError) {
    try bytes.withUnsafeBufferPointer { (raw) throws(FileError) in
      try writeAll(UnsafeRawBufferPointer(raw), to: file, path)
    }
  }

  /// Makes a folder if there is none.
  /// - Returns: whether there was none.
  func makeDirectoryIfMissing(_ path: String) throws(FileError) -> Bool {
    do throws(FileError) {
      try makeDirectory(path)
      return true
    } catch {
      if error.isExisting { return false }
      throw error
    }
  }

  /// Removes a file, or a folder and all that is in it.
  package func removeAll(_ path: String) throws(FileError) {
    if try status(path).kind == .directory {
      for name in try list(path) { try removeAll(path + "/" + name) }
    }
    try remove(path)
  }

  /// Replaces a file atomically: readers see the old content or all of the new, even if the process
  /// or the power fails.
  ///
  /// The content is written under the name `temporary`, synced and renamed, and the folder synced.
  /// - Parameter write: writes to the open file of that name.
  /// - Throws: the first call that failed. The old file is then unchanged, and `temporary` is
  ///   removed if possible.
  func replace(
    _ path: String, in folder: String, by temporary: String,
    _ write: (Int32) throws(FileError) -> Void
  ) throws(FileError) {
    let file = try open(temporary, .createNew)
    do throws(FileError) {
      do throws(FileError) {
        try write(file)
        try sync(file, temporary)
      } catch {
        try? close(file, temporary)
        throw error
      }
      try close(file, temporary)
      try rename(temporary, path)
    } catch {
      try? remove(temporary)
      throw error
    }
    try syncDirectory(folder)
  }

  /// Replaces a file with these bytes, atomically; a leftover of an earlier try is removed.
  public func replace(_ path: String, in folder: String, _ bytes: [UInt8]) throws(FileError) {
    let temporary = path + ".tmp"
    do throws(FileError) {
      try remove(temporary)
    } catch {
      if !error.isNotFound { throw error }
    }
    try replace(path, in: folder, by: temporary) { (file) throws(FileError) in
      try writeAll(bytes, to: file, temporary)
    }
  }

  /// The regular files in a folder and in its folders, by their paths from there; none if there is
  /// no such folder. Of a file it is that file, with an empty path.
  /// - Parameter isLeftOut: gets the name of each file.
  package func tree(
    _ root: String, skipping isLeftOut: (String) -> Bool
  ) throws(FileError) -> [(path: String, status: Status)] {
    var found: [(path: String, status: Status)] = []
    var open: [(path: String, depth: Int)] = [("", 0)]
    while let (path, depth) = open.popLast() {
      let whole = path.isEmpty ? root : root + "/" + path
      do throws(FileError) {
        let status = try status(whole)
        switch status.kind {
        case .file: found.append((path, status))
        case .directory where depth < 16:
          for name in try list(whole).reversed() where !isLeftOut(name) {
            open.append((path.isEmpty ? name : path + "/" + name, depth + 1))
          }
        case .directory, .other: break
        }
      } catch {
        // Removed since it was listed.
        if !error.isNotFound { throw error }
      }
    }
    return found
  }
}
