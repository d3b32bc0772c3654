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
      return .profile(.sendLogged(SendLogged(user: user(t), climb: contents.text(.climb, t))))
    case .weeklyGoalSet:
      return .profile(.weeklyGoalSet(WeeklyGoalSet(user: user(t), meters: contents.goal(t))))
    case .premiumRecorded:
      return .profile(.premiumRecorded(contents.premium(user(t), moment, t)))
    case .accountDeleted: return .accountDeleted(UserReference(user: user(t)))
    case .userFollowed: return .follow(.followed(newFollow(t)))
    case .userUnfollowed:
      let pair = choose(t, .follow)
      return .follow(.unfollowed(Follow(follower: pair.first(), followee: pair.second)))
    case .friendRequested: return .friendship(.requested(newRequest(t)))
    case .friendRequestCancelled: return .friendship(.cancelled(request(t)))
    case .friendRequestAccepted: return .friendship(.accepted(request(t)))
    case .friendRequestRejected: return .friendship(.rejected(request(t)))
    case .friendRemoved:
      let (user, friend) = friends(t)
      return .friendship(.removed(FriendRemoved(user: user, friend: friend)))
    case .userBlocked: return .block(.blocked(newBlock(t)))
    case .userUnblocked:
      let pair = choose(t, .block)
      return .block(.unblocked(Block(user: pair.first(), other: pair.second)))
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

  private var moment: ContentMoment {
    ContentMoment(time: time, formerHandles: world.formerHandles)
  }

  private func undoer(_ t: Source, _ earlier: EventType) -> UserReference {
    UserReference(user: user(t, undoing: earlier))
  }

  private func request(_ t: Source) -> FriendRequest {
    let pair = choose(t, .request)
    return FriendRequest(sender: pair.first(), receiver: pair.second)
  }

  private func workoutEvent(_ type: EventType, _ t: Source) -> Event {
    switch type {
    case .workoutShared:
      let (workout, owner) = (new(t, .workout) as WorkoutID, user(t))
      return .workout(.shared(contents.workout(workout, of: owner, moment, t)))
    case .workoutEdited: return .workout(.edited(contents.edited(one(t, .workout), moment, t)))
    case .workoutDetailAttached:
      return .workout(.detailAttached(contents.detail(one(t, .workout), t)))
    case .workoutRemoved: return .workout(.removed(WorkoutReference(workout: one(t, .workout))))
    case .chupGiven:
      let workout: WorkoutID = one(t, .workout)
      return .chup(
        .given(
          ChupGiven(workout: workout, user: viewer(t, of: workout), big: t.flag(1, in: 4))))
    case .chupWithdrawn:
      let pair = choose(t, .chup)
      return .chup(.withdrawn(ChupWithdrawn(workout: pair.first(), user: pair.second)))
    case .reactionGiven:
      let workout: WorkoutID = one(t, .workout)
      return .reaction(
        .given(
          Reaction(
            workout: workout, user: viewer(t, of: workout), kind: t.element(rules.reactions))))
    case .reactionWithdrawn: return .reaction(.withdrawn(reaction(t)))
    case .commentPosted:
      let workout: WorkoutID = one(t, .workout)
      let (comment, user) = (new(t, .comment) as CommentID, viewer(t, of: workout))
      let text = contents.text(.message, t)
      let others =
        style == .hostile
        ? world[.comment].ids.map { CommentID(index: $0) } : world.comments(on: workout)
      let replies = !others.isEmpty && t.flag()
      return .comment(
        .posted(
          CommentPosted(
            comment: comment, workout: workout, user: user, text: text,
            replyTo: replies ? t.element(others) : nil)))
    case .commentEdited:
      return .comment(
        .edited(CommentEdited(comment: one(t, .comment), text: contents.text(.message, t))))
    case .commentRemoved: return .comment(.removed(CommentReference(comment: one(t, .comment))))
    case .commentHearted:
      let comment: CommentID = one(t, .comment)
      let workout = style == .hostile ? nil : world.workout(of: comment)
      return .heart(
        .given(Heart(comment: comment, user: workout.map { viewer(t, of: $0) } ?? user(t))))
    default:
      let pair = choose(t, .heart)
      return .heart(.withdrawn(Heart(comment: pair.first(), user: pair.second)))
    }
  }

  private func groupEvent(_ type: EventType, _ t: Source) -> Event {
    switch type {
    case .groupCreated:
      return .group(
        .created(
          GroupCreated(
            group: new(t, .group), owner: user(t),
            name: contents.text(.groupName, t),
            description: contents.optional(.groupDescription, t),
            isPublic: t.flag())))
    case .groupEdited: return .group(.edited(contents.edited(one(t, .group), t)))
    case .groupTransferred:
      let member = membership(t, among: .member)
      return .group(.transferred(GroupTransferred(group: member.group, owner: member.user)))
    case .groupDeleted: return .group(.deleted(GroupReference(group: one(t, .group))))
    case .memberInvited: return .member(.invited(newMembership(t)))
    case .memberRequested: return .member(.requested(newMembership(t)))
    case .memberJoined:
      let isNew = world[waiting].pairs.isEmpty || t.flag()
      return .member(.joined(isNew ? newMembership(t) : membership(t, among: waiting)))
    case .memberLeft: return .member(.left(membership(t, among: .member)))
    case .memberRemoved:
      let isMember = world[waiting].pairs.isEmpty || t.flag()
      return .member(.removed(membership(t, among: isMember ? .member : waiting)))
    default:
      let member = membership(t, among: .member)
      return .member(
        .roleSet(
          MemberRoleSet(
            group: member.group, user: member.user, role: t.element(MemberRole.allCases))))
    }
  }

  /// The applications to join groups; if there are none, the invitations.
  private var waiting: Subject {
    world[.application].pairs.isEmpty ? .invitation : .application
  }

  private func messageEvent(_ type: EventType, _ t: Source) -> Event {
    switch type {
    case .messageSent:
      let (sender, receiver) = friends(t)
      return .conversation(
        .sent(
          MessageSent(
            message: new(t, .message), sender: sender, receiver: receiver,
            text: contents.text(.message, t))))
    case .messageRemoved:
      let message = message(t)
      return .conversation(
        .removed(
          MessageRemoved(
            message: message.id, sender: message.sender, receiver: message.receiver)))
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
            report: new(t, .report),
            user: user(t), content: content(t), reason: contents.text(.message, t))))
    default:
      return .report(
        .closed(
          ReportClosed(report: one(t, .report), outcome: t.element(ReportOutcome.allCases))))
    }
  }

  /// Chooses content to report.
  private func content(_ t: Source) -> ReportedContent {
    let kind = t.element(ReportedContent.Kind.allCases)
    let id =
      switch kind {
      case .profile: AnyID(user(t))
      case .workout: AnyID(.workout, choose(t, .workout).a)
      case .comment: AnyID(.comment, choose(t, .comment).a)
      case .message: AnyID(.message, choose(t, .message).a)
      case .group: AnyID(.group, choose(t, .group).a)
      }
    return ReportedContent(kind, id)
  }

  /// Chooses an existing reaction. In a hostile history, or if none exists, its kind is random.
  private func reaction(_ t: Source) -> Reaction {
    let pair = choose(t, .reaction)
    let kinds = style == .hostile ? [] : world.states.reactions(pair.first(), pair.second).all
    return Reaction(
      workout: pair.first(), user: pair.second,
      kind: t.element(kinds.isEmpty ? ReactionKind.allCases : kinds))
  }

  /// Returns the user who can cause an event under the rules; nil if no user can.
  func actor(of event: Event) -> UserID? {
    switch event {
    // The most frequent events come first, because `event.users` would allocate a list.
    case .follow(.followed(let edge)), .follow(.unfollowed(let edge)): edge.follower
    case .chup(.given(let data)): data.user
    case .heart(.given(let data)), .heart(.withdrawn(let data)): data.user
    case .comment(.posted(let data)): data.user
    case .workout(.shared(let data)): data.owner
    case .friendship(.requested(let request)), .friendship(.cancelled(let request)): request.sender
    case .profile(.premiumRecorded), .report(.closed): world.service
    case .profile: event.pair.first()
    case .reaction(.given(let data)), .reaction(.withdrawn(let data)): data.user
    case .conversation(.sent(let data)): data.sender
    case .friendship(.accepted(let request)), .friendship(.rejected(let request)):
      request.receiver
    case .workout(.edited(let data)): world.owner(of: data.workout)
    case .workout(.detailAttached(let data)): world.owner(of: data.workout)
    case .workout(.removed(let data)): world.owner(of: data.workout)
    case .comment(.edited(let data)): world.author(of: data.comment)
    case .comment(.removed(let data)): world.author(of: data.comment)
    case .group(.created(let data)): data.owner
    case .member(.joined(let data)) where !isAsking(data): data.user
    case .member(.requested(let data)), .member(.left(let data)): data.user
    case .group, .member: world.owner(of: event.pair.first() as GroupID)
    default: event.users.first
    }
  }

  private func isAsking(_ data: Membership) -> Bool {
    world.states.standing(data.group, data.user) == .requested
  }
}
