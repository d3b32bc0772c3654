import Events

/// The projections as questions read them. It notes what a question reads, so that one about the
/// past can be answered from the relevant events alone.
///
/// ```swift
/// let reading = Reading(views)
/// reading.card(of: alice)?.handle   // "alice"
/// reading.friends(of: alice).count  // 2
/// ```
/// Every method says whose state it reads; `all` is for questions about everybody. The projections'
/// own methods say what is returned, in which order and at which cost.
public struct Reading: Sendable {
  private(set) var views: Views
  let looks: ReadSet?

  public init(_ views: Views = Views()) { self.init(views, noting: nil) }

  init(_ views: Views, noting looks: ReadSet?) { (self.views, self.looks) = (views, looks) }

  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    views.apply(event, at: moment)
  }

  public mutating func settle() { views.settle() }

  /// All projections: the answer may depend on every event.
  public var all: Views {
    looks?.noteAll()
    return views
  }

  public func brokenInvariant(_ names: Names) -> String? { views.brokenInvariant(names) }

  /// Reads the state of one id under a kind of paths.
  @inline(__always)
  private func read<Answer>(
    _ kind: StatePath.Kind, _ id: some DenseID, _ body: (Views) -> Answer
  ) -> Answer {
    looks?.note(kind, id)
    return body(views)
  }

  private func read<Answer>(_ what: ReadSet.Read, _ body: (Views) -> Answer) -> Answer {
    looks?.note(what)
    return body(views)
  }

  /// Reads what depends on the state of some users under one kind of paths.
  public func look<Answer>(
    at kind: StatePath.Kind, of users: some Sequence<UserID>, _ read: (Views) -> Answer
  ) -> Answer {
    if let looks { for user in users { looks.note(kind, user) } }
    return read(views)
  }
}

// Users.
extension Reading {
  /// The number of a user that a caller names, a UUID in upper or lower case; nil if no event
  /// names it.
  public func find(user name: String, in names: Names) -> UserID? {
    looks?.note(.id(NamedID(.user, name, offset: 0)))
    return names.resolve(user: name)
  }

  /// The number of an id; nil if no event names it.
  public func find<ID: DenseID>(_ name: String, in names: Names) -> ID? {
    looks?.note(.id(NamedID(NamedID.Kind(ID.kind), name, offset: 0)))
    return names.find(name)
  }

  public func profile(of user: UserID) -> Profiles.Profile? {
    read(.profile, user) { $0.profiles[user] }
  }

  public func isPublic(_ user: UserID) -> Bool? {
    read(.profile, user) { $0.profiles.isPublic(user) }
  }

  public func isBlocked(_ a: UserID, _ b: UserID) -> Bool {
    look(at: .blocks, of: [a, b]) { $0.blocks.isBlocked(a, b) }
  }

  public func blocked(by user: UserID) -> Users {
    read(.blocks, user) { $0.blocks.blocked(by: user) }
  }

  public func isOpen(_ user: UserID) -> Bool { read(.profile, user) { $0.profiles.isOpen(user) } }

  public func card(of user: UserID) -> (handle: String?, displayName: String?)? {
    read(.profile, user) { $0.profiles.card(of: user) }
  }

  public func holder(of handle: String) -> UserID? {
    read(.handle(handle)) { $0.profiles.holder(of: handle) }
  }

  public func followers(of user: UserID) -> Users {
    read(.followers, user) { $0.following.followers(of: user) }
  }

  public func following(of user: UserID) -> Users {
    read(.following, user) { $0.following.following(of: user) }
  }

  public func isFollowing(_ follower: UserID, _ followee: UserID) -> Bool {
    read(.following, follower) { $0.following.isFollowing(follower, followee) }
  }

  public func areFriends(_ a: UserID, _ b: UserID) -> Bool {
    relationship(of: a, to: b) == .friends
  }

  public func followingSince(_ follower: UserID, _ followee: UserID) -> Timestamp? {
    read(.following, follower) { $0.following.since(follower, followee) }
  }

  public func relatedSince(_ user: UserID, _ other: UserID) -> Timestamp? {
    read(.pair(.relationship, user, other)) { $0.relationships.since(user, other) }
  }

  public func blockedSince(_ user: UserID, _ other: UserID) -> Timestamp? {
    read(.blocks, user) { $0.blocks.since(user, other) }
  }

  public func relationship(of user: UserID, to other: UserID) -> Relationships.Relationship {
    read(.pair(.relationship, user, other)) { $0.relationships[user, other] }
  }

  public func friends(of user: UserID) -> Users {
    read(.friends, user) { $0.relationships.friends(of: user) }
  }

  public func pending(of user: UserID) -> Users {
    read(.pending, user) { $0.relationships.pending(of: user) }
  }

  public func sent(of user: UserID) -> Users {
    read(.requests, user) { $0.relationships.sent(of: user) }
  }

  /// As `Notifications.newest`.
  public func notifications(
    of user: UserID, limit: Int,
    where isShown: (Notifications.Notification) -> Bool = { _ in true }
  ) -> [Notifications.Notification] {
    read(.notifications, user) { $0.notifications.newest(of: user, limit: limit, where: isShown) }
  }
}

// Workouts.
extension Reading {
  public func find(workout name: String, in names: Names) -> WorkoutID? { find(name, in: names) }

  public func workout(_ id: WorkoutID) -> WorkoutShared? { read(.shared, id) { $0.workouts[id] } }

  public func detail(of id: WorkoutID) -> WorkoutDetailAttached? {
    read(.shared, id) { $0.workouts.detail(of: id) }
  }

  public func times(of id: WorkoutID) -> (shared: Timestamp, attached: Timestamp?)? {
    read(.shared, id) { $0.workouts.times(of: id) }
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

  public func chups(of workout: WorkoutID) -> Users {
    read(.chups, workout) { $0.chups.users(of: workout) }
  }

  public func hasChupped(_ workout: WorkoutID, _ user: UserID) -> Bool {
    read(.chups, workout) { $0.chups.hasChupped(workout, user) }
  }

  public func bigChupCount(of workout: WorkoutID) -> Int {
    read(.chups, workout) { $0.chups.bigCount(of: workout) }
  }

  public func chuppedSince(_ workout: WorkoutID, _ user: UserID) -> Timestamp? {
    read(.chups, workout) { $0.chups.since(workout, user) }
  }

  public func isBigChup(_ workout: WorkoutID, _ user: UserID) -> Bool {
    read(.chups, workout) { $0.chups.isBig(workout, user) }
  }

  public func reactions(to workout: WorkoutID) -> Users {
    read(.reactions, workout) { $0.reactions.users(of: workout) }
  }

  public func reactions(to workout: WorkoutID, by user: UserID) -> ReactionKinds {
    read(.reactions, workout) { $0.reactions.kinds(workout, user) }
  }

  public func reactionCount(_ workout: WorkoutID, _ kind: ReactionKind) -> Int {
    read(.reactions, workout) { $0.reactions.count(workout, kind) }
  }

  public func reactedSince(_ workout: WorkoutID, _ user: UserID) -> Timestamp? {
    read(.reactions, workout) { $0.reactions.since(workout, user) }
  }

  public func comments(on workout: WorkoutID) -> [CommentID] {
    read(.comments, workout) { $0.comments.of(workout) }
  }

  public func comment(_ id: CommentID) -> Comments.Comment? {
    read(.comment, id) { $0.comments[id] }
  }

  public func hearts(of comment: CommentID) -> Users {
    read(.comment, comment) { $0.comments.hearts(of: comment) }
  }

  public func isHearted(_ comment: CommentID, by user: UserID) -> Bool {
    read(.comment, comment) { $0.comments.isHearted(comment, by: user) }
  }
}

// Groups, messages and notifications.
extension Reading {
  public func group(_ id: GroupID) -> Groups.Group? { read(.group, id) { $0.groups[id] } }

  public func standing(_ group: GroupID, _ user: UserID) -> Groups.Standing {
    read(.group, group) { $0.groups.standing(group, user) }
  }

  public func members(of group: GroupID) -> Users {
    read(.group, group) { $0.groups.members(of: group) }
  }

  public func waiting(for group: GroupID) -> Users {
    read(.group, group) { $0.groups.waiting(for: group) }
  }

  public func memberSince(_ group: GroupID, _ user: UserID) -> Timestamp? {
    read(.group, group) { $0.groups.since(group, user) }
  }

  public func groups(of user: UserID) -> [GroupID] {
    read(.groups, user) { $0.groups.groups(of: user) }
  }

  public func message(_ id: MessageID) -> Conversations.Message? {
    read(.message, id) { $0.conversations[id] }
  }

  public func messages(_ user: UserID, _ other: UserID) -> [MessageID] {
    read(.pair(.conversation, user, other)) { Array($0.conversations.messages(user, other)) }
  }

  /// As `Notifications.unread`.
  public func unread(
    of user: UserID, where isShown: (Notifications.Notification) -> Bool
  ) -> [Notifications.Notification] {
    read(.notifications, user) { $0.notifications.unread(of: user, where: isShown) }
  }

  public func notification(at seq: UInt64, of user: UserID) -> Notifications.Notification? {
    read(.notifications, user) { $0.notifications.notification(at: seq, of: user) }
  }

  public func answered(by comment: CommentID) -> UserID? {
    read(.comment, comment) { $0.notifications.answered(by: comment) }
  }

  public func lastMessage(_ user: UserID, _ other: UserID) -> MessageID? {
    read(.pair(.conversation, user, other)) { $0.conversations.messages(user, other).last }
  }

  public func partners(of user: UserID) -> [UserID] {
    read(.conversation, user) { $0.conversations.partners(of: user) }
  }

  public func unread(by user: UserID, from other: UserID) -> Int {
    read(.pair(.unread, user, other)) { $0.conversations.unread(by: user, from: other) }
  }
}

extension StatePath.Kind {
  /// A workout without chups and comments; not a path.
  fileprivate static let shared = StatePath.Kind(
    "shared", of: ["WORKOUT"], types: Workouts.handles, sources: [.workout])
}
