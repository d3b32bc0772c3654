import Events

/// What each user is told of: requests, acceptances, follows, and chups and comments on their
/// workouts.
///
/// ```swift
/// notifications.newest(of: alice, limit: 20)  // [bob chupped, carol follows, …]
/// ```
/// A function of the log alone. What is taken back is no longer told of: a request cancelled or
/// answered, a follow ended, a friendship ended, a chup withdrawn, a comment removed, and anything
/// by a deleted account or on a removed workout. Nobody is told of what they do themselves.
/// - Complexity: O(1) an event as a rule; taking back costs a look through the newer
///   notifications of the user.
public struct Notifications: Projection {
  public static let name = "notifications"
  public static let version = 1
  public static let handles = Ownership.handles.union([
    .userFollowed, .userUnfollowed, .friendRequested, .friendRequestCancelled,
    .friendRequestAccepted, .friendRequestRejected, .friendRemoved, .chupGiven, .chupWithdrawn,
    .commentPosted, .commentRemoved,
  ])

  public struct Notification: Equatable, Sendable, BitwiseCopyable {
    public enum Kind: Equatable, Sendable, BitwiseCopyable {
      case request, acceptance, follow
      case chup(WorkoutID, big: Bool)
      case comment(CommentID, WorkoutID)
    }
    public var kind: Kind
    /// Who did it.
    public var user: UserID
    public var seq: UInt64
    public var time: Timestamp
  }

  /// By the user told, oldest first.
  var lists = Column([Notification]())
  /// Whom a comment's notification went to.
  var told = Column(UserID?.none)
  var ownership = Ownership()

  public init() {}

  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    switch event {
    case .userFollowed(let edge): tell(edge.followee, .follow, by: edge.follower, moment)
    case .userUnfollowed(let edge): untell(edge.followee, edge.follower) { $0 == .follow }
    case .friendRequested(let request):
      forget(request.sender, request.receiver)
      tell(request.receiver, .request, by: request.sender, moment)
    case .friendRequestAccepted(let request):
      forget(request.sender, request.receiver)
      tell(request.sender, .acceptance, by: request.receiver, moment)
    case .friendRequestCancelled(let request), .friendRequestRejected(let request):
      forget(request.sender, request.receiver)
    case .friendRemoved(let removed): forget(removed.user, removed.friend)
    case .chupGiven(let data): chup(data, moment)
    case .chupWithdrawn(let data):
      guard let owner = ownership.owner(of: data.workout) else { return }
      untell(owner, data.user) { $0.isChup(on: data.workout) }
    case .commentPosted(let data):
      guard let owner = ownership.owner(of: data.workout), told[data.comment.index] == nil else {
        return
      }
      told[data.comment.index] = owner
      tell(owner, .comment(data.comment, data.workout), by: data.user, moment)
    case .commentRemoved(let data):
      guard let owner = told[data.comment.index] else { return }
      lists[owner.index].removeAll { $0.kind.comment == data.comment }
    case .workoutShared: _ = ownership.apply(event)
    case .workoutRemoved(let data):
      if let owner = ownership.owner(of: data.workout) {
        lists[owner.index].removeAll { $0.kind.workout == data.workout }
      }
      _ = ownership.apply(event)
    case .accountDeleted(let data):
      _ = ownership.apply(event)
      lists[data.user.index] = []
    case .profileCreated, .profileEdited, .profilePhotoSet, .profilePhotoRemoved,
      .baseLocationSet, .baseLocationCleared, .sportSet, .sportRemoved, .sendLogged,
      .workoutEdited, .workoutDetailAttached, .commentEdited, .commentHearted, .commentUnhearted:
      break
    }
  }

  private mutating func chup(_ data: ChupGiven, _ moment: Moment) {
    guard let owner = ownership.owner(of: data.workout) else { return }
    let kind = Notification.Kind.chup(data.workout, big: data.big)
    let earlier = lists[owner.index].lastIndex {
      $0.user == data.user && $0.kind.isChup(on: data.workout)
    }
    // A chup that becomes a big one is told of anew.
    if let earlier { lists[owner.index].remove(at: earlier) }
    tell(owner, kind, by: data.user, moment)
  }

  private mutating func tell(
    _ told: UserID, _ kind: Notification.Kind, by user: UserID, _ moment: Moment
  ) {
    guard told != user, !ownership.isGone(told), !ownership.isGone(user) else { return }
    if kind == .follow { untell(told, user) { $0 == .follow } }
    lists[told.index].append(
      Notification(kind: kind, user: user, seq: moment.seq, time: moment.time))
  }

  private mutating func untell(
    _ told: UserID, _ user: UserID, _ isMeant: (Notification.Kind) -> Bool
  ) {
    let list = lists[told.index]
    if let index = list.lastIndex(where: { $0.user == user && isMeant($0.kind) }) {
      lists[told.index].remove(at: index)
    }
  }

  /// Requests and acceptances between two users.
  private mutating func forget(_ a: UserID, _ b: UserID) {
    untell(a, b) { $0 == .request || $0 == .acceptance }
    untell(b, a) { $0 == .request || $0 == .acceptance }
  }

  public mutating func visit(_ state: inout StateCoder) {
    lists.visit(&state)
    told.visit(&state)
    ownership.visit(&state)
  }

  /// The user's notifications, newest first; at most `limit`.
  public func newest(of user: UserID, limit: Int) -> [Notification] {
    Array(lists[user.index].reversed().lazy.filter { !ownership.isGone($0.user) }.prefix(limit))
  }
}

extension Notifications.Notification.Kind {
  /// The workout that was chupped or commented on.
  public var workout: WorkoutID? {
    switch self {
    case .request, .acceptance, .follow: nil
    case .chup(let workout, _), .comment(_, let workout): workout
    }
  }

  public var comment: CommentID? {
    if case .comment(let comment, _) = self { return comment }
    return nil
  }

  func isChup(on other: WorkoutID) -> Bool {
    if case .chup(let workout, _) = self { return workout == other }
    return false
  }
}
