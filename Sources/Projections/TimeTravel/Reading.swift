import Events

/// The projections as questions read them. It knows what a question looks at, so that one about the
/// past can be answered from the events that this depends on.
///
/// ```swift
/// let reading = Reading(views)
/// reading.card(of: alice)?.handle   // "alice"
/// reading.friends(of: alice).count  // 2
/// ```
/// Every way to read says whose state it reads; `all` is for questions about everybody.
/// - Complexity: that of the projections' own methods.
public struct Reading: Sendable {
  private(set) var views: Views
  let looks: ReadSet?

  public init(_ views: Views = Views()) { self.init(views, noting: nil) }

  init(_ views: Views, noting looks: ReadSet?) { (self.views, self.looks) = (views, looks) }

  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    views.apply(event, at: moment)
  }

  public mutating func settle() { views.settle() }

  /// All projections: what is read of them may depend on every event.
  public var all: Views {
    looks?.noteAll()
    return views
  }

  public func brokenInvariant(_ names: Names) -> String? { views.brokenInvariant(names) }

  /// Reads what depends on the state of some users under one kind of paths.
  public func look<Answer>(
    at kind: StatePath.Kind, of users: some Sequence<UserID>, _ read: (Views) -> Answer
  ) -> Answer {
    if let looks { for user in users { looks.note(kind, user) } }
    return read(views)
  }
}

// What is known of users.
extension Reading {
  /// The number of a user whom a caller names, a UUID in any case; nil if no event names it.
  public func find(user name: String, in names: Names) -> UserID? {
    looks?.note(.id(NamedID(.user, name, offset: 0)))
    return names.resolve(user: name)
  }

  /// The number of an id; nil if no event names it.
  public func find<ID: DenseID>(_ name: String, in names: Names) -> ID? {
    looks?.note(.id(NamedID(NamedID.Kind(ID.kind), name, offset: 0)))
    return names.find(name)
  }

  /// The profile of an open account.
  public func profile(of user: UserID) -> Profiles.Profile? {
    looks?.note(.profile, user)
    return views.profiles[user]
  }

  /// Whether the user's profile is public; nil without an account.
  public func isPublic(_ user: UserID) -> Bool? {
    looks?.note(.profile, user)
    return views.profiles.isPublic(user)
  }

  /// Whether either has blocked the other.
  public func isBlocked(_ a: UserID, _ b: UserID) -> Bool {
    looks?.note(.blocks, a)
    looks?.note(.blocks, b)
    return views.blocks.isBlocked(a, b)
  }

  /// Whom the user blocks, the newest block first.
  public func blocked(by user: UserID) -> Users {
    looks?.note(.blocks, user)
    return views.blocks.blocked(by: user)
  }

  public func isOpen(_ user: UserID) -> Bool {
    looks?.note(.profile, user)
    return views.profiles.isOpen(user)
  }

  /// What a list shows of a user with an open account.
  public func card(of user: UserID) -> (handle: String?, displayName: String?)? {
    looks?.note(.profile, user)
    return views.profiles.card(of: user)
  }

  /// The user who has the handle, regardless of case.
  public func holder(of handle: String) -> UserID? {
    looks?.note(.handle(handle))
    return views.profiles.holder(of: handle)
  }

  /// Who follows the user, newest first.
  public func followers(of user: UserID) -> Users {
    looks?.note(.followers, user)
    return views.following.followers(of: user)
  }

  /// Whom the user follows, newest first.
  public func following(of user: UserID) -> Users {
    looks?.note(.following, user)
    return views.following.following(of: user)
  }

  public func isFollowing(_ follower: UserID, _ followee: UserID) -> Bool {
    looks?.note(.following, follower)
    return views.following.isFollowing(follower, followee)
  }

  public func areFriends(_ a: UserID, _ b: UserID) -> Bool {
    relationship(of: a, to: b) == .friends
  }

  /// When the follow that stands began.
  public func followingSince(_ follower: UserID, _ followee: UserID) -> Timestamp? {
    looks?.note(.following, follower)
    return views.following.since(follower, followee)
  }

  /// When the friendship or request that stands between two users began.
  public func relatedSince(_ user: UserID, _ other: UserID) -> Timestamp? {
    looks?.note(.pair(.relationship, user, other))
    return views.relationships.since(user, other)
  }

  /// When the block that stands began.
  public func blockedSince(_ user: UserID, _ other: UserID) -> Timestamp? {
    looks?.note(.blocks, user)
    return views.blocks.since(user, other)
  }

  /// The relationship of a user to another, as the first sees it.
  public func relationship(of user: UserID, to other: UserID) -> Relationships.Relationship {
    looks?.note(.pair(.relationship, user, other))
    return views.relationships[user, other]
  }

  /// The user's friends, the newest friendship first.
  public func friends(of user: UserID) -> Users {
    looks?.note(.friends, user)
    return views.relationships.friends(of: user)
  }

  /// The users whose requests await this user's answer, newest first.
  public func pending(of user: UserID) -> Users {
    looks?.note(.pending, user)
    return views.relationships.pending(of: user)
  }

  /// The users who have yet to answer this user's requests, newest first.
  public func sent(of user: UserID) -> Users {
    looks?.note(.requests, user)
    return views.relationships.sent(of: user)
  }

  /// As `Notifications.newest`.
  public func notifications(
    of user: UserID, limit: Int,
    where isShown: (Notifications.Notification) -> Bool = { _ in true }
  ) -> [Notifications.Notification] {
    looks?.note(.notifications, user)
    return views.notifications.newest(of: user, limit: limit, where: isShown)
  }
}

// What is known of workouts.
extension Reading {
  public func find(workout name: String, in names: Names) -> WorkoutID? {
    find(name, in: names)
  }

  /// The workout; nil if it is removed or was never shared.
  public func workout(_ id: WorkoutID) -> WorkoutShared? {
    looks?.note(.shared, id)
    return views.workouts[id]
  }

  /// The detail last attached to a workout.
  public func detail(of id: WorkoutID) -> WorkoutDetailAttached? {
    looks?.note(.shared, id)
    return views.workouts.detail(of: id)
  }

  /// When a workout was shared, and when its detail was last attached.
  public func times(of id: WorkoutID) -> (shared: Timestamp, attached: Timestamp?)? {
    looks?.note(.shared, id)
    return views.workouts.times(of: id)
  }

  /// As `Workouts.visitNewest`.
  public func visitNewest(
    of owners: [(owner: UserID, each: Int)], from start: Timestamp? = nil,
    before end: Timestamp? = nil, after place: (date: Timestamp, workout: WorkoutID?)? = nil,
    where isShown: (UserID, Audience?) -> Bool = { _, _ in true },
    _ body: (WorkoutShared) -> Bool
  ) {
    look(at: .workouts, of: owners.lazy.map { $0.owner }) {
      $0.workouts.visitNewest(
        of: owners, from: start, before: end, after: place, where: isShown, body)
    }
  }

  /// Who chupped the workout, newest first.
  public func chups(of workout: WorkoutID) -> Users {
    looks?.note(.chups, workout)
    return views.chups.users(of: workout)
  }

  public func hasChupped(_ workout: WorkoutID, _ user: UserID) -> Bool {
    looks?.note(.chups, workout)
    return views.chups.hasChupped(workout, user)
  }

  public func bigChupCount(of workout: WorkoutID) -> Int {
    looks?.note(.chups, workout)
    return views.chups.bigCount(of: workout)
  }

  /// When the chup that stands was given.
  public func chuppedSince(_ workout: WorkoutID, _ user: UserID) -> Timestamp? {
    looks?.note(.chups, workout)
    return views.chups.since(workout, user)
  }

  public func isBigChup(_ workout: WorkoutID, _ user: UserID) -> Bool {
    looks?.note(.chups, workout)
    return views.chups.isBig(workout, user)
  }

  /// Who reacted to the workout, newest first.
  public func reactions(to workout: WorkoutID) -> Users {
    looks?.note(.reactions, workout)
    return views.reactions.users(of: workout)
  }

  /// The user's reactions to the workout.
  public func reactions(to workout: WorkoutID, by user: UserID) -> ReactionKinds {
    looks?.note(.reactions, workout)
    return views.reactions.kinds(workout, user)
  }

  /// How many reactions of a kind the workout has.
  public func reactionCount(_ workout: WorkoutID, _ kind: ReactionKind) -> Int {
    looks?.note(.reactions, workout)
    return views.reactions.count(workout, kind)
  }

  /// When the first of the user's reactions that stand was given.
  public func reactedSince(_ workout: WorkoutID, _ user: UserID) -> Timestamp? {
    looks?.note(.reactions, workout)
    return views.reactions.since(workout, user)
  }

  /// The workout's comments, oldest first.
  public func comments(on workout: WorkoutID) -> [CommentID] {
    looks?.note(.comments, workout)
    return views.comments.of(workout)
  }

  /// The comment; nil if it is removed or was never posted.
  public func comment(_ id: CommentID) -> Comments.Comment? {
    looks?.note(.comment, id)
    return views.comments[id]
  }

  /// The users whose hearts are on the comment, newest first.
  public func hearts(of comment: CommentID) -> Users {
    looks?.note(.comment, comment)
    return views.comments.hearts(of: comment)
  }

  public func isHearted(_ comment: CommentID, by user: UserID) -> Bool {
    looks?.note(.comment, comment)
    return views.comments.isHearted(comment, by: user)
  }
}

extension StatePath.Kind {
  /// What was shared, without chups and comments; no path of its own.
  fileprivate static let shared = StatePath.Kind(
    "shared", of: ["WORKOUT"], types: Workouts.handles, sources: [.workout])
}
