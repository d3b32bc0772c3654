import Events

/// The part of a log's history that can affect one path: every event whose absence might change
/// some piece of state under it at some time.
struct RelevantEvents {
  /// In log order; their ids are interned in `names`.
  var events: [KnownEvent] = []
  var names = Names()

  /// Finds the events through an index.
  /// - Complexity: O(events found).
  init(
    of path: StatePath, _ view: some History, _ index: Replay<EventIndex>, until: UInt64
  ) throws(LogError) {
    var search = RelevanceSearch(view, index, until: until)
    _ = try search.add([path])
    (events, names) = (search.events, search.names)
  }

  /// Whether an event concerns both users of a path that names two.
  static func isBetween(_ path: StatePath, _ event: Event, _ names: Names) -> Bool {
    guard path.kind.isOfPair, path.ids.count == 2, event.type != .accountDeleted else {
      return true
    }
    return event.users.allSatisfy { path.ids.contains(names[$0]) }
  }

  /// The lists that hold a path's own events. For a path of two users, the lists of the one with
  /// fewer events, since events between them are in the lists of both.
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

  /// Estimates how many events the relevant of a path has, without reading them.
  static func weight(of path: StatePath, _ index: Replay<EventIndex>) -> Int {
    keys(path, index).reduce(0) { $0 + index.projection.count($1) }
  }

  /// The further lists that an event in a path's history leads to.
  static func keys(_ event: Event, _ path: StatePath, _ names: Names) -> [EventIndex.Key] {
    guard let roles = path.kind.leads[event.type] else { return [] }
    // What others did to a workout matters to its owner.
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
  /// The list of an id; nil if the log does not have the id.
  fileprivate func key(_ role: EventIndex.Role, _ id: String) -> EventIndex.Key? {
    guard let kind = role.ids?.ids else {
      return role.ids == .handle ? projection.key(ofHandle: id) : nil
    }
    return names.find(id, kind).map { EventIndex.Key(role, $0.index) }
  }
}
