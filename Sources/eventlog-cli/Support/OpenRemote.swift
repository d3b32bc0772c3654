#if PostgreSQL
  import PostgreSQL
#endif

extension Invocation {
  /// Returns the shared log of a clone; nil if the folder is not a clone.
  func remote(of path: String) throws -> (any RemoteLog)? {
    try Clone.address(of: path).map(openRemote)
  }

  /// Returns the shared log of the clone to write, and the clone's path.
  /// - Throws: exit 64 if the log is not a clone.
  func requiredRemote() throws -> (path: String, remote: any RemoteLog) {
    let path = try writePath()
    guard let remote = try remote(of: path) else {
      throw Failure.usage("\(RemoteFault.isNoClone(path: path))")
    }
    return (path, remote)
  }

  /// Returns this invocation with `--log` replaced by a clone of the shared log. The clone is in
  /// the user's cache folder, and is created or updated first.
  func withCachedClone(of address: String) async throws -> Invocation {
    let folder =
      try cacheFolder() + "/" + XXH64.hash(Array(address.utf8), seed: 0).padded(to: 16, radix: 16)
    let remote = try openRemote(address)
    if try Clone.address(of: folder) == nil {
      try await cloned(remote, address, folder)
    } else {
      do {
        _ = try await FileLog.open(clone: folder, of: remote)
      } catch LogError.locked {
        // Another command has the clone open and keeps it up to date.
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

func cloned(_ remote: any RemoteLog, _ address: String, _ path: String) async throws {
  let head = try await remote.head().seq
  let bar = Progress(label: "cloning", total: Int(clamping: head), unit: "events")
  do {
    let log = try await FileLog.clone(remote, address: address, to: path) { done, _ in
      bar.update(Int(clamping: done))
    }
    _ = try? log.saveCheckpoint()
  } catch LogError.notALog(let path, let reason) {
    throw Failure(.cannotCreate, "\(path): \(reason)")
  }
  bar.finish()
}

func isRemoteAddress(_ text: String) -> Bool {
  text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
}

/// Opens the shared log at an address: a folder's path, or `postgresql://…`.
func openRemote(_ address: String) throws -> any RemoteLog {
  if isRemoteAddress(address) {
    #if PostgreSQL
      return PostgresRemote(try PostgresAddress(address))
    #else
      throw Failure.usage(
        "\(address.prefix { $0 != ":" })://…: this eventlog was built without libpq: install "
          + "libpq-dev, then swift build -c release --traits PostgreSQL")
    #endif
  }
  if address.contains("://") {
    throw Failure.usage(
      "\(quoted(address)) is not the address of a shared log: give a folder or "
        + "postgresql://user@host/database")
  }
  return try FolderRemote(path: address)
}

/// Returns the shared log's address in the form that a clone stores. A server's address is
/// unchanged; a folder's is its absolute path.
func noted(_ address: String) -> String {
  if isRemoteAddress(address) { return address }
  guard let path = realpath(address, nil) else { return address }
  defer { free(path) }
  return String(cString: path)
}
