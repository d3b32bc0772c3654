import Events
import Synchronization

/// The lock of a log's one writer: the file `lock` in its folder, which names the process that has
/// it.
final class LogLock: Sendable {
  /// Nil once the lock was released: the descriptor may be another's then.
  private let file: Mutex<Int32?>
  private let path: String
  private let files: FileSystem

  /// Takes the lock.
  /// - Throws: `.locked` with the name of the process that has it; `.file`.
  init(_ folder: String, _ files: FileSystem) throws(LogError) {
    let path = folder + "/lock"
    let file = try io { () throws(FileError) in try files.open(path, .lock) }
    let holder: String?
    do throws(FileError) {
      holder = try Self.take(file, path, files)
    } catch {
      try? files.close(file, path)
      throw .file(error)
    }
    if let holder {
      try? files.close(file, path)
      throw .locked(path: folder, holder: printable(String(holder.prefix { !$0.isNewline })))
    }
    self.file = Mutex(file)
    (self.path, self.files) = (path, files)
  }

  /// Takes the lock and writes our name into it. Returns the holder's name if another has it.
  private static func take(
    _ file: Int32, _ path: String, _ files: FileSystem
  ) throws(FileError) -> String? {
    guard try files.lock(file, path) else {
      var text = [UInt8](repeating: 0, count: 200)
      let length = try files.read(file, &text, text.count, 0, path)
      return String(decoding: text.prefix(length), as: UTF8.self)
    }
    try files.truncate(file, 0, path)
    let name = Array((processDescription() + "\n").utf8)
    try name.withUnsafeBufferPointer { (bytes) throws(FileError) in
      _ = try files.write(file, bytes.baseAddress!, bytes.count, path)
    }
    return nil
  }

  func release() {
    file.withLock { file in
      if let open = file { try? files.close(open, path) }
      file = nil
    }
  }

  deinit { release() }
}
