import Events

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The permissions of all files and folders that this package creates, for any umask:
/// - A folder is its owner's alone: 0700.
/// - A file has the permissions of its folder, without those for execution. In a folder such as
///   `/tmp`, whose sticky bit protects people's files from each other, it is its owner's alone.
/// - A private file (`createPrivate`) is its owner's alone, 0600. Keys, retries, refusals and
///   accounts are private.
enum Permissions {
  static let folder: mode_t = 0o700
  static let privateFile: mode_t = 0o600
  private static let sticky: mode_t = 0o1000

  /// Returns the permissions of a new file in a folder; private ones if they cannot be read.
  static func ofFile(in folder: String) -> mode_t {
    var info = stat()
    guard stat(folder, &info) == 0, info.st_mode & sticky == 0 else { return privateFile }
    return info.st_mode & 0o666 | privateFile
  }
}

extension FileSystem.Mode {
  /// The way to create a copy of a file in a log's folder: private if the file is.
  static func copying(_ path: String) -> FileSystem.Mode {
    path == "keys" || path.hasPrefix("retries/") ? .createPrivate : .createNew
  }
}

/// Creates a file and opens it. Returns −1, with `errno`, if that fails.
func createFile(_ path: String, _ flags: Int32, isPrivate: Bool) -> Int32 {
  let file = systemOpen(path, flags | O_CREAT | O_EXCL, Permissions.privateFile)
  if file != -1, !isPrivate { fchmod(file, Permissions.ofFile(in: parentDirectory(path))) }
  return file
}

func systemOpen(_ path: String, _ flags: Int32, _ access: mode_t = 0) -> Int32 {
  open(path, flags | O_CLOEXEC, access)
}
