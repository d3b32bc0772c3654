import PersonalLogs
import UseCases

// The commands and queries of a phone.
extension OfflineState {
  /// Decides a command, and stores it in the outbox.
  /// - Throws: the error with which the server would refuse the command; `offline` if the phone
  ///   does not have the state for the decision; `log` if the command cannot be stored.
  package mutating func perform<C: Command>(
    _: C.Type, _ input: C.Input
  ) throws(UseCaseError) -> C.Output {
    try follow(writing: true)
    settle()
    guard let position = reading?.log.position else { throw .noPersonalLog }
    let (time, key) = (environment.now(), newKey())
    guard let prediction = try reading?.decide(C.self, input, at: time, for: core),
      let output = prediction.answer as? C.Output
    else { throw .noPersonalLog }
    let command = PendingCommand(id: key, prediction, at: time, on: position)
    do throws(UseCaseError) {
      if command.input.text.utf8.count > Self.mostInputBytes {
        throw .invalidInput(InputError("with", "an input has at most \(Self.mostInputBytes) bytes"))
      }
      try persist([.command(command)])
    } catch {
      isStale = true
      throw error
    }
    indexes[key] = commands.count
    commands.append(command)
    return output
  }

  func newKey() -> String {
    "\(EventID(time: environment.now(), random: environment.random()))"
  }

  /// The commands that the server has not answered, in order.
  package var pending: [PendingCommand] { commands.filter { $0.reply == nil } }

  /// The outcomes that are not dismissed, in the order of the commands.
  package var outcomes: [CommandOutcome] {
    commands.compactMap { dismissed.contains($0.id) ? nil : $0.outcome }
  }

  /// Dismisses an outcome.
  package mutating func dismiss(_ key: String) throws(UseCaseError) {
    try follow(writing: true)
    guard let index = indexes[key], commands[index].reply != nil, !dismissed.contains(key) else {
      return
    }
    if !PlantedBug.dismissesInMemory.isPlanted { try persist([.dismissed(key)]) }
    dismissed.insert(key)
    // This is O(commands), so it waits for half of them: dismissing all is then not quadratic.
    if dismissed.count > commands.count / 2 { dropEnded() }
  }

  /// Decides the pending commands again if that is due.
  package mutating func settle() {
    guard isStale else { return }
    reading?.dropPending()
    if var reading {
      self.reading = nil
      Self.decide(&commands, from: 0, on: &reading, with: core)
      self.reading = reading
    }
    isStale = false
  }

  /// Decides the commands from an index on that the personal log does not reflect, in order.
  static func decide(
    _ commands: inout [PendingCommand], from start: Int, on reading: inout PersonalReading,
    with core: Core
  ) {
    let position = reading.log.position
    for index in commands.indices.dropFirst(start) {
      let command = commands[index]
      switch command.reply?.result {
      case .failure?: continue
      case .success?, nil:
        if let reply = command.reply, reply.position <= position,
          !PlantedBug.appliesSettled.isPlanted
        {
          continue
        }
      }
      commands[index].expectedError = nil
      do throws(UseCaseError) {
        _ = try reading.decide(command.name, command.input, at: command.decidedAt, for: core)
      } catch {
        commands[index].expectedError = error
      }
    }
  }

  // MARK: Queries

  /// Answers a query from the personal log and the pending commands.
  /// - Throws: the query's error; `offline` if the phone does not have the state for the answer.
  package mutating func answer<Q: Query>(
    _: Q.Type, _ input: Q.Input
  ) throws(UseCaseError) -> OfflineAnswer<Q.Output> {
    try follow()
    settle()
    guard let reading else { throw .noPersonalLog }
    let time = max(environment.now(), reading.log.time)
    guard let value = try reading.answer(Q.self, input, at: time) else {
      throw .offline(reason: "the phone does not have all that \(Q.about.name) shows")
    }
    let settled = reading.hasPending ? try? reading.settledAnswer(Q.self, input, at: time) : value
    return OfflineAnswer(value: value, settled: settled, asOf: reading.log.time)
  }

  /// Returns the last answer to a query that the personal log does not answer.
  package func remembered(_ name: String, _ input: JSONValue) -> RememberedAnswer? {
    answers.last { $0.name == name && $0.input == input }
  }

  /// Remembers the answer to a query. Each sync asks the query again.
  package mutating func remember(_ answer: RememberedAnswer) throws(UseCaseError) {
    guard isWriter, !isDeleted else { return }
    answers.removeAll { $0.asks(answer) }
    answers.append(answer)
    if answers.count > Self.mostAnswers { answers.removeFirst() }
    try storeAnswers()
  }

  func storeAnswers() throws(UseCaseError) {
    do throws(FileError) { try folder.store(answers) } catch { throw .log(.file(error)) }
  }
}
