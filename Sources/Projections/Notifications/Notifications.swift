import Events

/// What each user is told of: requests, acceptances, follows, and chups and comments on their
/// workouts.
///
/// ```swift
/// notifications.newest(of: alice, limit: 20).first?.user  // bob: he commented
/// ```
/// A function of the log alone. What is taken back is no longer told of: a request cancelled or
/// answered, a follow ended, a friendship ended, a chup withdrawn, a comment removed, and anything
/// by a deleted account or on a removed workout. Nobody is told of what they do themselves.
/// - Complexity: O(log n) an event; taking back moves the newer notifications of the user, 32 bytes
///   each, and the removal of a workout costs those of its owner. Positions up to 4,294,967,295.
public struct Notifications: Projection {
  public static let name = "notifications"
  public static let version = 1
  public static let handles = Ownership.handles.union(.follow).union(.friendship).union(.chup)
    .union([.commentPosted, .commentRemoved])

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
  /// Where those that can be taken back are: the positions of their events, by told user and doer,
  /// by workout and doer, and by comment. One that is gone otherwise may still be here.
  private var follows = KeyTable()
  private var friendships = KeyTable()
  private var chups = KeyTable()
  private var comments = Column(UInt32(0))
  /// Whom a comment's notification went to.
  var told = Column(UserID?.none)
  var ownership = Ownership()

  public init() {}

  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    switch event {
    case .follow(.followed(let edge)):
      takeBackFollow(edge)
      if tell(edge.followee, .follow, by: edge.follower, moment) {
        follows.set(Self.key(edge.followee, edge.follower), UInt32(truncatingIfNeeded: moment.seq))
      }
    case .follow(.unfollowed(let edge)): takeBackFollow(edge)
    case .friendship(.requested(let request)):
      forget(request.sender, request.receiver)
      tell(request.receiver, .request, of: request.sender, moment)
    case .friendship(.accepted(let request)):
      forget(request.sender, request.receiver)
      tell(request.sender, .acceptance, of: request.receiver, moment)
    case .friendship(.cancelled(let request)), .friendship(.rejected(let request)):
      forget(request.sender, request.receiver)
    case .friendship(.removed(let removed)): forget(removed.user, removed.friend)
    case .chup(.given(let data)):
      guard let owner = ownership.owner(of: data.workout) else { return }
      // A chup that becomes a big one is told of anew.
      let key = KeyTable.key(data.workout.index, data.user.index)
      takeBack(chups.take(key), from: owner)
      if tell(owner, .chup(data.workout, big: data.big), by: data.user, moment) {
        chups.set(key, UInt32(truncatingIfNeeded: moment.seq))
      }
    case .chup(.withdrawn(let data)):
      guard let owner = ownership.owner(of: data.workout) else { return }
      let key = KeyTable.key(data.workout.index, data.user.index)
      takeBack(chups.take(key), from: owner)
    case .comment(.posted(let data)):
      guard let owner = ownership.owner(of: data.workout), told[data.comment.index] == nil else {
        return
      }
      told[data.comment.index] = owner
      if tell(owner, .comment(data.comment, data.workout), by: data.user, moment) {
        comments[data.comment.index] = UInt32(truncatingIfNeeded: moment.seq)
      }
    case .comment(.removed(let data)):
      guard let owner = told[data.comment.index] else { return }
      remove(UInt64(comments[data.comment.index]), from: owner)
    case .workout(.shared): _ = ownership.apply(event)
    case .workout(.removed(let data)):
      if let owner = ownership.owner(of: data.workout) {
        lists[owner.index].removeAll { $0.kind.workout == data.workout }
      }
      _ = ownership.apply(event)
    case .accountDeleted(let data):
      _ = ownership.apply(event)
      lists[data.user.index] = []
    case .profile, .workout(.edited), .workout(.detailAttached), .comment(.edited), .heart:
      break
    }
  }

  public mutating func prefetch(_ event: borrowing Event) {
    switch event {
    case .follow(.followed(let edge)), .follow(.unfollowed(let edge)):
      follows.prefetch(Self.key(edge.followee, edge.follower))
    case .chup(.given(let data)):
      chups.prefetch(KeyTable.key(data.workout.index, data.user.index))
    case .friendship(.requested(let request)), .friendship(.accepted(let request)),
      .friendship(.cancelled(let request)), .friendship(.rejected(let request)):
      friendships.prefetch(Self.key(request.sender, request.receiver))
      friendships.prefetch(Self.key(request.receiver, request.sender))
    default: break
    }
  }

  private static func key(_ told: UserID, _ user: UserID) -> UInt64 {
    KeyTable.key(told.index, user.index)
  }

  /// - Returns: whether there is somebody to tell.
  @discardableResult
  private mutating func tell(
    _ told: UserID, _ kind: Notification.Kind, by user: UserID, _ moment: Moment
  ) -> Bool {
    guard told != user, !ownership.isGone(told), !ownership.isGone(user) else { return false }
    lists[told.index].append(
      Notification(kind: kind, user: user, seq: moment.seq, time: moment.time))
    return true
  }

  /// Tells of a request or an acceptance, of which there is one at a time.
  private mutating func tell(
    _ told: UserID, _ kind: Notification.Kind, of user: UserID, _ moment: Moment
  ) {
    if tell(told, kind, by: user, moment) {
      friendships.set(Self.key(told, user), UInt32(truncatingIfNeeded: moment.seq))
    }
  }

  private mutating func takeBackFollow(_ edge: Follow) {
    takeBack(follows.take(Self.key(edge.followee, edge.follower)), from: edge.followee)
  }

  /// Requests and acceptances between two users.
  private mutating func forget(_ a: UserID, _ b: UserID) {
    takeBack(friendships.take(Self.key(a, b)), from: a)
    takeBack(friendships.take(Self.key(b, a)), from: b)
  }

  private mutating func takeBack(_ seq: UInt32?, from told: UserID) {
    if let seq { remove(UInt64(seq), from: told) }
  }

  /// Removes the notification of an event, if it is there.
  private mutating func remove(_ seq: UInt64, from told: UserID) {
    let at = lists[told.index].lowerBound { $0.seq < seq }
    if at < lists[told.index].count, lists[told.index][at].seq == seq {
      lists[told.index].remove(at: at)
    }
  }

  public mutating func code(with coder: inout StateCoder) {
    lists.code(with: &coder)
    follows.code(with: &coder)
    friendships.code(with: &coder)
    chups.code(with: &coder)
    comments.code(with: &coder)
    told.code(with: &coder)
    ownership.code(with: &coder)
  }

  /// The positions of those that are in a user's list and not told of, since who did it is gone.
  func hidden(from user: UserID) -> [UInt64] {
    lists[user.index].filter { ownership.isGone($0.user) }.map { $0.seq }
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
}
