/// Returns the number of available processor cores, at least 1 and at most 64.
func coreCount() -> Int { max(1, min(64, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))) }

/// Returns the seconds of a monotonic clock.
func monotonicSeconds() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}

/// Formats a number with a fixed count of digits after the decimal point.
func fixed(_ value: Double, _ digits: Int) -> String {
  var scale = 1
  for _ in 0..<digits { scale *= 10 }
  let whole = Int((value * Double(scale)).rounded())
  return "\(whole / scale)." + (whole % scale).padded(to: digits)
}

/// Returns the path of this program's file; nil if the system does not report it.
func executablePath() -> String? {
  var path = [CChar](repeating: 0, count: 4_096)
  let count = readlink("/proc/self/exe", &path, path.count - 1)
  return count > 0
    ? String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
}

/// Returns the reason why a file or folder cannot be written; nil if it can, or does not exist.
func reasonAgainstWriting(_ path: String) -> String? {
  access(path, W_OK) == 0 || errno == ENOENT ? nil : systemError(errno)
}

/// Deletes a folder with its contents; ignores errors.
func removeFolder(_ path: String) {
  let files = FileSystem.posix
  for name in (try? files.list(path)) ?? [] where name != "." && name != ".." {
    let inner = "\(path)/\(name)"
    // If the entry is a link, this deletes the link, not its target.
    if unlink(inner) != 0 { removeFolder(inner) }
  }
  rmdir(path)
}

#if !Server
  /// The message of the commands that need the package trait Server.
  let withoutServer =
    "this eventlog was built without its server: install libmicrohttpd-dev, libjwt-dev, "
    + "libssl-dev, libsqlite3-dev and libcurl4-openssl-dev, then swift build -c release "
    + "--traits Server"
#endif
