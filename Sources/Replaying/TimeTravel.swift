import EventLog
import Events
import Projections

/// An explanation of a history's state. It returns the value of any piece of state at any position,
/// and the events that caused it.
///
/// ```swift
/// let travel = TimeTravel(view)
/// let path = try StatePath("followers/alice.count")
/// try await travel.facts(at: 42, under: path)     // its value after event 42
/// try await travel.timeline(of: path).steps       // every value it ever had, and the events
/// try await travel.change(by: 42)                 // the changes by event 42
/// ```
/// It answers questions about one path from the events that can affect that path. `EventIndex`
/// finds these events.
/// - Complexity: the first question opens the index. That takes milliseconds from a checkpoint;
///   without one, it takes a replay. Each question then takes a few microseconds for each event
///   that can affect the path.
public actor TimeTravel<H: History> {
  /// The history that is explained.
  public nonisolated let view: H
  /// The projections whose states are explained.
  public nonisolated let catalogue: Catalogue
  private let options: ReplayOptions
  private let usesCheckpoints: Bool
  private var index: TravelIndex<H>?
  /// The least number of events in a timeline that is cached; if nil, no timeline is cached.
  private var keepsFrom: Int?

  /// Creates an explanation of a history. Reads nothing yet.
  /// - Parameters:
  ///   - catalogue: the projections whose states are explained.
  ///   - jobs: the number of tasks that scan the log in a replay, at least 1.
  ///   - unknown: the treatment of events of types that this code does not know.
  ///   - usesCheckpoints: if false, states and the index are computed from the log's beginning.
  ///   - progress: called with the number of bytes read so far and in total, while the index is
  ///     built.
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

  /// Opens the index of events, if it is not open yet.
  /// - Returns: the index up to the log's last event. The caller can save it if building it took
  ///   long.
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

  /// Calls `body` with the index. If the index's checkpoint is damaged, rebuilds the index and
  /// calls `body` again.
  func asking<T: Sendable>(
    _ body: (inout TravelIndex<H>) throws(LogError) -> T
  ) async throws(LogError) -> T {
    let restored = try await open().restored
    let result = Result { () throws(LogError) in try body(&index!) }
    if let result = restored.checked(result) { return try result.get() }
    _ = try await reopen(usesCheckpoints: false)
    return try body(&index!)
  }

  /// Returns the pieces of state under a path at a position, sorted by path; all pieces if the path
  /// is nil.
  /// - Complexity: O(events that can affect the path) if the path names one user, workout, comment
  ///   or handle. Otherwise a replay of the projections that have the path's kind.
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

  /// Returns the changes of state under a path that the events after one position, up to another,
  /// made.
  /// - Parameters:
  ///   - path: a path that names one user, workout, comment or handle (`isOfOne`).
  ///   - after: the position before the first event whose changes are returned.
  ///   - until: the position of the last event whose changes are returned.
  /// - Complexity: O(events that can affect the path); a few microseconds for each.
  public func timeline(
    of path: StatePath, after: UInt64 = 0, until: UInt64 = .max
  ) async throws(LogError) -> Timeline {
    try await asking { (index) throws(LogError) in
      try index.timeline(of: path, after: after, until: until)
    }
  }

  /// Starts to cache long timelines, for a session that calls `change` repeatedly for the same
  /// users. Memory: about a kilobyte for each event, for at most sixteen timelines.
  /// - Parameter least: the least number of events in a timeline that is cached.
  public func keepTimelines(from least: Int = 2_000) {
    keepsFrom = least
    cacheTimelines()
  }

  private func cacheTimelines() {
    guard let keepsFrom else { return }
    index?.keepsFrom = keepsFrom
    if index != nil, index?.kept == nil { index?.kept = [:] }
  }

  /// Returns the changes that an event made in all projections. Returns nil if there is no event at
  /// the position, or if its type is unknown.
  /// - Complexity: O(events about the ids that the event names). For the deletion of an account,
  ///   this includes the events about every user who was connected with it.
  public func change(by position: UInt64) async throws(LogError) -> Timeline.Step? {
    try await asking { (index) throws(LogError) in try index.change(by: position) }
  }

  /// Returns the differences between the states at two positions, under a path, sorted by path.
  /// Without a path, returns the differences of the whole state.
  /// - Complexity: for positions near each other, O(events about the ids that the events in between
  ///   name). Otherwise replays of the projections that have the path's kind.
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
  /// Returns every event that contributes to the value of one piece of state at a position, and the
  /// event's effect.
  /// - Parameter path: a path that names a single piece of state (`type` is not nil).
  /// - Complexity: O(events that can affect the piece). If there are few events without a visible
  ///   effect, computes the value again without each of these events.
  public func why(
    _ path: StatePath, at position: UInt64 = .max
  ) async throws(LogError) -> Why {
    try await asking { (index) throws(LogError) in try index.why(path, at: position) }
  }

  /// Returns the events after a position at which a condition becomes true or false.
  /// - Complexity: O(events that can affect the condition's paths); a few microseconds for each.
  public func turns(
    of condition: Expression, after: UInt64 = 0, until: UInt64 = .max
  ) async throws(LogError) -> Expression.Turns {
    try await asking { (index) throws(LogError) in
      try index.turns(of: condition, after: after, until: until)
    }
  }

  /// Returns the events after position `after`, up to `until`, and the earlier events that deciders
  /// need to decide them again. An earlier event is included if the later events involve all the
  /// users, workouts and other things that it names.
  /// - Complexity: O(events about the users, workouts and comments that are involved).
  public func background(after: UInt64, until: UInt64) async throws(LogError) -> Background {
    try await asking { (index) throws(LogError) in
      try index.background(after: after, until: until)
    }
  }

  /// Returns the ways to complete the last word of `text`, which is the beginning of a path:
  /// - before the first `/`, with kinds of paths: `fol` gives `followers/` and `following/`;
  /// - after a `/`, with ids of the log, or with the words that the kind allows there;
  /// - after a `.`, with the fields of the kind.
  ///
  /// Each result is the whole text with the completed word. An unknown kind has no results.
  /// - Parameter limit: the largest number of ids returned; those that sort first.
  /// - Complexity: O(ids of the log).
  public func completions(of text: String, limit: Int = 100) async throws(LogError) -> [String] {
    try await asking { (index) throws(LogError) in index.completions(of: text, limit: limit) }
  }

  /// Returns the first of some ids that does not occur in the log; nil if all occur. A user also
  /// occurs in the log if an event names the user only as its actor.
  /// - Complexity: O(1) for each id in the index, once the index is open. The index lacks users who
  ///   occur only as actors: a user who is not in the index costs a search through the log's bytes.
  public func firstUnknown(among ids: [NamedID]) async throws(LogError) -> NamedID? {
    try await asking { (index) throws(LogError) in try index.firstUnknown(among: ids) }
  }

  /// Returns ids that the caller may have meant instead of the unknown `id`: ids of the same kind
  /// in the log that begin with `id` or differ from `id` in one place. For a handle, returns only
  /// current handles.
  /// - Complexity: O(ids of the log); for handles, a replay of the profiles.
  public func candidates(for id: NamedID) async throws(LogError) -> [String] {
    guard id.kind == .handle else {
      return try await asking { (index) throws(LogError) in index.candidates(for: id) }
    }
    let handles = try await facts(at: .max, under: StatePath(kind: .handle))
    return handles.map { String($0.path.dropFirst("handle/".count)).filter { $0 != "\"" } }
      .filter { id.isNear($0) }
  }
}
