import Events
import Synchronization

/// The lock of a log's one writer: the file `lock` in its folder, which names the holding process.
final class WriterLock: Sendable {
  /// Nil after the release: the descriptor may then belong to another file.
  private let file: Mutex<Int32?>
  private let path: String
  private let files: FileSystem

  /// Takes the lock, and writes the name of this process into it.
  /// - Throws: `.locked` with the name of the holding process; `.file`.
  init(_ folder: String, _ files: FileSystem) throws(LogError) {
    let path = folder + "/lock"
    let file = try io(files.open(path, .lock))
    do throws(LogError) {
      guard try io(files.lock(file, path)) else {
        let holder = String(decoding: try io(files.bytes(file, 0..<200, path)), as: UTF8.self)
        throw .locked(path: folder, holder: printable(String(holder.prefix { !$0.isNewline })))
      }
      try io(files.truncate(file, 0, path))
      let name = Array((processDescription() + "\n").utf8)
      _ = try io(files.write(file, name, name.count, path))
    } catch {
      try? files.close(file, path)
      throw error
    }
    self.file = Mutex(file)
    (self.path, self.files) = (path, files)
  }

  func release() {
    file.withLock { file in
      if let open = file { try? files.close(open, path) }
      file = nil
    }
  }

  deinit { release() }
}
