import Events

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The calls that a log makes to the operating system, each replaceable, so that a test can make
/// the k-th call fail.
///
/// Descriptors are the system's. Every call retries after EINTR and after nothing else.
public struct FileSystem: Sendable {
  public enum Mode: Sendable {
    case read, pipe, append, createNew, lock
    /// As `createNew`, but what is written goes past the system's cache where that is possible: in
    /// whole blocks of 4 KiB, from memory that begins at one. A write may fail with EINVAL then.
    case createUncached
  }

  public struct Status: Sendable, Equatable {
    public enum Kind: Sendable { case file, directory, other }
    public var kind: Kind
    public var size: Int
    /// Differs between a file and one that replaces it.
    public var identity: UInt64
    /// When its content was last changed, in nanoseconds since 1970; 0 if that is not known.
    public var changed: Int64

    public init(kind: Kind, size: Int, identity: UInt64, changed: Int64 = 0) {
      (self.kind, self.size, self.identity, self.changed) = (kind, size, identity, changed)
    }
  }

  public var open: @Sendable (_ path: String, Mode) throws(FileError) -> Int32
  public var status: @Sendable (_ path: String) throws(FileError) -> Status
  /// Reads up to `count` bytes; 0 at the end of the file. `offset` nil reads on (pipes).
  public var read:
    @Sendable (Int32, UnsafeMutableRawPointer, Int, _ offset: Int?, _ path: String)
      throws(FileError) -> Int
  /// May write less than asked.
  public var write:
    @Sendable (Int32, UnsafeRawPointer, Int, _ path: String)
      throws(FileError) -> Int
  public var sync: @Sendable (Int32, _ path: String) throws(FileError) -> Void
  public var truncate: @Sendable (Int32, Int, _ path: String) throws(FileError) -> Void
  public var close: @Sendable (Int32, _ path: String) throws(FileError) -> Void
  public var list: @Sendable (_ path: String) throws(FileError) -> [String]
  public var makeDirectory: @Sendable (_ path: String) throws(FileError) -> Void
  public var syncDirectory: @Sendable (_ path: String) throws(FileError) -> Void
  public var rename: @Sendable (_ from: String, _ to: String) throws(FileError) -> Void
  /// Removes a file, or a folder that is empty.
  public var remove: @Sendable (_ path: String) throws(FileError) -> Void
  /// Takes the lock on an open lock file; false if another has it.
  public var lock: @Sendable (Int32, _ path: String) throws(FileError) -> Bool
  /// Whether somebody else has the lock.
  public var isLocked: @Sendable (Int32, _ path: String) throws(FileError) -> Bool
}

extension FileError {
  /// The error for a file that was truncated or replaced while it was read or written.
  static func stale(_ call: String, _ path: String) -> FileError {
    FileError(call: call, path: path, code: ESTALE)
  }

  public var isNotFound: Bool { code == ENOENT }
  /// Whether a file was truncated or replaced while it was read.
  var isStale: Bool { code == ESTALE }
  public var isDenied: Bool { code == EACCES || code == EPERM || code == EROFS }
  public var isExisting: Bool { code == EEXIST }
  /// What was asked for makes no sense there.
  var isInvalid: Bool { code == EINVAL }
  /// No room: the disk, the quota or the file-size limit.
  public var isFull: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }
}

/// The call's result, retried on EINTR; −1 is an error.
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
  /// The operating system's own.
  public static let posix = FileSystem(
    open: { (path, mode) throws(FileError) in
      let flags: Int32 =
        switch mode {
        case .read: O_RDONLY | O_NONBLOCK  // a FIFO must not hang the open
        case .pipe: O_RDONLY
        case .append: O_RDWR | O_APPEND | O_NONBLOCK
        case .createNew, .createUncached: O_RDWR | O_APPEND | O_CREAT | O_EXCL
        case .lock: O_RDWR | O_CREAT
        }
      let file = try checked("open", path) {
        #if canImport(Darwin)
          Darwin.open(path, flags | O_CLOEXEC, 0o644)
        #elseif canImport(Musl)
          Musl.open(path, flags | O_CLOEXEC, 0o644)
        #else
          Glibc.open(path, flags | O_CLOEXEC, 0o644)
        #endif
      }
      // Where it is refused, the cache is used.
      if mode == .createUncached { passCache(file) }
      return file
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
      // After EINTR the descriptor is gone on Linux: closing again could close someone else's.
      if systemClose(file) == -1, errno != EINTR {
        throw FileError(call: "close", path: path, code: errno)
      }
    },
    list: { (path) throws(FileError) in try listDirectory(path) },
    makeDirectory: { (path) throws(FileError) in
      _ = try checked("mkdir", path) { mkdir(path, 0o755) }
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
      // While another thread starts a process, that process has a copy of every descriptor until
      // its program runs, and so still has a lock that was just released: that passes in a moment.
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

// These locks belong to the open file description (POSIX 2024), not to the process: two writers
// within one process exclude each other too, and testing does not take the lock.
#if canImport(Darwin)
  private let lockCommand: Int32 = 90  // F_OFD_SETLK, not in the headers' Swift view
  private let lockTestCommand: Int32 = 92  // F_OFD_GETLK
#else
  private let lockCommand: Int32 = 37  // F_OFD_SETLK
  private let lockTestCommand: Int32 = 36  // F_OFD_GETLK
#endif

/// Has what is written to a file go past the system's cache, if the file system can.
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

/// Nanoseconds since 1970; a time that 64 bits do not hold wraps, and never traps.
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

/// The system's clock, to the millisecond.
public func systemTime() -> Timestamp {
  var now = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
  return Timestamp(milliseconds: Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000)
}

/// The process that runs this, for the lock file: `pid 4711 on host`.
func processDescription() -> String {
  var name = [CChar](repeating: 0, count: 256)
  gethostname(&name, 255)
  let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  return "pid \(getpid()) on \(printable(host))"
}
