import Events

/// The notifications of each user.
///
/// A user is notified of:
/// - friend requests, their acceptance, and follows;
/// - chups, reactions and comments on the user's workouts;
/// - replies to the user's comments and hearts on them;
/// - invitations to groups, approvals, and requests to join groups that the user is an admin of.
///
/// ```swift
/// notifications.newest(of: alice, limit: 20).first?.user  // bob: he commented
/// ```
/// A notification disappears when its cause does:
/// - the request is cancelled or answered, or the follow or friendship ends;
/// - the chup, reaction or heart is withdrawn, or the comment or workout is removed;
/// - the membership changes, or the group or the account of the user who caused it is deleted.
///
/// Users are not notified of their own actions. The group's current owner counts as the author of
/// its invitations and approvals.
/// - Complexity: O(1) per event. A withdrawal reads and moves the user's newer notifications, 24
///   bytes each. Removing a workout costs O(its owner's notifications). At most 4,294,967,295
///   events.
public struct Notifications: Projection {
  public static let name = "notifications"
  public static let version = 5
  public static let handles = Ownership.handles.union(.follow).union(.friendship).union(.chup)
    .union(.reaction).union([.commentPosted, .commentRemoved]).union(.heart)
    .union(Memberships.handles).union(.notification)

  /// A notification of a user about one event.
  public struct Notification: Equatable, Sendable {
    /// The reason why a user is notified.
    public enum Kind: Equatable, Sendable {
      /// A friend request, the acceptance of one, or a follow.
      case request, acceptance, follow
      /// A chup of the recipient's workout.
      case chup(WorkoutID, big: Bool)
      /// A reaction to the recipient's workout.
      case reaction(WorkoutID, ReactionKind)
      /// A comment on the recipient's workout.
      case comment(CommentID, WorkoutID)
      /// A reply to the recipient's comment on another user's workout.
      case reply(CommentID, WorkoutID)
      /// A heart on the recipient's comment.
      case heart(CommentID, WorkoutID)
      /// An invitation to a group.
      case invitation(GroupID)
      /// A request to join a group that the recipient is an admin of.
      case joinRequest(GroupID)
      /// The approval of the recipient's request to join.
      case approval(GroupID)

      /// The kind's name in tables, one or two words such as `big chup`.
      public var name: String {
        switch self {
        case .request: "request"
        case .acceptance: "acceptance"
        case .follow: "follow"
        case .chup(_, let big): big ? "big chup" : "chup"
        case .reaction(_, let kind): kind.rawValue
        case .comment: "comment"
        case .reply: "reply"
        case .heart: "heart"
        case .invitation: "invitation"
        case .joinRequest: "request to join"
        case .approval: "approval"
        }
      }
    }
    /// The reason for the notification.
    public var kind: Kind
    /// The user who caused the notification.
    public var user: UserID
    /// The position of the event that caused the notification.
    public var seq: UInt64
    /// The time of the event that caused the notification.
    public var time: Timestamp
    /// Whether the recipient has not read the notification yet.
    public var isUnread = true
  }

  /// The notifications by recipient, oldest first.
  var lists = Lists(blank: Row.none)
  /// The causes of all notifications (`Row.key`). Most events could only withdraw a notification
  /// that never was, and the filter makes a search for it unnecessary.
  private var causes = KeyFilter()
  /// By comment: the position of its event.
  var comments = Column(UInt32(0))
  /// By comment: the number of the workout's owner plus one; 0 for an unknown comment.
  var commentRecipients = Column<UInt32>(0)
  var posts = Column(Post.none)
  /// By workout: the users other than its owner who commented or were replied to, with repetitions.
  var posters = Lists(blank: UserID(index: 0))
  /// By reply: the position of its event, and the user notified of it.
  var replies = Column(UInt32(0))
  var repliedTo = Column(UserID(index: 0))
  var memberships = Memberships()
  var publicGroups = Column(false)
  /// By recipient: the point up to which the recipient has read.
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
      withdraw(.follow, by: edge.follower, from: edge.followee)
      notify(edge.followee, .follow, by: edge.follower, moment)
    case .unfollowed(let edge): withdraw(.follow, by: edge.follower, from: edge.followee)
    }
  }

  private mutating func apply(_ event: FriendshipEvent, _ moment: Moment) {
    switch event {
    case .requested(let request):
      remove(request.sender, request.receiver)
      notify(request.receiver, .request, by: request.sender, moment)
    case .accepted(let request):
      remove(request.sender, request.receiver)
      notify(request.sender, .acceptance, by: request.receiver, moment)
    case .cancelled(let request), .rejected(let request):
      remove(request.sender, request.receiver)
    case .removed(let removed): remove(removed.user, removed.friend)
    }
  }

  private mutating func apply(_ event: ChupEvent, _ moment: Moment) {
    switch event {
    case .given(let data):
      guard let owner = ownership.owner(of: data.workout) else { return }
      // If a chup becomes a big one, the new notification replaces the old one.
      withdraw(.chup(data.workout, big: data.big), by: data.user, from: owner)
      notify(owner, .chup(data.workout, big: data.big), by: data.user, moment)
    case .withdrawn(let data):
      guard let owner = ownership.owner(of: data.workout) else { return }
      withdraw(.chup(data.workout, big: false), by: data.user, from: owner)
    }
  }

  private mutating func apply(_ event: ReactionEvent, _ moment: Moment) {
    switch event {
    case .given(let data):
      guard let owner = takeBack(data) else { return }
      notify(owner, .reaction(data.workout, data.kind), by: data.user, moment)
    case .withdrawn(let data): _ = takeBack(data)
    }
  }

  /// Removes a reaction's notification and returns the workout's owner; nil if the workout is gone.
  private mutating func takeBack(_ reaction: Reaction) -> UserID? {
    guard let owner = ownership.owner(of: reaction.workout) else { return nil }
    withdraw(.reaction(reaction.workout, reaction.kind), by: reaction.user, from: owner)
    return owner
  }

  public mutating func prefetch(_ event: borrowing Event) {
    switch event {
    case .follow(.followed(let edge)), .follow(.unfollowed(let edge)):
      prefetch(.follow, by: edge.follower, edge.followee)
    case .chup(.given(let data)):
      guard let owner = ownership.owner(of: data.workout) else { return }
      prefetch(.chup(data.workout, big: data.big), by: data.user, owner)
    case .reaction(.given(let data)):
      guard let owner = ownership.owner(of: data.workout) else { return }
      prefetch(.reaction(data.workout, data.kind), by: data.user, owner)
    case .heart(.given(let data)):
      let post = posts[data.comment.index]
      guard let author = post.author else { return }
      prefetch(.heart(data.comment, post.workout), by: data.user, author)
    case .friendship(.requested(let request)):
      prefetch(.request, by: request.sender, request.receiver)
    case .friendship(.accepted(let request)):
      prefetch(.acceptance, by: request.receiver, request.sender)
    default: break
    }
  }

  @inline(__always)
  private mutating func prefetch(_ kind: Notification.Kind, by user: UserID, _ recipient: UserID) {
    if let key = Row(kind, by: user).key(recipient) { causes.prefetch(key) }
    lists.prefetchEnd(of: recipient.index)
  }

  /// Adds a notification and returns its event's position; nil if the user must not be notified.
  @discardableResult
  mutating func notify(
    _ recipient: UserID, _ kind: Notification.Kind, by user: UserID, _ moment: Moment
  ) -> UInt32? {
    guard recipient != user, !ownership.isGone(recipient), !ownership.isGone(user) else {
      return nil
    }
    let row = Row(kind, by: user, at: moment)
    if let key = row.key(recipient) { note(key) }
    lists.append(row, to: recipient.index)
    return row.seq
  }

  private mutating func note(_ key: UInt64) {
    if causes.isFull {
      var larger = causes.doubled()
      for recipient in lists.indices {
        for row in lists[recipient] {
          if let key = row.key(UserID(index: recipient)) { larger.insert(key) }
        }
      }
      causes = larger
    }
    causes.insert(key)
  }

  /// Removes the notifications of friend requests and acceptances between two users.
  private mutating func remove(_ a: UserID, _ b: UserID) {
    withdraw(.request, by: b, from: a)
    withdraw(.request, by: a, from: b)
  }

  /// Removes the recipient's notification with the cause of one of this kind by this user, if there
  /// is one.
  /// - Complexity: O(the recipient's notifications) if there is one.
  mutating func withdraw(_ kind: Notification.Kind, by user: UserID, from recipient: UserID) {
    if let at = place(of: kind, by: user, for: recipient) {
      lists.remove(at: at, in: recipient.index)
    }
  }

  /// Returns the place of the recipient's notification with the cause of one of this kind by this
  /// user; nil if there is none.
  func place(of kind: Notification.Kind, by user: UserID, for recipient: UserID) -> Int? {
    let row = Row(kind, by: user)
    guard let key = row.key(recipient), causes.mayContain(key) else { return nil }
    return lists.withElements(of: recipient.index) { list -> Int? in
      // Most withdrawals are of recent notifications.
      var at = list.count - 1
      while at >= 0 {
        if list[at].hasCause(of: row) { return at }
        at -= 1
      }
      return nil
    }
  }

  /// Removes the recipient's notification of the event at a position, if there is one.
  mutating func remove(_ seq: UInt32, from recipient: UserID) {
    let at = lists.withElements(of: recipient.index) { list -> Int? in
      let at = list.lowerBound { $0.seq < seq }
      return at < list.count && list[at].seq == seq ? at : nil
    }
    if let at { lists.remove(at: at, in: recipient.index) }
  }

  public mutating func code(with coder: inout StateCoder) {
    lists.code(with: &coder)
    causes.code(with: &coder)
    comments.code(with: &coder)
    commentRecipients.code(with: &coder)
    posts.code(with: &coder)
    posters.code(with: &coder)
    replies.code(with: &coder)
    repliedTo.code(with: &coder)
    memberships.code(with: &coder)
    publicGroups.code(with: &coder)
    marks.code(with: &coder)
    ownership.code(with: &coder)
  }

  /// Returns the event positions of notifications hidden because a deleted account caused them.
  func hidden(from user: UserID) -> [UInt64] {
    all(of: user).filter { ownership.isGone($0.user) }.map { $0.seq }
  }

  /// Returns a row's notification. For an invitation or approval, its user is the group's owner.
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

  /// Returns the user's visible notifications, newest first, at most `limit`.
  /// - Complexity: O(notifications visited), including those that are not shown.
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

  /// Returns the user's visible notifications that are not read, newest first.
  /// - Complexity: O(unread notifications), because reading marks all older notifications as read.
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

  /// Returns the user's notification of the event at a position; nil if it is missing or hidden.
  /// - Complexity: O(log n).
  func notification(at seq: UInt64, of user: UserID) -> Notification? {
    let found = lists.withElements(of: user.index) { list -> Row? in
      let at = list.lowerBound { UInt64($0.seq) < seq }
      return at < list.count && UInt64(list[at].seq) == seq ? list[at] : nil
    }
    return found.map { notification($0, of: user) }.flatMap {
      ownership.isGone($0.user) ? nil : $0
    }
  }

  /// Returns all of the user's notifications, visible or hidden, oldest first.
  func all(of user: UserID) -> [Notification] {
    lists[user.index].map { notification($0, of: user) }
  }

  /// Describes the first list that is not in order, or notification whose subject is gone; or nil.
  public func brokenInvariant(_ names: Names) -> String? {
    for index in lists.indices {
      let user = UserID(index: index)
      let list = all(of: user)
      for (at, notification) in list.enumerated() {
        if at > 0 && list[at - 1].seq >= notification.seq {
          return "\(names[user])'s notifications are out of order at \(notification.seq)"
        }
        if let workout = notification.kind.workout {
          let owner = ownership.owner(of: workout)
          switch notification.kind {
          case .reply, .heart:
            if owner == nil { return "\(names[user]) is notified of \(names[workout]), now gone" }
          default:
            if owner != user {
              return "\(names[user]) is notified of \(names[workout]) without owning it"
            }
          }
        }
        if let group = notification.kind.group,
          !isRight(notification.kind, group, user, notification.user)
        {
          return "\(names[user]) has an outdated notification about \(names[group])"
        }
      }
    }
    return nil
  }

  private func isRight(
    _ kind: Notification.Kind, _ group: GroupID, _ user: UserID, _ other: UserID
  ) -> Bool {
    let standing = memberships.standing(group, user)
    return switch kind {
    case .invitation: standing == .invited
    case .approval: standing.isMember
    default:
      standing.isAdmin
        && (memberships.standing(group, other) == .requested || ownership.isGone(other))
    }
  }
}

// Notifications of comments, replies and hearts, and their removal with a workout.
extension Notifications {
  /// The author and the workout of a comment that was not removed.
  struct Post: BitwiseCopyable, Sendable {
    static let none = Post(number: 0, workout: WorkoutID(index: 0))

    /// The author's number plus one; 0 for no comment.
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
      guard let owner = ownership.owner(of: data.workout),
        commentRecipients[data.comment.index] == 0
      else {
        return
      }
      commentRecipients[data.comment.index] = owner.index + 1
      if let seq = notify(owner, .comment(data.comment, data.workout), by: data.user, moment) {
        comments[data.comment.index] = seq
      }
      posts[data.comment.index] = Post(author: data.user, workout: data.workout)
      if data.user != owner { posters.append(data.user, to: data.workout.index) }
      // A workout's owner gets only one notification of a reply to the owner's own comment.
      if let parent = data.replyTo, let author = posts[parent.index].author, author != owner,
        let seq = notify(author, .reply(data.comment, data.workout), by: data.user, moment)
      {
        // In an imported log, a reply and the comment that it answers may be on different workouts.
        posters.append(author, to: data.workout.index)
        replies[data.comment.index] = seq
        repliedTo[data.comment.index] = author
      }
    case .removed(let data):
      let comment = data.comment
      guard commentRecipients[comment.index] > 0 else { return }
      remove(comments[comment.index], from: UserID(index: commentRecipients[comment.index] - 1))
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

  /// Returns the user who got a notification of this reply; nil if nobody did.
  func answered(by comment: CommentID) -> UserID? {
    replies[comment.index] > 0 ? repliedTo[comment.index] : nil
  }

  mutating func apply(_ event: HeartEvent, _ moment: Moment) {
    switch event {
    case .given(let data):
      guard let author = takeBack(data) else { return }
      let workout = posts[data.comment.index].workout
      notify(author, .heart(data.comment, workout), by: data.user, moment)
    case .withdrawn(let data): _ = takeBack(data)
    }
  }

  /// Removes a heart's notification and returns the comment's author; nil if the comment is gone.
  private mutating func takeBack(_ heart: Heart) -> UserID? {
    let post = posts[heart.comment.index]
    guard let author = post.author, !ownership.isGone(post.workout) else { return nil }
    withdraw(.heart(heart.comment, post.workout), by: heart.user, from: author)
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

  /// Removes the notifications about a workout from the lists of the users who commented on it.
  mutating func remove(_ workout: WorkoutID) {
    for author in Set(posters[workout.index]) {
      lists.removeAll(in: author.index) { $0.isAbout(workout) }
    }
    posters.removeAll(in: workout.index)
  }
}
