import Events

extension AggregateStates {
  /// The event that the domain records for the command that an event stands for; nil if there is
  /// none.
  ///
  /// A service records subscriptions, closes reports, and may remove what was reported: any item,
  /// comment, message or group, and what a profile says. It does nothing else.
  /// - Parameter time: when it is recorded; nil if the dates in it may be any.
  package func decide(
    _ event: Event, _ actor: EventActor, at time: Timestamp?, _ rules: Rules
  ) throws(DomainError) -> Event? {
    let (caller, actor, isService) = (actor, actor.id, actor.isService)
    switch event {
    case .profile(let event): return try decide(event, actor, isService, rules)
    case .accountDeleted(let data):
      let ownsGroups = !groups(ownedBy: data.user).isEmpty
      return try decide(.delete(data.user, ownsGroups: ownsGroups), actor, rules)
    case .follow(.followed(let edge)): return try decide(.follow, edge, actor, rules)
    case .follow(.unfollowed(let edge)): return try decide(.unfollow, edge, actor, rules)
    // What an app's own events may say is the app's to decide.
    case .app: return event
    case .block(.blocked(let data)): return try decide(.block, data, actor, rules)
    case .block(.unblocked(let data)): return try decide(.unblock, data, actor, rules)
    case .friendship(.requested(let r)):
      return try decide(.request, r.sender, r.receiver, actor, rules)
    case .friendship(.cancelled(let r)):
      return try decide(.cancel, r.sender, r.receiver, actor, rules)
    case .friendship(.accepted(let r)):
      return try decide(.accept, r.receiver, r.sender, actor, rules)
    case .friendship(.rejected(let r)):
      return try decide(.reject, r.receiver, r.sender, actor, rules)
    case .friendship(.removed(let r)): return try decide(.remove, r.user, r.friend, actor, rules)
    case .workout(.shared(let data)):
      let id = earlier(data.owner, data.localID) ?? data.workout
      return try decide(.share(data, hasProfile: exists(actor), at: time), id, actor, rules)
    case .workout(.edited(let data)):
      try visibility(data.workout, actor, rules).check()
      let edit = WorkoutDecider.Command.edit(data, hasProfile: exists(actor), at: time)
      return try decide(edit, data.workout, actor, rules)
    case .workout(.detailAttached(let data)):
      try visibility(data.workout, actor, rules).check()
      return try decide(.attach(data, hasProfile: exists(actor)), data.workout, actor, rules)
    case .workout(.removed(let data)):
      if !isService { try visibility(data.workout, actor, rules).check() }
      let command = WorkoutDecider.Command.remove(
        data.workout, hasProfile: exists(actor), byService: isService)
      return try decide(command, data.workout, actor, rules)
    case .chup(.given(let data)):
      return try decide(data.big ? .giveBig : .give, data.workout, data.user, actor, rules)
    case .chup(.withdrawn(let data)):
      return try decide(.withdraw, data.workout, data.user, actor, rules)
    case .reaction(.given(let data)): return try decide(.give, data, actor, rules)
    case .reaction(.withdrawn(let data)): return try decide(.withdraw, data, actor, rules)
    case .comment(.posted(let data)):
      let visibility = visibility(data.workout, actor, rules)
      let command = CommentDecider.Command.post(data, visibility, replyExists: replyExists(data))
      return try decide(command, data.comment, actor, rules)
    case .comment(.edited(let data)):
      let visibility = visibility(data.comment, actor, rules)
      let command = CommentDecider.Command.edit(data.comment, text: data.text, visibility)
      return try decide(command, data.comment, actor, rules)
    case .comment(.removed(let data)):
      let owner = workout(of: data.comment).flatMap { self.owner($0) }
      let mayRemove = isService || owner == actor
      let command = CommentDecider.Command.remove(
        data.comment, mayRemove ? .visible : visibility(data.comment, actor, rules),
        stands: owner != nil, mayRemove: mayRemove)
      return try decide(command, data.comment, actor, rules)
    case .heart(.given(let data)): return try decide(.give, data, actor, rules)
    case .heart(.withdrawn(let data)): return try decide(.withdraw, data, actor, rules)
    case .group(let event): return try decide(event, caller, rules)
    case .member(let event): return try decide(event, caller, rules)
    case .conversation(let event): return try decide(event, caller, rules)
    case .report(let event): return try decide(event, caller, rules)
    case .notification(.read(let data)): return try read(event, by: data.user, actor)
    }
  }

  private func decide(
    _ event: ProfileEvent, _ actor: UserID, _ isService: Bool, _ rules: Rules
  ) throws(DomainError) -> Event? {
    switch event {
    case .created(let data):
      let isFree = isFree(data.handle, for: data.user)
      return try decide(.create(data, handleIsFree: isFree), actor, rules)
    case .edited(let data) where isService:
      return try decide(.clearTexts(data.user), data.user, rules)
    case .edited(let data):
      let isFree = isFree(data.handle.value, for: data.user)
      return try decide(.update(data, handleIsFree: isFree), actor, rules)
    case .photoSet(let data): return try decide(.setPhoto(data), actor, rules)
    case .photoRemoved(let data):
      return try decide(.removePhoto(data.user), isService ? data.user : actor, rules)
    case .baseLocationSet(let data): return try decide(.setLocation(data), actor, rules)
    case .baseLocationCleared(let data):
      return try decide(.clearLocation(data.user), actor, rules)
    case .sportSet(let data): return try decide(.setSport(data), actor, rules)
    case .sportRemoved(let data): return try decide(.removeSport(data), actor, rules)
    case .sendLogged(let data): return try decide(.logSend(data), actor, rules)
    case .weeklyGoalSet(let data):
      return try decide(.setWeeklyGoal(data), actor, rules)
    case .premiumRecorded(let data):
      guard isService else { throw .notAuthorized }
      return try decide(.recordPremium(data), data.user, rules)
    }
  }

  private func decide(
    _ command: ProfileDecider.Command, _ actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event? {
    try ProfileDecider.decide(command, profile(actor), by: actor, rules)
  }

  private func decide(
    _ command: WorkoutDecider.Command, _ id: WorkoutID, _ actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event? {
    var state = workout(id)
    // What is hidden from the actor is as if it had been removed.
    if let owner = state.owner, owner != actor, visibility(id, actor, rules) == .nothing {
      if case .share = command { state = .removed(owner: owner) }
    }
    return try WorkoutDecider.decide(command, state, by: actor, rules)
  }

  private func decide(
    _ command: CommentDecider.Command, _ id: CommentID, _ actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event? {
    var state = comment(id)
    if case .post = command, case .posted(let old) = state, old.user != actor,
      visibility(id, actor, rules) == .nothing
    {
      state = .removed
    }
    return try CommentDecider.decide(command, state, by: actor, rules)
  }

  package func decide(
    _ action: FollowDecider.Command.Action, _ edge: Follow, _ actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event? {
    // Who blocks somebody ends that one's follow, too.
    if action == .unfollow, edge.followee == actor, isBlocking(actor, edge.follower) {
      return isFollowing(edge) ? .follow(.unfollowed(edge)) : nil
    }
    guard edge.follower == actor else { throw .notAuthorized }
    let command = FollowDecider.Command(
      action, edge.followee, hasProfile: exists(actor),
      isSeen: sees(edge.followee, actor, rules))
    // A follow that a block hides is none for a toggle, as for its caller; an import may leave one.
    let isHidden = action == .toggle && isBlocked(actor, edge.followee)
    return try FollowDecider.decide(command, isFollowing(edge) && !isHidden, by: actor, rules)
  }

  package func decide(
    _ action: FriendshipDecider.Command.Action, _ user: UserID, _ other: UserID, _ actor: UserID,
    _ rules: Rules
  ) throws(DomainError) -> Event? {
    guard user == actor else { throw .notAuthorized }
    // A request that stands may be accepted, however private its sender; but an import can leave
    // one beside a block.
    let isSeen = action == .accept ? !isBlocked(actor, other) : sees(other, actor, rules)
    let command = FriendshipDecider.Command(
      action, other, hasProfile: exists(actor), isSeen: isSeen)
    return try FriendshipDecider.decide(command, friendship(actor, other), by: actor, rules)
  }

  package func decide(
    _ action: ChupDecider.Command.Action, _ workout: WorkoutID, _ user: UserID, _ actor: UserID,
    _ rules: Rules
  ) throws(DomainError) -> Event? {
    guard user == actor else { throw .notAuthorized }
    let command = ChupDecider.Command(action, workout, visibility(workout, actor, rules))
    return try ChupDecider.decide(command, chup(workout, user), by: actor, rules)
  }

  private func decide(
    _ action: ReactionDecider.Command.Action, _ reaction: Reaction, _ actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event? {
    guard reaction.user == actor else { throw .notAuthorized }
    let workout = reaction.workout
    let command = ReactionDecider.Command(
      action, reaction.kind, workout, visibility(workout, actor, rules))
    return try ReactionDecider.decide(command, reactions(workout, actor), by: actor, rules)
  }

  package func decide(
    _ action: HeartDecider.Command.Action, _ heart: Heart, _ actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event? {
    guard heart.user == actor else { throw .notAuthorized }
    let command = HeartDecider.Command(
      action, heart.comment, visibility(heart.comment, actor, rules))
    return try HeartDecider.decide(command, isHearted(heart), by: actor, rules)
  }

  package func decide(
    _ action: BlockDecider.Command.Action, _ block: Block, _ actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event? {
    guard block.user == actor else { throw .notAuthorized }
    let command = BlockDecider.Command(
      action, block.other, hasProfile: exists(actor), otherExists: exists(block.other))
    return try BlockDecider.decide(command, isBlocking(actor, block.other), by: actor, rules)
  }

  private func decide(
    _ event: GroupEvent, _ actor: EventActor, _ rules: Rules
  ) throws(DomainError) -> Event? {
    let (id, command): (GroupID, GroupDecider.Command) =
      switch event {
      case .created(let data): (data.group, .create(data, hasProfile: exists(actor.id)))
      case .edited(let data): (data.group, .edit(data, visibility(data.group, actor)))
      case .transferred(let data):
        (
          data.group,
          .transfer(
            data, standing: standing(data.group, data.owner), visibility(data.group, actor))
        )
      case .deleted(let data): (data.group, .delete(data.group, visibility(data.group, actor)))
      }
    return try GroupDecider.decide(command, group(id), by: actor.id, rules)
  }

  /// A join by somebody else is an approval.
  private func decide(
    _ event: MemberEvent, _ actor: EventActor, _ rules: Rules
  ) throws(DomainError) -> Event? {
    switch event {
    case .invited(let data):
      let isSeen = sees(data.user, actor.id, rules)
      return try decide(.invite(visibility(data.group, actor), isSeen: isSeen), data, actor, rules)
    case .requested(let data), .joined(let data):
      guard data.user == actor.id else {
        return try decide(.approve(visibility(data.group, actor)), data, actor, rules)
      }
      let join = MemberDecider.Command.Action.join(
        hasProfile: exists(actor.id), isPublic: isPublic(data.group))
      return try decide(join, data, actor, rules)
    case .left(let data):
      guard data.user == actor.id else { throw .notAuthorized }
      return try decide(.leave(hasProfile: exists(actor.id)), data, actor, rules)
    case .removed(let data):
      return try decide(.remove(visibility(data.group, actor)), data, actor, rules)
    case .roleSet(let data):
      let membership = Membership(group: data.group, user: data.user)
      return try decide(
        .setRole(data.role, visibility(data.group, actor)), membership, actor, rules)
    }
  }

  package func decide(
    _ action: MemberDecider.Command.Action, _ data: Membership, _ actor: EventActor, _ rules: Rules
  ) throws(DomainError) -> Event? {
    try MemberDecider.decide(
      MemberDecider.Command(action, data), standing(data.group, data.user), by: actor.id, rules)
  }

  private func decide(
    _ event: ConversationEvent, _ actor: EventActor, _ rules: Rules
  ) throws(DomainError) -> Event? {
    switch event {
    case .sent(let data):
      let command = MessageDecider.Command.send(
        data, hasProfile: exists(actor.id), isSeen: sees(data.receiver, actor.id, rules),
        mayWrite: mayWrite(data.sender, data.receiver, rules))
      return try MessageDecider.decide(command, message(data.message), by: actor.id, rules)
    case .removed(let data):
      let command = MessageDecider.Command.remove(
        data.message, hasProfile: exists(actor.id), byService: actor.isService)
      return try MessageDecider.decide(command, message(data.message), by: actor.id, rules)
    case .read(let data): return try read(.conversation(event), by: data.user, actor.id)
    }
  }

  /// Everybody may say what they have read, whatever they read before.
  private func read(
    _ event: Event, by user: UserID, _ actor: UserID
  ) throws(DomainError) -> Event? {
    guard user == actor else { throw .notAuthorized }
    guard exists(actor) else { throw .profileNotFound }
    return event
  }

  private func decide(
    _ event: ReportEvent, _ actor: EventActor, _ rules: Rules
  ) throws(DomainError) -> Event? {
    switch event {
    case .reported(let data):
      let command = ReportDecider.Command.report(
        data, hasProfile: exists(actor.id), problem: problem(with: data.content, actor, rules))
      return try ReportDecider.decide(command, report(data.report), by: actor.id, rules)
    case .closed(let data):
      let command = ReportDecider.Command.close(data, byService: actor.isService)
      return try ReportDecider.decide(command, report(data.report), by: actor.id, rules)
    }
  }

  /// Whether an actor sees anything of a person's profile.
  private func sees(_ person: UserID, _ actor: UserID, _ rules: Rules) -> Bool {
    rules.visibility(of: person, .user(actor), self) != .hidden
  }
}
