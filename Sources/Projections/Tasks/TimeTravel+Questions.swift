import Events

extension TimeTravel {
  /// Every event that contributes to what one piece of state is at a position, and what each did.
  /// - Parameter path: one that names a single piece of state (`type` is not nil).
  /// - Complexity: O(events that bear on it). Where it takes trying (workouts, comments, handles),
  ///   that for each that changed nothing by itself, as long as these are few.
  public func why(
    _ path: StatePath, at position: UInt64 = .max
  ) async throws(LogError) -> Why {
    try await asking { (index) throws(LogError) in try index.why(path, at: position) }
  }

  /// The events at which a condition becomes true or false, of those after a position.
  /// - Complexity: O(events that bear on the condition's paths); a few microseconds each.
  public func turns(
    of condition: Expression, after: UInt64 = 0, until: UInt64 = .max
  ) async throws(LogError) -> Expression.Turns {
    try await asking { (index) throws(LogError) in
      try index.turns(of: condition, after: after, until: until)
    }
  }

  /// The events after a position up to another, and of those before it the ones that name nobody
  /// and nothing else: what has to be there to decide them again.
  /// - Complexity: O(events that bear on the users, workouts and comments named).
  public func background(after: UInt64, until: UInt64) async throws(LogError) -> Background {
    try await asking { (index) throws(LogError) in
      try index.background(after: after, until: until)
    }
  }

  /// What the beginning of a path may go on with, in the order of their bytes: kinds, ids that the
  /// log has, members.
  /// - Complexity: O(ids of the log).
  public func completions(of text: String, limit: Int = 100) async throws(LogError) -> [String] {
    try await asking { (index) throws(LogError) in index.completions(of: text, limit: limit) }
  }

  /// The first of some ids that occurs nowhere in the log, however late; nil if all of them do. Who
  /// acts occurs, even where no event is about them.
  /// - Complexity: O(1) an id, once the index is open; a search through the log's bytes for a user
  ///   whom it has not, since it knows nothing of those who only act.
  public func firstUnknown(among ids: [NamedID]) async throws(LogError) -> NamedID? {
    try await asking { (index) throws(LogError) in try index.firstUnknown(among: ids) }
  }

  /// What an id may have been meant to be: the ids of its kind that events name and that begin as
  /// it does, or differ from it in one place. Of handles those that somebody has now.
  /// - Complexity: O(ids of the log); of handles a replay of the profiles.
  public func candidates(for id: NamedID) async throws(LogError) -> [String] {
    guard id.kind == .handle else {
      return try await asking { (index) throws(LogError) in index.candidates(for: id) }
    }
    let handles = try await facts(at: .max, under: StatePath(kind: .handle))
    return handles.map { String($0.path.dropFirst("handle/".count)).filter { $0 != "\"" } }
      .filter { id.isNear($0) }
  }
}
