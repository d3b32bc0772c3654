import EventLog
import Events
import Synchronization

/// A journal of commands with an `Idempotency-Key`: their positions, times and input digests.
///
/// It has two files in the log's folder, `retries/1` and `retries/2`; each covers at most a day.
/// The journal writes a command's line (`KeyUses`) before the server answers the command. Unless
/// `sync` is called, a power failure can lose lines, but a killed process loses none. A server that
/// takes over continues the file of the server before it.
package final class RetryJournal: Sendable {
  private struct State {
    var today: [UInt64: KeyUse] = [:]
    var before: [UInt64: KeyUse] = [:]
    /// The time at which the journal began to fill `today`.
    var begun: Timestamp
    /// The number of the file that holds the commands in `today`: 1 or 2.
    var number = 1
    var file: Int32?
    /// Whether the file was written by another process, so that its last line may be incomplete.
    var isContinued = false
    var failures = 0
  }

  /// The most commands in a file. When a file is full, the older file is deleted early.
  private static let most = 1_000_000
  private let state: Mutex<State>
  private let folder: String?
  private let files: FileSystem
  private let now: @Sendable () -> Timestamp

  /// Reads the journal's files.
  /// - Parameter folder: the log's folder; nil keeps the journal in memory.
  package init(
    _ folder: String?, files: FileSystem = .posix, now: @escaping @Sendable () -> Timestamp
  ) {
    self.folder = folder.map { $0 + "/retries" }
    (self.files, self.now) = (files, now)
    state = Mutex(State(begun: now()))
    state.withLock { load(&$0) }
  }

  private func load(_ state: inout State) {
    guard let folder else { return }
    let time = now()
    try? files.makeDirectory(folder)
    let texts = [1, 2].map { try? files.contents(of: "\(folder)/\($0)") }
    let found = texts.map { $0.map { KeyUses.read($0, now: time) } ?? [] }
    let times = found.map { $0.last?.time ?? .earliest }
    // Continues the file with the newest use. Writing the uses again would delay the server.
    let newest = times[1] > times[0] ? 1 : 0
    state.number = newest + 1
    state.isContinued = !found[newest].isEmpty
    if let first = found[newest].first { state.begun = min(first.time, time) }
    state.today.reserveCapacity(found[newest].count)
    state.before.reserveCapacity(found[1 - newest].count)
    for use in found[newest] { state.today[use.tail] = use }
    for use in found[1 - newest] { state.before[use.tail] = use }
    for number in [1, 2] where texts[number - 1] != nil && found[number - 1].isEmpty {
      try? files.remove("\(folder)/\(number)")
    }
  }

  /// Returns the use of a key in the last day; nil if there is none.
  package func find(_ tail: UInt64) -> KeyUse? {
    let time = now()
    return state.withLock { state in
      guard let noted = state.today[tail] ?? state.before[tail],
        time.milliseconds - noted.time.milliseconds < KeyUses.lifetime
      else { return nil }
      return noted
    }
  }

  /// The number of commands that could not be written to the journal.
  package var failures: Int { state.withLock { $0.failures } }

  /// Notes the use of a key at a position.
  package func note(_ key: IdempotencyKey, _ position: UInt64) {
    let time = now()
    let noted = KeyUse(tail: key.tail, body: key.body, position: position, time: time)
    state.withLock { state in
      let age = time.milliseconds - state.begun.milliseconds
      if age >= KeyUses.lifetime || state.today.count >= Self.most { turn(&state, time) }
      state.today[key.tail] = noted
      guard let folder else { return }
      let path = "\(folder)/\(state.number)"
      do throws(FileError) {
        let file: Int32
        if let open = state.file {
          file = open
        } else {
          file = try files.open(path, state.isContinued ? .append : .createNew)
        }
        // After a failed write, the last line of the file may be incomplete, too.
        let isCut = state.failures > 0 || state.file == nil && state.isContinued
        state.file = file
        let line = (isCut ? "\n" : "") + KeyUses.line(noted)
        try files.writeAll(Array(line.utf8), to: file, path)
      } catch {
        state.failures += 1
      }
    }
  }

  /// Syncs the noted uses to the disk.
  package func sync() {
    state.withLock { state in
      guard let folder, let file = state.file else { return }
      do throws(FileError) {
        try files.sync(file, "\(folder)/\(state.number)")
        try files.syncDirectory(folder)
      } catch {
        state.failures += 1
      }
    }
  }

  private func turn(_ state: inout State, _ time: Timestamp) {
    (state.before, state.today, state.begun) = (state.today, [:], time)
    if let file = state.file { try? files.close(file, "retries") }
    state.file = nil
    state.isContinued = false
    state.number = 3 - state.number
    if let folder { try? files.remove("\(folder)/\(state.number)") }
  }
}
