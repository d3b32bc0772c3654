import Events

/// The state of every aggregate of a log, side by side, and the facts that span several.
///
/// State changes in two ways: its decider applies an event (`apply`), or an old state is put back
/// (`restore`).
package struct AggregateStates: Sendable {
  /// The state of an aggregate of any kind.
  package enum State: Sendable {
    case profile(ProfileDecider.State)
    case follow(FollowDecider.State)
    case friendship(FriendshipDecider.State)
    case workout(WorkoutDecider.State)
    case chup(ChupDecider.State)
    case comment(CommentDecider.State)
    case heart(HeartDecider.State)
    case block(BlockDecider.State)
    case reaction(ReactionDecider.State)
    /// With the memberships of those who own it before and after.
    case group(GroupDecider.State, owners: [(StreamID, MemberDecider.State)])
    case member(MemberDecider.State)
    case message(MessageID, MessageDecider.State)
    case report(ReportDecider.State)
  }

  /// An earlier state, used to take back decisions that do not become durable, last first.
  package struct UndoRecord: Sendable {
    fileprivate var stream: StreamID
    fileprivate var state: State
  }

  private var profiles = IDStates<ProfileDecider>()
  private var follows = PairSet<FollowDecider>()
  private var friendships = PairStates<FriendshipDecider>()
  var workouts = IDStates<WorkoutDecider>()
  private var chups = PairStates<ChupDecider>()
  var comments = IDStates<CommentDecider>()
  private var hearts = PairSet<HeartDecider>()
  private var blocks = PairSet<BlockDecider>()
  private var reactions = PairStates<ReactionDecider>()
  var groups = IDStates<GroupDecider>()
  var members = PairStates<MemberDecider>()
  var messages = IDRecords<MessageDecider>()
  var reports = IDRecords<ReportDecider>()
  /// The open groups by owner, in no order that means anything.
  var owned = Lists(blank: GroupID(index: 0))
  /// The members of each group, in no order that means anything.
  var rosters = Lists(blank: UserID(index: 0))
  /// The open accounts by handle, in lowercase.
  private var handles = TextIndex()
  /// The shared workouts by owner and local id.
  private var localIDs = TextIndex()

  package init() {}

  /// Incremented with every change to what `code` writes; checkpoints depend on it.
  package static let version = 7

  package mutating func code(with coder: inout StateCoder) {
    profiles.code(with: &coder)
    follows.code(with: &coder)
    friendships.code(with: &coder)
    workouts.code(with: &coder)
    chups.code(with: &coder)
    comments.code(with: &coder)
    hearts.code(with: &coder)
    blocks.code(with: &coder)
    reactions.code(with: &coder)
    groups.code(with: &coder)
    members.code(with: &coder)
    messages.code(with: &coder)
    reports.code(with: &coder)
    owned.code(with: &coder)
    rosters.code(with: &coder)
    handles.code(with: &coder)
    localIDs.code(with: &coder)
  }

  // MARK: Changes

  /// Reads what applying an event will need, so that the cache misses of several overlap.
  package mutating func prefetch(_ event: Event) {
    guard let stream = event.stream else { return }
    switch stream.kind {
    case .profile: profiles.prefetch(stream)
    case .follow: follows.prefetch(stream)
    case .friendship: friendships.prefetch(stream)
    case .workout: workouts.prefetch(stream)
    case .chup: chups.prefetch(stream)
    case .comment: comments.prefetch(stream)
    case .heart: hearts.prefetch(stream)
    case .block: blocks.prefetch(stream)
    case .reaction: reactions.prefetch(stream)
    case .member: members.prefetch(stream)
    case .group, .conversation, .report, .notifications: break
    }
  }

  /// Applies an event without judging it; one of an app's own changes nothing here.
  package mutating func apply(_ event: Event) {
    guard let stream = event.stream else { return }
    switch stream.kind {
    case .profile: change(profile: stream) { ProfileDecider.evolve(&$0, event) }
    case .follow: follows.evolve(stream, event)
    case .friendship: friendships.evolve(stream, event)
    case .workout: change(workout: stream) { WorkoutDecider.evolve(&$0, event) }
    case .chup: chups.evolve(stream, event)
    case .comment: comments.evolve(stream, event)
    case .heart: hearts.evolve(stream, event)
    case .block: blocks.evolve(stream, event)
    case .reaction: reactions.evolve(stream, event)
    case .group: changeGroup(stream, event)
    case .member: change(member: stream) { $0.evolve(stream, event) }
    case .conversation:
      guard case .conversation(let event) = event, let message = event.message else { return }
      MessageDecider.evolve(&messages[message.index], event)
    case .report: reports.evolve(stream, event)
    // What somebody has read decides nothing.
    case .notifications: break
    }
  }

  /// The current state of what an event is about to change; nil if it changes nothing.
  package func undoRecord(before event: Event) -> UndoRecord? {
    guard let stream = event.stream else { return nil }
    let state: State
    switch stream.kind {
    case .profile: state = .profile(profiles[stream])
    case .follow: state = .follow(follows[stream])
    case .friendship: state = .friendship(friendships[stream])
    case .workout: state = .workout(workouts[stream])
    case .chup: state = .chup(chups[stream])
    case .comment: state = .comment(comments[stream])
    case .heart: state = .heart(hearts[stream])
    case .block: state = .block(blocks[stream])
    case .reaction: state = .reaction(reactions[stream])
    case .group:
      let (group, old) = (GroupID(index: stream.a), groups[stream])
      var owners: [UserID] = []
      switch event {
      case .group(.created(let data)): owners = [data.owner]
      case .group(.transferred(let data)):
        owners = [data.owner] + (old.summary.map { [$0.owner] } ?? [])
      default: break
      }
      state = .group(old, owners: owners.map { (.member(group, $0), members[.member(group, $0)]) })
    case .member: state = .member(members[stream])
    case .conversation:
      guard case .conversation(let event) = event, let id = event.message else { return nil }
      state = .message(id, messages[id.index])
    case .report: state = .report(reports[stream])
    case .notifications: return nil
    }
    return UndoRecord(stream: stream, state: state)
  }

  /// Puts an old state back; newer ones must be put back first.
  package mutating func restore(_ undoRecord: UndoRecord) {
    let stream = undoRecord.stream
    switch undoRecord.state {
    case .profile(let old): change(profile: stream) { $0 = old }
    case .follow(let old): follows[stream] = old
    case .friendship(let old): friendships[stream] = old
    case .workout(let old): change(workout: stream) { $0 = old }
    case .chup(let old): chups[stream] = old
    case .comment(let old): comments[stream] = old
    case .heart(let old): hearts[stream] = old
    case .block(let old): blocks[stream] = old
    case .reaction(let old): reactions[stream] = old
    case .group(let old, let owners):
      let new = groups.summary(GroupID(index: stream.a))?.owner
      groups[stream] = old
      changeOwner(GroupID(index: stream.a), from: new, to: old.summary?.owner)
      for (stream, old) in owners { change(member: stream) { $0[stream] = old } }
    case .member(let old): change(member: stream) { $0[stream] = old }
    case .message(let id, let old): messages[id.index] = old
    case .report(let old): reports[stream] = old
    }
  }

  private mutating func change(
    profile stream: StreamID, _ body: (inout ProfileDecider.State) -> Void
  ) {
    let old = profiles[stream]
    var new = old
    body(&new)
    profiles[stream] = new
    // As bytes: so the index tells texts apart.
    if same(old.handle, new.handle) { return }
    if let handle = old.handle { handles.remove(handle.lowercased(), stream.a) }
    if let handle = new.handle { handles.add(handle.lowercased(), stream.a) }
  }

  private mutating func change(
    workout stream: StreamID, _ body: (inout WorkoutDecider.State) -> Void
  ) {
    let old = workouts[stream]
    var new = old
    body(&new)
    workouts[stream] = new
    switch (old, new) {
    // While a workout is shared, its local id does not change.
    case (.shared, .shared): break
    case (.shared(let workout, _), _):
      guard let localID = workout.localID else { return }
      localIDs.remove(localID, of: workout.owner.index, stream.a)
    case (_, .shared(let workout, _)):
      guard let localID = workout.localID else { return }
      localIDs.add(localID, of: workout.owner.index, stream.a)
    default: break
    }
  }
}

extension AggregateStates {
  // MARK: Facts

  package func profile(_ user: UserID) -> ProfileDecider.State { profiles[.profile(user)] }

  package func exists(_ user: UserID) -> Bool { profiles.summary(user).isOpen }

  /// Whether nobody else has the handle; true for none.
  package func isFree(_ handle: String?, for user: UserID) -> Bool {
    guard let key = handle?.lowercased() else { return true }
    let other = handles.first(key) { number in
      number != user.index && profile(UserID(index: number)).handle?.lowercased() == key
    }
    return other == nil
  }

  /// What is between two users; nothing if either's account is not open.
  package func friendship(_ a: UserID, _ b: UserID) -> FriendshipDecider.State {
    exists(a) && exists(b) ? friendships[.friendship(a, b)] : .none
  }

  package func workout(_ id: WorkoutID) -> WorkoutDecider.State { workouts[.workout(id)] }

  /// The comment's state; removed also if its author is gone.
  package func comment(_ id: CommentID) -> CommentDecider.State {
    if let place = comments.summary(id), !exists(place.author) { return .removed }
    return comments[.comment(id)]
  }

  /// The workout that the comment is on; nil if the comment or its author is gone.
  package func workout(of id: CommentID) -> WorkoutID? {
    guard let place = comments.summary(id), exists(place.author) else { return nil }
    return place.workout
  }

  /// The workout's owner; nil if either is gone.
  package func owner(_ id: WorkoutID) -> UserID? {
    guard let item = workouts.summary(id), exists(item.owner) else { return nil }
    return item.owner
  }

  /// Whether the edge stands: both accounts are open.
  package func isFollowing(_ edge: Follow) -> Bool {
    isFollowing(edge.follower, edge.followee)
  }

  /// The chup that stands: the workout is shared, and both accounts are open.
  package func chup(_ workout: WorkoutID, _ user: UserID) -> ChupDecider.State {
    owner(workout) != nil && exists(user) ? chups[.chup(workout, user)] : .none
  }

  /// Whether the heart stands: its comment does, on a workout that is shared.
  package func isHearted(_ heart: Heart) -> Bool {
    let isShared = workout(of: heart.comment).map { owner($0) != nil } ?? false
    return isShared && exists(heart.user) && hearts[.heart(heart.comment, heart.user)]
  }

  /// The user's reactions that stand: the workout is shared, and both accounts are open.
  package func reactions(_ workout: WorkoutID, _ user: UserID) -> ReactionKinds {
    owner(workout) != nil && exists(user) ? reactions[.reaction(workout, user)] : []
  }

  package func isBlocking(_ user: UserID, _ other: UserID) -> Bool {
    blocks[.block(user, other)]
  }

  /// The workout made earlier from the owner's local id, unless it is removed; of several, which
  /// only an import can make, the one with the lowest number, so that the order in which they came
  /// does not matter.
  package func earlier(_ owner: UserID, _ localID: String?) -> WorkoutID? {
    guard let localID else { return nil }
    var least: UInt32?
    _ = localIDs.first(localID, of: owner.index) { number in
      // As bytes, so that composed and decomposed letters differ.
      if number < least ?? .max, case .shared(let workout, _) = self.workout(.init(index: number)),
        workout.owner == owner, same(workout.localID, localID)
      {
        least = number
      }
      return false
    }
    return least.map { WorkoutID(index: $0) }
  }
}

extension AggregateStates: VisibilityFacts {
  package func isPublic(_ user: UserID) -> Bool? {
    let profile = profiles.summary(user)
    return profile.isOpen ? profile.isPublic : nil
  }

  package func areFriends(_ a: UserID, _ b: UserID) -> Bool { friendship(a, b) == .friends }

  package func isFollowing(_ follower: UserID, _ followee: UserID) -> Bool {
    exists(follower) && exists(followee) && follows[.follow(follower, followee)]
  }

  package func isBlocked(_ a: UserID, _ b: UserID) -> Bool {
    isBlocking(a, b) || isBlocking(b, a)
  }
}
