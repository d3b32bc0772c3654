import Events

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The calls that a log makes to the operating system. A test can replace each of them, for example
/// so that the k-th call fails.
///
/// File descriptors are those of the operating system. Every call retries after EINTR, but after no
/// other error.
public struct FileSystem: Sendable {
  /// The way in which a file is opened. `Permissions` has the rule for the permissions of a new
  /// file.
  public enum Mode: Sendable {
    /// Opens a regular file for reading, a pipe for reading, a file for appending, a new file, or a
    /// lock file.
    case read, pipe, append, createNew, lock
    /// Opens like `createNew`, but writes bypass the system's cache if possible. Each write must
    /// then be whole 4 KiB blocks from aligned memory. Otherwise it may fail with EINVAL.
    case createUncached
    /// Opens like `createNew`; only the file's owner may read and write it, for any permissions of
    /// the folder.
    case createPrivate
  }

  /// The kind, size and identity of a file or folder.
  public struct Status: Sendable, Equatable {
    /// The kind of a file.
    public enum Kind: Sendable { case file, directory, other }
    /// The kind of the file: a regular file, a folder, or another kind.
    public var kind: Kind
    /// The size of the file in bytes.
    public var size: Int
    /// A number that changes if another file replaces this one at its path.
    public var identity: UInt64
    /// The time when the content last changed, in nanoseconds since 1970; 0 if unknown.
    public var changed: Int64

    /// Creates a status.
    public init(kind: Kind, size: Int, identity: UInt64, changed: Int64 = 0) {
      (self.kind, self.size, self.identity, self.changed) = (kind, size, identity, changed)
    }
  }

  /// Opens a file and returns its descriptor.
  public var open: @Sendable (_ path: String, Mode) throws(FileError) -> Int32
  /// Returns the status of a file or folder.
  public var status: @Sendable (_ path: String) throws(FileError) -> Status
  /// Returns whether the path is a symbolic link. `status` is that of the file to which it leads.
  public var isLink: @Sendable (_ path: String) -> Bool = { path in
    var byte: CChar = 0
    return readlink(path, &byte, 1) >= 0
  }
  /// Reads up to `count` bytes; returns 0 at the end of the file. Without an `offset` (for pipes),
  /// continues after the last read.
  public var read:
    @Sendable (Int32, UnsafeMutableRawPointer, Int, _ offset: Int?, _ path: String)
      throws(FileError) -> Int
  /// Writes some of the bytes and returns their number; it may be less than asked for.
  public var write:
    @Sendable (Int32, UnsafeRawPointer, Int, _ path: String)
      throws(FileError) -> Int
  /// Syncs a file's content to the disk.
  public var sync: @Sendable (Int32, _ path: String) throws(FileError) -> Void
  /// Truncates a file to a size in bytes.
  public var truncate: @Sendable (Int32, Int, _ path: String) throws(FileError) -> Void
  /// Closes a descriptor.
  public var close: @Sendable (Int32, _ path: String) throws(FileError) -> Void
  /// Returns the sorted names in a folder.
  public var list: @Sendable (_ path: String) throws(FileError) -> [String]
  /// Creates a folder, which only its owner may read, write and enter.
  public var makeDirectory: @Sendable (_ path: String) throws(FileError) -> Void
  /// Syncs a folder, so that its names are on the disk.
  public var syncDirectory: @Sendable (_ path: String) throws(FileError) -> Void
  /// Renames a file, and replaces a file of the new name.
  public var rename: @Sendable (_ from: String, _ to: String) throws(FileError) -> Void
  /// Removes a file or an empty folder.
  public var remove: @Sendable (_ path: String) throws(FileError) -> Void
  /// Takes the lock on an open lock file; returns false if another descriptor holds it.
  public var lock: @Sendable (Int32, _ path: String) throws(FileError) -> Bool
  /// Returns whether another descriptor holds the lock on an open lock file.
  public var isLocked: @Sendable (Int32, _ path: String) throws(FileError) -> Bool
}

extension FileError {
  /// The error for a file that was truncated or replaced during reading or writing.
  static func stale(_ call: String, _ path: String) -> FileError {
    FileError(call: call, path: path, code: ESTALE)
  }

  /// Whether the call failed because the file does not exist.
  public var isNotFound: Bool { code == ENOENT }
  /// Whether the file was truncated or replaced while it was read or written.
  var isStale: Bool { code == ESTALE }
  /// Whether the process lacks permission, or the file system is read-only.
  public var isDenied: Bool { code == EACCES || code == EPERM || code == EROFS }
  /// Whether the call failed because the file already exists.
  public var isExisting: Bool { code == EEXIST }
  /// Whether the system rejected an argument of the call.
  var isInvalid: Bool { code == EINVAL }
  /// Whether there was no space left on the disk, in the quota, or below the file-size limit.
  public var isFull: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }
}

/// Makes a system call and returns its result; retries on EINTR, and throws if the result is −1.
private func checked<T: FixedWidthInteger>(
  _ call: String, _ path: String, _ body: () -> T
) throws(FileError) -> T {
  while true {
    let result = body()
    if result != -1 { return result }
    if errno != EINTR { throw FileError(call: call, path: path, code: errno) }
  }
}

extension FileSystem {
  /// The operating system's calls.
  public static let posix = FileSystem(
    open: { (path, mode) throws(FileError) in
      switch mode {
      case .read:  // a FIFO must not hang the open
        return try checked("open", path) { systemOpen(path, O_RDONLY | O_NONBLOCK) }
      case .pipe: return try checked("open", path) { systemOpen(path, O_RDONLY) }
      case .append:
        return try checked("open", path) { systemOpen(path, O_RDWR | O_APPEND | O_NONBLOCK) }
      case .createNew, .createUncached, .createPrivate:
        let file = try checked("create", path) {
          createFile(path, O_RDWR | O_APPEND, isPrivate: mode == .createPrivate)
        }
        // If the file system refuses this, writes use the cache.
        if mode == .createUncached { passCache(file) }
        return file
      case .lock:
        return try checked("create", path) {
          // Another process may create or remove the file between the two calls.
          for _ in 0..<100 {
            let file = systemOpen(path, O_RDWR)
            if file != -1 || errno != ENOENT { return file }
            let created = createFile(path, O_RDWR, isPrivate: false)
            if created != -1 || errno != EEXIST { return created }
          }
          return -1
        }
      }
    },
    status: { (path) throws(FileError) in
      var info = stat()
      _ = try checked("stat", path) { stat(path, &info) }
      let kind: Status.Kind =
        switch info.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .directory
        default: .other
        }
      let identity = UInt64(info.st_ino) ^ UInt64(truncatingIfNeeded: info.st_dev) << 48
      return Status(
        kind: kind, size: Int(info.st_size), identity: identity, changed: changeTime(of: info))
    },
    read: { (file, target, count, offset, path) throws(FileError) in
      try checked("read", path) {
        if let offset {
          pread(file, target, count, off_t(offset))
        } else {
          systemRead(file, target, count)
        }
      }
    },
    write: { (file, source, count, path) throws(FileError) in
      try checked("write", path) { systemWrite(file, source, count) }
    },
    sync: { (file, path) throws(FileError) in
      #if canImport(Darwin)
        _ = try checked("fsync", path) { fcntl(file, F_FULLFSYNC) }
      #else
        _ = try checked("fdatasync", path) { fdatasync(file) }
      #endif
    },
    truncate: { (file, size, path) throws(FileError) in
      _ = try checked("ftruncate", path) { ftruncate(file, off_t(size)) }
    },
    close: { (file, path) throws(FileError) in
      // After EINTR on Linux the descriptor is gone; closing it again could close another file.
      if systemClose(file) == -1, errno != EINTR {
        throw FileError(call: "close", path: path, code: errno)
      }
    },
    list: { (path) throws(FileError) in try listDirectory(path) },
    makeDirectory: { (path) throws(FileError) in
      _ = try checked("mkdir", path) { mkdir(path, Permissions.folder) }
    },
    syncDirectory: { (path) throws(FileError) in
      let file = try checked("open", path) { openDirectory(path) }
      defer { _ = systemClose(file) }
      _ = try checked("fsync", path) { fsync(file) }
    },
    rename: { (from, to) throws(FileError) in
      _ = try checked("rename", from) { systemRename(from, to) }
    },
    remove: { (path) throws(FileError) in _ = try checked("remove", path) { systemRemove(path) } },
    lock: { (file, path) throws(FileError) in
      // While another thread starts a process, that process briefly has a copy of every descriptor,
      // and so keeps a lock that was just released. Retrying waits for that.
      for attempt in 0..<20 {
        if attempt > 0 { usleep(5_000) }
        var region = wholeFile()
        do throws(FileError) {
          _ = try checked("lock", path) { fcntl(file, lockCommand, &region) }
          return true
        } catch {
          if error.code != EAGAIN, error.code != EACCES { throw error }
        }
      }
      return false
    },
    isLocked: { (file, path) throws(FileError) in
      var region = wholeFile()
      region.l_type = Int16(F_RDLCK)
      _ = try checked("lock", path) { fcntl(file, lockTestCommand, &region) }
      return region.l_type != Int16(F_UNLCK)
    })
}

// These locks belong to an open file description (POSIX 2024), not to a process. Two writers within
// one process therefore exclude each other too, and testing for a lock does not take it.
#if canImport(Darwin)
  private let lockCommand: Int32 = 90  // F_OFD_SETLK, not in the headers' Swift view
  private let lockTestCommand: Int32 = 92  // F_OFD_GETLK
#else
  private let lockCommand: Int32 = 37  // F_OFD_SETLK
  private let lockTestCommand: Int32 = 36  // F_OFD_GETLK
#endif

/// Makes writes to a file bypass the system's cache, if the file system can.
private func passCache(_ file: Int32) {
  #if canImport(Darwin)
    _ = fcntl(file, F_NOCACHE, 1)
  #else
    // O_DIRECT, which the headers' Swift view lacks.
    #if arch(arm64)
      let direct: Int32 = 0o200000
    #else
      let direct: Int32 = 0o40000
    #endif
    _ = fcntl(file, F_SETFL, fcntl(file, F_GETFL) | direct)
  #endif
}

private func wholeFile() -> flock {
  var region = flock()
  region.l_type = Int16(F_WRLCK)
  region.l_whence = Int16(SEEK_SET)
  return region
}

private func listDirectory(_ path: String) throws(FileError) -> [String] {
  guard let directory = opendir(path) else {
    throw FileError(call: "opendir", path: path, code: errno)
  }
  defer { closedir(directory) }
  var names: [String] = []
  while let entry = readdir(directory) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if name != "." && name != ".." { names.append(name) }
  }
  return names.sorted()
}

/// Returns the time of the last change in nanoseconds since 1970. A time beyond 64 bits wraps and
/// never traps.
private func changeTime(of info: stat) -> Int64 {
  #if canImport(Darwin)
    let time = info.st_mtimespec
  #else
    let time = info.st_mtim
  #endif
  return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
}

private func openDirectory(_ path: String) -> Int32 { open(path, O_RDONLY | O_CLOEXEC) }
private func systemRead(_ file: Int32, _ to: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(file, to, count)
}
private func systemWrite(_ file: Int32, _ from: UnsafeRawPointer, _ count: Int) -> Int {
  write(file, from, count)
}
private func systemClose(_ file: Int32) -> Int32 { close(file) }
private func systemRemove(_ path: String) -> Int32 { remove(path) }
private func systemRename(_ from: String, _ to: String) -> Int32 { rename(from, to) }

/// Returns the system clock's time, to the millisecond.
public func systemTime() -> Timestamp {
  var now = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
  return Timestamp(milliseconds: Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000)
}

/// Returns the name of this process for the lock file: `pid 4711 on host`.
func processDescription() -> String {
  var name = [CChar](repeating: 0, count: 256)
  gethostname(&name, 255)
  let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  return "pid \(getpid()) on \(printable(host))"
}

extension FileSystem {
  /// Writes all bytes to a file, with as many system calls as needed.
  /// - Throws: the error of a failed call; EIO if a call writes nothing.
  func writeAll(_ bytes: UnsafeRawBufferPointer, to file: Int32, _ path: String) throws(FileError) {
    guard let base = bytes.baseAddress else { return }
    var done = 0
    while done < bytes.count {
      let taken = try write(file, base + done, bytes.count - done, path)
      guard taken > 0 else { throw FileError(call: "write", path: path, code: 5) }  // EIO
      done += taken
    }
  }
}
