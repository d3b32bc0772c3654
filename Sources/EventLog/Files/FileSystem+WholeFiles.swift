import Events

/// Makes a system call, and throws its error as a `LogError`.
func io<T>(_ call: @autoclosure () throws(FileError) -> T) throws(LogError) -> T {
  do throws(FileError) {
    return try call()
  } catch {
    throw .file(error)
  }
}

/// Makes a system call like `io`; returns nil if the file does not exist.
@discardableResult
func ifPresent<T>(_ call: @autoclosure () throws(FileError) -> T) throws(LogError) -> T? {
  do throws(FileError) {
    return try ifFound(try call())
  } catch {
    throw .file(error)
  }
}

/// Makes a system call; returns nil if the file does not exist.
@discardableResult
package func ifFound<T>(
  _ call: @autoclosure () throws(FileError) -> T
) throws(FileError) -> T? {
  do throws(FileError) {
    return try call()
  } catch {
    if error.isNotFound { return nil }
    throw error
  }
}

/// A file that is being written. `end` syncs and closes it. Without `end`, it is closed without a
/// sync.
struct FileWriter: ~Copyable {
  let path: String
  private let files: FileSystem
  private var file: Int32?
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

extension FileSystem {
  /// Reads bytes of a file into memory, with as many system calls as needed.
  /// - Returns: the number of bytes read; less than `count` if the file ends earlier.
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

  /// Returns the bytes of an open file in a range of offsets; fewer if the file ends earlier.
  package func bytes(
    _ file: Int32, _ range: Range<Int>, _ path: String
  ) throws(FileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    let count = try bytes.withUnsafeMutableBufferPointer { (raw) throws(FileError) in
      guard let base = raw.baseAddress else { return 0 }
      return try readAll(file, into: base, raw.count, at: range.lowerBound, path)
    }
    return Array(bytes.prefix(count))
  }

  /// Returns a file's bytes, at most the first `limit`.
  package func contents(of path: String, limit: Int = .max) throws(FileError) -> [UInt8] {
    let size = min(try status(path).size, limit)
    let file = try open(path, .read)
    defer { try? close(file, path) }
    return try bytes(file, 0..<size, path)
  }

  package func writeAll(_ bytes: [UInt8], to file: Int32, _ path: String) throws(FileError) {
    try bytes.withUnsafeBufferPointer { (raw) throws(FileError) in
      try writeAll(UnsafeRawBufferPointer(raw), to: file, path)
    }
  }

  /// Creates a folder if it does not exist; returns whether it was created.
  package func makeDirectoryIfMissing(_ path: String) throws(FileError) -> Bool {
    do throws(FileError) {
      try makeDirectory(path)
      return true
    } catch {
      if error.isExisting { return false }
      throw error
    }
  }

  /// Removes a file, or a folder with its contents.
  package func removeAll(_ path: String) throws(FileError) {
    if !isLink(path), try status(path).kind == .directory {
      for name in try list(path) { try removeAll(path + "/" + name) }
    }
    try remove(path)
  }

  /// Replaces a file atomically: readers see either the complete old content or the complete new
  /// content, even if the process or the power fails.
  ///
  /// It writes the content to `temporary`, syncs and renames that file, and syncs the folder.
  /// - Parameter write: writes to the open temporary file.
  /// - Throws: the first error. The old file is then unchanged, and `temporary` removed if
  ///   possible.
  func replace(
    _ path: String, in folder: String, by temporary: String, as mode: Mode = .createNew,
    _ write: (Int32) throws(FileError) -> Void
  ) throws(FileError) {
    let file = try open(temporary, mode)
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

  /// Replaces a file's content with these bytes atomically. Removes the temporary file of an
  /// interrupted attempt first. `mode` is the way in which it creates the new file.
  public func replace(
    _ path: String, in folder: String, _ bytes: [UInt8], as mode: Mode = .createNew
  ) throws(FileError) {
    let temporary = path + ".tmp"
    try ifFound(try remove(temporary))
    try replace(path, in: folder, by: temporary, as: mode) { (file) throws(FileError) in
      try writeAll(bytes, to: file, temporary)
    }
  }

  /// Returns the regular files in a folder and its subfolders, with their paths relative to the
  /// folder. Returns none if the folder does not exist. If `root` is a file, returns that file with
  /// an empty path.
  /// - Parameter isLeftOut: receives the name of each file and subfolder; returns whether to skip
  ///   it.
  package func tree(
    _ root: String, skipping isLeftOut: (String) -> Bool
  ) throws(FileError) -> [(path: String, status: Status)] {
    var found: [(path: String, status: Status)] = []
    var open: [(path: String, depth: Int)] = [("", 0)]
    while let (path, depth) = open.popLast() {
      let whole = path.isEmpty ? root : root + "/" + path
      if !path.isEmpty, isLink(whole) { continue }
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
        // The file was removed after it was listed.
        if !error.isNotFound { throw error }
      }
    }
    return found
  }
}
