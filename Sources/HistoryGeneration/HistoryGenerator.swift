import EventLog
import Events

/// A plausible, deterministic history: what people do in a social app, and nothing that the domain
/// forbids under any of its presets.
///
/// The same arguments give the same events on every machine. It does not simulate how people spend
/// their time: event types are drawn by weight and users by rank, and what is not possible is drawn
/// again.
/// - Complexity: O(1) per event; memory grows with users, workouts, comments and pairs.
package struct HistoryGenerator: ~Copyable {
  var world = GeneratedWorld()
  var random: Xoshiro256
  var clock: HistoryClock
  private var position = 0
  /// How many users join in all, and the position by which all have joined.
  private let joiners: Int
  private let joinSpan: Int
  /// The types of events, each as often as its weight.
  private let lots: [EventType]
  /// The types that have occurred, one bit each.
  private var seen: UInt64 = 0

  /// An action of a user.
  struct Act {
    var event: Event
    var user: Int
    /// The service that does it for the user.
    var service: UserID?
  }

  /// How often each type is drawn, in thousandths; users joining come on top.
  private static let weights: [(EventType, Int)] = [
    (.userFollowed, 401), (.userUnfollowed, 41),
    (.friendRequested, 60), (.friendRequestAccepted, 44), (.friendRequestRejected, 7),
    (.friendRequestCancelled, 5), (.friendRemoved, 6),
    (.workoutShared, 51), (.workoutEdited, 12), (.workoutDetailAttached, 14), (.workoutRemoved, 4),
    (.chupGiven, 170), (.chupWithdrawn, 13),
    (.commentPosted, 56), (.commentEdited, 8), (.commentRemoved, 7),
    (.commentHearted, 44), (.commentUnhearted, 7),
    (.profileEdited, 18), (.profilePhotoSet, 6), (.profilePhotoRemoved, 2),
    (.baseLocationSet, 4), (.baseLocationCleared, 1), (.sportSet, 6), (.sportRemoved, 1),
    (.sendLogged, 8), (.accountDeleted, 1), (.userBlocked, 2), (.userUnblocked, 1),
    (.reactionGiven, 20), (.reactionWithdrawn, 3), (.weeklyGoalSet, 2), (.premiumRecorded, 2),
    (.groupCreated, 2), (.groupEdited, 1), (.groupTransferred, 1), (.groupDeleted, 1),
    (.memberInvited, 3), (.memberRequested, 2), (.memberJoined, 8), (.memberLeft, 1),
    (.memberRemoved, 1), (.memberRoleSet, 1), (.messageSent, 24), (.messageRemoved, 1),
    (.conversationRead, 5), (.notificationsRead, 4), (.contentReported, 1), (.reportClosed, 1),
  ]

  /// - Parameters:
  ///   - events: how many events the caller will take; determines the pace of time and of joining.
  ///   - users: how many users join if there are at least four events per user.
  package init(events: Int, users: Int, seed: UInt64) {
    let events = min(max(events, 0), 1 << 38)
    random = Xoshiro256(seed: seed)
    clock = HistoryClock(events: events)
    joiners = min(max(users, 1), max(events / 4, 2), PairStates.secondLimit)
    joinSpan = max(events / 10 * 9, 1)
    lots = Self.weights.flatMap { Array(repeating: $0.0, count: $0.1) }
  }

  /// The next event with its actor and its time, for a log whose events all share `names`.
  package mutating func next(
    _ names: inout Names
  ) -> (event: Event, actor: UserID, time: Timestamp) {
    if position > 0 { clock.tick(&random) }
    let act = nextAct(&names)
    position += 1
    seen |= 1 << UInt64(act.event.type.rawValue)
    return (
      act.event, act.service ?? world.userIDs[act.user], Timestamp(milliseconds: clock.milliseconds)
    )
  }

  private mutating func nextAct(_ names: inout Names) -> Act {
    if world.userIDs.count < usersDue { return join(&names) }
    if let act = somethingNew(&names) { return act }
    for _ in 0..<8 {
      if let act = attempt(lots[random.below(lots.count)], &names) { return act }
    }
    return logSend(by: anyone())
  }

  /// The next events, each as a commit of its own.
  package mutating func commits(_ count: Int, _ names: inout Names) -> [Commit] {
    (0..<count).map { _ in
      let (event, actor, time) = next(&names)
      return Commit([
        NewEvent(event, actor: names[actor], id: event.readUpTo, time: time, names: names)
      ])
    }
  }

  /// How many users should have joined by now: many join early, the last after nine tenths of the
  /// events.
  private var usersDue: Int {
    guard position < joinSpan else { return joiners }
    let passed = UInt64(position) << 24 / UInt64(joinSpan)
    let remaining = 1 << 24 - passed
    let share = (1 << 48 - remaining * remaining).multipliedFullWidth(by: UInt64(joiners))
    return min(joiners, max(5, Int(share.high << 16 | share.low >> 48)))
  }

  /// Now and then an event of a type that has not occurred yet, so that short histories have every
  /// type.
  private mutating func somethingNew(_ names: inout Names) -> Act? {
    let kinds = EventType.allCases.count
    guard seen.nonzeroBitCount < kinds, random.oneIn(16) else { return nil }
    let start = random.below(kinds)
    for offset in 0..<kinds {
      let number = (start + offset) % kinds
      guard seen & (1 << UInt64(number)) == 0 else { continue }
      if let act = attempt(EventType.allCases[number], &names) { return act }
    }
    return nil
  }

  /// An event of this type; nil if no try found one that the domain allows.
  private mutating func attempt(_ kind: EventType, _ names: inout Names) -> Act? {
    switch kind {
    case .profileCreated, .app: nil
    case .profileEdited: editProfile()
    case .profilePhotoSet: setPhoto()
    case .profilePhotoRemoved: removePhoto()
    case .baseLocationSet: setLocation()
    case .baseLocationCleared: clearLocation()
    case .sportSet: setSport()
    case .sportRemoved: removeSport()
    case .sendLogged: logSend(by: anyone())
    case .accountDeleted: deleteAccount()
    case .userFollowed: follow()
    case .userUnfollowed: unfollow()
    case .friendRequested: requestFriend()
    case .friendRequestCancelled: cancelRequest()
    case .friendRequestAccepted: acceptRequest()
    case .friendRequestRejected: rejectRequest()
    case .friendRemoved: removeFriend()
    case .workoutShared: shareWorkout(&names)
    case .workoutEdited: editWorkout()
    case .workoutDetailAttached: attachDetail()
    case .workoutRemoved: removeWorkout()
    case .chupGiven: giveChup()
    case .chupWithdrawn: withdrawChup()
    case .commentPosted: postComment(&names)
    case .commentEdited: editComment()
    case .commentRemoved: removeComment()
    case .commentHearted: heart()
    case .commentUnhearted: unheart()
    case .userBlocked: block()
    case .userUnblocked: unblock()
    case .weeklyGoalSet: setGoal()
    case .premiumRecorded: recordPremium(&names)
    case .reactionGiven: giveReaction()
    case .reactionWithdrawn: withdrawReaction()
    case .groupCreated: createGroup(&names)
    case .groupEdited: editGroup()
    case .groupTransferred: transferGroup()
    case .groupDeleted: deleteGroup()
    case .memberInvited: invite()
    case .memberRequested: join(asking: true)
    case .memberJoined: join(asking: false)
    case .memberLeft: leave()
    case .memberRemoved: removeMember()
    case .memberRoleSet: setRole()
    case .messageSent: sendMessage(&names)
    case .messageRemoved: removeMessage()
    case .conversationRead: readConversation()
    case .notificationsRead: readNotifications()
    case .contentReported: report(&names)
    case .reportClosed: closeReport(&names)
    }
  }
}

extension HistoryGenerator {
  /// A living user, every other time a high-ranking one.
  @inline(__always)
  mutating func anyone() -> Int {
    let count = world.ranks.count
    let rank = random.bits() & 1 == 0 ? random.below(count) : random.skewed(count)
    return living(rank)
  }

  /// A living user drawn by fame: the first few are drawn again and again.
  @inline(__always)
  mutating func someoneFamous() -> Int { living(random.skewed(world.ranks.count)) }

  /// The user of this rank or, if the account is deleted, the next living one.
  @inline(__always)
  private func living(_ rank: Int) -> Int {
    var rank = rank
    while true {
      let user = Int(world.ranks[rank])
      if world.isAlive[user] { return user }
      rank = rank + 1 < world.ranks.count ? rank + 1 : 0
    }
  }

  func id(_ user: Int) -> UserID { world.userIDs[user] }
}
