import Events

/// Some events of a log, with the earlier events that the deciders need to decide them again.
public struct Background: Sendable {
  /// The earlier events that the deciders need, in log order.
  public var given: [KnownEvent] = []
  /// The events to decide again, in log order.
  public var when: [KnownEvent] = []
  /// The table that maps the events' ids to dense numbers.
  public var names = Names()
}

extension TravelIndex {
  /// Returns the events after one position up to another, with the earlier events that the deciders
  /// need. An earlier event is included if the events to decide involve all of its ids.
  public func background(after: UInt64, until: UInt64) throws(LogError) -> Background {
    var finder = BackgroundFinder(view, eventIndex)
    return try finder.find(after, until)
  }
}

private struct BackgroundFinder<H: History> {
  private let view: H
  private let index: Replay<EventIndex>
  private var names: Names
  private var involved: Set<AnyID> = []

  init(_ view: H, _ index: Replay<EventIndex>) {
    (self.view, self.index) = (view, index)
    names = index.names
  }

  mutating func find(_ after: UInt64, _ until: UInt64) throws(LogError) -> Background {
    var background = Background()
    background.when = try events(after + 1..<until + 1)
    for known in background.when { take(known) }
    // Involved workouts, comments and groups also involve their owners, authors and parents.
    var size = 0
    while involved.count > size {
      size = involved.count
      let keys = [EventIndex.Role.workout, .comment, .group, .message, .report].flatMap {
        lists($0)
      }
      for known in try events(keys, after) where known.event.type != .workoutEdited { take(known) }
    }
    let keys = EventIndex.Role.allCases.filter { $0.isOfBackground }.flatMap { lists($0) }
    background.given = try events(keys, after).filter {
      involved.isSuperset(of: $0.event.ids)
    }
    background.names = names
    return background
  }

  /// Returns the keys of the index's lists for this role, one for each involved id.
  private func lists(_ role: EventIndex.Role) -> [EventIndex.Key] {
    involved.filter { $0.kind == role.ids?.ids }.map { EventIndex.Key(role, $0.index) }
  }

  private mutating func take(_ known: KnownEvent) {
    involved.formUnion(known.event.ids)
    involved.insert(AnyID(known.actor))
  }

  private mutating func events(
    _ keys: [EventIndex.Key], _ until: UInt64
  ) throws(LogError) -> [KnownEvent] {
    let positions = Set(keys.flatMap { index.projection.positions($0) }).filter { $0 <= until }
    return try events(positions.sorted())
  }

  /// Returns the events at some positions, except the app's own events, which have no decider.
  private mutating func events(
    _ positions: some Sequence<UInt64>
  ) throws(LogError) -> [KnownEvent] {
    var found: [KnownEvent] = []
    try view.forEachEvent(at: positions, &names) {
      if $0.event.type != .app { found.append($0) }
    }
    return found
  }
}
