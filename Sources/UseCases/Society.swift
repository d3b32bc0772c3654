import Aggregates
import Events
import Projections

/// The state of every aggregate of a log, side by side, and the facts that cross them.
struct Society: Sendable {
  private struct LocalID: Hashable {
    var owner: UserID
    var id: String
  }

  private var profiles: [ProfileDecider.State] = []
  private var handles: [String: UserID] = [:]
  private var follows = PairTable()
  /// The smaller index first: 1 it asked, 2 the other asked, 3 friends.
  private var friendships = PairTable()
  private var workouts: [WorkoutDecider.State] = []
  private var localIDs: [LocalID: WorkoutID] = [:]
  private var chups = PairTable()
  private var comments: [CommentDecider.State] = []
  private var hearts = PairTable()

  // MARK: Facts

  private func profile(_ user: UserID) -> ProfileDecider.State {
    Int(user.index) < profiles.count ? profiles[Int(user.index)] : ProfileDecider.initial
  }

  private func exists(_ user: UserID) -> Bool {
    Int(user.index) < profiles.count && profiles[Int(user.index)].account == .open
  }

  private func isFree(_ handle: String?, for user: UserID) -> Bool {
    guard let handle, let owner = handles[handle.lowercased()] else { return true }
    return owner == user
  }

  private func friendship(_ a: UserID, _ b: UserID) -> FriendshipDecider.State {
    let (low, high) = a.index < b.index ? (a, b) : (b, a)
    return switch friendships[PairTable.key(low.index, high.index)] {
    case 1: .pending(sender: low)
    case 2: .pending(sender: high)
    case 3: .friends
    default: .none
    }
  }

  private func workout(_ id: WorkoutID) -> WorkoutDecider.State {
    Int(id.index) < workouts.count ? workouts[Int(id.index)] : .none
  }

  private func comment(_ id: CommentID) -> CommentDecider.State {
    Int(id.index) < comments.count ? comments[Int(id.index)] : .none
  }

  private func sight(_ id: WorkoutID, _ viewer: UserID) -> Sight {
    guard Int(id.index) < workouts.count, case .shared(let workout, _) = workouts[Int(id.index)],
      exists(workout.owner)
    else { return .nothing }
    guard exists(viewer) else { return .hidden }
    let isFriend = workout.owner == viewer || friendship(workout.owner, viewer) == .friends
    return isFriend ? .visible : .hidden
  }

  private func sight(_ id: CommentID, _ viewer: UserID) -> (exists: Bool, Sight) {
    guard case .posted(let workout, let user, _) = comment(id), exists(user) else {
      return (false, .nothing)
    }
    return (true, sight(workout, viewer))
  }

  private func replyExists(_ comment: CommentPosted) -> Bool {
    guard let other = comment.replyTo else { return true }
    guard case .posted(let workout, let user, _) = self.comment(other) else { return false }
    return workout == comment.workout && exists(user)
  }

  // MARK: Decisions

  /// What the domain records for the command that an event stands for.
  func decide(_ event: Event, _ actor: UserID, _ rules: Rules) throws(DomainError) -> [Event] {
    switch event {
    case .profileCreated, .profileEdited, .profilePhotoSet, .profilePhotoRemoved,
      .baseLocationSet, .baseLocationCleared, .sportSet, .sportRemoved, .sendLogged,
      .accountDeleted:
      return try decideProfile(event, actor, rules)
    case .userFollowed(let edge): return try decide(.follow, edge, actor, rules)
    case .userUnfollowed(let edge): return try decide(.unfollow, edge, actor, rules)
    case .friendRequested(let r): return try decide(.request, r.sender, r.receiver, actor, rules)
    case .friendRequestCancelled(let r):
      return try decide(.cancel, r.sender, r.receiver, actor, rules)
    case .friendRequestAccepted(let r):
      return try decide(.accept, r.receiver, r.sender, actor, rules)
    case .friendRequestRejected(let r):
      return try decide(.reject, r.receiver, r.sender, actor, rules)
    case .friendRemoved(let r): return try decide(.remove, r.user, r.friend, actor, rules)
    case .workoutShared, .workoutEdited, .workoutDetailAttached, .workoutRemoved:
      return try decideWorkout(event, actor, rules)
    case .chupGiven, .chupWithdrawn: return try decideChup(event, actor, rules)
    case .commentPosted, .commentEdited, .commentRemoved, .commentHearted, .commentUnhearted:
      return try decideComment(event, actor, rules)
    }
  }

  private func decideProfile(
    _ event: Event, _ actor: UserID, _ rules: Rules
  ) throws(DomainError) -> [Event] {
    let command: ProfileDecider.Command
    switch event {
    case .profileCreated(let data):
      command = .create(data, handleIsFree: isFree(data.handle, for: data.user))
    case .profileEdited(let data):
      command = .update(data, handleIsFree: isFree(data.handle, for: data.user))
    case .profilePhotoSet(let data): command = .setPhoto(data)
    case .profilePhotoRemoved(let data): command = .removePhoto(data.user)
    case .baseLocationSet(let data): command = .setLocation(data)
    case .baseLocationCleared(let data): command = .clearLocation(data.user)
    case .sportSet(let data): command = .setSport(data)
    case .sportRemoved(let data): command = .removeSport(data)
    case .sendLogged(let data): command = .logSend(data)
    case .accountDeleted(let data): command = .delete(data.user)
    default: return []
    }
    return try ProfileDecider.decide(command, profile(actor), by: actor, rules)
  }

  private func decide(
    _ action: FollowDecider.Command.Action, _ edge: Follow, _ actor: UserID, _ rules: Rules
  ) throws(DomainError) -> [Event] {
    guard edge.follower == actor else { throw .notAuthorized }
    let state = follows[PairTable.key(edge.follower.index, edge.followee.index)] != nil
    let command = FollowDecider.Command(
      action, edge.followee, profilesExist: exists(actor) && exists(edge.followee))
    return try FollowDecider.decide(command, state, by: actor, rules)
  }

  private func decide(
    _ action: FriendshipDecider.Command.Action, _ user: UserID, _ other: UserID, _ actor: UserID,
    _ rules: Rules
  ) throws(DomainError) -> [Event] {
    guard user == actor else { throw .notAuthorized }
    let command = FriendshipDecider.Command(
      action, other, profilesExist: exists(actor) && exists(other))
    return try FriendshipDecider.decide(command, friendship(actor, other), by: actor, rules)
  }

  private func decideWorkout(
    _ event: Event, _ actor: UserID, _ rules: Rules
  ) throws(DomainError) -> [Event] {
    guard exists(actor) else { throw .profileNotFound }
    switch event {
    case .workoutShared(let data):
      let earlier = localIDs[LocalID(owner: data.owner, id: data.localID)]
      let state = workout(earlier ?? data.workout)
      return try WorkoutDecider.decide(
        .share(data, ownerExists: exists(data.owner)), state, by: actor, rules)
    case .workoutEdited(let data):
      return try WorkoutDecider.decide(.edit(data), workout(data.workout), by: actor, rules)
    case .workoutDetailAttached(let data):
      return try WorkoutDecider.decide(.attach(data), workout(data.workout), by: actor, rules)
    case .workoutRemoved(let data):
      return try WorkoutDecider.decide(
        .remove(data.workout), workout(data.workout), by: actor, rules)
    default: return []
    }
  }

  private func decideChup(
    _ event: Event, _ actor: UserID, _ rules: Rules
  ) throws(DomainError) -> [Event] {
    let (id, user, action): (WorkoutID, UserID, ChupDecider.Command.Action)
    switch event {
    case .chupGiven(let data):
      (id, user, action) = (data.workout, data.user, data.big ? .giveBig : .toggle)
    case .chupWithdrawn(let data): (id, user, action) = (data.workout, data.user, .toggle)
    default: return []
    }
    guard user == actor else { throw .notAuthorized }
    let state = chups[PairTable.key(id.index, user.index)].flatMap {
      ChupDecider.State(rawValue: UInt8($0))
    }
    let command = ChupDecider.Command(action, id, sight(id, actor))
    return try ChupDecider.decide(command, state ?? .none, by: actor, rules)
  }

  private func decideComment(
    _ event: Event, _ actor: UserID, _ rules: Rules
  ) throws(DomainError) -> [Event] {
    switch event {
    case .commentPosted(let data):
      let command = CommentDecider.Command.post(
        data, sight(data.workout, actor), replyExists: replyExists(data))
      return try CommentDecider.decide(command, comment(data.comment), by: actor, rules)
    case .commentEdited(let data):
      let (_, sight) = sight(data.comment, actor)
      return try CommentDecider.decide(
        .edit(data.comment, text: data.text, sight), comment(data.comment), by: actor, rules)
    case .commentRemoved(let data):
      let (isThere, _) = sight(data.comment, actor)
      guard isThere, exists(actor) else { throw .commentNotFound }
      var owner: UserID?
      if case .posted(let workout, _, _) = comment(data.comment) {
        owner = self.workout(workout).owner
      }
      return try CommentDecider.decide(
        .remove(data.comment, workoutOwner: owner), comment(data.comment), by: actor, rules)
    case .commentHearted(let data), .commentUnhearted(let data):
      guard data.user == actor else { throw .notAuthorized }
      let (isThere, sight) = sight(data.comment, actor)
      return try HeartDecider.decide(
        HeartDecider.Command(data.comment, commentExists: isThere, sight),
        hearts[PairTable.key(data.comment.index, data.user.index)] != nil, by: actor, rules)
    default: return []
    }
  }
}

extension Society {
  // MARK: Taking events in

  mutating func apply(_ event: Event) {
    switch event {
    case .profileCreated(let data): evolve(event, data.user)
    case .profileEdited(let data): evolve(event, data.user)
    case .profilePhotoSet(let data): evolve(event, data.user)
    case .baseLocationSet(let data): evolve(event, data.user)
    case .sportSet(let data): evolve(event, data.user)
    case .sportRemoved(let data): evolve(event, data.user)
    case .profilePhotoRemoved(let data), .baseLocationCleared(let data), .accountDeleted(let data):
      evolve(event, data.user)
    case .sendLogged: break
    case .userFollowed(let data):
      follows.set(PairTable.key(data.follower.index, data.followee.index), 1)
    case .userUnfollowed(let data):
      _ = follows.remove(PairTable.key(data.follower.index, data.followee.index))
    case .friendRequested(let data), .friendRequestCancelled(let data),
      .friendRequestAccepted(let data), .friendRequestRejected(let data):
      evolve(event, data.sender, data.receiver)
    case .friendRemoved(let data): evolve(event, data.user, data.friend)
    case .workoutShared(let data):
      localIDs[LocalID(owner: data.owner, id: data.localID)] = data.workout
      evolve(event, data.workout)
    case .workoutEdited(let data): evolve(event, data.workout)
    case .workoutDetailAttached(let data): evolve(event, data.workout)
    case .workoutRemoved(let data):
      if case .shared(let workout, _) = workout(data.workout) {
        localIDs[LocalID(owner: workout.owner, id: workout.localID)] = nil
      }
      evolve(event, data.workout)
    case .chupGiven(let data):
      let state: ChupDecider.State = data.big ? .big : .chup
      chups.set(PairTable.key(data.workout.index, data.user.index), UInt32(state.rawValue))
    case .chupWithdrawn(let data):
      _ = chups.remove(PairTable.key(data.workout.index, data.user.index))
    case .commentPosted(let data): evolve(event, data.comment)
    case .commentEdited(let data): evolve(event, data.comment)
    case .commentRemoved(let data): evolve(event, data.comment)
    case .commentHearted(let data):
      hearts.set(PairTable.key(data.comment.index, data.user.index), 1)
    case .commentUnhearted(let data):
      _ = hearts.remove(PairTable.key(data.comment.index, data.user.index))
    }
  }

  private mutating func evolve(_ event: Event, _ user: UserID) {
    while profiles.count <= Int(user.index) { profiles.append(ProfileDecider.initial) }
    let old = profiles[Int(user.index)].handle
    ProfileDecider.evolve(&profiles[Int(user.index)], event)
    let new = profiles[Int(user.index)].handle
    guard old != new else { return }
    if handles[old.lowercased()] == user { handles[old.lowercased()] = nil }
    if !new.isEmpty { handles[new.lowercased()] = user }
  }

  private mutating func evolve(_ event: Event, _ a: UserID, _ b: UserID) {
    var state = friendship(a, b)
    FriendshipDecider.evolve(&state, event)
    let (low, high) = a.index < b.index ? (a, b) : (b, a)
    let key = PairTable.key(low.index, high.index)
    switch state {
    case .none: _ = friendships.remove(key)
    case .pending(let sender): friendships.set(key, sender == low ? 1 : 2)
    case .friends: friendships.set(key, 3)
    }
  }

  private mutating func evolve(_ event: Event, _ workout: WorkoutID) {
    while workouts.count <= Int(workout.index) { workouts.append(.none) }
    WorkoutDecider.evolve(&workouts[Int(workout.index)], event)
  }

  private mutating func evolve(_ event: Event, _ comment: CommentID) {
    while comments.count <= Int(comment.index) { comments.append(.none) }
    CommentDecider.evolve(&comments[Int(comment.index)], event)
  }
}
