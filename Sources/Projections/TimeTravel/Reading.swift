import Events

/// Read access to the projections for answering a question. It records which state the question
/// reads. So the question can be answered for a past position from the relevant events alone.
///
/// ```swift
/// let reading = Reading(views)
/// reading.card(of: alice)?.handle   // "alice"
/// reading.friends(of: alice).count  // 2
/// ```
/// Each method reads the state of certain users, workouts, comments or groups; `all` is for
/// questions about all of them. The projections' methods of the same name document order and cost.
public struct Reading: Sendable {
  var boxed: Boxed<Views>
  /// The set in which each read is recorded; nil if reads are not recorded.
  package var looks: ReadSet?
  /// Numbers to add to the lengths of lists; nil in a core.
  package var remainders: Remainders?

  /// Creates read access to projections without recording what is read.
  public init(_ views: Views = Views()) { self.init(views, noting: nil) }

  package init(_ views: Views, noting looks: ReadSet?) { self.init(Boxed(views), noting: looks) }

  package init(_ views: Boxed<Views>, noting looks: ReadSet? = nil) {
    (boxed, self.looks) = (views, looks)
  }

  /// Returns read access to the projections as they are now, while these change: their tables
  /// change page by page. An app's own projections copy their dictionaries when they change. While
  /// it is made, no projection may change.
  package func snapshot() -> Reading {
    var (copy, coder) = (boxed, StateCoder(sharing: ()))
    copy.value.codeParts(with: &coder)
    return Reading(copy)
  }

  /// Applies an event to each projection.
  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    boxed.value.apply(event, at: moment)
  }

  /// Settles each projection; see `Projection.settle`.
  public mutating func settle() { boxed.value.settle() }

  /// All projections. A question that reads them may depend on every event.
  public var all: Views {
    looks?.noteAll()
    return boxed.value
  }

  /// Describes the first invariant that does not hold; nil if all hold.
  public func brokenInvariant(_ names: Names) -> String? {
    boxed.value.brokenInvariant(names)
  }

  /// Reads the state of one id, and records it as a path of this kind.
  @inline(__always)
  func read<Answer>(
    _ kind: StatePath.Kind, _ id: some DenseID, _ body: (Views) -> Answer
  ) -> Answer {
    looks?.note(kind, id)
    return body(boxed.value)
  }

  private func read<Answer>(_ what: ReadSet.Read, _ body: (Views) -> Answer) -> Answer {
    looks?.note(what)
    return body(boxed.value)
  }

  /// Reads state that depends on these users' paths of one kind, and records these paths.
  public func look<Answer>(
    at kind: StatePath.Kind, of users: some Sequence<UserID>, _ read: (Views) -> Answer
  ) -> Answer {
    if let looks { for user in users { looks.note(kind, user) } }
    return read(boxed.value)
  }
}

// Users.
extension Reading {
  /// Returns the user with this id; nil if no event names it. A UUID may be in upper or lower case.
  public func find(user name: String, in names: Names) -> UserID? {
    looks?.note(.id(NamedID(.user, name, offset: 0)))
    return names.resolve(user: name)
  }

  /// Returns the number of an id; nil if no event names it.
  public func find<ID: DenseID>(_ name: String, in names: Names) -> ID? {
    looks?.note(.id(NamedID(NamedID.Kind(ID.kind), name, offset: 0)))
    return names.find(name)
  }

  /// Returns the user's profile; nil without an open account.
  public func profile(of user: UserID) -> Profiles.Profile? {
    read(.profile, user) { $0.profiles[user] }
  }

  /// Returns whether the user's profile is public; nil without an open account.
  public func isPublic(_ user: UserID) -> Bool? {
    read(.profile, user) { $0.profiles.isPublic(user) }
  }

  /// Returns whether one of the users blocks the other.
  public func isBlocked(_ a: UserID, _ b: UserID) -> Bool {
    look(at: .blocks, of: [a, b]) { $0.blocks.isBlocked(a, b) }
  }

  /// Returns the users whom the user blocks.
  public func blocked(by user: UserID) -> Users {
    read(.blocks, user) { $0.blocks.blocked(by: user) }
  }

  /// Returns whether the user has an open account.
  public func isOpen(_ user: UserID) -> Bool { read(.profile, user) { $0.profiles.isOpen(user) } }

  /// Returns whether the user had an account and deleted it.
  public func isDeleted(_ user: UserID) -> Bool {
    read(.profile, user) { $0.profiles.isDeleted(user) }
  }

  /// Returns the user's handle and name; nil without an open account.
  public func card(of user: UserID) -> (handle: String?, displayName: String?)? {
    read(.profile, user) { $0.profiles.card(of: user) }
  }

  /// Returns the user who has the handle, regardless of case.
  public func holder(of handle: String) -> UserID? {
    read(.handle(handle)) { $0.profiles.holder(of: handle) }
  }

  /// Returns the user's followers.
  public func followers(of user: UserID) -> Users {
    read(.followers, user) { $0.following.followers(of: user) }
  }

  /// Returns the users whom the user follows.
  public func following(of user: UserID) -> Users {
    read(.following, user) { $0.following.following(of: user) }
  }

  /// Returns whether the first user follows the second.
  public func isFollowing(_ follower: UserID, _ followee: UserID) -> Bool {
    read(.following, follower) { $0.following.isFollowing(follower, followee) }
  }

  /// Returns whether the users are friends.
  public func areFriends(_ a: UserID, _ b: UserID) -> Bool {
    relationship(of: a, to: b) == .friends
  }

  /// Returns the time at which `follower` followed `followee`; nil without a visible follow now.
  public func followingSince(_ follower: UserID, _ followee: UserID) -> Timestamp? {
    read(.following, follower) { $0.following.since(follower, followee) }
  }

  /// Returns the users who followed the user and do not now.
  public func formerFollowers(of user: UserID) -> Users {
    read(.followers, user) { $0.following.formerFollowers(of: user) }
  }

  /// Returns the users whom the user followed and does not follow now.
  public func formerFollowing(of user: UserID) -> Users {
    read(.following, user) { $0.following.formerFollowing(of: user) }
  }

  /// Returns the times of a follow that ended; nil if it is still there, or never was.
  public func endedFollow(
    _ follower: UserID, _ followee: UserID
  ) -> (began: Timestamp, ended: Timestamp)? {
    read(.following, follower) { $0.following.ended(follower, followee) }
  }

  /// Returns the time at which the two users' current friendship or friend request began; nil if
  /// there is neither, or if a block hides it.
  public func relatedSince(_ user: UserID, _ other: UserID) -> Timestamp? {
    read(.pair(.relationship, user, other)) { $0.relationships.since(user, other) }
  }

  /// Returns the time at which `user` blocked `other`; nil if there is no such block now.
  public func blockedSince(_ user: UserID, _ other: UserID) -> Timestamp? {
    read(.blocks, user) { $0.blocks.since(user, other) }
  }

  /// Returns the relationship of the first user to the second.
  public func relationship(of user: UserID, to other: UserID) -> Relationships.Relationship {
    read(.pair(.relationship, user, other)) { $0.relationships[user, other] }
  }

  /// Returns the user's friends.
  public func friends(of user: UserID) -> Users {
    read(.friends, user) { $0.relationships.friends(of: user) }
  }

  /// Returns the users whose friend requests the user has not answered.
  public func pending(of user: UserID) -> Users {
    read(.pending, user) { $0.relationships.pending(of: user) }
  }

  /// Returns the users who have not answered the user's friend requests.
  public func sent(of user: UserID) -> Users {
    read(.requests, user) { $0.relationships.sent(of: user) }
  }

  /// Returns the user's visible notifications; see `Notifications.newest`.
  public func notifications(
    of user: UserID, limit: Int,
    where isShown: (Notifications.Notification) -> Bool = { _ in true }
  ) -> [Notifications.Notification] {
    read(.notifications, user) { $0.notifications.newest(of: user, limit: limit, where: isShown) }
  }
}

// Workouts.
extension Reading {
  /// Returns the dense id of a workout; nil if no event names it.
  public func find(workout name: String, in names: Names) -> WorkoutID? { find(name, in: names) }

  /// Returns the workout with this id; nil if it was removed or never shared.
  public func workout(_ id: WorkoutID) -> WorkoutShared? { read(.shared, id) { $0.workouts[id] } }

  /// Returns the detail last attached to the workout; nil if there is none.
  public func detail(of id: WorkoutID) -> WorkoutDetailAttached? {
    read(.shared, id) { $0.workouts.detail(of: id) }
  }

  /// Returns the times at which the workout was shared and its detail attached; nil if it is gone.
  public func times(of id: WorkoutID) -> (shared: Timestamp, attached: Timestamp?)? {
    read(.shared, id) { $0.workouts.times(of: id) }
  }

  /// Calls `body` with workouts, latest date first; see `Workouts.visitNewest`.
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

  /// Returns the users who chupped the workout.
  public func chups(of workout: WorkoutID) -> Users {
    read(.chups, workout) { $0.chups.users(of: workout) }
  }

  /// Returns whether the user chupped the workout.
  public func hasChupped(_ workout: WorkoutID, _ user: UserID) -> Bool {
    read(.chups, workout) { $0.chups.hasChupped(workout, user) }
  }

  /// Returns the time of the user's current chup of the workout; nil if there is none.
  public func chuppedSince(_ workout: WorkoutID, _ user: UserID) -> Timestamp? {
    read(.chups, workout) { $0.chups.since(workout, user) }
  }

  /// Returns whether the user gave the workout a big chup.
  public func isBigChup(_ workout: WorkoutID, _ user: UserID) -> Bool {
    read(.chups, workout) { $0.chups.isBig(workout, user) }
  }

  /// Returns the users who reacted to the workout.
  public func reactions(to workout: WorkoutID) -> Users {
    read(.reactions, workout) { $0.reactions.users(of: workout) }
  }

  /// Returns the user's current reactions to the workout.
  public func reactions(to workout: WorkoutID, by user: UserID) -> ReactionKinds {
    read(.reactions, workout) { $0.reactions.kinds(workout, user) }
  }

  /// Returns the time of the first of the user's current reactions to the workout; nil if there is
  /// none.
  public func reactedSince(_ workout: WorkoutID, _ user: UserID) -> Timestamp? {
    read(.reactions, workout) { $0.reactions.since(workout, user) }
  }
}

// Groups, messages and notifications.
extension Reading {
  /// Returns the group with this id; nil if it was deleted or never created.
  public func group(_ id: GroupID) -> Groups.Group? { read(.group, id) { $0.groups[id] } }

  /// Returns the user's standing in the group.
  public func standing(_ group: GroupID, _ user: UserID) -> Groups.Standing {
    read(.group, group) { $0.groups.standing(group, user) }
  }

  /// Returns the group's members.
  public func members(of group: GroupID) -> Users {
    read(.group, group) { $0.groups.members(of: group) }
  }

  /// Returns the users who are invited or have requested to join the group.
  public func waiting(for group: GroupID) -> Users {
    read(.group, group) { $0.groups.waiting(for: group) }
  }

  /// Returns the time at which the user became a member, was invited or requested to join; nil for
  /// all other users.
  public func memberSince(_ group: GroupID, _ user: UserID) -> Timestamp? {
    read(.group, group) { $0.groups.since(group, user) }
  }

  /// Returns the groups that the user is a member of.
  public func groups(of user: UserID) -> [GroupID] {
    read(.groups, user) { $0.groups.groups(of: user) }
  }

  /// Returns the groups that the user is invited to or has requested to join.
  public func groupsAwaited(by user: UserID) -> [GroupID] {
    read(.groups, user) { $0.groups.groupsAwaited(by: user) }
  }

  /// Returns the message with this id; nil if it was removed or never sent.
  public func message(_ id: MessageID) -> Conversations.Message? {
    read(.message, id) { $0.conversations[id] }
  }

  /// Returns the messages between two users.
  public func messages(_ user: UserID, _ other: UserID) -> [MessageID] {
    read(.pair(.conversation, user, other)) { Array($0.conversations.messages(user, other)) }
  }

  /// Returns the user's unread notifications; see `Notifications.unread`.
  public func unread(
    of user: UserID, where isShown: (Notifications.Notification) -> Bool
  ) -> [Notifications.Notification] {
    read(.notifications, user) { $0.notifications.unread(of: user, where: isShown) }
  }

  /// Returns the user's notification of the event at a position; nil if it is missing or hidden.
  public func notification(at seq: UInt64, of user: UserID) -> Notifications.Notification? {
    read(.notifications, user) { $0.notifications.notification(at: seq, of: user) }
  }

  /// Returns the user who got a notification of this comment as a reply; nil if nobody did.
  public func answered(by comment: CommentID) -> UserID? {
    read(.comment, comment) { $0.notifications.answered(by: comment) }
  }

  /// Returns the last message between two users; nil if there is none.
  public func lastMessage(_ user: UserID, _ other: UserID) -> MessageID? {
    read(.pair(.conversation, user, other)) { $0.conversations.messages(user, other).last }
  }

  /// Returns the users with whom the user has a conversation.
  public func partners(of user: UserID) -> [UserID] {
    read(.conversation, user) { $0.conversations.partners(of: user) }
  }

  /// Returns the number of messages from the other user that the user has not read.
  public func unread(by user: UserID, from other: UserID) -> Int {
    read(.pair(.unread, user, other)) { $0.conversations.unread(by: user, from: other) }
  }
}

extension StatePath.Kind {
  /// The kind for reading a workout without its chups and comments. No path has this kind.
  fileprivate static let shared = StatePath.Kind(
    "shared", of: ["WORKOUT"], types: Workouts.handles, sources: [.workout])
}
