import Foundation
import Synchronization
import Testing

@testable import Events

/// faults 6–12 and 14: the disk refuses, at every call in turn.
@Suite struct FailingDiskTests {
  /// A file system whose k-th call of the counted kinds fails with an error.
  final class Fault: Sendable {
    let left: Atomic<Int>
    let code: Int32
    /// Bytes that a failing write still takes.
    let partial: Int
    let calls = Mutex<[String]>([])
    init(after count: Int, code: Int32, partial: Int = 0) {
      left = Atomic(count)
      self.code = code
      self.partial = partial
    }

    func strike(_ call: String, _ path: String) -> FileError? {
      calls.withLock { $0.append(call) }
      let now = left.subtract(1, ordering: .relaxed).newValue
      return now == -1 ? FileError(call: call, path: path, code: code) : nil
    }

    var files: FileSystem {
      let real = FileSystem.posix
      var files = real
      files.open = { (path, mode) throws(FileError) in
        if mode != .read, let error = self.strike("open", path) { throw error }
        return try real.open(path, mode)
      }
      files.write = { (file, bytes, count, path) throws(FileError) in
        if let error = self.strike("write", path) {
          if self.partial > 0 { _ = try real.write(file, bytes, min(self.partial, count), path) }
          throw error
        }
        return try real.write(file, bytes, count, path)
      }
      files.sync = { (file, path) throws(FileError) in
        if let error = self.strike("sync", path) { throw error }
        try real.sync(file, path)
      }
      files.truncate = { (file, size, path) throws(FileError) in
        if let error = self.strike("truncate", path) { throw error }
        try real.truncate(file, size, path)
      }
      files.syncDirectory = { (path) throws(FileError) in
        if let error = self.strike("syncDirectory", path) { throw error }
        try real.syncDirectory(path)
      }
      files.close = { (file, path) throws(FileError) in
        try real.close(file, path)
        if let error = self.strike("close", path) { throw error }
      }
      return files
    }
  }

  /// Appends, rolls, reopens over a torn tail and appends again; says what was acknowledged.
  private func script(_ folder: Folder, _ files: FileSystem) async -> [String] {
    var acknowledged: [String] = []
    for round in 0..<2 {
      do throws(LogError) {
        let log = try FileLog(path: folder.log, creating: true, segmentSize: 900, files: files)
        for number in 0..<5 {
          let name = "r\(round)n\(number)"
          do throws(LogError) {
            try await log.append(Commit([follow("a", name), follow("b", name)]))
            acknowledged.append(name)
          } catch {}
        }
      } catch {}
      if round == 0, let last = folder.names("log").last(where: { $0.hasSuffix(".jsonl") }) {
        folder.write("log/" + last, folder.read("log/" + last) + Array("{\"seq\":".utf8))
      }
    }
    return acknowledged
  }

  @Test(
    "The k-th call fails, for every k: nothing acknowledged is lost, nothing is half there",
    arguments: [5, 28])  // EIO, ENOSPC
  func everyCall(code: Int32) async throws {
    let dry = Fault(after: .max, code: code)
    #expect(await script(Folder(), dry.files).count == 10)
    let total = dry.calls.withLock { $0.count }
    #expect(total > 40)
    for k in 0..<total {
      for partial in [0, 100] {
        let folder = Folder()
        let fault = Fault(after: k, code: code, partial: partial)
        let acknowledged = await script(folder, fault.files)
        // A good disk: what is there?
        _ = try FileLog(path: folder.log, creating: true)
        let view = try LogView(path: folder.log)
        _ = try view.verify()
        var found: [String: Int] = [:]
        try view.forEachEvent { event in
          found[String(event.stream.split(separator: "/")[2]), default: 0] += 1
          return true
        }
        let note = "k \(k), partial \(partial), code \(code)"
        #expect(found.values.allSatisfy { $0 == 2 }, "half a commit: \(note)")
        #expect(Set(acknowledged).isSubset(of: found.keys), "lost: \(note)")
      }
    }
  }

  @Test("faults 7: no space in mid-record is cut back, and the log goes on")
  func noSpace() async throws {
    let folder = Folder()
    let armed = Atomic<Bool>(false)
    var files = FileSystem.posix
    files.write = { (file, bytes, count, path) throws(FileError) in
      guard armed.load(ordering: .relaxed), path.hasSuffix(".jsonl") else {
        return try FileSystem.posix.write(file, bytes, count, path)
      }
      armed.store(false, ordering: .relaxed)
      _ = try FileSystem.posix.write(file, bytes, count / 2, path)
      throw FileError(call: "write", path: path, code: 28)
    }
    let log = try FileLog(path: folder.log, creating: true, files: files)
    try await log.append(Commit([follow("a", "b")]))
    armed.store(true, ordering: .relaxed)
    await #expect(throws: LogError.self) { try await log.append(Commit([follow("a", "c")])) }
    #expect(try LogView(path: folder.log).tail == .none)
    try await log.append(Commit([follow("a", "d")], expecting: [.init("follow/a/c", .noStream)]))
    #expect(try await log.events().map(\.stream) == ["follow/a/b", "follow/a/d"])
    #expect(try LogView(path: folder.log).verify().head.seq == 2)
  }

  @Test(
    "faults 8–10: after EIO, a failed sync or a failed cut-back the log is closed",
    arguments: ["write", "sync", "truncate"])
  func closed(_ call: String) async throws {
    let folder = Folder()
    let armed = Atomic<Bool>(false)
    var files = FileSystem.posix
    files.write = { (file, bytes, count, path) throws(FileError) in
      if armed.load(ordering: .relaxed), call != "sync" {
        throw FileError(call: "write", path: path, code: call == "write" ? 5 : 28)
      }
      return try FileSystem.posix.write(file, bytes, count, path)
    }
    files.sync = { (file, path) throws(FileError) in
      if armed.load(ordering: .relaxed), call == "sync" {
        throw FileError(call: "fdatasync", path: path, code: 5)
      }
      try FileSystem.posix.sync(file, path)
    }
    files.truncate = { (file, size, path) throws(FileError) in
      if armed.load(ordering: .relaxed) {
        throw FileError(call: "ftruncate", path: path, code: 5)
      }
      try FileSystem.posix.truncate(file, size, path)
    }
    do {
      let log = try FileLog(path: folder.log, creating: true, files: files)
      try await log.append(Commit([follow("a", "b")]))
      armed.store(true, ordering: .relaxed)
      await #expect(throws: LogError.self) { try await log.append(Commit([follow("a", "c")])) }
      armed.store(false, ordering: .relaxed)
      await #expect {
        try await log.append(Commit([follow("a", "d")]))
      } throws: {
        guard case LogError.closed = $0 else { return false }
        return true
      }
    }
    let log = try FileLog(path: folder.log)
    try await log.append(Commit([follow("a", "e")]))
    #expect(try LogView(path: folder.log).verify().head.seq >= 2)
  }

  @Test("faults 6: a short write is completed")
  func shortWrites() async throws {
    let folder = Folder()
    var files = FileSystem.posix
    files.write = { (file, bytes, count, path) throws(FileError) in
      try FileSystem.posix.write(file, bytes, min(count, 7), path)
    }
    let log = try FileLog(path: folder.log, creating: true, files: files)
    for number in 0..<10 { try await log.append(Commit([follow("a", "n\(number)")])) }
    #expect(try LogView(path: folder.log).verify().head.seq == 10)
  }

  @Test("faults 14: a new segment's folder is synced before the first acknowledgement")
  func order() async throws {
    let folder = Folder()
    let recorder = Fault(after: .max, code: 0)
    let log = try FileLog(path: folder.log, creating: true, files: recorder.files)
    recorder.calls.withLock { $0 = [] }
    try await log.append(Commit([follow("a", "b")]))
    let calls = recorder.calls.withLock { $0 }
    #expect(calls == ["open", "syncDirectory", "write", "sync"])
  }
}
