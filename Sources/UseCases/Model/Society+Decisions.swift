import Aggregates
import Events

extension Society {
  /// What the domain records for the command that an event stands for; nil where that is nothing.
  func decide(_ event: Event, _ actor: UserID, _ rules: Rules) throws(DomainError) -> Event? {
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
    case .chupGiven(let data):
      return try decide(data.big ? .giveBig : .give, data.workout, data.user, actor, rules)
    case .chupWithdrawn(let data):
      return try decide(.withdraw, data.workout, data.user, actor, rules)
    case .commentPosted, .commentEdited, .commentRemoved, .commentHearted, .commentUnhearted:
      return try decideComment(event, actor, rules)
    }
  }

  private func decideProfile(
    _ event: Event, _ actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event? {
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
    default: return nil
    }
    return try ProfileDecider.decide(command, profile(actor), by: actor, rules)
  }

  func decide(
    _ action: FollowDecider.Command.Action, _ edge: Follow, _ actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event? {
    guard edge.follower == actor else { throw .notAuthorized }
    let command = FollowDecider.Command(
      action, edge.followee, profilesExist: exists(actor) && exists(edge.followee))
    return try FollowDecider.decide(command, isFollowing(edge), by: actor, rules)
  }

  func decide(
    _ action: FriendshipDecider.Command.Action, _ user: UserID, _ other: UserID, _ actor: UserID,
    _ rules: Rules
  ) throws(DomainError) -> Event? {
    guard user == actor else { throw .notAuthorized }
    let command = FriendshipDecider.Command(
      action, other, profilesExist: exists(actor) && exists(other))
    return try FriendshipDecider.decide(command, friendship(actor, other), by: actor, rules)
  }

  private func decideWorkout(
    _ event: Event, _ actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event? {
    let (id, command): (WorkoutID, WorkoutDecider.Command)
    let hasProfile = exists(actor)
    switch event {
    case .workoutShared(let data):
      let earlier = earlier(data.owner, data.localID)
      (id, command) = (earlier ?? data.workout, .share(data, hasProfile: hasProfile))
    case .workoutEdited(let data):
      (id, command) = (data.workout, .edit(data, hasProfile: hasProfile))
    case .workoutDetailAttached(let data):
      (id, command) = (data.workout, .attach(data, hasProfile: hasProfile))
    case .workoutRemoved(let data):
      (id, command) = (data.workout, .remove(data.workout, hasProfile: hasProfile))
    default: return nil
    }
    return try WorkoutDecider.decide(command, workout(id), by: actor, rules)
  }

  func decide(
    _ action: ChupDecider.Command.Action, _ workout: WorkoutID, _ user: UserID, _ actor: UserID,
    _ rules: Rules
  ) throws(DomainError) -> Event? {
    guard user == actor else { throw .notAuthorized }
    let command = ChupDecider.Command(action, workout, sight(workout, actor))
    return try ChupDecider.decide(command, chup(workout, user), by: actor, rules)
  }

  private func decideComment(
    _ event: Event, _ actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event? {
    let (id, command): (CommentID, CommentDecider.Command)
    switch event {
    case .commentPosted(let data):
      let sight = sight(data.workout, actor)
      (id, command) = (data.comment, .post(data, sight, replyExists: replyExists(data)))
    case .commentEdited(let data):
      let sight = sight(workout(of: data.comment), actor)
      (id, command) = (data.comment, .edit(data.comment, text: data.text, sight))
    case .commentRemoved(let data):
      let workout = workout(of: data.comment)
      let ownsWorkout = workout.flatMap(owner) == actor
      (id, command) = (
        data.comment, .remove(data.comment, sight(workout, actor), ownsWorkout: ownsWorkout)
      )
    case .commentHearted(let data): return try decide(.give, data, actor, rules)
    case .commentUnhearted(let data): return try decide(.withdraw, data, actor, rules)
    default: return nil
    }
    return try CommentDecider.decide(command, comment(id), by: actor, rules)
  }

  func decide(
    _ action: HeartDecider.Command.Action, _ heart: Heart, _ actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event? {
    guard heart.user == actor else { throw .notAuthorized }
    let workout = workout(of: heart.comment)
    let command = HeartDecider.Command(
      action, heart.comment, commentExists: workout != nil, sight(workout, actor))
    return try HeartDecider.decide(command, isHearted(heart), by: actor, rules)
  }
}
