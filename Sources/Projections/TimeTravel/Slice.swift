import Events

/// The part of a log's history that bears on one path: every event without which some piece of
/// state under it might be another at some time.
struct Slice {
  /// In the order of the log; their ids are of `names`.
  var events: [KnownEvent] = []
  var names = Names()

  /// Finds the events through an index, from the path's own ones to those of what they mention.
  /// - Complexity: O(events found).
  init(
    of path: StatePath, _ view: some History, _ index: Replay<Mentions>, until: UInt64
  ) throws(LogError) {
    let types = World.types(path.kind)
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
      // Those of one list ascend already.
      let batch = asked.count > 1 || !found.isEmpty ? positions.sorted() : positions
      positions = []
      let known = all
      try view.forEachEvent(at: batch, &all) { (event) throws(LogError) in
        guard types.contains(event.event.type), Self.isBetween(path, event.event, known) else {
          return
        }
        found.append(event)
        next += Self.keys(event.event, path, index)
        event.event.forEachID(user: { user in
          for deletion in index.projection.positions(.init(.deletion, user))
          where deletion <= until && looked.insert(deletion).inserted {
            positions.append(deletion)
          }
        })
      }
    }
    // Ascending already where one round was enough.
    if zip(found, found.dropFirst()).contains(where: { $0.moment.seq > $1.moment.seq }) {
      found.sort { $0.moment.seq < $1.moment.seq }
    }
    var local = Local()
    for index in found.indices { local.own(&found[index], all) }
    (events, names) = (found, local.names)
  }

  /// Whether an event has to do with both users of a path of two.
  private static func isBetween(_ path: StatePath, _ event: Event, _ names: Names) -> Bool {
    guard path.kind == .relationship, path.ids.count == 2, event.type != .accountDeleted else {
      return true
    }
    return event.ids.users.allSatisfy { path.ids.contains(names[$0]) }
  }

  /// The lists that a path's own events are in.
  static func keys(_ path: StatePath, _ index: Replay<Mentions>) -> [Mentions.Key] {
    func user(_ roles: Mentions.Role...) -> [Mentions.Key] {
      guard let user = index.names.find(user: path.ids[path.kind == .leaderboard ? 2 : 0]) else {
        return []
      }
      return roles.map { Mentions.Key($0, user) }
    }
    func workout(_ roles: Mentions.Role...) -> [Mentions.Key] {
      guard let workout = index.names.find(workout: path.ids[0]) else { return [] }
      return roles.map { Mentions.Key($0, workout) }
    }
    switch path.kind {
    case .followers: return user(.followee, .profile)
    case .following: return user(.follower, .profile)
    case .profile, .search: return user(.profile)
    case .handle: return index.projection.key(ofHandle: path.ids[0]).map { [$0] } ?? []
    case .relationship, .friends, .requests, .pending:
      let own = user(.friend)
      guard path.ids.count == 2, let other = index.names.find(user: path.ids[1]) else {
        return path.ids.count == 2 ? [] : own
      }
      // What is between two is in the lists of both.
      return [
        (own + [.init(.friend, other)]).min {
          index.projection.count($0) < index.projection.count($1)
        }!
      ]
    case .workouts, .leaderboard: return user(.owner)
    case .notifications: return user(.friend, .followee, .owner)
    case .workout: return workout(.workout, .chups, .posts)
    case .chups: return workout(.workout, .chups)
    case .comments: return workout(.workout, .posts)
    case .comment:
      guard let comment = index.names.find(comment: path.ids[0]) else { return [] }
      return [.init(.comment, comment), .init(.hearts, comment)]
    }
  }

  /// About how many events the slice of a path has, without reading them.
  static func weight(of path: StatePath, _ index: Replay<Mentions>) -> Int {
    keys(path, index).reduce(0) { $0 + index.projection.count($1) }
  }

  /// The lists that an event of a path's history leads to.
  private static func keys(
    _ event: Event, _ path: StatePath, _ index: Replay<Mentions>
  ) -> [Mentions.Key] {
    switch (event, path.kind) {
    case (.profile(.created(let data)), .handle): [.init(.profile, data.user)]
    case (.profile(.edited(let data)), .handle): [.init(.profile, data.user)]
    case (.workout(.shared(let data)), .workouts), (.workout(.shared(let data)), .leaderboard):
      [.init(.workout, data.workout)]
    case (.workout(.shared(let data)), .notifications):
      [
        .init(.workout, data.workout), .init(.chups, data.workout), .init(.posts, data.workout),
      ]
    case (.comment(.posted(let data)), .comments), (.comment(.posted(let data)), .comment),
      (.comment(.posted(let data)), .workout), (.comment(.posted(let data)), .notifications):
      // A comment may be there already, on another workout.
      [.init(.comment, data.comment), .init(.workout, data.workout)]
    default: []
    }
  }

  /// Gives ids numbers of a table of its own, in the order in which they come.
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
