import Events

/// The projections that one path's pieces of state come from, fed with the part of history that
/// bears on them.
///
/// The projections are those that a replay of everything feeds, with the same `apply`; only the
/// events are fewer.
struct World {
  private var path: StatePath
  private var text: String
  private let kind: StatePath.Kind
  var following = Following()
  var handles = Handles()
  var profiles = Profiles()
  var search = Search()
  var relationships = Relationships()
  var workouts = Workouts()
  var chups = Chups()
  var comments = Comments()
  var leaderboard = Leaderboard()
  var notifications = Notifications()

  init(_ path: StatePath) { (self.path, text, kind) = (path, path.text, path.kind) }

  /// As it is after some events.
  init(_ path: StatePath, _ events: some Sequence<KnownEvent>) {
    self.init(path)
    apply(events)
  }

  mutating func apply(_ events: some Sequence<KnownEvent>) {
    for known in events { apply(known.event, at: known.moment) }
  }

  /// Asks another path of the same kind from now on.
  mutating func look(at path: StatePath) { (self.path, text) = (path, path.text) }

  /// The types that can bear on a kind of state.
  static func types(_ kind: StatePath.Kind) -> EventTypes {
    switch kind {
    case .followers, .following: Following.handles.union([.profileCreated])
    case .profile, .handle: Profiles.handles
    case .search: Search.handles
    case .relationship, .friends, .requests, .pending: Relationships.handles
    case .workouts: Workouts.handles
    case .workout: Workouts.handles.union(Chups.handles).union(Comments.handles)
    case .chups: Chups.handles
    case .comment, .comments: Comments.handles
    case .leaderboard: Leaderboard.handles
    case .notifications: Notifications.handles
    }
  }

  mutating func apply(_ event: borrowing Event, at moment: Moment) {
    switch kind {
    case .followers, .following:
      following.apply(event, at: moment)
      handles.apply(event, at: moment)
    case .profile, .handle: profiles.apply(event, at: moment)
    case .search: search.apply(event, at: moment)
    case .relationship, .friends, .requests, .pending: relationships.apply(event, at: moment)
    case .workouts: workouts.apply(event, at: moment)
    case .workout:
      workouts.apply(event, at: moment)
      chups.apply(event, at: moment)
      comments.apply(event, at: moment)
    case .chups: chups.apply(event, at: moment)
    case .comment, .comments: comments.apply(event, at: moment)
    case .leaderboard: leaderboard.apply(event, at: moment)
    case .notifications: notifications.apply(event, at: moment)
    }
  }
}

/// A list of a world, the oldest item first, as numbers that stand for the items.
struct Items {
  var path: String
  var count: Int
  var key: (Int) -> UInt64
  var name: (UInt64) -> String
  /// Of a list of users, whether it has one; then what an event changed is looked for among the
  /// users it names.
  var has: ((UserID) -> Bool)?

  init(
    _ path: String, _ users: Users, _ names: Names, has: @escaping (UserID) -> Bool
  ) {
    self.path = path
    count = users.count
    key = { UInt64(users[users.count - 1 - $0].index) }
    name = { names[UserID(index: UInt32($0))] }
    self.has = has
  }

  init(
    _ path: String, count: Int, key: @escaping (Int) -> UInt64, name: @escaping (UInt64) -> String
  ) {
    (self.path, self.count, self.key, self.name) = (path, count, key, name)
  }
}

extension World {
  /// The pieces of state under a path that are no lists.
  /// - Parameter event: what was applied last: of pieces that are many only those it bears on are
  ///   given, and `isWhole` is false.
  func values(
    after event: Event?, _ names: Names
  ) -> (facts: [Fact], isWhole: Bool) {
    if path.members.last == "count", path.kind != .followers, path.kind != .following {
      if kind == .notifications, let user = names.find(user: path.ids[0]) {
        return ([Fact(text, .int(notifications.newest(of: user, limit: .max).count))], true)
      }
      let list = lists(names).first { $0.path + ".count" == text }
      return (list.map { [Fact(text, .int($0.count))] } ?? [], true)
    }
    switch path.kind {
    case .followers, .following:
      guard let user = names.find(user: path.ids[0]) else { return ([], true) }
      let count =
        kind == .followers
        ? following.followers(of: user).count : following.following(of: user).count
      guard handles[user] != nil || count > 0 else { return ([], true) }
      let fact = Fact(path.members.isEmpty ? text + ".count" : text, .int(count))
      return ([fact], true)
    case .profile:
      return (names.find(user: path.ids[0]).map { profiles.facts(about: $0, names) } ?? [], true)
    case .handle:
      guard let holder = profiles.holder(of: path.ids[0]) else { return ([], true) }
      return ([Fact(text, .string(names[holder]))], true)
    case .search:
      let fact = names.find(user: path.ids[0]).flatMap { search.fact(about: $0, names) }
      return (fact.map { [$0] } ?? [], true)
    case .relationship: return relationships(after: event, names)
    case .workout:
      guard let id = names.find(workout: path.ids[0]) else { return ([], true) }
      let counts = (chups.facts(about: id, names) + comments.facts(about: id, names)).filter {
        path.contains($0.path)
      }
      return (workouts.facts(about: id, names) + counts, true)
    case .comment:
      guard let id = names.find(comment: path.ids[0]) else { return ([], true) }
      return (comments.facts(about: id, names).filter { !$0.path.hasSuffix(".hearts") }, true)
    case .leaderboard:
      return (leaderboard.facts(names).filter { $0.path == text }, true)
    case .friends, .requests, .pending, .workouts, .chups, .comments, .notifications:
      return ([], true)
    }
  }

  private func relationships(
    after event: Event?, _ names: Names
  ) -> (facts: [Fact], isWhole: Bool) {
    guard let user = names.find(user: path.ids[0]) else { return ([], true) }
    if path.ids.count == 2 {
      let other = names.find(user: path.ids[1])
      return (other.flatMap { relationships.fact(user, $0, names) }.map { [$0] } ?? [], true)
    }
    let others: [UserID]
    if let event, event.type != .accountDeleted {
      others = event.ids.users.filter { $0 != user }
    } else {
      others = [
        relationships.friends(of: user), relationships.sent(of: user),
        relationships.pending(of: user),
      ].flatMap { $0 }
    }
    let facts = others.compactMap { relationships.fact(user, $0, names) }
    return (facts, event == nil || event?.type == .accountDeleted)
  }

  /// The lists under a path.
  func lists(_ names: Names) -> [Items] {
    switch path.kind {
    case .followers, .following, .friends, .requests, .pending, .workouts, .notifications:
      guard let user = names.find(user: path.ids[0]) else { return [] }
      return [list(path.kind, user, names.path(path.kind.rawValue, user), names)]
    case .chups:
      guard let id = names.find(workout: path.ids[0]) else { return [] }
      let users = chups.users(of: id)
      let big = users.filter { chups.isBig(id, $0) }
      return [
        Items(names.path("chups", id), users, names) { chups.hasChupped(id, $0) },
        Items(
          names.path("chups", id) + ".big", count: big.count,
          key: { UInt64(big[big.count - 1 - $0].index) },
          name: { names[UserID(index: UInt32($0))] }),
      ]
    case .comments:
      guard let id = names.find(workout: path.ids[0]) else { return [] }
      let list = comments.of(id)
      return [
        Items(
          names.path("comments", id), count: list.count, key: { UInt64(list[$0].index) },
          name: { names[CommentID(index: UInt32($0))] })
      ]
    case .comment:
      guard let id = names.find(comment: path.ids[0]) else { return [] }
      let hearts = comments.hearts(of: id)
      return [
        Items(names.path("comment", id) + ".hearts", hearts, names) {
          comments.isHearted(id, by: $0)
        }
      ]
    case .profile, .handle, .search, .relationship, .workout, .leaderboard: return []
    }
  }

  private func list(
    _ kind: StatePath.Kind, _ user: UserID, _ path: String, _ names: Names
  ) -> Items {
    switch kind {
    case .followers:
      return Items(path, following.followers(of: user), names) { following.isFollowing($0, user) }
    case .following:
      return Items(path, following.following(of: user), names) { following.isFollowing(user, $0) }
    case .friends:
      let friends = relationships.friends(of: user)
      return Items(path, friends, names) { relationships[user, $0] == .friends }
    case .requests:
      let sent = relationships.sent(of: user)
      return Items(path, sent, names) { relationships[user, $0] == .requestSent }
    case .pending:
      let pending = relationships.pending(of: user)
      return Items(path, pending, names) { relationships[user, $0] == .requestReceived }
    case .workouts:
      let list = workouts.lists[user.index]
      return Items(
        path, count: list.count, key: { UInt64(list[$0].workout) },
        name: { names[WorkoutID(index: UInt32($0))] })
    default:
      let told = notifications.lists[user.index]
      return Items(
        path, count: told.count, key: { told[$0].seq },
        name: { seq in
          var (low, high) = (0, told.count)
          while low < high {
            let middle = (low + high) / 2
            if told[middle].seq < seq { low = middle + 1 } else { high = middle }
          }
          return low < told.count && told[low].seq == seq ? told[low].text(names) : "\(seq)"
        })
    }
  }

  /// All pieces of state under a path.
  func facts(_ names: Names) -> [Fact] {
    let user = path.ids.first.flatMap { names.find(user: $0) }
    var facts = values(after: nil, names).facts
    switch path.kind {
    case .followers, .following: facts += user.map { following.facts(about: $0, names) } ?? []
    case .friends, .requests, .pending:
      facts += user.map { relationships.lists(of: $0, names) } ?? []
    case .workouts: facts += user.flatMap { workouts.list(of: $0, names) }.map { [$0] } ?? []
    case .notifications:
      facts += user.flatMap { notifications.fact(about: $0, names) }.map { [$0] } ?? []
    case .chups:
      facts += names.find(workout: path.ids[0]).map { chups.facts(about: $0, names) } ?? []
    case .comments:
      facts += names.find(workout: path.ids[0]).map { comments.facts(about: $0, names) } ?? []
    case .comment:
      facts = names.find(comment: path.ids[0]).map { comments.facts(about: $0, names) } ?? []
    case .profile, .handle, .search, .relationship, .workout, .leaderboard: break
    }
    return facts.filter { path.contains($0.path) }.sorted { $0.path < $1.path }
  }

  /// The one piece at the path.
  func value(_ names: Names) -> JSONValue? {
    let found = values(after: nil, names).facts.first { $0.path == text }
    return (found ?? facts(names).first { $0.path == text })?.value
  }
}
