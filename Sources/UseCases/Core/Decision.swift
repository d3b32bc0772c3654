import Aggregates
import EventLog
import Events

/// A decided command whose events are not yet durable.
struct Decision {
  var caller: Caller
  var events: [Model.Drafted]
  var undoRecords: [AggregateStates.UndoRecord]
  var time: Timestamp
  var commit: Commit?
  var result: Result<Call.Answering, UseCaseError>
  /// The command for the journal of refusals, or nothing. An array takes less room in the many
  /// decisions without one than an optional.
  var refused: [RefusedCommand] = []
}

extension Model {
  /// Decides each command of a batch on the state after the previous commands.
  /// - Parameter used: the known uses of retry keys. A command with a used key is not decided
  ///   again.
  /// - Returns: at least one decision. There are fewer than commands if a command has to wait,
  ///   because its answer needs the projections with the events of the earlier commands.
  mutating func decide(
    _ batch: ArraySlice<QueuedCommand>, _ used: [UInt64: KeyUse], for core: Core
  ) -> [Decision] {
    // Whether the store notes the use of a key, so that a command with a key needs a commit even
    // without events.
    let notes = core.store.notesKeys
    var position = head.seq
    var last = head.time
    var decisions: [Decision] = []
    decisions.reserveCapacity(batch.count)
    draft.ahead = EventsAhead()
    for command in batch {
      let (call, environment) = (command.call, core.environment)
      begin(call, at: call.caller.time ?? min(max(environment.now(), last), .latest))
      draft.random = call.key?.source() ?? environment.random
      draft.isAhead = call.isAhead || position > head.seq
      draft.recordsAnswer = notes && call.key != nil
      var result: Result<Call.Answering, UseCaseError>
      if let key = call.key, let use = used[key.tail] {
        result = .failure(.log(.keyUsed(use)))
      } else if draft.time < last, position > 0 {
        result = .failure(.log(.timeGoesBack(last: last, given: draft.time)))
      } else {
        do throws(UseCaseError) {
          result = .success(try decide(command.decide, for: core))
        } catch {
          takeBack(draft.undoRecords)
          (draft.events, draft.undoRecords) = ([], [])
          result = .failure(error)
        }
      }
      if draft.waits, !decisions.isEmpty {
        takeBack(draft.undoRecords)
        break
      }
      var decision = Decision(
        caller: call.caller, events: draft.events, undoRecords: draft.undoRecords, time: draft.time,
        result: result)
      if let input = refusedInput, case .failure(let error) = result {
        let moment = Moment(seq: position, time: draft.time)
        decision.refused = [RefusedCommand(call, input, error, at: moment)]
        refusedInput = nil
      }
      let use = call.key.map {
        KeyUse(
          tail: $0.tail, body: $0.body, position: position, time: draft.time,
          answer: notes ? result.recorded : nil)
      }
      if draft.events.isEmpty {
        if notes, call.notesUse, let use, result.isFinal {
          decision.commit = Commit([], position: position, use: use)
        }
      } else {
        let events = newEvents(of: call, for: core)
        decision.commit = Commit(events, expecting: draft.expecting, position: position, use: use)
        position += UInt64(events.count)
        last = draft.time
        draft.ahead.add(draft.events)
      }
      decisions.append(decision)
    }
    return decisions
  }

  /// Returns the draft's events with their ids and causes.
  private func newEvents(of call: Call, for core: Core) -> [NewEvent] {
    let actor = draft.caller.actor ?? ""
    var events = draft.events.map {
      NewEvent($0.event, actor: actor, id: $0.id, time: draft.time, names: names)
    }
    if core.tracing.recordsCorrelation, let correlation = call.caller.correlation {
      for index in events.indices { events[index].correlation = correlation }
    }
    if let key = call.key { key.name(&events, draft.time) }
    for (index, drafted) in draft.events.enumerated() {
      guard let cause = drafted.cause else { continue }
      let id = events[cause].id ?? EventID(time: draft.time, random: draft.random())
      events[cause].id = id
      events[index].cause = id
    }
    return events
  }

  /// Prepares the draft for a command.
  private mutating func begin(_ call: Call, at time: Timestamp) {
    let ahead = draft.ahead
    draft = Draft()
    draft.ahead = ahead
    draft.caller = call.caller
    draft.caller.user = call.caller.user.map(names.spelling)
    photoBase = call.caller.photoBase
    draft.time = time
    now = time
  }

  private mutating func decide(
    _ decide: Call.Decide, for core: Core
  ) throws(UseCaseError) -> Call.Answering {
    let answering = try decide(core, &self)
    try finishBlocks()
    try checkStreams()
    return answering
  }

  /// Decides a command that will not be appended. Its events are in the draft.
  private mutating func drafted(
    _ call: Call, _ decide: Call.Decide, at time: Timestamp, for core: Core
  ) throws(UseCaseError) -> Call.Answering {
    begin(call, at: time)
    draft.random = core.environment.random
    return try self.decide(decide, for: core)
  }

  /// Decides a command that will not be appended.
  /// - Returns: the events that it would append.
  mutating func tried(
    _ call: Call, _ decide: Call.Decide, at time: Timestamp, for core: Core
  ) -> Result<[Drafted], UseCaseError> {
    Result { () throws(UseCaseError) in
      _ = try drafted(call, decide, at: time, for: core)
      return draft.events
    }
  }

  /// Decides a command, and takes its effects back.
  package mutating func tryOut(
    _ call: Call, _ decide: Call.Decide, at time: Timestamp, for core: Core
  ) throws(UseCaseError) {
    defer { takeBack(draft.undoRecords) }
    _ = try drafted(call, decide, at: time, for: core)
  }

  /// Decides a command that will not be appended, and applies its events as if they were durable.
  /// - Throws: the command's error; then no state has changed.
  package mutating func applied(
    _ call: Call, _ decide: Call.Decide, at time: Timestamp, for core: Core
  ) throws(UseCaseError) -> (answer: any FieldValue, events: [Event], created: [CreatedID]) {
    let answering: Call.Answering
    do throws(UseCaseError) { answering = try drafted(call, decide, at: time, for: core) } catch {
      takeBack(draft.undoRecords)
      throw error
    }
    let events = draft.events.map(\.event)
    for event in events {
      head = Moment(seq: head.seq + 1, time: time)
      views.apply(event, at: head)
    }
    if !events.isEmpty { views.settle() }
    return (answering(self), events, draft.created)
  }

  mutating func takeBack(_ decisions: some Collection<Decision>) {
    for decision in decisions.reversed() { takeBack(decision.undoRecords) }
  }

  private mutating func takeBack(_ undoRecords: [AggregateStates.UndoRecord]) {
    for undoRecord in undoRecords.reversed() { aggregates.value.restore(undoRecord) }
  }

  /// Applies the events of the durable decisions, up to the first commit that the store refused.
  ///
  /// If the store refused a commit because of the log's position, its command must be decided
  /// again. For any other reason the command fails.
  /// - Returns: the outcomes of the commands up to there. The remaining commands must be decided
  ///   again.
  mutating func conclude(
    _ decisions: [Decision], _ results: [Result<Appended, LogError>]
  ) -> [Outcome] {
    defer { views.settle() }
    var outcomes: [Outcome] = []
    var results = results.makeIterator()
    for (number, decision) in decisions.enumerated() {
      var positions = (head.seq + 1)..<(head.seq + 1)
      if decision.commit != nil {
        switch results.next() {
        case .success(let appended):
          if !decision.events.isEmpty { positions = appended.first..<(appended.last + 1) }
          for (seq, event) in zip(positions, decision.events) {
            head = Moment(seq: seq, time: decision.time)
            touched?.add(event.event, views)
            views.apply(event.event, at: head)
          }
        case .failure(let error):
          takeBack(decisions[number...])
          if case .conflict(let conflict) = error, conflict.stream == nil { return outcomes }
          return outcomes + [Outcome(result: .failure(.log(error)), position: head.seq)]
        case nil:
          takeBack(decisions[number...])
          return outcomes
        }
      }
      outcomes.append(outcome(of: decision, positions))
    }
    return outcomes
  }

  /// Computes the answers of durable decisions again, after the state was rebuilt.
  mutating func outcomes(_ outcomes: [Outcome], of decisions: [Decision]) -> [Outcome] {
    zip(outcomes, decisions).map { outcome, decision in
      guard case .success = outcome.result else { return outcome }
      return self.outcome(of: decision, outcome.seqs)
    }
  }

  mutating func outcome(of decision: Decision, _ seqs: Range<UInt64>) -> Outcome {
    switch decision.result {
    case .success(let answering):
      photoBase = decision.caller.photoBase
      return Outcome(
        result: .success(answering(self)), seqs: seqs, position: seqs.upperBound - 1)
    case .failure(let error): return Outcome(result: .failure(error), position: head.seq)
    }
  }
}

extension Result<Call.Answering, UseCaseError> {
  /// The text to record with the command's key; nil if the answer is not known yet.
  fileprivate var recorded: String? {
    switch self {
    case .success(.known(let answer)): Result<JSONValue, UseCaseError>.success(answer.json).recorded
    case .success(.reading): nil
    case .failure(let error): Result<JSONValue, UseCaseError>.failure(error).recorded
    }
  }
}
