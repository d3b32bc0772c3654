import Events

extension HistoryBuilder {
  /// Draws an event of a type.
  func event(of type: EventType, _ t: Source) -> Event {
    switch type {
    case .app: preconditionFailure("only the core's own types are generated")
    case .profileCreated: return .profile(.created(contents.created(newcomer(t), t)))
    case .profileEdited: return .profile(.edited(contents.edited(user(t), moment, t)))
    case .profilePhotoSet: return .profile(.photoSet(contents.photo(user(t), moment, t)))
    case .profilePhotoRemoved: return .profile(.photoRemoved(undoer(t, .profilePhotoSet)))
    case .baseLocationSet: return .profile(.baseLocationSet(contents.location(user(t), t)))
    case .baseLocationCleared: return .profile(.baseLocationCleared(undoer(t, .baseLocationSet)))
    case .sportSet:
      return .profile(
        .sportSet(
          SportSet(
            user: user(t), sport: contents.sport(t), level: t.element(SkillLevel.allCases),
            isMentor: t.flag())))
    case .sportRemoved:
      return .profile(
        .sportRemoved(
          SportRemoved(user: user(t, undoing: .sportSet), sport: contents.sport(t))))
    case .sendLogged:
      return .profile(.sendLogged(SendLogged(user: user(t), climb: contents.climb(t))))
    case .weeklyGoalSet:
      return .profile(.weeklyGoalSet(WeeklyGoalSet(user: user(t), meters: contents.goal(t))))
    case .premiumRecorded:
      return .profile(.premiumRecorded(contents.premium(user(t), moment, t)))
    case .accountDeleted: return .accountDeleted(UserReference(user: user(t)))
    case .userFollowed: return .follow(.followed(newFollow(t)))
    case .userUnfollowed: return .follow(.unfollowed(follow(t)))
    case .friendRequested: return .friendship(.requested(newRequest(t)))
    case .friendRequestCancelled: return .friendship(.cancelled(request(t, in: world.requests)))
    case .friendRequestAccepted: return .friendship(.accepted(request(t, in: world.requests)))
    case .friendRequestRejected: return .friendship(.rejected(request(t, in: world.requests)))
    case .friendRemoved:
      let (user, friend) = friends(t)
      return .friendship(.removed(FriendRemoved(user: user, friend: friend)))
    case .userBlocked: return .block(.blocked(newBlock(t)))
    case .userUnblocked: return .block(.unblocked(block(t)))
    case .workoutShared, .workoutEdited, .workoutDetailAttached, .workoutRemoved, .chupGiven,
      .chupWithdrawn, .commentPosted, .commentEdited, .commentRemoved, .commentHearted,
      .commentUnhearted, .reactionGiven, .reactionWithdrawn:
      return workoutEvent(type, t)
    case .groupCreated, .groupEdited, .groupTransferred, .groupDeleted, .memberInvited,
      .memberRequested, .memberJoined, .memberLeft, .memberRemoved, .memberRoleSet:
      return groupEvent(type, t)
    case .messageSent, .messageRemoved, .conversationRead, .notificationsRead, .contentReported,
      .reportClosed:
      return messageEvent(type, t)
    }
  }

  /// Returns the type, or one that must come before it.
  func possible(_ type: EventType) -> EventType {
    if style == .hostile { return type }
    if world.accounts.count == 0 { return .profileCreated }
    switch type {
    case .userUnblocked where world.blocks.isEmpty: return possible(.userBlocked)
    case .userUnfollowed where world.follows.isEmpty: return possible(.userFollowed)
    case .friendRequestAccepted, .friendRequestRejected, .friendRequestCancelled:
      return world.requests.isEmpty ? possible(.friendRequested) : type
    case .friendRemoved where world.friends.isEmpty: return possible(.friendRequestAccepted)
    case .userFollowed, .friendRequested, .userBlocked:
      return world.accounts.count < 2 ? .profileCreated : type
    case .workoutEdited, .workoutDetailAttached, .workoutRemoved, .chupGiven, .commentPosted,
      .reactionGiven:
      return world.workouts.isEmpty ? .workoutShared : type
    case .chupWithdrawn where world.chups.isEmpty: return possible(.chupGiven)
    case .reactionWithdrawn where world.reactions.isEmpty: return possible(.reactionGiven)
    case .commentEdited, .commentRemoved, .commentHearted:
      return world.comments.isEmpty ? possible(.commentPosted) : type
    case .groupEdited, .groupTransferred, .groupDeleted, .memberInvited, .memberRequested,
      .memberJoined, .memberLeft, .memberRemoved, .memberRoleSet:
      return world.groups.isEmpty ? .groupCreated : type
    case .messageSent where world.friends.isEmpty: return possible(.friendRequestAccepted)
    case .messageRemoved, .conversationRead:
      return world.messages.isEmpty ? possible(.messageSent) : type
    case .reportClosed where world.reports.isEmpty: return .contentReported
    case .commentUnhearted where world.hearts.isEmpty: return possible(.commentHearted)
    default: return type
    }
  }

  private var moment: ContentMoment {
    ContentMoment(time: time, formerHandles: world.formerHandles)
  }

  private func undoer(_ t: Source, _ earlier: EventType) -> UserReference {
    UserReference(user: user(t, undoing: earlier))
  }

  /// Two friends, in either order.
  private func friends(_ t: Source) -> (UserID, UserID) {
    let friendship = request(t, in: world.friends)
    return t.flag()
      ? (friendship.sender, friendship.receiver) : (friendship.receiver, friendship.sender)
  }

  private func workoutEvent(_ type: EventType, _ t: Source) -> Event {
    switch type {
    case .workoutShared:
      let (workout, owner) = (new(t, world.workoutIDs, behavior.workout), user(t))
      return .workout(.shared(contents.workout(workout, of: owner, moment, t)))
    case .workoutEdited: return .workout(.edited(contents.edited(workout(t), moment, t)))
    case .workoutDetailAttached: return .workout(.detailAttached(contents.detail(workout(t), t)))
    case .workoutRemoved: return .workout(.removed(WorkoutReference(workout: workout(t))))
    case .chupGiven:
      let workout = workout(t)
      return .chup(
        .given(
          ChupGiven(workout: workout, user: viewer(t, of: workout), big: t.flag(1, in: 4))))
    case .chupWithdrawn: return .chup(.withdrawn(chup(t)))
    case .reactionGiven:
      let workout = workout(t)
      return .reaction(
        .given(
          Reaction(
            workout: workout, user: viewer(t, of: workout), kind: t.element(rules.reactions))))
    case .reactionWithdrawn: return .reaction(.withdrawn(reaction(t)))
    case .commentPosted:
      let workout = workout(t)
      let (comment, user) = (new(t, world.commentIDs, behavior.comment), viewer(t, of: workout))
      let text = contents.text(t)
      let others = style == .hostile ? world.commentIDs.ids : world.comments(on: workout)
      let replies = !others.isEmpty && t.flag()
      return .comment(
        .posted(
          CommentPosted(
            comment: comment, workout: workout, user: user, text: text,
            replyTo: replies ? t.element(others) : nil)))
    case .commentEdited:
      return .comment(.edited(CommentEdited(comment: comment(t), text: contents.text(t))))
    case .commentRemoved: return .comment(.removed(CommentReference(comment: comment(t))))
    case .commentHearted:
      let comment = comment(t)
      let workout = style == .hostile ? nil : world.states.workout(of: comment)
      return .heart(
        .given(Heart(comment: comment, user: workout.map { viewer(t, of: $0) } ?? user(t))))
    default: return .heart(.withdrawn(heart(t)))
    }
  }

  private func groupEvent(_ type: EventType, _ t: Source) -> Event {
    switch type {
    case .groupCreated:
      return .group(
        .created(
          GroupCreated(
            group: new(t, world.groupIDs, behavior.group), owner: user(t),
            name: contents.groupName(t), description: contents.description(t),
            isPublic: t.flag())))
    case .groupEdited: return .group(.edited(contents.edited(group(t), t)))
    case .groupTransferred:
      let member = membership(t, among: world.members)
      return .group(.transferred(GroupTransferred(group: member.group, owner: member.user)))
    case .groupDeleted: return .group(.deleted(GroupReference(group: group(t))))
    case .memberInvited: return .member(.invited(newMembership(t)))
    case .memberRequested: return .member(.requested(newMembership(t)))
    case .memberJoined:
      let isNew = waiting.isEmpty || t.flag()
      return .member(.joined(isNew ? newMembership(t) : membership(t, among: waiting)))
    case .memberLeft: return .member(.left(membership(t, among: world.members)))
    case .memberRemoved:
      let isMember = waiting.isEmpty || t.flag()
      return .member(.removed(membership(t, among: isMember ? world.members : waiting)))
    default:
      let member = membership(t, among: world.members)
      return .member(
        .roleSet(
          MemberRoleSet(
            group: member.group, user: member.user, role: t.element(MemberRole.allCases))))
    }
  }

  /// Those who have asked to join a group; those who are invited, if nobody has asked.
  private var waiting: Candidates<Membership> {
    world.requested.isEmpty ? world.invited : world.requested
  }

  private func messageEvent(_ type: EventType, _ t: Source) -> Event {
    switch type {
    case .messageSent:
      let (sender, receiver) = friends(t)
      return .conversation(
        .sent(
          MessageSent(
            message: new(t, world.messageIDs), sender: sender, receiver: receiver,
            text: contents.text(t))))
    case .messageRemoved:
      let message = message(t)
      return .conversation(
        .removed(
          MessageRemoved(
            message: message.message, sender: message.sender, receiver: message.receiver)))
    case .conversationRead:
      let message = message(t)
      return .conversation(
        .read(
          ConversationRead(
            user: message.receiver, other: message.sender, upTo: contents.readUpTo(moment, t))))
    case .notificationsRead:
      return .notification(
        .read(NotificationsRead(user: user(t), upTo: contents.readUpTo(moment, t))))
    case .contentReported:
      return .report(
        .reported(
          ContentReported(
            report: style == .long ? world.reportIDs.next : t.element(world.reportIDs.ids),
            user: user(t), content: content(t), reason: contents.text(t))))
    default:
      let report = choose(t, world.reports, or: t.element(world.reportIDs.ids)) { _ in false }
      return .report(
        .closed(ReportClosed(report: report, outcome: t.element(ReportOutcome.allCases))))
    }
  }

  /// Content to be reported.
  private func content(_ t: Source) -> ReportedContent {
    let kind = t.element(ReportedContent.Kind.allCases)
    let id =
      switch kind {
      case .profile: AnyID(user(t))
      case .workout: AnyID(workout(t))
      case .comment: AnyID(comment(t))
      case .message: AnyID(message(t).message)
      case .group: AnyID(group(t))
      }
    return ReportedContent(kind, id)
  }

  /// The user who could cause an event; nil if nobody could.
  func actor(of event: Event) -> UserID? {
    switch event {
    case .profile(.created(let data)): data.user
    case .profile(.edited(let data)): data.user
    case .profile(.photoSet(let data)): data.user
    case .profile(.photoRemoved(let data)): data.user
    case .profile(.baseLocationSet(let data)): data.user
    case .profile(.baseLocationCleared(let data)): data.user
    case .profile(.sportSet(let data)): data.user
    case .profile(.sportRemoved(let data)): data.user
    case .profile(.sendLogged(let data)): data.user
    case .profile(.weeklyGoalSet(let data)): data.user
    case .profile(.premiumRecorded), .report(.closed): world.service
    case .accountDeleted(let data): data.user
    case .follow(.followed(let edge)), .follow(.unfollowed(let edge)): edge.follower
    case .friendship(.requested(let request)), .friendship(.cancelled(let request)): request.sender
    case .friendship(.accepted(let request)), .friendship(.rejected(let request)):
      request.receiver
    case .friendship(.removed(let data)): data.user
    case .workout(.shared(let data)): data.owner
    case .workout(.edited(let data)): world.states.owner(data.workout)
    case .workout(.detailAttached(let data)): world.states.owner(data.workout)
    case .workout(.removed(let data)): world.states.owner(data.workout)
    case .chup(.given(let data)): data.user
    case .chup(.withdrawn(let data)): data.user
    case .comment(.posted(let data)): data.user
    case .comment(.edited(let data)): world.author(of: data.comment)
    case .comment(.removed(let data)): world.author(of: data.comment)
    case .heart(.given(let heart)), .heart(.withdrawn(let heart)): heart.user
    case .block(.blocked(let block)), .block(.unblocked(let block)): block.user
    case .reaction(.given(let reaction)), .reaction(.withdrawn(let reaction)): reaction.user
    case .group(.created(let data)): data.owner
    case .group(.edited(let data)): world.owner(of: data.group)
    case .group(.transferred(let data)): world.owner(of: data.group)
    case .group(.deleted(let data)): world.owner(of: data.group)
    case .member(.invited(let data)), .member(.removed(let data)): world.owner(of: data.group)
    case .member(.roleSet(let data)): world.owner(of: data.group)
    case .member(.joined(let data)):
      world.states.standing(data.group, data.user) == .requested
        ? world.owner(of: data.group) : data.user
    case .member(.requested(let data)), .member(.left(let data)): data.user
    case .conversation(.sent(let data)): data.sender
    case .conversation(.removed(let data)): data.sender
    case .conversation(.read(let data)): data.user
    case .notification(.read(let data)): data.user
    case .report(.reported(let data)): data.user
    case .app: nil
    }
  }
}
