import EventLog
import Events
import PostgreSQL

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension Invocation {
  /// The log to append to; a clone with what others have appended by now.
  func openLogForWriting() async throws(Failure) -> FileLog {
    let path = try writePath()
    guard let remote = try remote(of: path) else {
      return try failing { () throws(LogError) in try FileLog(path: path) }
    }
    return try await asking { () throws(LogError) in try await .open(clone: path, of: remote) }
  }

  /// The log that a folder is a clone of; nil if it is none.
  func remote(of path: String) throws(Failure) -> (any RemoteLog)? {
    let address = try failing { () throws(LogError) in try Clone.address(of: path) }
    guard let address else { return nil }
    return try openRemote(address)
  }

  /// Where `--log` or `$EVENTLOG` is the address of a shared log, a clone in the user's cache takes
  /// its place, made or brought up to date now.
  func withCachedClone() async throws(Failure) -> Invocation {
    guard command.options.contains(where: { $0.name == Option.log.name }),
      let address = value("--log") ?? environment("EVENTLOG"), isRemoteAddress(address)
    else { return self }
    let folder =
      try cacheFolder() + "/" + XXH64.hash(Array(address.utf8), seed: 0).padded(to: 16, radix: 16)
    let remote = try openRemote(address)
    if (try failing { () throws(LogError) in try Clone.address(of: folder) }) == nil {
      try await cloned(remote, address, folder)
    } else {
      do throws(LogError) {
        _ = try await FileLog.open(clone: folder, of: remote)
      } catch {
        // Another command has it open, and keeps it up to date.
        guard case .locked = error else { throw Failure(error) }
      }
    }
    var copy = self
    copy.options["--log"] = [folder]
    return copy
  }

  private func cacheFolder() throws(Failure) -> String {
    let base = environment("XDG_CACHE_HOME") ?? environment("HOME").map { $0 + "/.cache" }
    guard let base, base.hasPrefix("/") else {
      throw .usage("the clone of a shared log needs a cache folder: set HOME or XDG_CACHE_HOME")
    }
    var path = base
    for part in ["", "/eventlog", "/clones"] {
      path += part
      do throws(FileError) {
        try FileSystem.posix.makeDirectory(path)
      } catch {
        if !error.isExisting { throw Failure(.cannotCreate, "\(error)") }
      }
    }
    return path
  }
}

/// Makes a clone in a new folder.
func cloned(_ remote: any RemoteLog, _ address: String, _ path: String) async throws(Failure) {
  let head = try await asking { () throws(LogError) in try await remote.head().seq }
  let bar = Progress(label: "cloning", total: Int(clamping: head), unit: "events")
  do throws(LogError) {
    let log = try await FileLog.clone(remote, address: address, to: path) { done, _ in
      bar.update(Int(clamping: done))
    }
    _ = try? log.saveCheckpoint()
  } catch {
    if case .notALog(let path, let reason) = error {
      throw Failure(.cannotCreate, "\(path): \(reason)")
    }
    throw Failure(error)
  }
  bar.finish()
}

func isRemoteAddress(_ text: String) -> Bool {
  text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
}

/// The shared log at an address: a folder's path, or `postgresql://…`.
func openRemote(_ address: String) throws(Failure) -> any RemoteLog {
  if isRemoteAddress(address) {
    #if PostgreSQL
      return try failing { () throws(LogError) in PostgresRemote(try PostgresAddress(address)) }
    #else
      throw .usage(
        "\(address.prefix { $0 != ":" })://…: this eventlog was built without libpq: install "
          + "libpq-dev, then swift build -c release --traits PostgreSQL")
    #endif
  }
  if address.contains("://") {
    throw .usage(
      "\(quoted(address)): a shared log is a folder, or postgresql://user@host/database")
  }
  return try failing { () throws(LogError) in try FolderRemote(path: address) }
}

/// What a clone notes of where it is from: an address as it is, a folder by its whole path.
func noted(_ address: String) -> String {
  if isRemoteAddress(address) { return address }
  guard let path = realpath(address, nil) else { return address }
  defer { free(path) }
  return String(cString: path)
}
