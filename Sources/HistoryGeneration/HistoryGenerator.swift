import Aggregates
import EventLog
import Events

/// A generator of long, plausible histories of a social app.
///
/// Every preset of rules allows all the events. The same arguments give the same events on any
/// machine.
/// - Complexity: O(1) per event. Memory grows with users, workouts, comments, pairs and texts.
package struct HistoryGenerator: ~Copyable {
  private var builder: Builder
  private let choices: RandomChoices
  private var clock: HistoryClock
  private var position = 0
  /// The number of users who join, and the position by which all have joined.
  private let joiners: Int
  private let joinSpan: Int
  /// The event types that have occurred, one bit each.
  private var seen: UInt64 = 0

  private typealias Builder = HistoryBuilder<PlausibleContents>

  /// Creates a generator.
  /// - Parameters:
  ///   - events: the number of events that the caller will request. It determines how fast time
  ///     passes and users join.
  ///   - users: the number of users who join if there are at least four events per user.
  package init(events: Int, users: Int, seed: UInt64) {
    let events = min(max(events, 0), 1 << 38)
    choices = RandomChoices(seed: seed)
    builder = Builder(PlausibleContents(), .long, rules: .strictest, time: 0)
    clock = HistoryClock(events: events)
    joiners = min(max(users, 1), max(events / 4, 2), 1 << 30)
    joinSpan = max(events / 10 * 9, 1)
  }

  /// Returns the next event, its actor and its time. Pass the same `names` for all events of a log.
  package mutating func next(
    _ names: inout Names
  ) -> (event: Event, actor: UserID, time: Timestamp) {
    if position == 0 {
      builder.begin(users: 1, &names, choices)
    } else {
      clock.tick(&choices.random)
    }
    builder.time = clock.milliseconds
    builder.behavior.joinersDue = usersDue
    builder.behavior.goOn(&choices.random)
    let drawn = draw()
    builder.add(drawn, &names, choices)
    position += 1
    seen |= 1 << UInt64(drawn.event.type.rawValue)
    return (drawn.event, drawn.actor, Timestamp(milliseconds: clock.milliseconds))
  }

  /// Returns the next events, each as a separate commit.
  package mutating func commits(_ count: Int, _ names: inout Names) -> [Commit] {
    (0..<count).map { _ in
      let (event, actor, time) = next(&names)
      return Commit([
        NewEvent(event, actor: names[actor], id: event.readUpTo, time: time, names: names)
      ])
    }
  }

  /// Returns the next events for a `HistoryWriter`.
  /// - Parameter names: The table that this generator used for all events before.
  package mutating func batch(_ count: Int, _ names: inout Names) -> HistoryBatch {
    var batch = HistoryBatch()
    let known = IDKind.allCases.map { position == 0 ? 0 : names.count(of: $0) }
    batch.items.reserveCapacity(count)
    for _ in 0..<count {
      let (event, actor, time) = next(&names)
      batch.items.append((event, actor, time, event.readUpTo))
    }
    for (kind, known) in zip(IDKind.allCases, known) {
      for number in UInt32(known)..<UInt32(names.count(of: kind)) {
        batch.names.append((kind, names[AnyID(kind, number)]))
      }
    }
    return batch
  }

  /// The number of users who should have joined by now. Many join early, and the last one joins
  /// after nine tenths of the events.
  private var usersDue: Int {
    guard position < joinSpan else { return joiners }
    let passed = UInt64(position) << 24 / UInt64(joinSpan)
    let remaining = 1 << 24 - passed
    let share = (1 << 48 - remaining * remaining).multipliedFullWidth(by: UInt64(joiners))
    return min(joiners, max(5, Int(share.high << 16 | share.low >> 48)))
  }

  /// Draws a possible event of a type picked by weight. If 8 picked types give none, draws a logged
  /// send (a completed climb).
  private func draw() -> Builder.Drawn {
    if let drawn = somethingNew() { return drawn }
    for _ in 0..<8 {
      if let drawn = attempt(builder.possible(builder.type(choices))) { return drawn }
    }
    // Logging a send is always possible.
    while true {
      if let drawn = attempt(.sendLogged) { return drawn }
    }
  }

  /// Sometimes draws an event of a type that has not occurred yet, so that short histories contain
  /// every type.
  private func somethingNew() -> Builder.Drawn? {
    let types = EventType.allCases
    guard seen.nonzeroBitCount < types.count, choices.random.oneIn(8) else { return nil }
    let start = choices.random.below(types.count)
    for offset in 0..<types.count {
      let type = types[(start + offset) % types.count]
      guard seen & (1 << UInt64(type.rawValue)) == 0, builder.possible(type) == type else {
        continue
      }
      if let drawn = attempt(type) { return drawn }
    }
    return nil
  }

  /// The types whose drawn events the domain always allows unchanged. Not asking the domain about
  /// them saves time.
  private static let certain: EventTypes = [
    .workoutShared, .sendLogged, .premiumRecorded, .notificationsRead,
  ]

  /// Draws an event of a type. Returns nil if 4 tries find no possible event.
  private func attempt(_ type: EventType) -> Builder.Drawn? {
    guard builder.isWanted(type) else { return nil }
    for _ in 0..<4 {
      var drawn = builder.draw(type, choices)
      if case .conversation(.sent(let message)) = drawn.event, !builder.mayWrite(message) {
        continue
      }
      if !Self.certain.contains(type) { builder.decide(&drawn) }
      if drawn.isAllowed { return drawn }
    }
    return nil
  }
}

extension HistoryBuilder {
  /// Returns whether another event of a type fits the number of users.
  ///
  /// - No more users join than `joinersDue` says.
  /// - About one user in 500 deletes the account.
  /// - At most a quarter of all pairs are follows, and at most a quarter are friends.
  fileprivate func isWanted(_ type: EventType) -> Bool {
    let (joined, open) = (behavior.popularity.count, world.accounts.count)
    return switch type {
    case .profileCreated: joined < behavior.joinersDue
    case .accountDeleted: joined >= 10 && joined - open <= joined / 500
    case .userFollowed: world[.follow].pairs.count <= open * open / 4
    case .friendRequested: world[.friendship].pairs.count <= open * open / 8
    default: true
    }
  }

  /// Returns whether one of the message's two users follows the other. Some rules require this for
  /// messages. Other rules require a friendship, which the drawn users already have.
  fileprivate func mayWrite(_ message: MessageSent) -> Bool {
    world.states.isFollowing(message.sender, message.receiver)
      || world.states.isFollowing(message.receiver, message.sender)
  }
}

extension Rules {
  /// Rules that allow only what every preset allows. `mayWrite` checks who may send messages.
  fileprivate static let strictest: Rules = {
    var rules = Rules.erg
    rules.displayNameRequired = true
    rules.displayNameLimit = min(Rules.erg.displayNameLimit, Rules.ride.displayNameLimit)
    rules.privateProfiles = .hidden
    return rules
  }()
}

extension Event {
  /// If the event records that a user has read: the id of the last event read; otherwise nil. The
  /// generator gives this id to the event itself.
  fileprivate var readUpTo: EventID? {
    switch self {
    case .conversation(.read(let data)): data.upTo
    case .notification(.read(let data)): data.upTo
    default: nil
    }
  }
}

/// A clock that starts at the beginning of 2024 and never goes back. Pauses between events are
/// longer at night.
private struct HistoryClock {
  private(set) var milliseconds: Int64 = 1_704_067_200_000
  private let meanGap: Int64

  /// The mean pause between events in each hour of the day (UTC), in sixteenths of `meanGap`.
  private static let pace: [Int64] = [
    36, 44, 48, 44, 34, 24, 16, 13, 12, 14, 15, 15, 13, 14, 15, 14, 12, 10, 9, 9, 10, 14, 20, 28,
  ]

  /// Creates a clock that spreads the events over about two and a half years. The mean pause is at
  /// most an hour.
  init(events: Int) {
    meanGap = min(max(75_000_000_000 / Int64(max(events, 1)), 1), 3_600_000)
  }

  /// Advances to the next event. One event in 32 has the same millisecond as the previous one.
  @inline(__always)
  mutating func tick(_ random: inout SplitMix64) {
    let bits = random.next()
    guard bits & 31 != 0 else { return }
    let hour = Int(milliseconds / 3_600_000 % 24)
    let span = UInt64(meanGap * Self.pace[hour] / 8 + 1)
    let gap = Int64(span.multipliedFullWidth(by: bits).high)
    milliseconds = min(milliseconds + gap, Timestamp.latest.milliseconds)
  }
}
