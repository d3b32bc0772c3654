import Events
import Synchronization

/// The lock that a log's only writer holds. It is the file `lock` in the log's folder, which names
/// the writer's process.
package final class WriterLock: Sendable {
  /// The open lock file; nil after `release`, because its descriptor may then belong to another
  /// file.
  private let file: Mutex<Int32?>
  private let path: String
  private let files: FileSystem

  /// Takes the lock, and writes this process's name into the file.
  /// - Throws: `.locked` with the name of the process that holds the lock; `.file`.
  package init(_ folder: String, _ files: FileSystem) throws(LogError) {
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

  package func release() {
    file.withLock { file in
      if let open = file { try? files.close(open, path) }
      file = nil
    }
  }

  deinit { release() }
}
