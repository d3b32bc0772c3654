import EventLog
import Events
import UseCases

extension Core {
  /// A command of an outbox, and the key that derives from its caller and its own key.
  package typealias KeyedCommand = (command: OutboxCommand, key: IdempotencyKey)

  /// The most commands of one outbox that are decided again on a past state, to repeat the answer.
  /// Each opens the log at a past position.
  private static let mostRepeats = 20

  /// Performs the commands of a phone's outbox in order, each once.
  ///
  /// The log identifies the commands that appended events. `journal` notes the others, so that they
  /// are not decided on a later state when a request arrives late or again.
  /// - Parameters:
  ///   - commands: the commands.
  ///   - caller: the user.
  ///   - explaining: the most refusals to explain. Each can take milliseconds.
  /// - Returns: an answer to each command, in the same order. An answer that is not final means
  ///   that the log cannot be read or written; the command may have been performed. After such an
  ///   answer, each command that appends nothing has one too.
  /// - Complexity: the commands that were not performed before are one batch, with one sync, and
  ///   another sync of the journal if some append no events.
  package func perform(
    _ commands: [KeyedCommand], as caller: Caller, _ journal: RetryJournal, explaining: Int
  ) async -> [OutboxReply] {
    var replies: [OutboxReply?] = []
    var firstEvents: [UInt64?] = []
    var batch: [(index: Int, call: Call, decide: Call.Decide)] = []
    for (index, (command, key)) in commands.enumerated() {
      let earlier = await answerFromLog(command, key, caller)
      var reply = earlier?.reply
      firstEvents.append(earlier?.first)
      if reply == nil {
        do throws(InputError) {
          let (call, decide) = try Call.make(command, of: useCases, caller, key)
          batch.append((index, call, decide))
        } catch {
          reply = OutboxReply(
            key: command.key, result: .failure(.invalidInput(error)), position: position)
        }
      }
      replies.append(reply)
    }
    var fresh: [(index: Int, call: Call, decide: Call.Decide)] = []
    var repeats = 0
    for item in batch {
      let (command, key) = commands[item.index]
      let noted = journal.find(key.tail)
      if let noted, noted.body != key.body {
        replies[item.index] = reusedKey(command)
        continue
      }
      // Commands arrive in order, so if a later one was performed, this one was too.
      let laterEvent = firstEvents[item.index...].lazy.compactMap { $0 }.first
      let implied = laterEvent.map {
        KeyUse(tail: key.tail, body: key.body, position: $0 - 1, time: .earliest)
      }
      guard store is FileLog, let use = noted ?? implied,
        !PlantedBug.decidesLateCommands.isPlanted
      else {
        fresh.append(item)
        continue
      }
      repeats += 1
      if repeats > Self.mostRepeats {
        replies[item.index] = later(command, "too many commands are repeated at once")
      } else if let reply = await answerAgain(command, item.call, use) {
        replies[item.index] = reply
      } else {
        fresh.append(item)
      }
    }
    let outcomes = await outcomes(of: fresh.map { ($0.call, $0.decide) })
    var (explanationsLeft, hasNotes) = (explaining, false)
    for ((index, call, _), outcome) in zip(fresh, outcomes) {
      // A command that needs an earlier one must wait with it.
      let waits = replies[..<index].contains { $0?.isFinal == false }
      if waits, outcome.seqs.isEmpty {
        replies[index] = later(commands[index].command, "an earlier command comes first")
        continue
      }
      let reply = await reply(to: commands[index].command, call, outcome, &explanationsLeft)
      if reply.isFinal, reply.events == .none, let key = call.key {
        journal.note(key, reply.position, outcome.reply)
        hasNotes = true
      }
      replies[index] = reply
    }
    if hasNotes { journal.sync() }
    return replies.compactMap { $0 }
  }

  /// Returns the answer to a command that was performed before without events; nil if it would
  /// have appended events then, so that it was not performed.
  private func answerAgain(_ command: OutboxCommand, _ call: Call, _ use: KeyUse) async
    -> OutboxReply?
  {
    do throws(LogError) {
      guard let again = try await replied(to: call, at: use), again.reply.seqs.isEmpty else {
        return nil
      }
      return OutboxReply(key: command.key, result: again.reply.result, position: again.position)
    } catch {
      return OutboxReply(key: command.key, result: .failure(.log(error)), position: position)
    }
  }

  /// Returns the answer to a command that was performed before and appended events, and the
  /// position of its first event; nil if there is none.
  private func answerFromLog(
    _ command: OutboxCommand, _ key: IdempotencyKey, _ caller: Caller
  ) async -> (reply: OutboxReply, first: UInt64?)? {
    if PlantedBug.performsRepeats.isPlanted { return nil }
    do throws(LogError) {
      guard let first = try await store.event(idTail: key.tail),
        first.actor == spelled(caller).actor
      else { return nil }
      let use = try await store.uses(of: [key.tail])[0]
      let isSame = use?.body.map { $0 == key.body } ?? key.mayHaveMade(first)
      guard isSame else { return (reusedKey(command), nil) }
      let count = first.batch?.count ?? 1
      let events = try await store.read(after: first.seq - 1, limit: count)
      let reply = OutboxReply(
        key: command.key, result: nil, position: first.seq + UInt64(count) - 1,
        events: EventsHash(events))
      return (reply, first.seq)
    } catch {
      let reply = OutboxReply(key: command.key, result: .failure(.log(error)), position: position)
      return (reply, nil)
    }
  }

  /// Returns an answer after which the client sends the command again.
  private func later(_ command: OutboxCommand, _ reason: String) -> OutboxReply {
    OutboxReply(
      key: command.key, result: .failure(.log(.closed(reason: reason))), position: position)
  }

  private func reusedKey(_ command: OutboxCommand) -> OutboxReply {
    let error = InputError("key", "this key was used with another input")
    return OutboxReply(
      key: command.key, result: .failure(.invalidInput(error)), position: position)
  }

  private func reply(
    to command: OutboxCommand, _ call: Call, _ outcome: Outcome, _ explaining: inout Int
  ) async -> OutboxReply {
    var result: Result<JSONValue, UseCaseError>? = outcome.reply.result
    var events: [RecordedEvent] = []
    do throws(LogError) {
      let seqs = outcome.seqs
      if !seqs.isEmpty {
        events = try await store.read(after: seqs.lowerBound - 1, limit: seqs.count)
      }
      // Another delivery of the command was performed meanwhile.
      if case .failure(.log(.keyUsed(let use))) = outcome.result, let key = call.key {
        if let earlier = await answerFromLog(command, key, call.caller) { return earlier.reply }
        if let again = try await replied(to: call, at: use) { result = again.reply.result }
      }
    } catch {
      result = .failure(.log(error))
    }
    var reply = OutboxReply(
      key: command.key, result: result, position: outcome.position, events: EventsHash(events))
    if case .failure(.refused) = reply.result, explaining > 0 {
      explaining -= 1
      let request = Request(command.name, as: call.caller.user, with: command.input)
      if let explanation = try? await explain(request), !explanation.isAccepted {
        reply.explanation = explanation.json
      }
    }
    return reply
  }
}

extension Call {
  /// Creates a call of a command.
  /// - Throws: `InputError` for an unknown use case, one that is no command, or an invalid field.
  fileprivate static func make(
    _ command: OutboxCommand, of useCases: UseCaseList, _ caller: Caller, _ key: IdempotencyKey
  ) throws(InputError) -> (Call, Decide) {
    var call = try Call(
      Request(command.name, as: caller.user, with: command.input), of: useCases,
      image: Fields.dataURI)
    (call.caller, call.key) = (caller, PlantedBug.performsRepeats.isPlanted ? nil : key)
    guard case .command(let decide) = call.work else {
      throw InputError("do", "\(printable(command.name)) cannot be performed from an outbox")
    }
    return (call, decide)
  }
}
