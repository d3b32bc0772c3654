import Aggregates
import Events
import Projections

extension DomainError {
  /// Returns sentences that name what the caller of a refused command could do.
  /// - Parameter reads: what the decision read.
  func advice(
    _ reads: [StateRead], _ states: AggregateStates, _ names: Names, _ actor: UserID?
  ) -> [String] {
    var advice: [String] = []
    for case .stream(let stream) in reads where stream.kind == .block && stream.a == actor?.index {
      let other = UserID(index: stream.b)
      if states.isBlocking(UserID(index: stream.a), other) {
        advice.append("unblock the user: UnblockUser user=\(StatePath.word(names[other]))")
      }
    }
    if let own = ownAdvice(reads, states, names, actor) { advice.append(own) }
    return advice
  }

  private func ownAdvice(
    _ reads: [StateRead], _ states: AggregateStates, _ names: Names, _ actor: UserID?
  ) -> String? {
    let other = reads.other(of: .friendship, actor).map { StatePath.word(names[$0]) }
    let group = reads.group.map { StatePath.word(names[$0]) }
    switch self {
    case .unauthorized: return "sign in: name the acting user"
    case .profileNotFound:
      guard let actor, !states.exists(actor), states.profile(actor).account == .none else {
        return nil
      }
      return "open an account first: CreateProfile user=\(StatePath.word(names[actor]))"
    case .alreadyReceived:
      return other.map { "accept the other's request: AcceptFriendRequest sender=\($0)" }
    case .alreadyRequested:
      return other.map {
        "wait for the answer, or cancel the request: CancelFriendRequest receiver=\($0)"
      }
    case .notFriends:
      guard let actor, let user = reads.other(of: .friendship, actor),
        states.friendship(actor, user) == .none
      else { return nil }
      return other.map { "ask first: SendFriendRequest receiver=\($0)" }
    case .notVisible:
      guard let actor else { return nil }
      for case .stream(let stream) in reads where stream.kind == .follow && stream.a == actor.index
      {
        let user = UserID(index: stream.b)
        if states.isFollowing(actor, user) { continue }
        return "follow the user first: FollowUser followee=\(StatePath.word(names[user]))"
      }
      guard let user = reads.other(of: .friendship, actor), !states.areFriends(actor, user) else {
        return nil
      }
      return "become friends first: SendFriendRequest receiver=\(StatePath.word(names[user]))"
    case .handleAlreadyTaken: return "choose another handle"
    case .invalidHandle: return "choose a handle that follows the rules"
    case .displayNameTooLong(let limit, let actual), .bioTooLong(let limit, let actual),
      .commentTooLong(let limit, let actual), .nameTooLong(let limit, let actual),
      .descriptionTooLong(let limit, let actual), .messageTooLong(let limit, let actual),
      .reasonTooLong(let limit, let actual), .invalidText(_, .tooLong(let limit, let actual)):
      return "choose a shorter text: \(limit) characters are allowed, it has \(actual)"
    case .displayNameRequired, .commentEmpty, .nameEmpty, .messageEmpty: return "give a text"
    case .queryTooShort: return "give at least two characters"
    case .invalidText, .outOfRange, .unknownSport, .unknownReaction, .invalidWorkout:
      return "change the input: \(self)"
    case .imageTooLarge, .invalidImage: return "choose another photo: \(self)"
    case .notMember: return group.map { "invite the user first: InviteToGroup group=\($0)" }
    case .ownerCannotLeave:
      return group.map { "give the group to another member first: TransferGroup group=\($0)" }
    // Nothing that the caller can do alone changes these.
    case .notAuthorized, .profileExists, .cannotFollowSelf, .cannotBlockSelf, .blockIncomplete,
      .cannotFriendSelf, .alreadyFriends, .workoutNotFound, .commentNotFound, .groupNotFound,
      .alreadyMember, .messageNotFound, .reportNotFound, .noSuchRequest:
      return nil
    }
  }
}

extension [StateRead] {
  /// The other user of the first pair of a kind that has the user; nil if none has.
  fileprivate func other(of kind: StreamID.Kind, _ user: UserID?) -> UserID? {
    guard let user else { return nil }
    for case .stream(let stream) in self where stream.kind == kind {
      if stream.a == user.index { return UserID(index: stream.b) }
      if stream.b == user.index { return UserID(index: stream.a) }
    }
    return nil
  }

  /// The first group that was read.
  fileprivate var group: GroupID? {
    for case .stream(let stream) in self where stream.kind == .group {
      return GroupID(index: stream.a)
    }
    return nil
  }
}
