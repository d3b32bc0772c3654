import Events

// The reads of the tables. Each is recorded if `reads` is set; that costs one comparison if it is
// not.
extension AggregateStates {
  @inline(__always)
  func noted(_ stream: StreamID) -> StreamID {
    reads?.add(.stream(stream))
    return stream
  }

  private func account(_ user: UserID) -> ProfileDecider.State.Summary {
    profiles.summary(UserID(index: noted(.profile(user)).a))
  }

  private func item(_ workout: WorkoutID) -> WorkoutDecider.State.Summary {
    workouts.summary(WorkoutID(index: noted(.workout(workout)).a))
  }

  private func place(_ comment: CommentID) -> CommentDecider.State.Summary {
    comments.summary(CommentID(index: noted(.comment(comment)).a))
  }

  private func open(_ group: GroupID) -> GroupDecider.State.Summary {
    groups.summary(GroupID(index: noted(.group(group)).a))
  }
}

// The facts that deciders and use cases read from the states.
extension AggregateStates {
  package func profile(_ user: UserID) -> ProfileDecider.State { profiles[noted(.profile(user))] }

  package func exists(_ user: UserID) -> Bool { account(user).isOpen }

  /// Whether no other user has the handle, and it does not rest for another user; true if it is
  /// nil. Without a time, no handle rests.
  package func isFree(
    _ handle: String?, for user: UserID?, at time: Timestamp?, _ rules: Rules
  ) -> Bool {
    guard let handle else { return true }
    if holder(of: handle, except: user) != nil { return false }
    guard let time, rules.handleRest > 0, let freed = freedHandles[handle.lowercased()] else {
      return true
    }
    return freed.user == user
      || time.milliseconds >= freed.time.milliseconds + rules.handleRest
  }

  /// Returns a user who has the handle, regardless of case; nil if there is none besides `user`.
  package func holder(of handle: String, except user: UserID? = nil) -> UserID? {
    let key = handle.lowercased()
    reads?.add(.handle(key))
    return handles.first(key) { number in
      number != user?.index && profile(UserID(index: number)).handle?.lowercased() == key
    }.map { UserID(index: $0) }
  }

  /// Returns the relationship of two users; `none` if an account is not open.
  package func friendship(_ a: UserID, _ b: UserID) -> FriendshipDecider.State {
    exists(a) && exists(b) ? friendships[noted(.friendship(a, b))] : .none
  }

  package func workout(_ id: WorkoutID) -> WorkoutDecider.State { workouts[noted(.workout(id))] }

  /// Returns the comment's state; `removed` also if its author has no open account.
  package func comment(_ id: CommentID) -> CommentDecider.State {
    if let place = place(id), !exists(place.author) { return .removed }
    return comments[noted(.comment(id))]
  }

  /// Returns the comment's workout; nil if it does not exist or its author has no open account.
  package func workout(of id: CommentID) -> WorkoutID? {
    guard let place = place(id), exists(place.author) else { return nil }
    return place.workout
  }

  /// Returns the workout's owner; nil if it is not shared or the owner has no open account.
  package func owner(_ id: WorkoutID) -> UserID? {
    guard let item = item(id), exists(item.owner) else { return nil }
    return item.owner
  }

  /// Whether the follower follows the followee and both accounts are open.
  package func isFollowing(_ edge: Follow) -> Bool {
    isFollowing(edge.follower, edge.followee)
  }

  /// Returns the user's chup; none unless the workout is shared and both accounts are open.
  package func chup(_ workout: WorkoutID, _ user: UserID) -> ChupDecider.State {
    owner(workout) != nil && exists(user) ? chups[noted(.chup(workout, user))] : .none
  }

  /// Returns the user's reactions; none unless the workout is shared and both accounts are open.
  package func reactions(_ workout: WorkoutID, _ user: UserID) -> ReactionKinds {
    owner(workout) != nil && exists(user) ? reactions[noted(.reaction(workout, user))] : []
  }

  package func isBlocking(_ user: UserID, _ other: UserID) -> Bool {
    blocks[noted(.block(user, other))]
  }

  /// Returns the workout that the owner shared with this local id; nil if there is none. If an
  /// import left several, returns the workout whose id has the lowest number.
  package func earlier(_ owner: UserID, _ localID: String?) -> WorkoutID? {
    guard let localID else { return nil }
    reads?.add(.localID(owner, localID))
    var least: UInt32?
    _ = localIDs.first(localID, of: owner.index) { number in
      // The comparison is by bytes, so that composed and decomposed letters differ.
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
    let profile = account(user)
    return profile.isOpen ? profile.isPublic : nil
  }

  package func areFriends(_ a: UserID, _ b: UserID) -> Bool { friendship(a, b) == .friends }

  package func isFollowing(_ follower: UserID, _ followee: UserID) -> Bool {
    exists(follower) && exists(followee) && follows[noted(.follow(follower, followee))]
  }

  package func isBlocked(_ a: UserID, _ b: UserID) -> Bool {
    isBlocking(a, b) || isBlocking(b, a)
  }
}

// The visibility for an actor.
extension AggregateStates {
  /// Returns the visibility of a workout for an acting user.
  package func visibility(_ id: WorkoutID?, _ user: UserID, _ rules: Rules) -> Visibility {
    guard exists(user) else { return .noProfile }
    guard let item = id.flatMap({ item($0) }), exists(item.owner) else {
      return .nothing
    }
    return rules.visibility(ofItem: item.audience, of: item.owner, .user(user), self)
  }

  /// Returns the visibility of a comment for an acting user. It is the visibility of the comment's
  /// workout, or `nothing` if the user or the author blocks the other.
  package func visibility(_ id: CommentID, _ user: UserID, _ rules: Rules) -> Visibility {
    guard exists(user) else { return .noProfile }
    guard let place = place(id), exists(place.author), !isBlocked(user, place.author)
    else { return .nothing }
    return visibility(place.workout, user, rules)
  }

  /// For a reply: whether its author can see the answered comment, and whether that comment is on
  /// the reply's workout. True for a comment that is not a reply.
  package func replyExists(_ comment: CommentPosted) -> Bool {
    guard let replied = comment.replyTo else { return true }
    guard let place = place(replied), exists(place.author) else { return false }
    return place.workout == comment.workout && !isBlocked(comment.user, place.author)
  }

  /// Whether an actor can see at least a part of a person's profile.
  func sees(_ person: UserID, _ actor: UserID, _ rules: Rules) -> Bool {
    rules.visibility(of: person, .user(actor), self) != .hidden
  }
}

// Blocks.
extension AggregateStates {
  /// Checks a block after all events of its commit. The commit must end the users' relationships.
  /// - Throws: `blockIncomplete` if the user blocks the other user, but a follow, a friendship or
  ///   a friend request still connects them.
  package func finish(_ block: Block) throws(DomainError) {
    guard isBlocking(block.user, block.other) else { return }
    try BlockDecider.finish(isTied: isTied(block.user, block.other))
  }

  /// Whether a follow, a friendship or a friend request connects the two users. A block ends these.
  package func isTied(_ a: UserID, _ b: UserID) -> Bool {
    isFollowing(a, b) || isFollowing(b, a) || friendship(a, b) != .none
  }
}

// Groups, messages and reports.
extension AggregateStates {
  /// Returns the group's state; `deleted` also if its owner has no open account.
  package func group(_ id: GroupID) -> GroupDecider.State {
    if let group = open(id), !exists(group.owner) { return .deleted }
    return groups[noted(.group(id))]
  }

  /// Returns the user's membership in a group; `none` if the group does not exist, or if its owner
  /// or the user has no open account.
  package func standing(_ group: GroupID, _ user: UserID) -> MemberDecider.State {
    guard let open = open(group), exists(open.owner), exists(user) else { return .none }
    return members[noted(.member(group, user))]
  }

  /// Returns the visibility of a group for an actor.
  package func visibility(_ group: GroupID, _ actor: EventActor) -> GroupVisibility {
    let open = open(group).flatMap { exists($0.owner) ? $0 : nil }
    if actor.isService { return open == nil ? .hidden : .service }
    guard exists(actor.id) else { return .noProfile }
    let standing = standing(group, actor.id)
    guard let open, open.isPublic || standing.seesGroup else { return .hidden }
    return .seen(as: standing)
  }

  /// Whether the group is public; nil if it does not exist.
  func isPublic(_ group: GroupID) -> Bool? {
    open(group).flatMap { exists($0.owner) ? $0.isPublic : nil }
  }

  /// Returns the groups that a user owns, in ascending order of their id numbers.
  package func groups(ownedBy user: UserID) -> [GroupID] {
    reads?.add(.groups(ownedBy: user))
    return exists(user) ? owned[user.index].sorted { $0.index < $1.index } : []
  }

  /// Returns the members of a group.
  package func members(of group: GroupID) -> [UserID] {
    reads?.add(.members(of: group))
    return rosters[group.index].filter { standing(group, $0).isMember }
  }

  package func message(_ id: MessageID) -> MessageDecider.State {
    messages[noted(StreamID(.conversation, id)).a]
  }

  package func report(_ id: ReportID) -> ReportDecider.State { reports[noted(.report(id))] }

  /// Whether the rules allow messages between two users.
  func mayWrite(_ sender: UserID, _ receiver: UserID, _ rules: Rules) -> Bool {
    if sender == receiver { return false }
    return switch rules.messages {
    case .friends: areFriends(sender, receiver)
    case .following: isFollowing(sender, receiver) || isFollowing(receiver, sender)
    }
  }

  /// Returns the error for a report about content that the actor cannot see; nil if the actor can
  /// see the content.
  func problem(with content: ReportedContent, _ actor: EventActor, _ rules: Rules)
    -> DomainError?
  {
    let index = content.id.index
    switch content.kind {
    case .profile:
      let user = UserID(index: index)
      return rules.visibility(of: user, .user(actor.id), self) == .hidden ? .profileNotFound : nil
    case .workout:
      let visibility = visibility(WorkoutID(index: index), actor.id, rules)
      return problem { () throws(DomainError) in try visibility.check() }
    case .comment:
      let visibility = visibility(CommentID(index: index), actor.id, rules)
      return problem { () throws(DomainError) in try visibility.checkComment() }
    case .message:
      guard case .sent(let message) = message(MessageID(index: index)),
        [message.sender, message.receiver].contains(actor.id),
        !isBlocked(message.sender, message.receiver)
      else { return .messageNotFound }
      return nil
    case .group: return visibility(GroupID(index: index), actor) == .hidden ? .groupNotFound : nil
    }
  }

  private func problem(_ check: () throws(DomainError) -> Void) -> DomainError? {
    do throws(DomainError) {
      try check()
      return nil
    } catch {
      return error
    }
  }
}
