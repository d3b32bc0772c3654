import Events

/// A search in an `EventIndex` for the relevant events of some paths, or of some reads of a
/// decision. Both can be added later.
package struct RelevanceSearch<H: History> {
  let view: H
  let index: Replay<EventIndex>
  let until: UInt64
  /// The number of lines that the search may still read; a line for two paths counts twice.
  var left: Int
  /// The table of all ids that the index knows.
  var all: Names
  /// The filter with which the index was built; nil if the index has all events.
  private let filter: LineFilter?
  /// The ids and handles whose lists the search needs, but which the filter does not cover.
  package private(set) var uncovered: Set<NamedID> = []
  private var local = Local()
  private var positions: Set<UInt64> = []
  /// The reads of decisions whose events were found.
  var read: Set<StateRead> = []
  /// The events found, in log order, with ids as numbered in `names`.
  package private(set) var events: [KnownEvent] = []
  /// The ids of the found events, and others that were added.
  package var names: Names {
    get { local.names }
    set { local.names = newValue }
  }

  package init(
    _ view: H, _ index: Replay<EventIndex>, until: UInt64, limit: Int = .max,
    filter: LineFilter? = nil
  ) {
    (self.view, self.index, self.until, left) = (view, index, until, limit)
    self.filter = filter
    all = index.names
  }

  /// The search for one of the paths.
  fileprivate struct Part {
    let path: StatePath
    var next: [EventIndex.Key]
    var asked: Set<EventIndex.Key> = []
    var looked: Set<UInt64> = []
    /// For a path of two users: the positions to which other relevant events led. The event at such
    /// a position may also name other users.
    var led: Set<UInt64> = []
    var isLed = false
    /// The positions of the deletions of accounts that the path's events name.
    var deletions: [UInt64] = []
  }

  /// A line to read for one of the paths.
  fileprivate struct Wish {
    var position: UInt64
    var part: Int
  }

  /// Adds the relevant events of some paths. Reads the paths' own lists in the index first, then
  /// the further lists to which the events found lead.
  /// - Returns: False if this would read more lines than the limit, or if the index may lack some
  ///   of the events; the search is then incomplete.
  /// - Complexity: O(events found).
  package mutating func add(_ paths: [StatePath]) throws(LogError) -> Bool {
    var parts = paths.map { Part(path: $0, next: RelevantEvents.keys($0, index)) }
    var found: [KnownEvent] = []
    for path in paths { cover(path) }
    while true {
      for part in parts { cover(part.next) }
      if !uncovered.isEmpty { return false }
      var wishes: [Wish] = []
      for part in parts.indices { parts[part].take(index, until, part, &wishes) }
      if wishes.isEmpty { break }
      if wishes.count > left { return false }
      left -= wishes.count
      // If the lines are from a single list, their positions already ascend.
      if zip(wishes, wishes.dropFirst()).contains(where: { $0.position > $1.position }) {
        wishes.sort { $0.position < $1.position }
      }
      try read(wishes, &parts, &found)
    }
    for index in found.indices { local.own(&found[index], all) }
    add(found)
    return true
  }

  /// Adds the path's ids and handles that the filter does not cover to `uncovered`.
  private mutating func cover(_ path: StatePath) {
    for (name, id) in zip(path.kind.idNames, path.ids) {
      if let kind = NamedID.Kind(rawValue: name) { cover(NamedID(kind, id, offset: 0)) }
    }
  }

  /// Adds the ids of the keys that the filter does not cover to `uncovered`.
  private mutating func cover(_ keys: [EventIndex.Key]) {
    guard filter != nil else { return }
    for key in keys {
      guard let kind = key.role.ids?.ids else { continue }
      let id = all[AnyID(kind, key.index)]
      cover(NamedID(NamedID.Kind(kind), id, offset: 0))
    }
  }

  private mutating func cover(_ id: NamedID) {
    guard let filter else { return }
    let isCovered =
      id.kind == .handle
      ? filter.types.contains(.profileCreated) && filter.types.contains(.profileEdited)
      : filter.covers(id.id)
    if !isCovered { uncovered.insert(id) }
  }

  /// Renumbers the ids of an event for `names`.
  mutating func own(_ event: inout KnownEvent) { local.own(&event, all) }

  /// Adds found events, whose ids are numbered in `names`, unless they were found before.
  mutating func add(new found: [KnownEvent]) {
    add(found.filter { positions.insert($0.moment.seq).inserted })
  }

  private mutating func add(_ found: [KnownEvent]) {
    let found = found.sorted { $0.moment.seq < $1.moment.seq }
    let isInOrder = (events.last?.moment.seq ?? 0) < (found.first?.moment.seq ?? .max)
    events += found
    if !isInOrder { events.sort { $0.moment.seq < $1.moment.seq } }
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

  /// Adds a user's id to `names` in the spelling of the log, if the log has it.
  package mutating func spell(user name: String) {
    if let user = all.resolve(user: name) { _ = try? local.names.user(all[user]) }
  }

  /// Adds an id that a question names to `names`, even if no event names this id.
  mutating func intern(_ id: NamedID) {
    cover(id)
    guard let kind = id.kind.ids else { return }
    let name = kind == .user ? all.spelling(ofUser: id.id) : id.id
    _ = try? local.names.intern(name, kind)
  }
}

extension RelevanceSearch.Part {
  /// Adds to `wishes` the lines that this path's search reads next.
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

  /// Returns whether an event is relevant to the path. If so, adds the lists to read next.
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

/// A table of ids separate from the index's. It numbers the ids in the order of their first use.
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

/// The events that can affect one path. Without any one of them, a value under the path might
/// differ at some time.
struct RelevantEvents {
  /// The events in log order, with ids as numbered in `names`.
  var events: [KnownEvent] = []
  var names = Names()

  /// Finds the events through an index of the log.
  /// - Complexity: O(events found).
  init(
    of path: StatePath, _ view: some History, _ index: Replay<EventIndex>, until: UInt64
  ) throws(LogError) {
    var search = RelevanceSearch(view, index, until: until)
    _ = try search.add([path])
    (events, names) = (search.events, search.names)
  }

  /// For a path of two users: returns whether the event names only these two users. Returns true
  /// for every other path, and for deletions of accounts.
  static func isBetween(_ path: StatePath, _ event: Event, _ names: Names) -> Bool {
    guard path.kind.isOfPair, path.ids.count == 2, event.type != .accountDeleted else {
      return true
    }
    return event.users.allSatisfy { path.ids.contains(names[$0]) }
  }

  /// Returns the index's lists of a path's own events. For a path of two users, these are the lists
  /// of the user with fewer events, because both users' lists have the events between them.
  static func keys(_ path: StatePath, _ index: Replay<EventIndex>) -> [EventIndex.Key] {
    path.kind.sources.flatMap { role -> [EventIndex.Key] in
      guard let kind = role.ids else { return [.app] }
      var keys: [EventIndex.Key] = []
      for (name, id) in zip(path.kind.idNames, path.ids) where name == kind.rawValue {
        guard let key = index.key(role, id) else { return [] }
        keys.append(key)
      }
      return keys.min { index.projection.count($0) < index.projection.count($1) }.map { [$0] } ?? []
    }
  }

  /// Estimates the number of a path's relevant events without reading them.
  static func weight(of path: StatePath, _ index: Replay<EventIndex>) -> Int {
    keys(path, index).reduce(0) { $0 + index.projection.count($1) }
  }

  /// Returns the further lists that must be read because of a path's event.
  static func keys(_ event: Event, _ path: StatePath, _ names: Names) -> [EventIndex.Key] {
    guard let roles = path.kind.leads[event.type] else { return [] }
    // A workout leads to further events only for a path of its owner.
    if case .workout(.shared(let data)) = event, path.kind.idNames.first == "USER",
      path.ids.first != names[data.owner]
    {
      return []
    }
    let ids = event.ids
    return roles.compactMap { role in
      ids.first { $0.kind == role.ids?.ids }.map { EventIndex.Key(role, $0.index) }
    }
  }
}

extension Replay<EventIndex> {
  /// Returns the key of the list of events in which an id or a handle has a role.
  /// - Returns: Nil if the id or handle is not in the log, or if the role has only one list
  ///   (`app`).
  fileprivate func key(_ role: EventIndex.Role, _ id: String) -> EventIndex.Key? {
    guard let kind = role.ids?.ids else {
      return role.ids == .handle ? projection.key(ofHandle: id) : nil
    }
    return names.find(id, kind).map { EventIndex.Key(role, $0.index) }
  }
}
