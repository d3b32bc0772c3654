import PersonalLogs
import UseCases

/// The progress of a sync.
struct SyncProgress: Sendable {
  var pushes = true
  var fetches = true
  var asks = true
  /// The most commands of the next request.
  var batch = OfflineState.batch
}

// The requests of a sync, and their answers.
extension OfflineState {
  /// A request of a sync.
  package enum Step: Equatable, Sendable {
    /// Send commands, in this order.
    case push([OutboxCommand])
    /// Fetch the personal log; only the changes if the phone has one.
    case fetch(PersonalLog?)
    /// Ask the server the remembered queries again.
    case ask([RememberedAnswer])
  }

  /// The most commands of one request.
  package static let batch = 200
  /// The most bytes of the commands of one request, except for a single larger command.
  private static let batchBytes = 256 << 10

  /// Begins a sync.
  package mutating func beginSync() throws(UseCaseError) {
    try follow(writing: true)
    sync = SyncProgress()
  }

  /// Returns the next request of the sync; nil if the sync is complete.
  ///
  /// A sync first sends the commands, then fetches the personal log, which reflects them.
  package mutating func nextStep() -> Step? {
    if isDeleted || !isWriter { return nil }
    if sync.pushes {
      let batch = nextBatch()
      if !batch.isEmpty { return .push(batch) }
      sync.pushes = false
    }
    if sync.fetches { return .fetch(reading?.log) }
    if sync.asks, !PlantedBug.keepsOldAnswers.isPlanted { return .ask(answers + unasked) }
    return nil
  }

  /// The queries that each sync asks even if the app has not asked them yet.
  private var unasked: [RememberedAnswer] {
    [GetNotifications.about.name, GetUnreadCount.about.name].compactMap { name in
      let query = RememberedAnswer(name: name, input: .object([]), answer: .null, time: .epoch)
      return answers.contains { $0.asks(query) } ? nil : query
    }
  }

  private mutating func nextBatch() -> [OutboxCommand] {
    var (batch, bytes): ([OutboxCommand], Int) = ([], 0)
    for command in commands {
      if PlantedBug.stopsAtRefusals.isPlanted, case .failure? = command.reply?.result { break }
      if command.reply != nil { continue }
      bytes += command.input.text.utf8.count
      if batch.count == sync.batch || !batch.isEmpty && bytes > Self.batchBytes { break }
      batch.append(command.outboxCommand)
    }
    if PlantedBug.sendsBackwards.isPlanted { batch.reverse() }
    if PlantedBug.sendsNewKeys.isPlanted { for i in batch.indices { batch[i].key = newKey() } }
    if PlantedBug.forgetsSentCommands.isPlanted, !batch.isEmpty {
      commands.removeAll { $0.reply == nil }
      indexes = Dictionary(uniqueKeysWithValues: commands.enumerated().map { ($1.id, $0) })
    }
    return batch
  }

  /// Takes the server's answers to commands. Ignores answers that it already has, and those that
  /// are not final.
  /// - Returns: the new outcomes.
  package mutating func receive(_ replies: [OutboxReply]) throws(UseCaseError) -> [CommandOutcome] {
    try checkWriter()
    var new: [(index: Int, reply: OutboxReply)] = []
    var keys: Set<String> = []
    for reply in replies where reply.isFinal || PlantedBug.takesBusyAsAnswer.isPlanted {
      guard let index = indexes[reply.key],
        commands[index].reply == nil || PlantedBug.reportsTwice.isPlanted,
        keys.insert(reply.key).inserted
      else { continue }
      if PlantedBug.dropsRefusals.isPlanted, case .failure? = reply.result { continue }
      new.append((index, reply))
    }
    // Commands are sent in order: if one must wait, the sync goes on without those after it.
    if new.isEmpty || replies.contains(where: { !$0.isFinal }) { sync.pushes = false }
    if new.isEmpty { return [] }
    do throws(UseCaseError) { try persist(new.map { .reply($0.reply) }) } catch {
      sync.pushes = false
      throw error
    }
    generation += 1
    return new.compactMap { index, reply in
      commands[index].reply = reply
      // What depended on a refused command is decided again.
      if case .failure? = reply.result, !PlantedBug.keepsRefusedEffects.isPlanted { isStale = true }
      return commands[index].outcome
    }
  }

  /// Takes an error of a request with commands. If the server cannot read the request, sends fewer
  /// commands, to find the command that it cannot read; that one is refused.
  /// - Returns: the new outcomes.
  /// - Throws: the error, if the sync cannot go on with other requests.
  package mutating func receive(
    pushError error: UseCaseError, for batch: [OutboxCommand]
  ) throws(UseCaseError) -> [CommandOutcome] {
    guard case .invalidInput = error else {
      sync.pushes = false
      throw error
    }
    if let command = batch.first, batch.count == 1 {
      sync.batch = Self.batch
      return try receive([
        OutboxReply(
          key: command.key, result: .failure(error), position: reading?.log.position ?? 0)
      ])
    }
    sync.batch = max(1, batch.count / 2)
    return []
  }

  // MARK: Personal logs

  /// The parts of a state that `prepare` needs. They do not slow down later commands.
  package struct Snapshot: Sendable {
    fileprivate let user: String
    fileprivate let core: Core
    fileprivate let log: PersonalLog?
    fileprivate let changed: [String: UInt64]
    fileprivate let commands: [PendingCommand]
    fileprivate let generation: Int
  }

  /// A personal log that was read, with the pending commands decided on it.
  package struct Prepared: Sendable {
    fileprivate var reading: PersonalReading
    fileprivate var changed: [String: UInt64]
    fileprivate var commands: [PendingCommand]
    fileprivate var generation: Int
  }

  package var snapshot: Snapshot {
    Snapshot(
      user: user, core: core, log: reading?.log, changed: changed, commands: commands,
      generation: generation)
  }

  /// Reads a personal log, and decides the pending commands on it.
  /// - Throws: `upgradeRequired` if this version cannot read the log; `notAuthorized` for another
  ///   user's log.
  /// - Complexity: O(personal log and pending commands). It needs no lock.
  package static func prepare(
    _ log: PersonalLog, _ snapshot: Snapshot
  ) throws(UseCaseError) -> Prepared {
    guard isSameUser(log.reader, snapshot.user) else { throw .refused(.notAuthorized) }
    var reading: PersonalReading
    do throws(InputError) { reading = try PersonalReading(log) } catch {
      throw .upgradeRequired(reason: "\(error)")
    }
    let known = Dictionary(
      (snapshot.log?.parts ?? []).map { ($0.key, $0) }, uniquingKeysWith: { _, last in last })
    var changed: [String: UInt64] = [:]
    for part in log.parts {
      changed[part.key] =
        known[part.key] == part
        ? snapshot.changed[part.key] ?? log.position : log.position
    }
    var commands = snapshot.commands
    decide(&commands, from: 0, on: &reading, with: snapshot.core)
    return Prepared(
      reading: reading, changed: changed, commands: commands, generation: snapshot.generation)
  }

  /// Takes a personal log.
  /// - Returns: false if the log is older than the phone's, so that nothing has changed.
  package mutating func receive(_ prepared: Prepared) throws(UseCaseError) -> Bool {
    sync.fetches = false
    try checkWriter()
    var (log, reading) = (prepared.reading.log, prepared.reading)
    if let old = self.reading?.log, log.position < old.position,
      !PlantedBug.takesOlderLogs.isPlanted
    {
      return false
    }
    do throws(FileError) { try folder.store(log, prepared.changed) } catch {
      throw .log(.file(error))
    }
    changed = prepared.changed
    if prepared.generation == generation, prepared.commands.count <= commands.count {
      let count = prepared.commands.count
      commands.replaceSubrange(..<count, with: prepared.commands)
      Self.decide(&commands, from: count, on: &reading, with: core)
      isStale = false
    } else {
      isStale = true
    }
    if !PlantedBug.keepsOldReading.isPlanted { self.reading = reading }
    try noteChangedParts(until: log.position)
    dropEnded()
    return true
  }

  /// Reads and takes a personal log at once.
  package mutating func receive(_ log: PersonalLog) throws(UseCaseError) -> Bool {
    try receive(try Self.prepare(log, snapshot))
  }

  /// Notes the parts that changed since the phone's decision, for the outcomes that need a reason.
  private mutating func noteChangedParts(until position: UInt64) throws(UseCaseError) {
    var records: [OfflineFolder.Record] = []
    for index in commands.indices {
      let command = commands[index]
      guard let reply = command.reply, command.changedParts == nil, reply.position <= position
      else { continue }
      var parts: [String] = []
      switch command.outcome?.kind {
      case .refused, .appliedDifferently:
        parts = changed.filter { $0.value > command.decidedOn }.map(\.key).sorted()
        records.append(.changed(command.id, parts))
      case .applied, .alreadyTrue, nil: break
      }
      commands[index].changedParts = parts
    }
    try persist(records)
  }

  /// Takes the server's answer that the user has no account: deletes the personal log and the
  /// remembered answers. The outcomes stay.
  package mutating func receiveNoAccount() throws(UseCaseError) {
    (sync.fetches, sync.asks) = (false, false)
    try checkWriter()
    do throws(FileError) { try folder.deletePersonalLog() } catch { throw .log(.file(error)) }
    (reading, changed, answers) = (nil, [:], [])
    generation += 1
    dropEnded()
  }

  /// Takes the present answers to queries; nil means that the server refuses the query now.
  package mutating func receive(
    _ new: [RememberedAnswer?], to queries: [RememberedAnswer]
  ) throws(UseCaseError) {
    sync.asks = false
    try checkWriter()
    for (query, answer) in zip(queries, new) {
      if let index = answers.firstIndex(where: { $0.asks(query) }) {
        guard let answer else {
          answers.remove(at: index)
          continue
        }
        // The app may have got a newer answer meanwhile.
        if answer.time >= answers[index].time { answers[index] = answer }
      } else if let answer, answer.answer != .null, answers.count < Self.mostAnswers {
        answers.append(answer)
      }
    }
    try storeAnswers()
  }
}
