import Aggregates
import Events

/// The outcome of a pending command, before it is durable.
private struct Decision {
  var events: [Model.Drafted]
  var mementos: [Society.Memento]
  var time: Timestamp
  var commit: Commit?
  var outcome: Result<Pending.Answering, UseCaseError>
}

/// A command's answer, and how to find it again in another state.
private struct Answered {
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

extension Core {
  /// The maximum number of commands appended together.
  private static let groupLimit = 4_096

  /// Queues errands and processes them, unless a task already does.
  func submit(_ errands: [Errand]) {
    let runs = queue.withLock { queue in
      queue.errands += errands
      if queue.isRunning { return false }
      queue.isRunning = true
      return true
    }
    if runs { environment.start { await self.run() } }
  }

  private func run() async {
    while true {
      let errands = queue.withLock { queue in
        let errands = queue.errands
        queue.errands = []
        queue.isRunning = !errands.isEmpty
        return errands
      }
      if errands.isEmpty { return }
      var group: [Pending] = []
      for errand in errands {
        switch errand {
        case .command(let pending):
          group.append(pending)
          if group.count < Self.groupLimit { continue }
          await process(group)
          group = []
        case .barrier(let done):
          await process(group)
          group = []
          done()
        case .rebuild(let done):
          await process(group)
          group = []
          do throws(LogError) {
            _ = try await rebuild()
            done(nil)
          } catch {
            done(.log(error))
          }
        case .catchUp(let done):
          await process(group)
          group = []
          do throws(LogError) {
            try await takeIn()
            done(nil)
          } catch {
            done(.log(error))
          }
        }
      }
      await process(group)
      saveCheckpointIfDue()
    }
  }

  /// Decides, appends and answers; decides anew whatever a conflict invalidates.
  ///
  /// First reads what others have appended: a refusal appends nothing, so no conflict would show
  /// that it was based on old state.
  private func process(_ group: [Pending]) async {
    var rest = group[...]
    while !rest.isEmpty {
      do throws(LogError) {
        if try await store.head() > position { try await takeIn() }
      } catch {
        for pending in rest { pending.fail(.log(error), position) }
        return
      }
      let (decisions, isDamaged) = state.withLock { state in
        let decisions = state.model.decide(rest, environment)
        if state.isDamaged { state.model.takeBack(decisions) }
        return (decisions, state.isDamaged)
      }
      if isDamaged {
        if await !isRebuilt(failing: rest) { return }
        continue
      }
      if await isOutdated(decisions) {
        state.withLock { $0.model.takeBack(decisions) }
        continue
      }
      let commits = decisions.compactMap(\.commit)
      let results = await append(commits, of: rest.count)
      let answers = state.withLock { state in
        let answers = state.model.conclude(rest, decisions, results)
        state.notify()
        return answers
      }
      await reply(to: rest, answers)
      rest = rest.dropFirst(answers.count)
    }
  }

  /// Whether something was refused by a state that others have changed meanwhile: on a clone, where
  /// a look at the shared log costs a round trip.
  private func isOutdated(_ decisions: [Decision]) async -> Bool {
    let isRefused = decisions.contains { if case .failure = $0.outcome { true } else { false } }
    guard isRefused, let latest = try? await store.latest() else { return false }
    return latest > position
  }

  private func append(
    _ commits: [Commit], of commands: Int
  ) async -> [Result<Appended, LogError>] {
    if commits.isEmpty { return [] }
    guard let report = state.withLock({ $0.watchesGroups }) else {
      return await store.append(commits)
    }
    let start = ContinuousClock.now
    let results = await store.append(commits)
    var failure: LogError?
    if case .failure(let error)? = results.last { failure = error }
    report(
      CommandGroupReport(
        commands: commands, events: commits.reduce(0) { $0 + $1.events.count },
        duration: ContinuousClock.now - start, failure: failure))
    return results
  }

  /// Calls `report` after each group of commands that was appended, on the task that appends.
  public func watchGroups(_ report: @escaping @Sendable (CommandGroupReport) -> Void) {
    state.withLock { $0.watchesGroups = report }
  }

  /// Rebuilds the state from the log; if the log cannot be read, fails some commands.
  private func isRebuilt(failing group: ArraySlice<Pending>) async -> Bool {
    do throws(LogError) {
      _ = try await rebuild()
      return true
    } catch {
      for pending in group { pending.fail(.log(error), position) }
      return false
    }
  }

  /// Replies to commands; if the answers came from a damaged checkpoint, with others, from a state
  /// rebuilt from the log.
  private func reply(to group: ArraySlice<Pending>, _ answers: [Answered]) async {
    guard isDamaged else {
      for answer in answers { answer.reply() }
      return
    }
    do throws(LogError) {
      // What was decided names ids by their numbers.
      guard try await rebuild() else {
        throw .closed(reason: "a checkpoint is damaged; what was decided is in the log")
      }
      let replies = state.withLock { state in answers.map { $0.again(state.model) } }
      for reply in replies { reply() }
    } catch {
      for pending in group.prefix(answers.count) { pending.fail(.log(error), position) }
    }
  }

  /// Applies the events that the store has after the model's position.
  private func takeIn() async throws(LogError) {
    do throws(LogError) {
      try await readOn()
    } catch {
      // Damaged names can make a line look wrong: then the log is not to blame.
      guard isDamaged else { throw error }
      _ = try await rebuild()
      try await readOn()
    }
  }

  private func readOn() async throws(LogError) {
    var (names, position) = state.withLock { ($0.model.names, $0.model.head.seq) }
    var events: [(Event, Moment)] = []
    let reached = try await store.catchUp(after: position, unknown: unknown, &names) {
      event, _, moment in events.append((copy event, moment))
    }
    state.withLock { state in
      state.failure = nil
      guard let reached else { return }
      state.model.names = names
      for (event, moment) in events { state.model.apply(event, at: moment) }
      state.model.head = reached
      state.model.views.settle()
      state.notify()
    }
  }
}

extension Core.State {
  func notify() {
    for observer in observers.values { observer.yield() }
  }
}

extension Model {
  /// Decides each command on the state that the previous ones leave behind.
  fileprivate mutating func decide(
    _ group: ArraySlice<Pending>, _ environment: RuntimeEnvironment
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
      if draft.time < last, position > 0 {
        outcome = .failure(.log(.timeGoesBack(last: last, given: draft.time)))
      } else {
        do throws(UseCaseError) {
          outcome = .success(try pending.decide(&self))
        } catch {
          takeBack(draft.mementos)
          (draft.events, draft.mementos) = ([], [])
          outcome = .failure(error)
        }
      }
      var decision = Decision(
        events: draft.events, mementos: draft.mementos, time: draft.time, outcome: outcome)
      if !draft.events.isEmpty {
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
        decision.commit = Commit(events, expecting: draft.expecting, position: position)
        position += UInt64(events.count)
        last = draft.time
      }
      return decision
    }
  }

  fileprivate mutating func takeBack(_ decisions: some Collection<Decision>) {
    for decision in decisions.reversed() { takeBack(decision.mementos) }
  }

  private mutating func takeBack(_ mementos: [Society.Memento]) {
    for memento in mementos.reversed() { society.restore(memento) }
  }

  /// Answers the commands whose decisions became durable, and those that decided nothing, up to the
  /// first whose commit was refused. One that was not decided at the end of the log must be decided
  /// anew; if it expected otherwise of a stream, it fails.
  /// - Returns: their answers; the rest must be decided anew.
  fileprivate mutating func conclude(
    _ group: ArraySlice<Pending>, _ decisions: [Decision], _ results: [Result<Appended, LogError>]
  ) -> [Answered] {
    var answers: [Answered] = []
    var results = results.makeIterator()
    for (number, (pending, decision)) in zip(group, decisions).enumerated() {
      var positions = (head.seq + 1)..<(head.seq + 1)
      if decision.commit != nil {
        switch results.next() {
        case .success(let appended):
          positions = appended.first..<(appended.last + 1)
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
