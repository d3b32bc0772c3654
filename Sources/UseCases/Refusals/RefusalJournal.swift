import EventLog
import Events
import Synchronization

/// A journal of refused commands, in the folder `refusals` beside the segments of a log.
///
/// ```
/// var tracing = Tracing()
/// tracing.refusals = try RefusalJournal(log: "my.log")
/// let core = try await Core.open(log, tracing: tracing)
/// ```
/// It is not a part of the log, and deleting it changes no answer. A line of JSON describes each
/// command (`RefusedCommand`). Two files hold at most 64 MiB; then the older file is deleted. Only
/// the owner of the files may read them. The journal is not synced, so a power failure can lose
/// its last lines.
public final class RefusalJournal: Sendable {
  private struct State {
    /// The open file, its path and its size in bytes.
    var file: (descriptor: Int32, path: String, size: Int)?
    /// The number of the next command.
    var next: UInt64
    var failures = 0
  }

  /// The largest size of one of the two files, in bytes: 32 MiB.
  static let largestFile = 32 << 20

  private let state: Mutex<State>
  private let folder: String
  private let files: FileSystem
  private let largestFile: Int

  /// Opens the journal of the log in the folder `path`, to add to it.
  /// - Throws: `LogError.file` if it cannot be read.
  public convenience init(log path: String, files: FileSystem = .posix) throws(LogError) {
    try self.init(log: path, files: files, largestFile: Self.largestFile)
  }

  init(log path: String, files: FileSystem, largestFile: Int) throws(LogError) {
    (folder, self.files, self.largestFile) = (path + "/refusals", files, largestFile)
    // Each start begins a new file, so that an incomplete last line is never continued.
    do throws(FileError) {
      state = Mutex(State(next: try Self.lastNumber(folder, files) + 1))
    } catch {
      throw .file(error)
    }
  }

  deinit { state.withLock { close(&$0) } }

  /// The number of commands that could not be written.
  public var failures: Int { state.withLock { $0.failures } }

  /// Adds commands, and gives them their numbers.
  func add(_ commands: [RefusedCommand]) {
    if commands.isEmpty { return }
    state.withLock { state in
      var lines: [UInt8] = []
      let first = state.next
      for var command in commands {
        command.number = state.next
        state.next += 1
        lines += command.json.text.utf8
        lines.append(UInt8(ascii: "\n"))
      }
      do throws(FileError) {
        if let file = state.file, file.size + lines.count > largestFile { close(&state) }
        if state.file == nil { state.file = try begin(first) }
        guard let file = state.file else { return }
        try files.writeAll(lines, to: file.descriptor, file.path)
        state.file?.size += lines.count
      } catch {
        // The last line of the file may be incomplete.
        close(&state)
        state.failures += commands.count
      }
    }
  }

  /// Begins a file, and deletes the older files until all together have room for one more.
  private func begin(_ first: UInt64) throws(FileError) -> (Int32, String, Int) {
    do throws(FileError) {
      try files.makeDirectory(folder)
    } catch {
      if !error.isExisting { throw error }
    }
    var sizes: [(path: String, size: Int)] = []
    for path in try Self.paths(folder, files) { sizes.append((path, try files.status(path).size)) }
    while sizes.reduce(0, { $0 + $1.size }) > largestFile {
      try files.remove(sizes.removeFirst().path)
    }
    let path = "\(folder)/\(first.padded(to: 16)).jsonl"
    return (try files.open(path, .createPrivate), path, 0)
  }

  private func close(_ state: inout State) {
    if let file = state.file { try? files.close(file.descriptor, file.path) }
    state.file = nil
  }

  /// Returns the number of the journal's last command; 0 if there is none.
  private static func lastNumber(_ folder: String, _ files: FileSystem) throws(FileError) -> UInt64
  {
    for path in try paths(folder, files).reversed() {
      let lines = try files.contents(of: path).split(separator: UInt8(ascii: "\n"))
      for line in lines.reversed() {
        if let command = RefusedCommand(line: Array(line)) { return command.number }
      }
      // An erasure may have removed all of the file's commands.
      if let first = UInt64(path.dropLast(".jsonl".count).suffix(16)) { return first }
    }
    return 0
  }

  /// Returns the paths of a journal's files, the oldest first.
  private static func paths(_ folder: String, _ files: FileSystem) throws(FileError) -> [String] {
    do throws(FileError) {
      return try files.list(folder).filter { $0.hasSuffix(".jsonl") }.map { "\(folder)/\($0)" }
    } catch {
      if error.isNotFound { return [] }
      throw error
    }
  }
}

extension RefusalJournal {
  /// Returns the commands in the journal of the log in the folder `path`, the oldest first.
  /// - Throws: `LogError.file` if it cannot be read.
  public static func read(
    log path: String, files: FileSystem = .posix
  ) throws(LogError) -> [RefusedCommand] {
    do throws(FileError) {
      var found: [RefusedCommand] = []
      for path in try paths(path + "/refusals", files) {
        found += commands(in: try files.contents(of: path))
      }
      return found
    } catch {
      throw .file(error)
    }
  }

  private static func commands(in text: [UInt8]) -> [RefusedCommand] {
    text.split(separator: UInt8(ascii: "\n")).compactMap { RefusedCommand(line: Array($0)) }
  }

  /// Removes the commands that name people or items from the journal of a log.
  /// - Parameter names: the ids and handles of the people, and the ids of the items.
  static func erase(
    _ names: [String], log path: String, files: FileSystem = .posix
  ) throws(LogError) {
    let folder = path + "/refusals"
    let names = names.map { $0.lowercased() }
    do throws(FileError) {
      for path in try paths(folder, files) {
        let text = try files.contents(of: path)
        let kept = commands(in: text).filter { command in
          let texts =
            command.input.texts
            + [command.caller, command.correlation?.text].compactMap(\.self)
          return !texts.contains { text in
            let text = text.lowercased()
            return names.contains { $0.utf8.count < 3 ? text == $0 : text.contains($0) }
          }
        }
        // A line that cannot be read is removed too.
        if kept.count == text.split(separator: UInt8(ascii: "\n")).count { continue }
        let lines = kept.map { $0.json.text + "\n" }.joined()
        try files.replace(path, in: folder, Array(lines.utf8), as: .createPrivate)
      }
    } catch {
      throw .file(error)
    }
  }
}
