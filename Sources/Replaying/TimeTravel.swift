import EventLog
import Events
import Projections

/// Explains the state of a history: the value of any piece of it at any time, and which events
/// caused it.
///
/// ```swift
/// let travel = TimeTravel(view)
/// let path = try StatePath("followers/alice.count")
/// try await travel.facts(at: 42, under: path)     // what it was
/// try await travel.timeline(of: path).steps       // every value it ever had, and through whom
/// try await travel.change(by: 42)                 // what event 42 changed
/// ```
/// Read-only. Questions about one path are answered from the events that can affect it, wherever
/// they are in the log; the index `EventIndex` finds them.
/// - Complexity: the first question opens the index: from a checkpoint in milliseconds, otherwise
///   by a replay. Then a few microseconds per event that can affect the path.
public actor TimeTravel<H: History> {
  public nonisolated let view: H
  public nonisolated let catalogue: Catalogue
  private let jobs: Int
  private let unknown: ChunkConsumer.UnknownPolicy
  private let usesCheckpoints: Bool
  private let progress: @Sendable (Int, Int) -> Void
  /// Timelines of at least this many events are kept.
  private let keepsFrom: Int
  private var index: TravelIndex<H>?
  private var keepsTimelines = false

  /// - Parameters:
  ///   - catalogue: the projections whose states can be asked for.
  ///   - unknown: what to do at events of types this code does not know.
  ///   - progress: called with the number of bytes that building the index has read so far and in
  ///     total.
  public init(
    _ view: H, catalogue: Catalogue = .standard, jobs: Int = 2,
    unknown: ChunkConsumer.UnknownPolicy = .stop,
    usesCheckpoints: Bool = true, progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) {
    self.init(
      view, catalogue: catalogue, jobs: jobs, unknown: unknown, usesCheckpoints: usesCheckpoints,
      progress: progress, keepsFrom: 2_000)
  }

  init(
    _ view: H, catalogue: Catalogue = .standard, jobs: Int = 2,
    unknown: ChunkConsumer.UnknownPolicy = .stop,
    usesCheckpoints: Bool = true,
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }, keepsFrom: Int
  ) {
    self.keepsFrom = keepsFrom
    self.view = view
    self.catalogue = catalogue
    self.jobs = jobs
    self.unknown = unknown
    self.usesCheckpoints = usesCheckpoints
    self.progress = progress
  }

  /// Opens the index, if it is not open yet.
  /// - Returns: the index up to the log's head; worth saving if building it took long.
  @discardableResult
  public func open() async throws(LogError) -> Replay<EventIndex> {
    if let index { return index.eventIndex }
    let eventIndex = try await opened(usesCheckpoints: usesCheckpoints)
    setIndex(eventIndex)
    return eventIndex
  }

  private func setIndex(_ eventIndex: Replay<EventIndex>) {
    var index = TravelIndex(view, catalogue, eventIndex)
    index.keepsFrom = keepsFrom
    if keepsTimelines { index.kept = [:] }
    self.index = index
  }

  private func opened(usesCheckpoints: Bool) async throws(LogError) -> Replay<EventIndex> {
    var options = Replay<EventIndex>.Options()
    options.jobs = jobs
    options.unknown = unknown
    options.progress = progress
    return try await .caughtUp(with: view, options: options, usesCheckpoint: usesCheckpoints)
  }

  /// Asks the index; if its checkpoint cannot be believed, asks again with one rebuilt from the log.
  func asking<T: Sendable>(
    _ body: (inout TravelIndex<H>) throws(LogError) -> T
  ) async throws(LogError) -> T {
    let restored = try await open().restored
    let result = Result { () throws(LogError) in try body(&index!) }
    if let result = restored.checked(result) { return try result.get() }
    setIndex(try await opened(usesCheckpoints: false))
    return try body(&index!)
  }

  /// The pieces of state under a path at a position, sorted by path.
  /// - Complexity: O(events that can affect the path) if it says whose state it means; otherwise a
  ///   replay of the projections it concerns.
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
      view, catalogue, jobs: jobs, unknown: unknown, usesCheckpoints: usesCheckpoints)
  }

  /// Everything that happened under a path up to a position.
  /// - Parameters:
  ///   - path: one that says whose state it means (`isOfOne`).
  ///   - after: only what happened after this position.
  /// - Complexity: O(events that can affect it); a few microseconds each.
  public func timeline(
    of path: StatePath, after: UInt64 = 0, until: UInt64 = .max
  ) async throws(LogError) -> Timeline {
    try await asking { (index) throws(LogError) in
      try index.timeline(of: path, after: after, until: until)
    }
  }

  /// From now on caches long timelines for `change`: for a session, which meets the same users
  /// again and again. Memory: about a kilobyte per event of at most sixteen timelines.
  public func keepTimelines() {
    keepsTimelines = true
    if index != nil, index?.kept == nil { index?.kept = [:] }
  }

  /// What an event changed, over all projections; nil if there is no event at the position, or its
  /// type is unknown.
  /// - Complexity: O(events about what it names); deleting an account costs those of everybody it
  ///   was involved with.
  public func change(by position: UInt64) async throws(LogError) -> Timeline.Step? {
    try await asking { (index) throws(LogError) in try index.change(by: position) }
  }

  /// What differs between two positions under a path, sorted by path.
  /// - Complexity: for positions near each other, O(events about what those in between name);
  ///   otherwise replays of the projections that the path concerns.
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
