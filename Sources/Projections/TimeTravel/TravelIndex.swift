import Events

/// A history with its `EventIndex`, for time travel on one thread and without checkpoints.
/// `TimeTravel` uses it.
///
/// ```swift
/// var travel = try TravelIndex(view)
/// try travel.timeline(of: StatePath("followers/alice.count")).steps
/// ```
/// - Complexity: Creating it replays `EventIndex`. Questions cost the same as with `TimeTravel`.
public struct TravelIndex<H: History>: Sendable {
  /// The history that the questions are about.
  public let view: H
  /// The projections that interpret the history.
  public let catalogue: Catalogue
  /// The index of the history's events.
  public package(set) var eventIndex: Replay<EventIndex>
  /// A timeline is kept if its path has more relevant events than this, by an estimate.
  package var keepsFrom = 2_000
  /// The timelines that are kept by path, for a session that goes from event to event. Nil means
  /// that none are kept.
  package var kept: [StatePath: Timeline]?

  /// Creates the index of a history.
  /// - Throws: Read errors of the history; `.unknownType` unless `unknown` is `.skip`.
  public init(
    _ view: H, catalogue: Catalogue = .standard, unknown: ChunkConsumer.UnknownPolicy = .stop
  ) throws(LogError) {
    var eventIndex = Replay<EventIndex>()
    try eventIndex.apply(view, unknown: unknown)
    self.init(view, catalogue, eventIndex)
  }

  package init(_ view: H, _ catalogue: Catalogue, _ eventIndex: Replay<EventIndex>) {
    (self.view, self.catalogue, self.eventIndex) = (view, catalogue, eventIndex)
    self.eventIndex.names.appEvents = catalogue.appEvents
  }

  func relevant(_ path: StatePath, until: UInt64) throws(LogError) -> RelevantEvents {
    try RelevantEvents(of: path, view, eventIndex, until: until)
  }

  /// Returns the facts at a position under a path that is about one thing (`isOfOne`).
  public func facts(at position: UInt64, under path: StatePath) throws(LogError) -> [Fact] {
    precondition(path.isOfOne, "the facts of one user, workout, comment or handle")
    let relevant = try relevant(path, until: position)
    return PathState(path, catalogue, relevant.events).facts(relevant.names)
  }

  /// Returns the changes between two positions under a path that is about one thing (`isOfOne`).
  public func timeline(
    of path: StatePath, after: UInt64 = 0, until: UInt64 = .max
  ) throws(LogError) -> Timeline {
    precondition(path.isOfOne, "a timeline is of one user, workout, comment or handle")
    var state = PathState(path, catalogue)
    return Timeline(of: path, try relevant(path, until: until), after: after, &state)
  }

  /// Returns the changes that the event at a position made under a path; nil if there are none.
  private mutating func step(
    of path: StatePath, at position: UInt64
  ) throws(LogError) -> Timeline.Step? {
    guard kept != nil, RelevantEvents.weight(of: path, eventIndex) > keepsFrom else {
      return try timeline(of: path, after: position - 1, until: position).steps.last
    }
    if kept?[path] == nil {
      let timeline = try timeline(of: path)
      if kept?.count ?? 0 >= 16 { kept = [:] }
      kept?[path] = timeline
    }
    let steps = kept?[path]?.steps ?? []
    let at = steps.lowerBound { $0.event.seq < position }
    return at < steps.count ? steps[at] : nil
  }

  /// Returns the changes that the event at a position made in all projections. Returns nil if there
  /// is no such event or its type is unknown.
  public mutating func change(by position: UInt64) throws(LogError) -> Timeline.Step? {
    let touched = try Touched(by: [position], view, eventIndex, catalogue)
    guard let event = touched.events.first else { return nil }
    var step = Timeline.Step(event: event, values: [], lists: [])
    for path in touched.paths {
      let found = try self.step(of: path, at: position)
      guard let found, found.event.seq == position else { continue }
      step.values += found.values
      step.lists += found.lists
    }
    step.values.sort { $0.path < $1.path }
    step.lists.sort { $0.path < $1.path }
    return step
  }

  /// Returns the differences under a path between the states at two positions, sorted by path.
  /// Returns nil if so much changed that replaying whole projections is cheaper.
  public func changes(
    from: UInt64, to: UInt64, under path: StatePath? = nil
  ) throws(LogError) -> [Change]? {
    guard let paths = try paths(from, to, path) else { return nil }
    let (first, last) = (min(from, to), max(from, to))
    var changes: [Change] = []
    for one in paths {
      let relevant = try relevant(one, until: last)
      let rest = relevant.events.drop { $0.moment.seq <= first }
      // Most of these paths have no relevant event between the two positions.
      if rest.isEmpty { continue }
      var state = PathState(one, catalogue, relevant.events[..<rest.startIndex])
      let before = state.facts(relevant.names)
      state.apply(rest)
      let after = state.facts(relevant.names)
      changes +=
        from <= to ? Change.between(before, after) : Change.between(after, before)
    }
    return changes.filter { path?.contains($0.path) ?? true }.sorted { $0.path < $1.path }
  }

  /// Returns the paths that can differ between two positions; nil if they have too many events.
  private func paths(
    _ from: UInt64, _ to: UInt64, _ path: StatePath?
  ) throws(LogError) -> [StatePath]? {
    if let path, path.isOfOne { return [path] }
    guard Self.areNear(from, to) else { return nil }
    let (first, last) = (min(from, to), max(from, to))
    let paths = try Touched(
      by: Array(first + 1..<last + 1), view, eventIndex, catalogue
    ).paths
    let weight = paths.reduce(0) { $0 + RelevantEvents.weight(of: $1, eventIndex) }
    return UInt64(weight) * 4 < eventIndex.head.seq || weight < 100_000 ? paths : nil
  }

  /// Returns whether two positions are so close that only a small part of the state can differ.
  package static func areNear(_ from: UInt64, _ to: UInt64) -> Bool {
    max(from, to) - min(from, to) <= 200
  }
}

extension TravelIndex {
  /// Returns the first of these ids that occurs nowhere in the log; nil if all occur. A user also
  /// occurs in the log if an event names the user only as its actor.
  public func firstUnknown(among ids: [NamedID]) throws(LogError) -> NamedID? {
    for id in ids where !isMentioned(id) {
      guard id.kind == .user else { return id }
      if try !view.contains(Array("\"actor\":\"\(id.id)\"".utf8)) { return id }
    }
    return nil
  }

  private func isMentioned(_ id: NamedID) -> Bool {
    guard let kind = id.kind.ids else {
      return eventIndex.projection.key(ofHandle: id.id) != nil
    }
    return eventIndex.names.find(id.id, kind) != nil
  }

  /// Returns the ids in the log that resemble an id and have its kind (`isNear`).
  /// - Parameter id: Not a handle, because the index does not have the texts of handles.
  package func candidates(for id: NamedID) -> [String] {
    eventIndex.names.all(of: id.kind.ids ?? .user).filter { id.isNear($0) }
  }
}
