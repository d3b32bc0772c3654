import Events

/// Finds the events that bear on some paths, through the index of eventIndex; paths may be added as
/// it turns out what else matters.
struct RelevanceSearch<H: History> {
  private let view: H
  private let index: Replay<EventIndex>
  private let until: UInt64
  /// How many lines may be looked for in all; a line that bears on two paths counts twice.
  private var left: Int
  /// Interns ids as the index does.
  private var all: Names
  private var local = Local()
  private var positions: Set<UInt64> = []
  /// In log order; their ids are interned in `names`.
  private(set) var events: [KnownEvent] = []
  var names: Names { local.names }

  init(_ view: H, _ index: Replay<EventIndex>, until: UInt64, limit: Int = .max) {
    (self.view, self.index, self.until, left) = (view, index, until, limit)
    all = index.names
  }

  /// What is searched for one of the paths.
  fileprivate struct Part {
    let path: StatePath
    var next: [EventIndex.Key]
    var asked: Set<EventIndex.Key> = []
    var looked: Set<UInt64> = []
    /// Of a path of two users, the positions to which its events have led: what is there may be
    /// between others.
    var led: Set<UInt64> = []
    var isLed = false
    /// Of accounts that the path's events mention.
    var deletions: [UInt64] = []
  }

  /// A line to be read for a path.
  fileprivate struct Wish {
    var position: UInt64
    var part: Int
  }

  /// Adds the events that bear on some paths: first the paths' own, then those of what they
  /// mention.
  /// - Returns: false if too many lines would have to be read; the search is then of no use.
  /// - Complexity: O(events found).
  mutating func add(_ paths: [StatePath]) throws(LogError) -> Bool {
    var parts = paths.map { Part(path: $0, next: RelevantEvents.keys($0, index)) }
    var found: [KnownEvent] = []
    while true {
      var wishes: [Wish] = []
      for part in parts.indices { parts[part].take(index, until, part, &wishes) }
      if wishes.isEmpty { break }
      if wishes.count > left { return false }
      left -= wishes.count
      // The positions in a single list already ascend.
      if zip(wishes, wishes.dropFirst()).contains(where: { $0.position > $1.position }) {
        wishes.sort { $0.position < $1.position }
      }
      try read(wishes, &parts, &found)
    }
    found.sort { $0.moment.seq < $1.moment.seq }
    for index in found.indices { local.own(&found[index], all) }
    let isInOrder = (events.last?.moment.seq ?? 0) < (found.first?.moment.seq ?? .max)
    events += found
    if !isInOrder { events.sort { $0.moment.seq < $1.moment.seq } }
    return true
  }

  private mutating func read(
    _ wishes: [Wish], _ parts: inout [Part], _ found: inout [KnownEvent]
  ) throws(LogError) {
    var lines: [UInt64] = []
    lines.reserveCapacity(wishes.count)
    for wish in wishes where wish.position != lines.last { lines.append(wish.position) }
    var (all, positions, at) = (self.all, self.positions, 0)
    let (known, index, until) = (all, index, until)
    try view.forEachEvent(at: lines, &all) { event in
      while at < wishes.count, wishes[at].position < event.moment.seq { at += 1 }
      while at < wishes.count, wishes[at].position == event.moment.seq {
        defer { at += 1 }
        guard
          parts[wishes[at].part].meets(event.event, at: event.moment.seq, known, index, until)
        else { continue }
        if positions.insert(event.moment.seq).inserted { found.append(event) }
      }
    }
    (self.all, self.positions) = (all, positions)
  }

  /// The number of an id that a question names, whether or not the events do.
  mutating func intern(_ id: NamedID) {
    guard let kind = id.kind.ids else { return }
    let name = kind == .user ? all.spelling(ofUser: id.id) : id.id
    _ = try? local.names.intern(name, kind)
  }
}

extension RelevanceSearch.Part {
  /// Takes the positions to be looked at next.
  fileprivate mutating func take(
    _ index: Replay<EventIndex>, _ until: UInt64, _ part: Int,
    _ wishes: inout [RelevanceSearch.Wish]
  ) {
    for key in next where asked.insert(key).inserted {
      for position in index.projection.positions(key) where position <= until {
        let isNew = looked.insert(position).inserted
        if isLed && path.kind.isOfPair ? led.insert(position).inserted : isNew {
          wishes.append(RelevanceSearch.Wish(position: position, part: part))
        }
      }
    }
    for position in deletions {
      wishes.append(RelevanceSearch.Wish(position: position, part: part))
    }
    (next, deletions, isLed) = ([], [], true)
  }

  /// Whether an event bears on the path; notes where else to look then.
  fileprivate mutating func meets(
    _ event: Event, at position: UInt64, _ names: Names, _ index: Replay<EventIndex>,
    _ until: UInt64
  ) -> Bool {
    guard path.kind.types.contains(event.type),
      led.contains(position) || RelevantEvents.isBetween(path, event, names)
    else { return false }
    next += RelevantEvents.keys(event, path, names)
    for user in event.users {
      for deletion in index.projection.positions(.init(.deletion, user))
      where deletion <= until && looked.insert(deletion).inserted { deletions.append(deletion) }
    }
    return true
  }
}

/// Interns ids in a separate table, in the order in which they occur.
private struct Local {
  var names = Names()
  private var owned: [AnyID: UInt32] = [:]

  mutating func own(_ known: inout KnownEvent, _ all: Names) {
    known.event.mapIDs { id($0, all) }
    known.actor = UserID(index: id(AnyID(known.actor), all))
  }

  private mutating func id(_ id: AnyID, _ all: Names) -> UInt32 {
    if let own = owned[id] { return own }
    let own = ((try? names.intern(all[id], id.kind)) ?? id).index
    owned[id] = own
    return own
  }
}
