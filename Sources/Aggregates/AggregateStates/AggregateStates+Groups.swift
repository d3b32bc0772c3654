import Events

// Groups, messages and reports: what changes several states at once, and facts.
extension AggregateStates {
  /// The group's state; deleted also if its owner is gone.
  package func group(_ id: GroupID) -> GroupDecider.State {
    if let group = groups.summary(id), !exists(group.owner) { return .deleted }
    return groups[.group(id)]
  }

  /// What a user is to a group: nothing if either is gone.
  package func standing(_ group: GroupID, _ user: UserID) -> MemberDecider.State {
    guard let open = groups.summary(group), exists(open.owner), exists(user) else { return .none }
    return members[.member(group, user)]
  }

  /// What somebody who acts sees of a group.
  package func visibility(_ group: GroupID, _ actor: EventActor) -> GroupVisibility {
    let open = groups.summary(group).flatMap { exists($0.owner) ? $0 : nil }
    if actor.isService { return open == nil ? .hidden : .service }
    guard exists(actor.id) else { return .noProfile }
    let standing = standing(group, actor.id)
    guard let open, open.isPublic || standing.seesGroup else { return .hidden }
    return .seen(as: standing)
  }

  /// Whether the group is public; nil if there is none.
  func isPublic(_ group: GroupID) -> Bool? {
    groups.summary(group).flatMap { exists($0.owner) ? $0.isPublic : nil }
  }

  /// The groups that a user owns, ascending.
  package func groups(ownedBy user: UserID) -> [GroupID] {
    exists(user) ? owned[user.index].sorted { $0.index < $1.index } : []
  }

  /// The members of a group.
  package func members(of group: GroupID) -> [UserID] {
    rosters[group.index].filter { standing(group, $0).isMember }
  }

  package func message(_ id: MessageID) -> MessageDecider.State { messages[id.index] }

  package func report(_ id: ReportID) -> ReportDecider.State { reports[.report(id)] }

  /// Whether what is between two users allows messages.
  func mayWrite(_ sender: UserID, _ receiver: UserID, _ rules: Rules) -> Bool {
    if sender == receiver { return false }
    return switch rules.messages {
    case .friends: areFriends(sender, receiver)
    case .following: isFollowing(sender, receiver) || isFollowing(receiver, sender)
    }
  }

  /// Why a user cannot see what they want to report; nil if they can.
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

// Changes.
extension AggregateStates {
  /// Applies an event of a group, and what it means for the memberships of its owners.
  mutating func changeGroup(_ stream: StreamID, _ event: Event) {
    let id = GroupID(index: stream.a)
    let old = groups.summary(id)?.owner
    // A group is gone with its owner's account, whatever an import says of it afterwards.
    if let old, profile(old).account == .deleted { return }
    groups.evolve(stream, event)
    let new = groups.summary(id)?.owner
    guard old != new else { return }
    changeOwner(id, from: old, to: new)
    guard let new else { return }
    for owner in [old, new] {
      guard let owner else { continue }
      let stream = StreamID.member(id, owner)
      change(member: stream) { $0.evolve(stream, event) }
    }
  }

  mutating func changeOwner(_ group: GroupID, from old: UserID?, to new: UserID?) {
    if old == new { return }
    if let old { owned.removeAll(in: old.index) { $0 == group } }
    if let new { owned.append(group, to: new.index) }
  }

  mutating func change(
    member stream: StreamID, _ body: (inout PairStates<MemberDecider>) -> Void
  ) {
    let old = members[stream].isMember
    body(&members)
    let new = members[stream].isMember
    if old == new { return }
    let user = UserID(index: stream.b)
    if old {
      rosters.removeAll(in: stream.a) { $0 == user }
    } else {
      rosters.append(user, to: stream.a)
    }
  }
}

extension ConversationEvent {
  /// The message that it sends or removes.
  var message: MessageID? {
    switch self {
    case .sent(let data): data.message
    case .removed(let data): data.message
    case .read: nil
    }
  }
}
