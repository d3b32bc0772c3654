import Events
import Projections
import UseCases

/// The part of a table's declaration that a mirror needs: the keys of its rows, and the rows that
/// an event may change.
struct MirrorRows: Sendable {
  /// The names of the columns that identify a row in a mirror, which has the rows of all users; nil
  /// if they are the table's key.
  let key: [String]?
  /// Returns the values of those columns, also for a row that does not exist.
  let keyValues: @Sendable (RowKey, TableView) -> [TableValue]
  /// The columns of further indexes.
  let indexes: [[String]]
  /// Visits the keys of the rows that an event may change: too many, but never too few. With the
  /// state before the event, it visits the rows that may change or disappear; with the state after
  /// it, those that may appear.
  let visitChanged: @Sendable (Event, TableView, (RowKey) -> Void) -> Void

  init(
    key: [String]? = nil, indexes: [[String]] = [],
    _ keyValues: @escaping @Sendable (RowKey, TableView) -> [TableValue],
    changed visitChanged: @escaping @Sendable (Event, TableView, (RowKey) -> Void) -> Void
  ) {
    (self.key, self.indexes, self.keyValues) = (key, indexes, keyValues)
    self.visitChanged = visitChanged
  }
}

extension Table {
  /// The columns of a mirror's table, by their indexes in `columns`.
  var mirroredColumns: [Int] { columns.indices.filter { !columns[$0].isViewers } }

  /// The table's declaration in a mirror.
  package var schema: TableSchema {
    let kept = mirroredColumns.map { columns[$0] }
    func place(_ name: String) -> Int {
      guard let index = kept.firstIndex(where: { $0.name == name }) else {
        preconditionFailure("\(self.name) has no column \(name)")
      }
      return index
    }
    return TableSchema(
      name: name, about: about,
      columns: kept.map { .init($0.name, $0.type, $0.about, isOptional: $0.isOptional) },
      key: (mirror.key ?? key.map { columns[$0].name }).map(place),
      references: references.filter { !$0.mayDangle }.map {
        .init(column: place(columns[$0.column].name), table: $0.table)
      }, indexes: mirror.indexes.map { $0.map(place) })
  }
}

/// Passes a key to `touch`, and returns true for a visit that goes on.
func touching(_ key: RowKey, _ touch: (RowKey) -> Void) -> Bool {
  touch(key)
  return true
}

extension Event {
  /// The user whose account the event opens or closes; nil for other events.
  ///
  /// In an imported log, a user may act before the account is opened. Then rows that name the user
  /// appear with the account.
  var account: UserID? {
    switch self {
    case .profile(.created(let data)): data.user
    case .accountDeleted(let data): data.user
    default: nil
    }
  }

  /// The two users whose block, follow or friendship the event changes; nil for other events. A
  /// block ends and hides follows and friendships.
  var pair: (UserID, UserID)? {
    switch self {
    case .follow(.followed(let edge)), .follow(.unfollowed(let edge)):
      (edge.follower, edge.followee)
    case .block(.blocked(let block)), .block(.unblocked(let block)): (block.user, block.other)
    case .friendship(let event):
      switch event {
      case .requested(let data), .cancelled(let data), .accepted(let data), .rejected(let data):
        (data.sender, data.receiver)
      case .removed(let data): (data.user, data.friend)
      }
    default: nil
    }
  }
}

extension TableView {
  /// Calls `body` with each workout that an event may bring or remove.
  func visitWorkouts(of event: Event, _ body: (WorkoutID) -> Void) {
    switch event {
    case .workout(.shared(let data)): body(data.workout)
    case .workout(.removed(let data)): body(data.workout)
    default:
      if let user = event.account {
        for workout in model.views.workouts(of: user) { body(workout) }
      }
    }
  }

  /// Calls `body` with each comment that an event may bring or remove.
  func visitComments(of event: Event, _ body: (CommentID) -> Void) {
    switch event {
    case .comment(.posted(let data)): body(data.comment)
    case .comment(.removed(let data)): body(data.comment)
    default:
      visitWorkouts(of: event) { for comment in model.views.comments(on: $0) { body(comment) } }
      if let user = event.account {
        for comment in model.views.comments(by: user) { body(comment) }
      }
    }
  }

  /// Whether a user has done anything that notifies others, or was notified.
  func hasActed(_ user: UserID) -> Bool {
    var isRelated = false
    visitRelated(to: user) { _ in isRelated = true }
    return isRelated || !model.views.workouts(of: user).isEmpty
      || !model.views.comments(by: user).isEmpty
      || !model.views.workoutsChupped(by: user).isEmpty
      || !model.views.workoutsReacted(by: user).isEmpty
      || !model.views.commentsHearted(by: user).isEmpty || !model.views.groups(of: user).isEmpty
      || !model.views.groupsAwaited(by: user).isEmpty
      || model.views.hasNotifications(user)
  }

  /// Calls `body` with the users who have a follow, a friendship, a request or a block with a user,
  /// or had a follow.
  func visitRelated(to user: UserID, _ body: (UserID) -> Void) {
    for other in model.views.followers(of: user) { body(other) }
    for other in model.views.following(of: user) { body(other) }
    for other in model.views.formerFollowers(of: user) { body(other) }
    for other in model.views.formerFollowing(of: user) { body(other) }
    for other in model.views.friends(of: user) { body(other) }
    for other in model.views.pending(of: user) { body(other) }
    for other in model.views.sent(of: user) { body(other) }
    for other in model.views.blocked(by: user) { body(other) }
    for other in model.views.blockers(of: user) { body(other) }
  }

  /// Calls `touch` with both directions of each pair of users whose follows, friendship or block an
  /// event may change.
  func touchPairs(of event: Event, _ touch: (RowKey) -> Void) {
    if let (user, other) = event.pair {
      touch(RowKey(user, other))
      touch(RowKey(other, user))
    } else if let user = event.account {
      visitRelated(to: user) {
        touch(RowKey(user, $0))
        touch(RowKey($0, user))
      }
    }
  }

  /// Calls `body` with each user of a profile's counts that an event may change.
  func visitCounted(by event: Event, _ body: (UserID) -> Void) {
    if let (a, b) = event.pair {
      body(a)
      body(b)
    } else if let user = event.account {
      body(user)
      visitRelated(to: user, body)
    }
  }
}

// The ids in the events of a family.
extension WorkoutEvent {
  var workout: WorkoutID {
    switch self {
    case .shared(let data): data.workout
    case .edited(let data): data.workout
    case .detailAttached(let data): data.workout
    case .removed(let data): data.workout
    }
  }
}

extension ChupEvent {
  var key: RowKey {
    switch self {
    case .given(let data): RowKey(data.workout, data.user)
    case .withdrawn(let data): RowKey(data.workout, data.user)
    }
  }
}

extension ReactionEvent {
  var data: Reaction {
    switch self {
    case .given(let data), .withdrawn(let data): data
    }
  }
}

extension HeartEvent {
  var key: RowKey {
    switch self {
    case .given(let data), .withdrawn(let data): RowKey(data.comment, data.user)
    }
  }
}

extension GroupEvent {
  var group: GroupID {
    switch self {
    case .created(let data): data.group
    case .edited(let data): data.group
    case .transferred(let data): data.group
    case .deleted(let data): data.group
    }
  }
}
