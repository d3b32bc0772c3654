import PersonalLogs
import UseCases

/// The state of a phone: its personal log, its outbox, and the answers from both.
///
/// Its functions are synchronous: they read and write files, but make no requests. `nextStep`
/// returns the next request of a sync, and `receive` takes its answer. So `OfflineStore` performs
/// the requests over a network, and a simulator in simulated time.
package struct OfflineState: Sendable {
  /// The most entries in `answers`. A new entry replaces the oldest.
  static let mostAnswers = 20
  /// The most bytes of a command's input.
  static let mostInputBytes = 256 << 10

  package let user: String
  let core: Core
  let environment: RuntimeEnvironment
  var folder: OfflineFolder
  /// The lock of the writer; nil if this process does not write.
  private var lock: WriterLock?
  /// The files as this state has read them; nil if the last reading failed.
  private var stamp: OfflineFolder.Stamp?
  /// The answers, with the pending commands; nil before the first personal log.
  package internal(set) var reading: PersonalReading?
  /// Whether the pending commands must be decided again before the next answer.
  var isStale = false
  /// For each part of the personal log, the position at which it last changed.
  var changed: [String: UInt64] = [:]
  /// The commands that are pending or not dismissed, in order.
  var commands: [PendingCommand] = []
  var indexes: [String: Int] = [:]
  var dismissed: Set<String> = []
  /// The lines of a newer version.
  private var unknown: [OfflineFolder.Record] = []
  /// A number that changes whenever `commands` changes other than by a new command at its end.
  var generation = 0
  /// The server's last answers to queries that the personal log cannot answer, oldest first.
  /// Without a connection, such a query returns its last answer.
  package internal(set) var answers: [RememberedAnswer] = []
  /// The number of lines in the outbox's file.
  private var lines = 0
  /// The number of lines from which the outbox's file is rewritten without ended commands.
  package var mostLines = 1_000
  /// Whether the outbox's file may have a line of a command that was not acknowledged.
  private var isDirty = false
  /// The number of damaged lines of the outbox. The file `outbox.damaged` has them.
  package private(set) var damagedLines = 0
  /// Whether the files were deleted, because the person signed out.
  private(set) var isDeleted = false
  /// The progress of the running sync.
  var sync = SyncProgress()

  /// Opens a folder.
  /// - Parameters:
  ///   - folder: the folder of one user.
  ///   - core: a core that lends its use cases and random numbers.
  ///   - environment: the clock and the randomness.
  ///   - writes: whether to take the writer's lock, if no other process has it.
  /// - Throws: `notAuthorized` if the folder belongs to another user; `log` if it cannot be read.
  package init(
    _ folder: OfflineFolder, of user: String, core: Core, _ environment: RuntimeEnvironment,
    writes: Bool = true
  ) throws(UseCaseError) {
    (self.folder, self.user, self.core, self.environment) = (folder, user, core, environment)
    do throws(LogError) {
      if writes { lock = try folder.lock() }
    } catch {
      guard case .locked = error else { throw .log(error) }
    }
    try load()
  }

  /// Whether this process may perform commands and sync.
  package var isWriter: Bool { lock != nil || PlantedBug.ignoresLock.isPlanted }

  /// Reads the files. If that fails, this process does not write, so that it overwrites nothing.
  private mutating func load() throws(UseCaseError) {
    if lock != nil { try claimFolder() }
    do throws(FileError) {
      try read()
    } catch {
      release()
      throw .log(.file(error))
    }
    if let reader = reading?.log.reader, !isSameUser(reader, user) {
      reading = nil
      take([])
      release()
      throw .refused(.notAuthorized)
    }
    isStale = reading != nil
    dropEnded()
  }

  private mutating func read() throws(FileError) {
    stamp = nil
    var now = try folder.stamp()
    var stored = try folder.personalLog()
    var (records, damaged) = try folder.records()
    // The writer may have replaced one file after this has read another.
    for _ in 0..<3 where !isWriter {
      let then = now
      now = try folder.stamp()
      if then == now { break }
      stored = try folder.personalLog()
      (records, damaged) = try folder.records()
    }
    answers = try folder.answers()
    if isWriter, damaged > 0 { try folder.keepDamaged() }
    (changed, lines, damagedLines) = (stored?.1 ?? [:], records.count, damaged)
    take(records)
    // A log that this version cannot read is fetched again.
    reading = stored.flatMap { try? PersonalReading($0.0) }
    stamp = now
  }

  private mutating func take(_ records: [OfflineFolder.Record]) {
    (commands, indexes, dismissed, unknown) = ([], [:], [], [])
    generation += 1
    // Lines about commands that this version cannot read.
    var ofUnknown: [OfflineFolder.Record] = []
    for record in records {
      switch record {
      case .command(let command):
        if indexes[command.id] != nil { continue }
        indexes[command.id] = commands.count
        commands.append(command)
      case .reply(let reply):
        if let index = indexes[reply.key] {
          let isFirst = commands[index].reply == nil
          if isFirst, !PlantedBug.forgetsReplies.isPlanted { commands[index].reply = reply }
        } else {
          ofUnknown.append(record)
        }
      case .dismissed(let key):
        if indexes[key] != nil { dismissed.insert(key) } else { ofUnknown.append(record) }
      case .changed(let key, let parts):
        if let index = indexes[key] {
          commands[index].changedParts = parts
        } else {
          ofUnknown.append(record)
        }
      case .unknown: unknown.append(record)
      }
    }
    if !unknown.isEmpty { unknown += ofUnknown }
  }

  /// Reads the files again if another process has changed them. If `writing`, becomes the writer
  /// unless another process is.
  /// - Throws: `.locked` if another process writes; `sessionEnded` after `delete`.
  package mutating func follow(writing: Bool = false) throws(UseCaseError) {
    if isDeleted { throw .sessionEnded }
    if isWriter { return }
    if PlantedBug.readsFilesOnce.isPlanted, !writing { return }
    if writing {
      do throws(LogError) { lock = try folder.lock() } catch { throw .log(error) }
    } else {
      do throws(FileError) { if try folder.stamp() == stamp { return } } catch {
        throw .log(.file(error))
      }
    }
    try load()
  }

  /// Checks that this process still writes: `release` and `delete` end a running sync.
  func checkWriter() throws(UseCaseError) {
    if isDeleted { throw .sessionEnded }
    if !isWriter { throw .cancelled }
  }

  /// Checks that the folder belongs to the user, and notes the user in a new folder.
  private mutating func claimFolder() throws(UseCaseError) {
    do throws(FileError) {
      if let owner = try folder.owner() {
        if isSameUser(owner, user) { return }
      } else {
        return try folder.store(owner: user)
      }
    } catch {
      release()
      throw .log(.file(error))
    }
    release()
    throw .refused(.notAuthorized)
  }

  /// Releases the writer's lock. The next command or sync takes it again.
  package mutating func release() {
    folder.close()
    lock?.release()
    (lock, stamp) = (nil, nil)
  }

  /// Deletes all files, for a person who signs out. All later calls fail with `sessionEnded`.
  package mutating func delete() throws(UseCaseError) {
    try follow(writing: true)
    do throws(FileError) { try folder.delete() } catch { throw .log(.file(error)) }
    isDeleted = true
    (reading, changed, answers) = (nil, [:], [])
    take([])
    release()
  }

  // MARK: The outbox's file

  mutating func persist(_ new: [OfflineFolder.Record]) throws(UseCaseError) {
    do throws(FileError) {
      if isDirty {
        let all = records + new
        try folder.store(all)
        (isDirty, lines) = (false, all.count)
      } else {
        try folder.append(new)
        lines += new.count
      }
    } catch {
      isDirty = true
      throw .log(.file(error))
    }
  }

  private var records: [OfflineFolder.Record] {
    commands.flatMap { command -> [OfflineFolder.Record] in
      var records = [OfflineFolder.Record.command(command)]
      if let reply = command.reply { records.append(.reply(reply)) }
      if let parts = command.changedParts { records.append(.changed(command.id, parts)) }
      if dismissed.contains(command.id) { records.append(.dismissed(command.id)) }
      return records
    } + unknown
  }

  /// Forgets the commands whose outcomes are dismissed and whose events the personal log reflects.
  mutating func dropEnded() {
    let position = reading?.log.position ?? 0
    let isEnded = { [dismissed] (command: PendingCommand) in
      dismissed.contains(command.id) && command.reply.map { $0.position <= position } ?? false
    }
    if !dismissed.isEmpty, commands.contains(where: isEnded) {
      for command in commands where isEnded(command) { dismissed.remove(command.id) }
      commands.removeAll(where: isEnded)
      indexes = [:]
      for (index, command) in commands.enumerated() { indexes[command.id] = index }
      generation += 1
    }
    if isWriter, lines > mostLines, lines > 4 * (commands.count + unknown.count) {
      var all = records
      if PlantedBug.compactsPending.isPlanted {
        all.removeAll { if case .command = $0 { true } else { false } }
      }
      do throws(FileError) {
        try folder.store(all)
        (lines, isDirty) = (all.count, false)
      } catch {
        // The old file is whole.
      }
    }
  }
}

extension UseCaseError {
  static let noPersonalLog = Self.offline(reason: "the phone has not fetched a personal log yet")
}
