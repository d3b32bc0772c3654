import Aggregates
import Events
import Projections

extension Explanation {
  /// Explains a command's decision.
  /// - Parameters:
  ///   - budget: the number of events to decide again in the search for sets; nil sets no limit.
  ///   - isForCaller: whether to leave out what the caller's own queries would not show.
  init(_ counterfactual: Counterfactual, _ budget: Int?, forCaller isForCaller: Bool) {
    let found = StateReads()
    let trial = counterfactual.trial(reads: found, looks: ReadSet())
    var smallest: SmallestSets?
    // Only a refusal depends on the history.
    if case .failure(.refused(let refusal)) = trial.result, !counterfactual.events.isEmpty,
      !isForCaller || !refusal.hidesItsReason
    {
      let sets = SmallestSets(counterfactual, budget: budget)
      // Without all of a set but one event, the refusal rests on what that event made.
      for set in sets.found where set.count > 1 {
        for kept in set {
          _ = counterfactual.trial(without: Set(set).subtracting([kept]), reads: found)
        }
      }
      smallest = sets
    }
    // A new entity's id says nothing about the past.
    let reads = found.all.filter { read in
      guard case .stream(let stream) = read else { return true }
      return stream.stateIDs.allSatisfy { counterfactual.isKnown($0, trial.model.names) }
    }.filter { !isForCaller || trial.mayTell($0) }
    let (events, names) = (counterfactual.events, trial.model.names)
    let actor = trial.model.draft.caller.user.flatMap { names.find(user: $0) }
    (sets, advice, wouldAppend) = ([], [], [])
    search = Search(triedSizes: 0, events: events.count)
    facts = counterfactual.facts(reads, trial, for: actor)
    switch trial.result {
    case .success(let drafted):
      error = nil
      wouldAppend = drafted.map { drafted in
        let data = (try? JSONValue(object: drafted.event.data(names))) ?? .object([])
        return .object([.init("type", .string(drafted.event.type.name)), .init("data", data)])
      }
    case .failure(let error):
      self.error = error
      guard case .refused(let refusal) = error else { break }
      advice = refusal.advice(reads, trial.aggregates, names, actor)
      guard let smallest else { break }
      search.triedSizes = smallest.triedSizes
      var decisive: Set<String> = []
      func isTold(_ index: Int) -> Bool {
        guard isForCaller else { return true }
        return events[index].event.stateStream.map { trial.mayTell(.stream($0)) } ?? false
      }
      sets = smallest.found.filter { $0.allSatisfy(isTold) }.map { set in
        let other = counterfactual.trial(without: Set(set))
        let values = counterfactual.values(reads, other, for: actor)
        for fact in facts where values[fact.path] != fact.value { decisive.insert(fact.path) }
        return LeftOut(
          events: set.map { EventReference(events[$0], names) },
          dependents: other.dependents.filter(isTold).map { EventReference(events[$0], names) })
      }
      for index in facts.indices { facts[index].isDecisive = decisive.contains(facts[index].path) }
    }
    // The numbers would tell a caller about events that they may not see.
    if isForCaller { search = Search(triedSizes: 0, events: 0) }
  }
}

extension Counterfactual.Trial {
  /// Returns whether the caller of the command may know a part of the states.
  ///
  /// That is what the caller's own queries show: the own account, follows, requests, friendships,
  /// blocks of others, memberships, chups and reactions. Nothing is told if the error hides
  /// whether something exists, so that a blocked user gets the answer for a missing user.
  fileprivate func mayTell(_ read: StateRead) -> Bool {
    if case .failure(.refused(let error)) = result, error.hidesItsReason { return false }
    guard case .stream(let stream) = read,
      let actor = model.draft.caller.user.flatMap({ model.names.find(user: $0) })
    else { return false }
    return switch stream.kind {
    case .profile, .follow, .block: stream.a == actor.index
    case .friendship: stream.a == actor.index || stream.b == actor.index
    case .member, .chup, .reaction: stream.b == actor.index
    case .workout, .comment, .heart, .group, .conversation, .notifications, .report: false
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
}

extension Counterfactual {
  /// Returns the values of the facts that reads describe, by path.
  fileprivate func values(
    _ reads: [StateRead], _ trial: Trial, for actor: UserID?
  ) -> [String: JSONValue] {
    Dictionary(
      reads.flatMap { trial.aggregates.facts($0, trial.model.names, for: actor) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Returns the facts that reads describe, each with the last event that changed its value.
  fileprivate func facts(
    _ reads: [StateRead], _ trial: Trial, for actor: UserID?
  ) -> [Explanation.Fact] {
    let names = trial.model.names
    var facts: [Explanation.Fact] = []
    for read in reads {
      for (path, value) in trial.aggregates.facts(read, names, for: actor)
      where !facts.contains(where: { $0.path == path }) {
        facts.append(.init(path: path, value: value, event: nil, isDecisive: false))
      }
    }
    var aggregates = AggregateStates()
    var last: [String: JSONValue] = [:]
    for read in reads {
      for (path, value) in aggregates.facts(read, names, for: actor) { last[path] = value }
    }
    for known in events {
      aggregates.apply(known.event)
      for read in reads where read.mayChange(with: known.event) {
        for (path, value) in aggregates.facts(read, names, for: actor)
        where last.updateValue(value, forKey: path) != value {
          if let index = facts.firstIndex(where: { $0.path == path }) {
            facts[index].event = .init(known, names)
          }
        }
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
