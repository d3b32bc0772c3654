import Aggregates
import Events

/// The outcome of a pending command, before it is durable.
struct Decision {
  var events: [Model.Drafted]
  var mementos: [Society.Memento]
  var time: Timestamp
  var commit: Commit?
  var outcome: Result<Pending.Answering, UseCaseError>
}

/// A command's answer, and how to find it again in another state.
struct Answered {
  var reply: @Sendable () -> Void
  var again: (Model) -> @Sendable () -> Void

  init(_ reply: @escaping @Sendable () -> Void) {
    self.reply = reply
    again = { _ in reply }
  }

  init(_ answering: @escaping Pending.Answering, _ model: Model, _ positions: Range<UInt64>) {
    reply = answering(model, positions)
    again = { [base = model.photoBase] in answering($0.addressing(photosAt: base), positions) }
  }
}

extension Model {
  /// Decides each command on the state that the previous ones leave behind.
  /// - Parameters:
  ///   - used: the keys of commands that were performed already; they are not decided.
  ///   - notes: whether a command with a key needs a commit though it has no events.
  mutating func decide(
    _ group: ArraySlice<Pending>, _ used: [UInt64: KeyUse], notes: Bool,
    _ environment: RuntimeEnvironment
  ) -> [Decision] {
    var position = head.seq
    var last = head.time
    return group.map { pending in
      draft = Draft()
      draft.caller = pending.caller
      draft.caller.user = pending.caller.user.map(names.spelling)
      draft.time = pending.caller.time ?? min(max(environment.now(), last), .latest)
      draft.random = pending.key?.source() ?? environment.random
      draft.isAhead = pending.isAhead || position > head.seq
      now = draft.time
      var outcome: Result<Pending.Answering, UseCaseError>
      if let key = pending.key, let use = used[key.tail] {
        outcome = .failure(.log(.keyUsed(use)))
      } else if draft.time < last, position > 0 {
        outcome = .failure(.log(.timeGoesBack(last: last, given: draft.time)))
      } else {
        do throws(UseCaseError) {
          let answering = try pending.decide(&self)
          try finishBlocks()
          outcome = .success(answering)
        } catch {
          takeBack(draft.mementos)
          (draft.events, draft.mementos) = ([], [])
          outcome = .failure(error)
        }
      }
      var decision = Decision(
        events: draft.events, mementos: draft.mementos, time: draft.time, outcome: outcome)
      let use = pending.key.map {
        KeyUse(tail: $0.tail, body: $0.body, position: position, time: draft.time)
      }
      if draft.events.isEmpty {
        if notes, pending.notesUse, let use, outcome.isDecided {
          decision.commit = Commit([], position: position, use: use)
        }
      } else {
        let actor = draft.caller.actor ?? ""
        var events = draft.events.map {
          NewEvent($0.event, actor: actor, id: $0.id, time: draft.time, names: names)
        }
        if let key = pending.key { key.name(&events, draft.time) }
        for (index, drafted) in draft.events.enumerated() {
          guard let cause = drafted.cause else { continue }
          let id = events[cause].id ?? EventID(time: draft.time, random: draft.random())
          events[cause].id = id
          events[index].cause = id
        }
        decision.commit = Commit(events, expecting: draft.expecting, position: position, use: use)
        position += UInt64(events.count)
        last = draft.time
      }
      return decision
    }
  }

  mutating func takeBack(_ decisions: some Collection<Decision>) {
    for decision in decisions.reversed() { takeBack(decision.mementos) }
  }

  private mutating func takeBack(_ mementos: [Society.Memento]) {
    for memento in mementos.reversed() { society.restore(memento) }
  }

  /// Answers the commands whose decisions became durable, and those that decided nothing, up to the
  /// first whose commit was refused. One that was not decided at the end of the log must be decided
  /// anew; if it expected otherwise of a stream, it fails.
  /// - Returns: their answers; the rest must be decided anew.
  mutating func conclude(
    _ group: ArraySlice<Pending>, _ decisions: [Decision], _ results: [Result<Appended, LogError>]
  ) -> [Answered] {
    var answers: [Answered] = []
    var results = results.makeIterator()
    for (number, (pending, decision)) in zip(group, decisions).enumerated() {
      var positions = (head.seq + 1)..<(head.seq + 1)
      if decision.commit != nil {
        switch results.next() {
        case .success(let appended):
          if !decision.events.isEmpty { positions = appended.first..<(appended.last + 1) }
          for (seq, event) in zip(positions, decision.events) {
            head = Moment(seq: seq, time: decision.time)
            views.apply(event.event, at: head)
          }
        case .failure(let error):
          takeBack(decisions[number...])
          views.settle()
          if case .conflict(let conflict) = error, conflict.stream == nil { return answers }
          let position = head.seq
          return answers + [Answered { pending.fail(.log(error), position) }]
        case nil:
          takeBack(decisions[number...])
          views.settle()
          return answers
        }
      }
      switch decision.outcome {
      case .success(let answering):
        photoBase = pending.caller.photoBase
        answers.append(Answered(answering, self, positions))
      case .failure(let error):
        let position = head.seq
        answers.append(Answered { pending.fail(error, position) })
      }
    }
    views.settle()
    return answers
  }
}

extension Result where Failure == UseCaseError {
  /// Whether the domain accepted or refused the command; otherwise it may be tried again.
  fileprivate var isDecided: Bool {
    switch self {
    case .success, .failure(.refused), .failure(.invalidInput): true
    case .failure: false
    }
  }
}
