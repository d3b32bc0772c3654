import EventLog
import Events
import Projections

/// An explanation of a history's state: the value of any piece of state at any time, and the events
/// that caused it.
///
/// ```swift
/// let travel = TimeTravel(view)
/// let path = try StatePath("followers/alice.count")
/// try await travel.facts(at: 42, under: path)     // its value after event 42
/// try await travel.timeline(of: path).steps       // every value it ever had, and the events
/// try await travel.change(by: 42)                 // the changes by event 42
/// ```
/// It answers questions about one path from the events that can affect it; `EventIndex` finds them.
/// - Complexity: the first question opens the index, from a checkpoint in milliseconds, otherwise
///   by a replay. Then a few microseconds for each event that can affect the path.
public actor TimeTravel<H: History> {
  /// The history that is explained.
  public nonisolated let view: H
  /// The projections whose states can be asked for.
  public nonisolated let catalogue: Catalogue
  private let options: ReplayOptions
  private let usesCheckpoints: Bool
  private var index: TravelIndex<H>?
  /// The least number of events in a cached timeline; nil caches none.
  private var keepsFrom: Int?

  /// - Parameters:
  ///   - catalogue: the projections whose states can be asked for.
  ///   - unknown: the treatment of events of types that this code does not know.
  ///   - progress: called with the bytes read so far and in total while the index is built.
  public init(
    _ view: H, catalogue: Catalogue = .standard, jobs: Int = 2,
    unknown: ChunkConsumer.UnknownPolicy = .stop,
    usesCheckpoints: Bool = true, progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) {
    (self.view, self.catalogue, self.usesCheckpoints) = (view, catalogue, usesCheckpoints)
    var options = ReplayOptions()
    (options.jobs, options.unknown, options.progress) = (jobs, unknown, progress)
    self.options = options
  }

  /// Opens the index, if it is not open yet.
  /// - Returns: the index up to the log's head; save it if building it took long.
  @discardableResult
  public func open() async throws(LogError) -> Replay<EventIndex> {
    if let index { return index.eventIndex }
    return try await reopen(usesCheckpoints: usesCheckpoints)
  }

  private func reopen(usesCheckpoints: Bool) async throws(LogError) -> Replay<EventIndex> {
    let eventIndex = try await Replay<EventIndex>.caughtUp(
      with: view, options: options, usesCheckpoint: usesCheckpoints)
    index = TravelIndex(view, catalogue, eventIndex)
    cacheTimelines()
    return eventIndex
  }

  /// Asks the index. If its checkpoint is damaged, rebuilds the index and asks again.
  func asking<T: Sendable>(
    _ body: (inout TravelIndex<H>) throws(LogError) -> T
  ) async throws(LogError) -> T {
    let restored = try await open().restored
    let result = Result { () throws(LogError) in try body(&index!) }
    if let result = restored.checked(result) { return try result.get() }
    _ = try await reopen(usesCheckpoints: false)
    return try body(&index!)
  }

  /// Returns the pieces of state under a path at a position, sorted by path.
  /// - Complexity: O(events that can affect the path) if it names one user, workout, comment or
  ///   handle; otherwise a replay of the projections that it concerns.
  public func facts(
    at position: UInt64, under path: StatePath? = nil
  ) async throws(LogError) -> [Fact] {
    guard let path, path.isOfOne else {
      return try await past.facts(at: position, under: path)
    }
    return try await asking { (index) throws(LogError) in
      try index.facts(at: position, under: path)
    }
  }

  private var past: PastState<H> {
    PastState(
      view, catalogue, jobs: options.jobs, unknown: options.unknown,
      usesCheckpoints: usesCheckpoints)
  }

  /// Returns all changes under a path up to a position.
  /// - Parameters:
  ///   - path: must name one user, workout, comment or handle (`isOfOne`).
  ///   - after: returns only changes after this position.
  /// - Complexity: O(events that can affect it); a few microseconds each.
  public func timeline(
    of path: StatePath, after: UInt64 = 0, until: UInt64 = .max
  ) async throws(LogError) -> Timeline {
    try await asking { (index) throws(LogError) in
      try index.timeline(of: path, after: after, until: until)
    }
  }

  /// Caches long timelines for `change` from now on, for a session that asks about the same users
  /// repeatedly. Memory: about a kilobyte an event, for at most sixteen timelines.
  /// - Parameter least: the least number of events in a cached timeline.
  public func keepTimelines(from least: Int = 2_000) {
    keepsFrom = least
    cacheTimelines()
  }

  private func cacheTimelines() {
    guard let keepsFrom else { return }
    index?.keepsFrom = keepsFrom
    if index != nil, index?.kept == nil { index?.kept = [:] }
  }

  /// Returns the changes by an event in all projections; nil if there is no event at the position,
  /// or its type is unknown.
  /// - Complexity: O(events about the ids it names); for a deleted account, those of everybody it
  ///   was involved with.
  public func change(by position: UInt64) async throws(LogError) -> Timeline.Step? {
    try await asking { (index) throws(LogError) in try index.change(by: position) }
  }

  /// Returns the differences between two positions under a path, sorted by path.
  /// - Complexity: for positions near each other, O(events about the ids that the events in between
  ///   name); otherwise replays of the projections that the path concerns.
  public func changes(
    from: UInt64, to: UInt64, under path: StatePath? = nil
  ) async throws(LogError) -> [Change] {
    if path?.isOfOne == true || TravelIndex<H>.areNear(from, to) {
      let near = try await asking { (index) throws(LogError) in
        try index.changes(from: from, to: to, under: path)
      }
      if let near { return near }
    }
    return try await past.changes(from: from, to: to, under: path)
  }
}

extension TimeTravel {
  /// Returns every event that contributes to the value of one piece of state at a position, and its
  /// effect.
  /// - Parameter path: must name a single piece of state (`type` is not nil).
  /// - Complexity: O(events that can affect it). For workouts, comments and handles, the same again
  ///   for each event without a visible effect: if these are few, each is left out in a replay of
  ///   its own.
  public func why(
    _ path: StatePath, at position: UInt64 = .max
  ) async throws(LogError) -> Why {
    try await asking { (index) throws(LogError) in try index.why(path, at: position) }
  }

  /// Returns the events after a position at which a condition becomes true or false.
  /// - Complexity: O(events that can affect the condition's paths); a few microseconds each.
  public func turns(
    of condition: Expression, after: UInt64 = 0, until: UInt64 = .max
  ) async throws(LogError) -> Expression.Turns {
    try await asking { (index) throws(LogError) in
      try index.turns(of: condition, after: after, until: until)
    }
  }

  /// Returns the events after one position up to another, and the earlier events that are needed to
  /// decide them again. Those are the ones that name only users, workouts and comments involved.
  /// - Complexity: O(events about the users, workouts and comments named).
  public func background(after: UInt64, until: UInt64) async throws(LogError) -> Background {
    try await asking { (index) throws(LogError) in
      try index.background(after: after, until: until)
    }
  }

  /// Returns completions of a path's beginning, sorted by bytes: kinds, ids in the log, members.
  /// - Complexity: O(ids of the log).
  public func completions(of text: String, limit: Int = 100) async throws(LogError) -> [String] {
    try await asking { (index) throws(LogError) in index.completions(of: text, limit: limit) }
  }

  /// Returns the first of some ids that does not occur in the log; nil if all occur. A user who
  /// only acts also occurs, even if no event is about them.
  /// - Complexity: O(1) for each id once the index is open. For a user who is not in the index, a
  ///   search through the log's bytes, because the index lacks users who only act.
  public func firstUnknown(among ids: [NamedID]) async throws(LogError) -> NamedID? {
    try await asking { (index) throws(LogError) in try index.firstUnknown(among: ids) }
  }

  /// Returns ids that may have been meant instead of an id: ids of its kind in the log that begin
  /// with it or differ from it in one place. For a handle, only current handles.
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
