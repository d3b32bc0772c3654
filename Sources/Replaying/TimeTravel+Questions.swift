import EventLog
import Events
import Projections

extension TimeTravel {
  /// Every event that contributes to the value of one piece of state at a position, and what each
  /// did.
  /// - Parameter path: one that names a single piece of state (`type` is not nil).
  /// - Complexity: O(events that can affect it). For workouts, comments and handles, that again for
  ///   each event without a visible effect, which is replayed without it as long as they are few.
  public func why(
    _ path: StatePath, at position: UInt64 = .max
  ) async throws(LogError) -> Why {
    try await asking { (index) throws(LogError) in try index.why(path, at: position) }
  }

  /// The events after a position at which a condition becomes true or false.
  /// - Complexity: O(events that can affect the condition's paths); a few microseconds each.
  public func turns(
    of condition: Expression, after: UInt64 = 0, until: UInt64 = .max
  ) async throws(LogError) -> Expression.Turns {
    try await asking { (index) throws(LogError) in
      try index.turns(of: condition, after: after, until: until)
    }
  }

  /// The events after one position up to another, and those of the earlier events that are needed
  /// to decide them again: the ones that name only users, workouts and comments involved.
  /// - Complexity: O(events about the users, workouts and comments named).
  public func background(after: UInt64, until: UInt64) async throws(LogError) -> Background {
    try await asking { (index) throws(LogError) in
      try index.background(after: after, until: until)
    }
  }

  /// Completions of the beginning of a path, sorted by their bytes: kinds, ids in the log, members.
  /// - Complexity: O(ids of the log).
  public func completions(of text: String, limit: Int = 100) async throws(LogError) -> [String] {
    try await asking { (index) throws(LogError) in index.completions(of: text, limit: limit) }
  }

  /// The first of some ids that occurs nowhere in the log; nil if all occur. A user occurs who only
  /// ever acts, even if no event is about them.
  /// - Complexity: O(1) per id once the index is open; a search through the log's bytes for a user
  ///   not in the index, which lacks users who only act.
  public func firstUnknown(among ids: [NamedID]) async throws(LogError) -> NamedID? {
    try await asking { (index) throws(LogError) in try index.firstUnknown(among: ids) }
  }

  /// What an id may have been meant to be: ids of its kind in the log that begin with it or differ
  /// from it in one place; for a handle, current handles only.
  /// - Complexity: O(ids of the log); for handles a replay of the profiles.
  public func candidates(for id: NamedID) async throws(LogError) -> [String] {
    guard id.kind == .handle else {
      return try await asking { (index) throws(LogError) in index.candidates(for: id) }
    }
    let handles = try await facts(at: .max, under: StatePath(kind: .handle))
    return handles.map { String($0.path.dropFirst("handle/".count)).filter { $0 != "\"" } }
      .filter { id.isNear($0) }
  }
}
