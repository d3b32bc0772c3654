import EventLog
import Events

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension SimulatedDisk {
  /// The number of files left open.
  public var openFiles: Int { state.withLock { $0.open.count } }

  /// Kills the process: closes its open files and releases its locks.
  public func closeAll() {
    state.withLock { state in
      state.open = [:]
      for number in state.files.keys { state.files[number]?.holder = nil }
    }
  }

  /// The calls of this disk, for use by a log.
  public var files: FileSystem {
    var files = FileSystem.posix
    files.open = { (path, mode) throws(FileError) in
      try self.call("open", path) { (state) throws(Code) in
        let isCreating =
          [.createNew, .createUncached, .createPrivate].contains(mode)
          || mode == .lock && state.names[path] == nil
        if isCreating {
          if state.names[path] != nil { throw Code(EEXIST) }
          guard state.names[parentDirectory(path)] != nil else { throw Code(ENOENT) }
          let number = state.make(path)
          state.note(.add(path, number), in: parentDirectory(path))
        }
        guard let number = state.names[path] else { throw Code(ENOENT) }
        state.nextDescriptor += 1
        state.open[state.nextDescriptor] = number
        return state.nextDescriptor
      }
    }
    files.close = { (file, path) throws(FileError) in
      try self.call("close", path) { (state) throws(Code) in
        guard let number = state.open.removeValue(forKey: file) else { throw Code(EBADF) }
        state.read[file] = nil
        if state.files[number]?.holder == file { state.files[number]?.holder = nil }
      }
    }
    files.status = { (path) throws(FileError) in
      try self.call("status", path) { (state) throws(Code) in
        guard let number = state.names[path], let file = state.files[number] else {
          throw Code(ENOENT)
        }
        return FileSystem.Status(
          kind: file.isFolder ? .directory : .file, size: file.bytes.count,
          identity: UInt64(number))
      }
    }
    readingAndWriting(&files)
    folders(&files)
    return files
  }

  private func readingAndWriting(_ files: inout FileSystem) {
    files.read = { (file, target, count, offset, path) throws(FileError) in
      // The memory is the caller's, for this call only.
      let target = UnsafeMutableRawBufferPointer(start: target, count: count)
      let piece = try self.call("read", path) { (state) throws(Code) in
        let bytes = try state.file(file).bytes
        let start = min(offset ?? state.read[file] ?? 0, bytes.count)
        let piece = bytes[start...].prefix(count)
        if offset == nil { state.read[file] = piece.endIndex }
        return piece
      }
      target.copyBytes(from: piece)
      return piece.count
    }
    files.write = { (file, source, count, path) throws(FileError) in
      let bytes = Array(UnsafeRawBufferPointer(start: source, count: count))
      do throws(FileError) {
        return try self.call("write", path) { (state) throws(Code) in
          state.files[try state.number(file)]?.bytes += bytes
          return count
        }
      } catch {
        let part = Int(Double(count) * self.part(error))
        self.state.withLock { state in
          if part > 0, let number = state.open[file] {
            state.files[number]?.bytes += bytes.prefix(part)
          }
        }
        throw error
      }
    }
    files.sync = { (file, path) throws(FileError) in
      try self.call("sync", path) { (state) throws(Code) in
        let number = try state.number(file)
        let bytes = try state.file(file).bytes
        state.files[number]?.synced = bytes
      }
    }
    files.truncate = { (file, size, path) throws(FileError) in
      try self.call("truncate", path) { (state) throws(Code) in
        let number = try state.number(file)
        let bytes = try state.file(file).bytes
        state.files[number]?.bytes =
          Array(bytes.prefix(size)) + [UInt8](repeating: 0, count: max(0, size - bytes.count))
      }
    }
    files.lock = { (file, path) throws(FileError) in
      try self.call("lock", path) { (state) throws(Code) in
        let number = try state.number(file)
        let isFree = state.files[number]?.holder == nil || state.files[number]?.holder == file
        if isFree { state.files[number]?.holder = file }
        return isFree
      }
    }
    files.isLocked = { (file, path) throws(FileError) in
      try self.call("isLocked", path) { (state) throws(Code) in
        let holder = try state.file(file).holder
        return holder != nil && holder != file
      }
    }
  }

  private func folders(_ files: inout FileSystem) {
    files.list = { (path) throws(FileError) in
      try self.call("list", path) { (state) throws(Code) in
        guard let number = state.names[path] else { throw Code(ENOENT) }
        guard state.files[number]?.isFolder == true else { throw Code(ENOTDIR) }
        return state.names.keys.filter { $0 != "/" && parentDirectory($0) == path }
          .map { String($0.split(separator: "/").last ?? "") }.sorted()
      }
    }
    files.makeDirectory = { (path) throws(FileError) in
      try self.call("makeDirectory", path) { (state) throws(Code) in
        if state.names[path] != nil { throw Code(EEXIST) }
        guard state.names[parentDirectory(path)] != nil else { throw Code(ENOENT) }
        let number = state.make(path, isFolder: true)
        state.note(.add(path, number), in: parentDirectory(path))
      }
    }
    files.syncDirectory = { (path) throws(FileError) in
      try self.call("syncDirectory", path) { (state) throws(Code) in
        guard state.names[path] != nil else { throw Code(ENOENT) }
        for change in state.changes.removeValue(forKey: path) ?? [] {
          state.apply(change, to: \.syncedNames)
        }
      }
    }
    files.rename = { (from, to) throws(FileError) in
      try self.call("rename", from) { (state) throws(Code) in
        guard let number = state.names[from] else { throw Code(ENOENT) }
        state.apply(.move(from, to, number), to: \.names)
        state.note(.move(from, to, number), in: parentDirectory(to))
      }
    }
    files.remove = { (path) throws(FileError) in
      try self.call("remove", path) { (state) throws(Code) in
        guard state.names[path] != nil else { throw Code(ENOENT) }
        state.apply(.remove(path), to: \.names)
        state.note(.remove(path), in: parentDirectory(path))
      }
    }
  }

  struct Code: Error {
    var number: Int32
    init(_ number: Int32) { self.number = number }
  }

  /// Counts a call, and fails it if the rule says so; otherwise performs it.
  private func call<T: Sendable>(
    _ name: String, _ path: String, _ body: (inout State) throws(Code) -> T
  ) throws(FileError) -> T {
    let result: Result<T, Code> = state.withLock { state in
      state.calls += 1
      if let failure = state.rule?(name, path, state.calls) {
        state.failed = failure
        // A close that fails closes the file nevertheless.
        if name == "close" { _ = try? body(&state) }
        return .failure(Code(failure.code))
      }
      state.failed = nil
      do throws(Code) { return .success(try body(&state)) } catch { return .failure(error) }
    }
    do throws(Code) {
      return try result.get()
    } catch {
      throw FileError(call: name, path: path, code: error.number)
    }
  }

  private func part(_ error: FileError) -> Double {
    state.withLock { $0.failed?.code == error.code ? $0.failed?.part ?? 0 : 0 }
  }
}

extension SimulatedDisk.State {
  func number(_ file: Int32) throws(SimulatedDisk.Code) -> Int {
    guard let number = open[file] else { throw SimulatedDisk.Code(EBADF) }
    return number
  }

  func file(_ file: Int32) throws(SimulatedDisk.Code) -> SimulatedDisk.File {
    guard let file = files[try number(file)] else { throw SimulatedDisk.Code(EBADF) }
    return file
  }
}
