import Events

/// Some events of a log, and the earlier events needed to decide them again.
public struct Background: Sendable {
  /// The earlier events, in log order.
  public var given: [KnownEvent] = []
  public var when: [KnownEvent] = []
  /// The table that interned their ids.
  public var names = Names()
}

extension TravelIndex {
  /// The events after one position up to another, and those of the earlier events that are needed
  /// to decide them again: the ones that name only users, workouts and comments involved.
  public func background(after: UInt64, until: UInt64) throws(LogError) -> Background {
    var finder = BackgroundFinder(view, mentions)
    return try finder.find(after, until)
  }
}

private struct BackgroundFinder<H: History> {
  private let view: H
  private let index: Replay<Mentions>
  private var names: Names
  private var users: Set<UserID> = []
  private var workouts: Set<WorkoutID> = []
  private var comments: Set<CommentID> = []

  init(_ view: H, _ index: Replay<Mentions>) {
    self.view = view
    self.index = index
    names = index.names
  }

  mutating func find(_ after: UInt64, _ until: UInt64) throws(LogError) -> Background {
    var background = Background()
    background.when = try events(after + 1..<until + 1)
    for known in background.when { take(known) }
    // Owners, authors, and comments replied to are involved too.
    var size = 0
    while users.count + workouts.count + comments.count > size {
      size = users.count + workouts.count + comments.count
      let keys = workouts.map { Mentions.Key(.workout, $0) } + comments.map { .init(.comment, $0) }
      for known in try events(keys, after) where known.event.type != .workoutEdited { take(known) }
    }
    let keys = Mentions.Role.allCases.filter { $0.isOfBackground }.flatMap { lists($0) }
    background.given = try events(keys, after).filter { known in
      let ids = known.event.ids
      return users.isSuperset(of: ids.users) && workouts.isSuperset(of: ids.workouts)
        && comments.isSuperset(of: ids.comments)
    }
    background.names = names
    return background
  }

  /// The lists of what is involved.
  private func lists(_ role: Mentions.Role) -> [Mentions.Key] {
    switch role.ids {
    case .user: users.map { .init(role, $0) }
    case .workout: workouts.map { .init(role, $0) }
    case .comment: comments.map { .init(role, $0) }
    case .handle, nil: []
    }
  }

  private mutating func take(_ known: KnownEvent) {
    let ids = known.event.ids
    users.formUnion(ids.users + [known.actor])
    workouts.formUnion(ids.workouts)
    comments.formUnion(ids.comments)
  }

  private mutating func events(
    _ keys: [Mentions.Key], _ until: UInt64
  ) throws(LogError) -> [KnownEvent] {
    let positions = Set(keys.flatMap { index.projection.positions($0) }).filter { $0 <= until }
    return try events(positions.sorted())
  }

  /// The events at some positions, without those of apps' own types, which nothing decides here.
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
