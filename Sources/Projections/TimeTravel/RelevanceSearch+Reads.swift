import Events

extension RelevanceSearch {
  /// Adds the events that determine parts of the deciders' states. The ids of `reads` are numbered
  /// in `names`.
  /// - Returns: whether all events were found; false if the search would read too many lines.
  /// - Complexity: O(events in the shortest index list of each read).
  package mutating func add(_ reads: [StateRead]) throws(LogError) -> Bool {
    var next = reads.filter { read.insert($0).inserted }
    while !next.isEmpty {
      var wanted: [UInt64: [StateRead]] = [:]
      for read in next {
        for position in positions(of: read) { wanted[position, default: []].append(read) }
      }
      left -= wanted.count
      guard left >= 0 else { return false }
      var lines: [KnownEvent] = []
      var all = self.all
      try view.forEachEvent(at: wanted.keys.sorted(), &all) { lines.append($0) }
      self.all = all
      var found: [KnownEvent] = []
      next = []
      for var line in lines {
        let reads = wanted[line.moment.seq] ?? []
        // An event that changes none of the states may name thousands of others' ids.
        guard reads.contains(where: { mayMatch($0, line.event, all) }) else { continue }
        own(&line)
        if reads.contains(where: { $0.isChanged(by: line.event) }) { found.append(line) }
        for read in reads { next += read.leads(from: line.event) }
      }
      add(new: found)
      for known in found { try addCause(of: known) }
      next = next.filter { read.insert($0).inserted }
    }
    return true
  }

  /// Adds the event that caused another one: an event of the same commit, a few lines before it.
  private mutating func addCause(of known: KnownEvent) throws(LogError) {
    guard let cause = known.cause, !events.contains(where: { $0.id == cause }) else { return }
    let seq = known.moment.seq
    var (all, found) = (self.all, [KnownEvent]())
    try view.forEachEvent(at: (seq > 16 ? seq - 16 : 1)..<seq, &all) { line in
      if line.id == cause { found.append(line) }
    }
    self.all = all
    for index in found.indices { own(&found[index]) }
    add(new: found)
  }

  /// Returns whether an event, with ids as numbered in `all`, names the ids of a read.
  private func mayMatch(_ read: StateRead, _ event: Event, _ all: Names) -> Bool {
    guard case .stream(let stream) = read else { return true }
    let ids = event.ids
    return stream.stateIDs.allSatisfy { id in
      let name = names[id]
      return ids.contains { $0.kind == id.kind && all[$0] == name }
    }
  }

  /// Returns the positions in the shortest list of the index that has all events of a read.
  private func positions(of read: StateRead) -> [UInt64] {
    let keys: [EventIndex.Key?] =
      switch read {
      case .stream(let stream): stream.keys { key($0, $1) }
      case .handle(let handle): [index.projection.key(ofHandle: handle)]
      case .localID(let owner, _): [key(.owner, AnyID(owner))]
      case .groups(let owner): [key(.membership, AnyID(owner))]
      case .members(let group): [key(.members, AnyID(group))]
      }
    // If the log does not have one of the ids, no event names them all.
    guard !keys.contains(nil) else { return [] }
    let shortest = keys.compactMap(\.self).min {
      index.projection.count($0) < index.projection.count($1)
    }
    return shortest.map { index.projection.positions($0).filter { $0 <= until } } ?? []
  }

  /// Returns the key of an id's list, for an id as numbered in `names`.
  private func key(_ role: EventIndex.Role, _ id: AnyID) -> EventIndex.Key? {
    index.names.find(names[id], id.kind).map { EventIndex.Key(role, $0.index) }
  }
}

extension StreamID {
  /// Returns the keys of the index lists that each have all events of the stream.
  fileprivate func keys(
    _ key: (EventIndex.Role, AnyID) -> EventIndex.Key?
  ) -> [EventIndex.Key?] {
    let ids = stateIDs
    if kind == .conversation { return [key(.message, ids[0])] }
    let roles = kind.roles
    return [key(roles.first, ids[0])] + (roles.second.map { [key($0, ids[1])] } ?? [])
  }
}

extension StateRead {
  /// Returns whether an event changes what was read.
  fileprivate func isChanged(by event: Event) -> Bool {
    switch self {
    case .stream(let stream): event.stateStream == stream
    case .members(let group):
      event.stateStream.map { $0.kind == .member && $0.a == group.index } ?? false
    // The streams to which an event leads decide these.
    case .handle, .localID, .groups: false
    }
  }

  /// Returns the streams on which the read depends because of an event.
  fileprivate func leads(from event: Event) -> [StateRead] {
    switch (self, event) {
    case (.handle, .profile): event.stream.map { [.stream($0)] } ?? []
    case (.localID(let owner, let id), .workout(.shared(let data))):
      data.owner == owner && data.localID == id ? [.stream(.workout(data.workout))] : []
    case (.groups, .group): event.stream.map { [.stream($0)] } ?? []
    default: []
    }
  }
}
