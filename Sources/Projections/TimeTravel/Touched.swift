import Events

/// Finds whose state some events can have changed: a bound that is never too small.
struct Touched<H: History> {
  private let view: H
  private let index: Replay<Mentions>
  private var all: Names
  private var found: Set<StatePath> = []

  private init(_ view: H, _ index: Replay<Mentions>) {
    self.view = view
    self.index = index
    all = index.names
  }

  /// The events at some positions, and the paths of what they bear on.
  static func paths(
    by positions: [UInt64], _ view: H, _ index: Replay<Mentions>
  ) throws(LogError) -> (events: [Timeline.Cause], paths: [StatePath]) {
    var touched = Touched(view, index)
    var events: [KnownEvent] = []
    try view.forEachEvent(at: positions, &touched.all) { events.append($0) }
    for known in events { try touched.touch(known) }
    let paths = touched.found.sorted { $0.text < $1.text }
    return (events.map { Timeline.Cause($0, touched.all) }, paths)
  }

  private mutating func add(_ user: UserID, _ kinds: StatePath.Kind...) {
    for kind in kinds { found.insert(StatePath(kind: kind, ids: [all[user]])) }
  }
  private mutating func add(_ workout: WorkoutID, _ kinds: StatePath.Kind...) {
    for kind in kinds { found.insert(StatePath(kind: kind, ids: [all[workout]])) }
  }
  private mutating func add(_ comment: CommentID) {
    found.insert(StatePath(kind: .comment, ids: [all[comment]]))
  }

  private mutating func touch(_ known: KnownEvent) throws(LogError) {
    switch known.event {
    case .profile(.created(let data)):
      add(data.user, .profile, .search, .followers, .following)
      found.insert(StatePath(kind: .handle, ids: [data.handle]))
    case .profile(.edited(let data)):
      add(data.user, .profile, .search)
      if data.handle != nil { try touchHandles(of: data.user) }
    case .profile(.photoSet), .profile(.photoRemoved), .profile(.baseLocationSet),
      .profile(.baseLocationCleared), .profile(.sportSet), .profile(.sportRemoved),
      .profile(.sendLogged):
      for user in known.event.ids.users { add(user, .profile) }
    case .follow(.followed(let edge)), .follow(.unfollowed(let edge)):
      touch(edge)
    case .friendship:
      touchFriends(known.event.ids.users)
    case .workout(.shared(let data)): try touch(data.workout)
    case .workout(.edited(let data)): try touch(data.workout)
    case .workout(.detailAttached(let data)): add(data.workout, .workout)
    case .workout(.removed(let data)): try touch(data.workout)
    case .chup:
      for workout in known.event.ids.workouts { try touchAnswers(to: workout) }
    case .comment(.posted(let data)):
      add(data.comment)
      try touchAnswers(to: data.workout)
    case .comment(.removed(let data)): try touch(data.comment)
    case .comment(.edited(let data)): add(data.comment)
    case .heart(.given(let heart)), .heart(.withdrawn(let heart)): add(heart.comment)
    case .accountDeleted(let data): try touchAll(of: data.user)
    }
  }

  private func events(_ keys: Mentions.Key...) throws(LogError) -> [Event] {
    var events: [Event] = []
    var names = all
    for key in keys {
      try view.forEachEvent(at: index.projection.positions(key), &names) { events.append($0.event) }
    }
    return events
  }

  /// Every handle the user ever had.
  private mutating func touchHandles(of user: UserID) throws(LogError) {
    for event in try events(.init(.profile, user)) {
      switch event {
      case .profile(.created(let data)):
        found.insert(StatePath(kind: .handle, ids: [data.handle]))
      case .profile(.edited(let data)):
        if let handle = data.handle { found.insert(StatePath(kind: .handle, ids: [handle])) }
      default: break
      }
    }
  }

  private mutating func touch(_ edge: Follow) {
    add(edge.followee, .followers, .notifications)
    add(edge.follower, .following)
  }

  private mutating func touchFriends(_ users: [UserID]) {
    for user in users {
      add(user, .friends, .requests, .pending, .notifications)
      for other in users where other != user {
        found.insert(StatePath(kind: .relationship, ids: [all[user], all[other]]))
      }
    }
  }

  /// A workout, what is said of it, and its owner's lists.
  private mutating func touch(_ workout: WorkoutID) throws(LogError) {
    add(workout, .workout, .chups, .comments)
    for case .comment(.posted(let post)) in try events(.init(.posts, workout)) { add(post.comment) }
    var dates: [Timestamp] = []
    var owners: [UserID] = []
    for event in try events(.init(.workout, workout)) {
      switch event {
      case .workout(.shared(let data)):
        owners.append(data.owner)
        dates.append(data.date.instant)
      case .workout(.edited(let data)): dates += data.date.map { [$0.instant] } ?? []
      default: break
      }
    }
    for owner in owners {
      add(owner, .workouts, .notifications)
      for span in Leaderboard.Span.allCases {
        for date in dates {
          let period = "\(Leaderboard.Period(span, containing: date))".split(separator: "/")
          found.insert(
            StatePath(kind: .leaderboard, ids: period.map { "\($0)" } + [all[owner]]))
        }
      }
    }
  }

  private mutating func touchAnswers(to workout: WorkoutID) throws(LogError) {
    add(workout, .workout, .chups, .comments)
    for case .workout(.shared(let data)) in try events(.init(.workout, workout)) {
      add(data.owner, .notifications)
    }
  }

  private mutating func touch(_ comment: CommentID) throws(LogError) {
    add(comment)
    for case .comment(.posted(let data)) in try events(.init(.comment, comment)) {
      try touchAnswers(to: data.workout)
    }
  }

  /// Everything that a user ever had to do with.
  private mutating func touchAll(of user: UserID) throws(LogError) {
    add(user, .profile, .search, .followers, .following, .friends, .requests, .pending)
    add(user, .workouts, .notifications)
    try touchHandles(of: user)
    for event in try events(
      .init(.followee, user), .init(.follower, user), .init(.friend, user), .init(.owner, user),
      .init(.giver, user))
    {
      switch event {
      case .follow(.followed(let edge)): touch(edge)
      case .friendship(.requested), .friendship(.accepted): touchFriends(event.ids.users)
      case .workout(.shared(let data)): try touch(data.workout)
      case .chup(.given(let data)): try touchAnswers(to: data.workout)
      case .comment(.posted(let data)): try touch(data.comment)
      case .heart(.given(let heart)): add(heart.comment)
      default: break
      }
    }
  }
}
