import Synchronization

@testable import EventLog
@testable import Events

/// One read-only folder of files in memory, for tests that change a log ten thousand times.
final class MemoryFiles: Sendable {
  static let folder = "/memory"

  private struct State {
    var files: [String: [UInt8]] = [:]
    var open: [Int32: String] = [:]
    var next: Int32 = 1_000
  }
  private let state = Mutex(State())

  /// - Parameter files: the files, by their names in the folder.
  init(_ files: [String: [UInt8]]) { state.withLock { $0.files = files } }

  func set(_ name: String, _ bytes: [UInt8]) { state.withLock { $0.files[name] = bytes } }

  func flip(_ name: String, _ byte: Int, _ bit: Int) {
    state.withLock { $0.files[name]?[byte] ^= 1 << UInt8(bit) }
  }

  var view: LogView {
    get throws(LogError) { try LogView(path: Self.folder, files: files) }
  }

  private var files: FileSystem {
    var files = FileSystem.posix
    files.list = { (_) throws(FileError) in self.state.withLock { $0.files.keys.sorted() } }
    files.status = { (path) throws(FileError) in
      if path == Self.folder {
        return FileSystem.Status(kind: .directory, size: 0, identity: 1)
      }
      let size = self.state.withLock { $0.files[Self.name(path)]?.count }
      guard let size else { throw FileError(call: "stat", path: path, code: 2) }
      return FileSystem.Status(kind: .file, size: size, identity: 2)
    }
    files.open = { (path, _) throws(FileError) in
      self.state.withLock { state in
        state.next += 1
        state.open[state.next] = Self.name(path)
        return state.next
      }
    }
    files.close = { (file, _) throws(FileError) in self.state.withLock { $0.open[file] = nil } }
    files.read = { (file, target, count, offset, _) throws(FileError) in
      // The memory is the caller's, for this call only.
      let target = UnsafeMutableRawBufferPointer(start: target, count: count)
      let piece = self.state.withLock { state -> ArraySlice<UInt8> in
        guard let bytes = state.files[state.open[file] ?? ""] else { return [] }
        return bytes.dropFirst(offset ?? 0).prefix(count)
      }
      target.copyBytes(from: piece)
      return piece.count
    }
    return files
  }

  private static func name(_ path: String) -> String { String(path.dropFirst(folder.count + 1)) }
}
