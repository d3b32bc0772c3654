import Foundation
import Synchronization

@testable import EventLog
@testable import Events

/// The operating system with recording: notes each call, injects failures, and can run full.
///
/// Files are real; syncing is left out, so that thousands of runs take no time.
final class WatchedDisk: Sendable {
  enum Call: String, CaseIterable, Sendable {
    case open, status, read, write, sync, truncate, close, list, makeDirectory, syncDirectory
    case rename, remove, lock, isLocked
  }

  struct Entry: Equatable, Sendable {
    var call: Call
    var path: String
  }

  /// A failure with this code, after `part` of a write was written.
  struct Failure: Sendable {
    var code: Int32
    var part = 0.5

    static let broken = Failure(code: EIO)
    static let full = Failure(code: ENOSPC)
  }

  /// Decides about a call, by its kind, its path, and its number among its kind and among all.
  typealias Rule = @Sendable (Call, String, _ ofKind: Int, _ ofAll: Int) -> Failure?

  struct State {
    var entries: [Entry] = []
    var counts: [Call: Int] = [:]
    var rule: Rule?
    /// The most bytes that one write accepts, and that all writes accept together.
    var mostAtOnce = Int.max
    var room = Int.max
    var open: Set<Int32> = []
    /// Closed descriptors that were not open; in a larger program they would be somebody else's.
    var strayCloses: [Entry] = []
  }

  let state = Mutex(State())

  /// Forgets the recorded calls and applies `rule` from now on.
  func begin(_ rule: Rule? = nil) {
    state.withLock { state in
      state.entries = []
      state.counts = [:]
      state.rule = rule
    }
  }

  var entries: [Entry] { state.withLock { $0.entries } }
  var isBalanced: Bool { state.withLock { $0.open.isEmpty && $0.strayCloses.isEmpty } }
  func count(_ call: Call) -> Int { state.withLock { $0.counts[call] ?? 0 } }
  func setRoom(_ bytes: Int) { state.withLock { $0.room = bytes } }

  private func enter(_ call: Call, _ path: String) -> Failure? {
    let (rule, ofKind, ofAll) = state.withLock { state in
      state.entries.append(Entry(call: call, path: path))
      state.counts[call, default: 0] += 1
      return (state.rule, state.counts[call] ?? 0, state.entries.count)
    }
    return rule?(call, path, ofKind, ofAll)
  }

  private func check(_ call: Call, _ path: String) throws(FileError) {
    if let failure = enter(call, path) {
      throw FileError(call: call.rawValue, path: path, code: failure.code)
    }
  }

  var files: FileSystem {
    let posix = FileSystem.posix
    var files = posix
    files.open = { (path, mode) throws(FileError) in
      try self.check(.open, path)
      let file = try posix.open(path, mode)
      self.state.withLock { _ = $0.open.insert(file) }
      return file
    }
    files.close = { (file, path) throws(FileError) in
      let failure = self.enter(.close, path)
      let isOurs = self.state.withLock { state in
        if state.open.remove(file) != nil { return true }
        state.strayCloses.append(Entry(call: .close, path: path))
        return false
      }
      // A close that fails closes the file nevertheless.
      if isOurs { try posix.close(file, path) }
      if let failure { throw FileError(call: "close", path: path, code: failure.code) }
    }
    files.write = { (file, source, count, path) throws(FileError) in
      try self.write(file, source, count, path)
    }
    files.sync = { (file, path) throws(FileError) in
      try self.check(.sync, path)
    }
    files.syncDirectory = { (path) throws(FileError) in
      try self.check(.syncDirectory, path)
    }
    watchTheRest(&files)
    return files
  }

  private func watchTheRest(_ files: inout FileSystem) {
    let posix = FileSystem.posix
    files.status = { (path) throws(FileError) in
      try self.check(.status, path)
      return try posix.status(path)
    }
    files.read = { (file, target, count, offset, path) throws(FileError) in
      try self.check(.read, path)
      return try posix.read(file, target, count, offset, path)
    }
    files.truncate = { (file, size, path) throws(FileError) in
      try self.check(.truncate, path)
      try posix.truncate(file, size, path)
    }
    files.list = { (path) throws(FileError) in
      try self.check(.list, path)
      return try posix.list(path)
    }
    files.makeDirectory = { (path) throws(FileError) in
      try self.check(.makeDirectory, path)
      try posix.makeDirectory(path)
    }
    files.rename = { (from, to) throws(FileError) in
      try self.check(.rename, from)
      try posix.rename(from, to)
    }
    files.remove = { (path) throws(FileError) in
      try self.check(.remove, path)
      try posix.remove(path)
    }
    files.lock = { (file, path) throws(FileError) in
      try self.check(.lock, path)
      return try posix.lock(file, path)
    }
    files.isLocked = { (file, path) throws(FileError) in
      try self.check(.isLocked, path)
      return try posix.isLocked(file, path)
    }
  }

  private func write(
    _ file: Int32, _ source: UnsafeRawPointer, _ count: Int, _ path: String
  ) throws(FileError) -> Int {
    if let failure = enter(.write, path) {
      let part = Int(Double(count) * failure.part)
      if part > 0 { _ = try FileSystem.posix.write(file, source, part, path) }
      throw FileError(call: "write", path: path, code: failure.code)
    }
    let taken = state.withLock { state in
      let taken = min(count, state.mostAtOnce, state.room)
      if state.room < .max { state.room -= taken }
      return taken
    }
    if taken == 0 { throw FileError(call: "write", path: path, code: ENOSPC) }
    return try FileSystem.posix.write(file, source, taken, path)
  }
}
