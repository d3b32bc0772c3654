import Events

/// Each user's notifications: requests, acceptances, follows; chups of, reactions to and comments
/// on their workouts; replies to and hearts on their comments; invitations to groups, requests to
/// join those of which they are an admin, and their own requests granted.
///
/// ```swift
/// notifications.newest(of: alice, limit: 20).first?.user  // bob: he commented
/// ```
/// A function of the log alone. A notification disappears when a request is cancelled or answered,
/// a follow or friendship ended, a chup, reaction or heart withdrawn, a comment or workout removed,
/// a membership changed, a group deleted, or the account of the user who caused it deleted. Users
/// are not notified of their own actions; who invites and approves is for this the group's owner.
/// - Complexity: O(log n) per event; a withdrawal moves the user's newer notifications, 24 bytes
///   each, and removing a workout costs the number of its owner's notifications. Positions up to
///   4,294,967,295.
public struct Notifications: Projection {
  public static let name = "notifications"
  public static let version = 4
  public static let handles = Ownership.handles.union(.follow).union(.friendship).union(.chup)
    .union(.reaction).union([.commentPosted, .commentRemoved]).union(.heart)
    .union(Memberships.handles).union(.notification)

  public struct Notification: Equatable, Sendable {
    public enum Kind: Equatable, Sendable {
      case request, acceptance, follow
      case chup(WorkoutID, big: Bool)
      case reaction(WorkoutID, ReactionKind)
      case comment(CommentID, WorkoutID)
      /// To a comment of the recipient's on another's workout.
      case reply(CommentID, WorkoutID)
      /// On a comment of the recipient's.
      case heart(CommentID, WorkoutID)
      case invitation(GroupID)
      case joinRequest(GroupID)
      /// Of the recipient's request.
      case approval(GroupID)
    }
    public var kind: Kind
    /// The user who did it.
    public var user: UserID
    public var seq: UInt64
    public var time: Timestamp
    public var isUnread = true
  }

  /// By recipient, oldest first.
  var lists = Lists(blank: Row.none)
  /// The positions of the events whose notifications can be withdrawn: by recipient and actor, by
  /// workout and actor (of reactions also by kind), and by comment. Notifications removed for
  /// another reason may still be listed.
  private var follows = KeyTable()
  private var friendships = KeyTable()
  private var chups = KeyTable()
  private var reactions = ReactionKind.allCases.map { _ in KeyTable() }
  var comments = Column(UInt32(0))
  /// By comment, the recipient of its notification: the number and one, or 0.
  var told = Column<UInt32>(0)
  /// By comment that is there, its author and workout.
  var posts = Column(Post.none)
  /// By workout, who has commented, except for the owner; perhaps several times.
  var posters = Lists(blank: UserID(index: 0))
  /// By reply, the position of its event and who was told of it; by comment and actor, the position
  /// of a heart.
  var replies = Column(UInt32(0))
  var repliedTo = Column(UserID(index: 0))
  var hearts = KeyTable()
  var memberships = Memberships()
  var publicGroups = Column(false)
  /// By recipient.
  private var marks = Column(ReadMark.none)
  var ownership = Ownership()

  public init() {}

  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    switch event {
    case .follow(let event): apply(event, moment)
    case .friendship(let event): apply(event, moment)
    case .chup(let event): apply(event, moment)
    case .reaction(let event): apply(event, moment)
    case .comment(let event): apply(event, moment)
    case .workout(let event): apply(event)
    case .heart(let event): apply(event, moment)
    case .group(let event): apply(event, moment)
    case .member(let event): apply(event, moment)
    case .notification(let event): apply(event, moment)
    case .accountDeleted(let data):
      for workout in ownership.removeAccount(data.user) { remove(workout) }
      removeMember(data.user)
      lists.removeAll(in: data.user.index)
    default: break
    }
  }

  private mutating func apply(_ event: NotificationEvent, _ moment: Moment) {
    switch event {
    case .read(let data):
      marks[data.user.index] = marks[data.user.index].moved(to: data.upTo, at: moment)
    }
  }

  private mutating func apply(_ event: FollowEvent, _ moment: Moment) {
    switch event {
    case .followed(let edge):
      takeBackFollow(edge)
      if tell(edge.followee, .follow, by: edge.follower, moment) {
        follows.set(Self.key(edge.followee, edge.follower), UInt32(truncatingIfNeeded: moment.seq))
      }
    case .unfollowed(let edge): takeBackFollow(edge)
    }
  }

  private mutating func apply(_ event: FriendshipEvent, _ moment: Moment) {
    switch event {
    case .requested(let request):
      remove(request.sender, request.receiver)
      tell(request.receiver, .request, of: request.sender, moment)
    case .accepted(let request):
      remove(request.sender, request.receiver)
      tell(request.sender, .acceptance, of: request.receiver, moment)
    case .cancelled(let request), .rejected(let request):
      remove(request.sender, request.receiver)
    case .removed(let removed): remove(removed.user, removed.friend)
    }
  }

  private mutating func apply(_ event: ChupEvent, _ moment: Moment) {
    switch event {
    case .given(let data):
      guard let owner = ownership.owner(of: data.workout) else { return }
      // A chup that becomes a big one is notified again.
      let key = KeyTable.key(data.workout.index, data.user.index)
      takeBack(chups.take(key), from: owner)
      if tell(owner, .chup(data.workout, big: data.big), by: data.user, moment) {
        chups.set(key, UInt32(truncatingIfNeeded: moment.seq))
      }
    case .withdrawn(let data):
      guard let owner = ownership.owner(of: data.workout) else { return }
      let key = KeyTable.key(data.workout.index, data.user.index)
      takeBack(chups.take(key), from: owner)
    }
  }

  private mutating func apply(_ event: ReactionEvent, _ moment: Moment) {
    switch event {
    case .given(let data):
      guard let owner = takeBack(data) else { return }
      if tell(owner, .reaction(data.workout, data.kind), by: data.user, moment) {
        reactions[Int(data.kind.number)].set(
          KeyTable.key(data.workout.index, data.user.index),
          UInt32(truncatingIfNeeded: moment.seq))
      }
    case .withdrawn(let data): _ = takeBack(data)
    }
  }

  /// - Returns: who has been told of it; nil if the workout is gone.
  private mutating func takeBack(_ reaction: Reaction) -> UserID? {
    guard let owner = ownership.owner(of: reaction.workout) else { return nil }
    let key = KeyTable.key(reaction.workout.index, reaction.user.index)
    takeBack(reactions[Int(reaction.kind.number)].take(key), from: owner)
    return owner
  }

  public mutating func prefetch(_ event: borrowing Event) {
    switch event {
    case .follow(.followed(let edge)), .follow(.unfollowed(let edge)):
      follows.prefetch(Self.key(edge.followee, edge.follower))
      lists.prefetchEnd(of: edge.followee.index)
    case .chup(.given(let data)):
      chups.prefetch(KeyTable.key(data.workout.index, data.user.index))
      if let owner = ownership.owner(of: data.workout) { lists.prefetchEnd(of: owner.index) }
    case .friendship(.requested(let request)):
      prefetch(request)
      lists.prefetchEnd(of: request.receiver.index)
    case .friendship(.accepted(let request)):
      prefetch(request)
      lists.prefetchEnd(of: request.sender.index)
    case .friendship(.cancelled(let request)), .friendship(.rejected(let request)):
      prefetch(request)
    default: break
    }
  }

  private mutating func prefetch(_ request: FriendRequest) {
    friendships.prefetch(Self.key(request.sender, request.receiver))
    friendships.prefetch(Self.key(request.receiver, request.sender))
  }

  private static func key(_ told: UserID, _ user: UserID) -> UInt64 {
    KeyTable.key(told.index, user.index)
  }

  /// - Returns: whether a notification was added.
  @discardableResult
  mutating func tell(
    _ told: UserID, _ kind: Notification.Kind, by user: UserID, _ moment: Moment
  ) -> Bool {
    guard told != user, !ownership.isGone(told), !ownership.isGone(user) else { return false }
    lists.append(
      Row(Notification(kind: kind, user: user, seq: moment.seq, time: moment.time)),
      to: told.index)
    return true
  }

  /// Adds a request or an acceptance, of which a pair of users has one at a time.
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

  /// Removes the requests and acceptances between two users.
  private mutating func remove(_ a: UserID, _ b: UserID) {
    takeBack(friendships.take(Self.key(a, b)), from: a)
    takeBack(friendships.take(Self.key(b, a)), from: b)
  }

  mutating func takeBack(_ seq: UInt32?, from told: UserID) {
    if let seq { remove(seq, from: told) }
  }

  /// Removes the notification of an event, if it is there.
  mutating func remove(_ seq: UInt32, from told: UserID) {
    let at = lists.withElements(of: told.index) { list -> Int? in
      let at = list.lowerBound { $0.seq < seq }
      return at < list.count && list[at].seq == seq ? at : nil
    }
    if let at { lists.remove(at: at, in: told.index) }
  }

  public mutating func code(with coder: inout StateCoder) {
    lists.code(with: &coder)
    follows.code(with: &coder)
    friendships.code(with: &coder)
    chups.code(with: &coder)
    for index in reactions.indices { reactions[index].code(with: &coder) }
    comments.code(with: &coder)
    told.code(with: &coder)
    posts.code(with: &coder)
    posters.code(with: &coder)
    replies.code(with: &coder)
    repliedTo.code(with: &coder)
    hearts.code(with: &coder)
    memberships.code(with: &coder)
    publicGroups.code(with: &coder)
    marks.code(with: &coder)
    ownership.code(with: &coder)
  }

  /// The positions of notifications that are in a user's list but not shown, because the account of
  /// the user who caused them is deleted.
  func hidden(from user: UserID) -> [UInt64] {
    all(of: user).filter { ownership.isGone($0.user) }.map { $0.seq }
  }

  /// Whoever invites and approves is for this the owner whom the group has now.
  private func notification(_ row: Row, of recipient: UserID) -> Notification {
    var notification = row.notification
    switch notification.kind {
    case .invitation(let group), .approval(let group):
      notification.user = memberships.owner(of: group) ?? notification.user
    case .request, .acceptance, .follow, .chup, .reaction, .comment, .reply, .heart, .joinRequest:
      break
    }
    notification.isUnread = !marks[recipient.index].covers(notification.seq, notification.time)
    return notification
  }

  /// The user's notifications that are shown, newest first; at most `limit`.
  /// - Complexity: O(visited).
  public func newest(
    of user: UserID, limit: Int, where isShown: (Notification) -> Bool = { _ in true }
  ) -> [Notification] {
    var found: [Notification] = []
    for row in lists[user.index].reversed() where found.count < limit {
      let notification = notification(row, of: user)
      if !ownership.isGone(notification.user), isShown(notification) { found.append(notification) }
    }
    return found
  }

  /// The user's notifications that are shown and not read, newest first.
  /// - Complexity: O(those), since what is read is what came first.
  public func unread(
    of user: UserID, where isShown: (Notification) -> Bool = { _ in true }
  ) -> [Notification] {
    var found: [Notification] = []
    for row in lists[user.index].reversed() {
      let notification = notification(row, of: user)
      if !notification.isUnread { break }
      if !ownership.isGone(notification.user), isShown(notification) { found.append(notification) }
    }
    return found
  }

  /// The user's notification of the event at a position, if it is shown.
  /// - Complexity: O(log n).
  func notification(at seq: UInt64, of user: UserID) -> Notification? {
    let found = lists.withElements(of: user.index) { list -> Row? in
      let at = list.lowerBound { UInt64($0.seq) < seq }
      return at < list.count && UInt64(list[at].seq) == seq ? list[at] : nil
    }
    guard let found = found.map({ notification($0, of: user) }), !ownership.isGone(found.user)
    else { return nil }
    return found
  }

  /// All of the user's notifications, shown or not, oldest first.
  func all(of user: UserID) -> [Notification] {
    lists[user.index].map { notification($0, of: user) }
  }
}

// Comments with their replies and hearts, and workouts that are gone.
extension Notifications {
  /// Where a comment is, and who wrote it.
  struct Post: BitwiseCopyable, Sendable {
    static let none = Post(number: 0, workout: WorkoutID(index: 0))

    /// The author's and one; 0 for no comment.
    private var number: UInt32
    var workout: WorkoutID
    var author: UserID? { number == 0 ? nil : UserID(index: number - 1) }

    private init(number: UInt32, workout: WorkoutID) {
      (self.number, self.workout) = (number, workout)
    }
    init(author: UserID, workout: WorkoutID) {
      self.init(number: author.index + 1, workout: workout)
    }
  }

  mutating func apply(_ event: CommentEvent, _ moment: Moment) {
    switch event {
    case .posted(let data):
      guard let owner = ownership.owner(of: data.workout), told[data.comment.index] == 0 else {
        return
      }
      told[data.comment.index] = owner.index + 1
      if tell(owner, .comment(data.comment, data.workout), by: data.user, moment) {
        comments[data.comment.index] = UInt32(truncatingIfNeeded: moment.seq)
      }
      posts[data.comment.index] = Post(author: data.user, workout: data.workout)
      if data.user != owner { posters.append(data.user, to: data.workout.index) }
      // The owner is told of every comment once.
      if let parent = data.replyTo, let author = posts[parent.index].author, author != owner,
        tell(author, .reply(data.comment, data.workout), by: data.user, moment)
      {
        // An import may have replies on other workouts than what they answer.
        posters.append(author, to: data.workout.index)
        replies[data.comment.index] = UInt32(truncatingIfNeeded: moment.seq)
        repliedTo[data.comment.index] = author
      }
    case .removed(let data):
      let comment = data.comment
      guard told[comment.index] > 0 else { return }
      remove(comments[comment.index], from: UserID(index: told[comment.index] - 1))
      if replies[comment.index] > 0 {
        remove(replies[comment.index], from: repliedTo[comment.index])
      }
      if let author = posts[comment.index].author {
        lists.removeAll(in: author.index) { $0.isHeart(on: comment) }
      }
      posts[comment.index] = .none
    case .edited: break
    }
  }

  /// Who was told of a comment as a reply to theirs.
  func answered(by comment: CommentID) -> UserID? {
    replies[comment.index] > 0 ? repliedTo[comment.index] : nil
  }

  mutating func apply(_ event: HeartEvent, _ moment: Moment) {
    switch event {
    case .given(let data):
      guard let author = takeBack(data) else { return }
      if tell(
        author, .heart(data.comment, posts[data.comment.index].workout), by: data.user, moment)
      {
        hearts.set(
          KeyTable.key(data.comment.index, data.user.index), UInt32(truncatingIfNeeded: moment.seq))
      }
    case .withdrawn(let data): _ = takeBack(data)
    }
  }

  /// - Returns: who has been told of it; nil if the comment is gone.
  private mutating func takeBack(_ heart: Heart) -> UserID? {
    let post = posts[heart.comment.index]
    guard let author = post.author, !ownership.isGone(post.workout) else { return nil }
    takeBack(hearts.take(KeyTable.key(heart.comment.index, heart.user.index)), from: author)
    return author
  }

  mutating func apply(_ event: WorkoutEvent) {
    switch event {
    case .removed(let data):
      if let owner = ownership.owner(of: data.workout) {
        lists.removeAll(in: owner.index) { $0.isAbout(data.workout) }
      }
      remove(data.workout)
    case .shared, .edited, .detailAttached: break
    }
    _ = ownership.apply(event)
  }

  /// Removes what those who commented on a workout are told of.
  mutating func remove(_ workout: WorkoutID) {
    for author in Set(posters[workout.index]) {
      lists.removeAll(in: author.index) { $0.isAbout(workout) }
    }
    posters.removeAll(in: workout.index)
  }
}
