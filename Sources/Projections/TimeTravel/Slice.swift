import Events

/// The part of a log's history that can affect one path: every event whose absence might change
/// some piece of state under it at some time.
struct Slice {
  /// In log order; their ids are interned in `names`.
  var events: [KnownEvent] = []
  var names = Names()

  /// Finds the events through an index: first the path's own, then those of what they mention.
  /// - Complexity: O(events found).
  init(
    of path: StatePath, _ view: some History, _ index: Replay<Mentions>, until: UInt64
  ) throws(LogError) {
    let types = path.kind.types
    var all = index.names
    var found: [KnownEvent] = []
    var asked: Set<Mentions.Key> = []
    var looked: Set<UInt64> = []
    var next = Self.keys(path, index)
    var positions: [UInt64] = []
    while true {
      for key in next where asked.insert(key).inserted {
        for position in index.projection.positions(key) where position <= until {
          if looked.insert(position).inserted { positions.append(position) }
        }
      }
      next = []
      if positions.isEmpty { break }
      // The positions in a single list already ascend.
      let batch = asked.count > 1 || !found.isEmpty ? positions.sorted() : positions
      positions = []
      let known = all
      try view.forEachEvent(at: batch, &all) { (event) throws(LogError) in
        guard types.contains(event.event.type), Self.isBetween(path, event.event, known) else {
          return
        }
        found.append(event)
        next += Self.keys(event.event, path)
        event.event.forEachID(user: { user in
          for deletion in index.projection.positions(.init(.deletion, user))
          where deletion <= until && looked.insert(deletion).inserted {
            positions.append(deletion)
          }
        })
      }
    }
    // Already ascending if one round was enough.
    if zip(found, found.dropFirst()).contains(where: { $0.moment.seq > $1.moment.seq }) {
      found.sort { $0.moment.seq < $1.moment.seq }
    }
    var local = Local()
    for index in found.indices { local.own(&found[index], all) }
    (events, names) = (found, local.names)
  }

  /// Whether an event concerns both users of a path that names two.
  private static func isBetween(_ path: StatePath, _ event: Event, _ names: Names) -> Bool {
    guard path.kind.isOfPair, path.ids.count == 2, event.type != .accountDeleted else {
      return true
    }
    return event.ids.users.allSatisfy { path.ids.contains(names[$0]) }
  }

  /// The lists that hold a path's own events. For a path of two users, the lists of the one with
  /// fewer events, since events between them are in the lists of both.
  static func keys(_ path: StatePath, _ index: Replay<Mentions>) -> [Mentions.Key] {
    path.kind.sources.flatMap { role -> [Mentions.Key] in
      var keys: [Mentions.Key] = []
      for (name, id) in zip(path.kind.idNames, path.ids) where name == role.ids.rawValue {
        guard let key = index.key(role, id) else { return [] }
        keys.append(key)
      }
      return keys.min { index.projection.count($0) < index.projection.count($1) }.map { [$0] } ?? []
    }
  }

  /// Estimates how many events the slice of a path has, without reading them.
  static func weight(of path: StatePath, _ index: Replay<Mentions>) -> Int {
    keys(path, index).reduce(0) { $0 + index.projection.count($1) }
  }

  /// The further lists that an event in a path's history leads to.
  private static func keys(_ event: Event, _ path: StatePath) -> [Mentions.Key] {
    guard let roles = path.kind.leads[event.type] else { return [] }
    let ids = event.ids
    return roles.compactMap { role in
      switch role.ids {
      case .user: ids.users.first.map { Mentions.Key(role, $0) }
      case .workout: ids.workouts.first.map { Mentions.Key(role, $0) }
      case .comment: ids.comments.first.map { Mentions.Key(role, $0) }
      case .handle: nil
      }
    }
  }

  /// Interns ids in a separate table, in the order in which they occur.
  private struct Local {
    var names = Names()
    private var users: [UserID: UserID] = [:]
    private var workouts: [WorkoutID: WorkoutID] = [:]
    private var comments: [CommentID: CommentID] = [:]

    mutating func own(_ known: inout KnownEvent, _ all: Names) {
      known.event.mapIDs(
        user: { user($0, all) },
        workout: { id in
          if let own = workouts[id] { return own }
          workouts[id] = (try? names.workout(all[id])) ?? id
          return workouts[id] ?? id
        },
        comment: { id in
          if let own = comments[id] { return own }
          comments[id] = (try? names.comment(all[id])) ?? id
          return comments[id] ?? id
        })
      known.actor = user(known.actor, all)
    }

    private mutating func user(_ id: UserID, _ all: Names) -> UserID {
      if let own = users[id] { return own }
      let own = (try? names.user(all[id])) ?? id
      users[id] = own
      return own
    }
  }
}

extension Replay<Mentions> {
  /// The list of an id; nil if the log does not have the id.
  fileprivate func key(_ role: Mentions.Role, _ id: String) -> Mentions.Key? {
    switch role.ids {
    case .user: names.find(user: id).map { Mentions.Key(role, $0) }
    case .workout: names.find(workout: id).map { Mentions.Key(role, $0) }
    case .comment: names.find(comment: id).map { Mentions.Key(role, $0) }
    case .handle: projection.key(ofHandle: id)
    }
  }
}
