import Aggregates
import Events
import Projections

extension Explanation {
  /// Explains a command's decision.
  /// - Parameters:
  ///   - trial: the decision with all events, and what it read.
  ///   - budget: the number of events to decide again in the search for sets; nil sets no limit.
  ///     Afterwards it is the number left.
  ///   - isForCaller: whether to leave out what the caller's own queries would not show.
  init(
    _ counterfactual: Counterfactual, _ trial: Counterfactual.Trial, _ budget: inout Int?,
    forCaller isForCaller: Bool
  ) {
    let (events, names) = (counterfactual.events, trial.model.names)
    let actor = trial.model.draft.caller.user.flatMap { names.find(user: $0) }
    (facts, sets, advice, wouldAppend) = ([], [], [], [])
    search = Search(triedSizes: 0, events: isForCaller ? 0 : events.count)
    let found = StateReads()
    for read in trial.reads { found.add(read) }
    // The trials without each set.
    var others: [Counterfactual.Trial] = []
    switch trial.result {
    case .success(let drafted):
      error = nil
      if isForCaller { return }
      wouldAppend = drafted.map { drafted in
        let data = (try? JSONValue(object: drafted.event.data(names))) ?? .object([])
        return .object([.init("type", .string(drafted.event.type.name)), .init("data", data)])
      }
    case .failure(let error):
      self.error = error
      guard case .refused(let refusal) = error, !isForCaller || !refusal.hidesItsReason else {
        break
      }
      advice = refusal.advice(trial.reads, trial.aggregates.value, names, actor)
      if events.isEmpty { break }
      let smallest = SmallestSets(counterfactual, budget: budget) { index in
        !isForCaller || refusal.mayTell(events[index], to: actor)
      }
      if budget != nil { budget = smallest.budget }
      if !isForCaller { search.triedSizes = smallest.triedSizes }
      for set in smallest.found {
        let other = counterfactual.trial(without: Set(set))
        others.append(other)
        // Without all of a set but one event, the refusal rests on what that event made.
        let parts = set.count > 1 ? set.map { Set(set).subtracting([$0]) } : []
        let partial = parts.map { counterfactual.trial(without: $0) }
        for read in partial.flatMap(\.reads) { found.add(read) }
        sets.append(
          LeftOut(
            events: set.map { EventReference(events[$0], names) },
            codesIfKept: isForCaller ? [] : partial.compactMap(\.code),
            dependents: other.dependents.filter {
              !isForCaller || refusal.mayTell(events[$0], to: actor)
            }.map { EventReference(events[$0], names) }))
      }
    }
    facts = counterfactual.facts(found.all, trial, for: actor)
    for other in others {
      let values = counterfactual.values(found.all, other, for: actor)
      for index in facts.indices where values[facts[index].path] != facts[index].value {
        facts[index].isDecisive = true
      }
    }
    guard isForCaller else { return }
    // What else was read differs between a hidden and a missing user.
    facts.removeAll { !$0.isDecisive }
    let told = Set(sets.flatMap { $0.events + $0.dependents })
    for index in facts.indices where facts[index].event.map(told.contains) == false {
      facts[index].event = nil
    }
  }
}

extension DomainError {
  /// Whether the error is the same for something that does not exist and something hidden.
  fileprivate var hidesItsReason: Bool {
    switch self {
    case .profileNotFound, .workoutNotFound, .commentNotFound, .groupNotFound, .messageNotFound,
      .reportNotFound, .notVisible, .noSuchRequest, .notFriends, .handleAlreadyTaken:
      true
    default: false
    }
  }

  /// Returns whether a user may know of an event that led to this error: the user's own, and the
  /// request or the acceptance of a friendship that stands.
  fileprivate func mayTell(_ known: KnownEvent, to user: UserID?) -> Bool {
    if known.actor == user { return true }
    switch (self, known.event) {
    case (.alreadyReceived, .friendship(.requested)), (.alreadyFriends, .friendship(.requested)),
      (.alreadyFriends, .friendship(.accepted)):
      return true
    default: return false
    }
  }
}

extension Counterfactual {
  /// Returns the values of the facts that reads describe, by path.
  fileprivate func values(
    _ reads: [StateRead], _ trial: Trial, for actor: UserID?
  ) -> [String: JSONValue] {
    Dictionary(
      reads.flatMap { trial.aggregates.value.facts($0, trial.model.names, for: actor) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Returns the facts that reads describe, each with the last event that changed its value.
  fileprivate func facts(
    _ reads: [StateRead], _ trial: Trial, for actor: UserID?
  ) -> [Explanation.Fact] {
    let names = trial.model.names
    // A new entity's id says nothing about the past.
    let reads = reads.filter { read in
      guard case .stream(let stream) = read else { return true }
      return stream.stateIDs.allSatisfy { isKnown($0, names) }
    }
    var facts: [Explanation.Fact] = []
    for read in reads {
      for (path, value) in trial.aggregates.value.facts(read, names, for: actor)
      where !facts.contains(where: { $0.path == path }) {
        facts.append(.init(path: path, value: value, event: nil, isDecisive: false))
      }
    }
    var aggregates = AggregateStates()
    var last = reads.map { aggregates.facts($0, names, for: actor) }
    for known in events {
      aggregates.apply(known.event, at: known.moment.time)
      for (number, read) in reads.enumerated() where read.mayChange(with: known.event) {
        let values = aggregates.facts(read, names, for: actor)
        for (path, value) in values
        where !last[number].contains(where: { $0.path == path && $0.value == value }) {
          if let index = facts.firstIndex(where: { $0.path == path }) {
            facts[index].event = .init(known, names)
          }
        }
        last[number] = values
      }
    }
    return facts
  }
}

extension StateRead {
  /// Returns whether an event may change the facts of a read. An account, a workout, a comment or
  /// a group that ends takes other states with it.
  fileprivate func mayChange(with event: Event) -> Bool {
    switch event {
    case .accountDeleted, .profile(.created), .workout(.shared), .workout(.removed),
      .comment(.posted), .comment(.removed), .group:
      true
    default: mayDepend(on: event)
    }
  }
}
