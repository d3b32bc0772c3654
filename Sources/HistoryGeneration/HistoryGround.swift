import Aggregates
import Events

/// The kinds of situations that a generated history reaches, each as a number. A test prefers
/// histories that reach new situations.
///
/// A situation is one of these combinations. Each event reaches some of them:
/// - its type, with the type of the event before it;
/// - its type, with the type of the last event about each of its ids, and about its two users;
/// - its type, with the relation of its two users: their accounts, follows, blocks and friendship;
/// - its type, with the workout's audience;
/// - in a hostile history, its type, with the code of the rules' refusal.
///
/// Also, how many things of a kind exist, rounded down to a power of 2.
package struct HistoryGround: Sendable {
  private var previous: UInt64 = 255
  /// For each id, the type of the last event about it.
  private var last: [AnyID: UInt64] = [:]
  /// The same for each pair of users, by their numbers in ascending order.
  private var lastOfPair: [UInt64: UInt64] = [:]
  /// The situations that the last event reached.
  package private(set) var reached: [UInt64] = []

  package init() {}

  /// Returns the situations that an event reaches.
  /// - Parameters:
  ///   - refusal: a number for the code of the rules' refusal, if the history is hostile.
  ///   - world: the world before the event.
  fileprivate func parts(
    of event: Event, by actor: UserID, refusal: UInt64?, in world: borrowing GeneratedWorld
  ) -> [UInt64] {
    let type = UInt64(event.type.rawValue)
    var parts: [UInt64] = []
    func add(_ kind: UInt64, _ a: UInt64, _ b: UInt64, _ c: UInt64 = 0) {
      parts.append(kind << 56 | a << 48 | b << 16 | c)
    }
    add(1, type, previous)
    if let refusal { add(2, type, refusal & 0xffff_ffff) }
    var (place, other) = (0 as UInt64, UserID?.none)
    for id in event.ids {
      add(3, type, last[id] ?? 255, place << 8 | UInt64(id.kind.rawValue))
      place += 1
      other = other ?? Self.user(id, besides: actor, in: world)
      if id.kind == .workout { add(7, type, Self.audience(WorkoutID(index: id.index), in: world)) }
    }
    let pair = other ?? actor
    add(4, type, Self.relation(of: actor, to: pair, in: world))
    add(5, type, lastOfPair[Self.key(actor, pair)] ?? 255, actor.index <= pair.index ? 0 : 1)
    let entry = EventWeights[event.type]
    if let subject = entry.begins ?? entry.ends {
      let count = world[subject].pairs.count
      add(6, UInt64(subject.rawValue), UInt64(Int.bitWidth - count.leadingZeroBitCount))
    }
    return parts
  }

  /// Records an event, and the situations that it reaches, before the world applies it.
  mutating func record(
    _ event: Event, by actor: UserID, _ parts: [UInt64], in world: borrowing GeneratedWorld
  ) {
    reached = parts
    let type = UInt64(event.type.rawValue)
    previous = type
    var other: UserID?
    for id in event.ids {
      last[id] = type
      other = other ?? Self.user(id, besides: actor, in: world)
    }
    lastOfPair[Self.key(actor, other ?? actor)] = type
  }

  private static func key(_ a: UserID, _ b: UserID) -> UInt64 {
    UInt64(min(a.index, b.index)) << 32 | UInt64(max(a.index, b.index))
  }

  /// Returns the user with an id, or the owner or author of the thing; nil if it is `actor`.
  private static func user(
    _ id: AnyID, besides actor: UserID, in world: borrowing GeneratedWorld
  ) -> UserID? {
    let user: UserID? =
      switch id.kind {
      case .user: UserID(index: id.index)
      case .workout: world.owner(of: WorkoutID(index: id.index))
      case .comment: world.author(of: CommentID(index: id.index))
      case .group: world.owner(of: GroupID(index: id.index))
      case .message, .report: nil
      }
    return user == actor ? nil : user
  }

  /// Returns a number for a workout's audience; 0 if the workout is not shared.
  private static func audience(_ id: WorkoutID, in world: borrowing GeneratedWorld) -> UInt64 {
    guard case .shared(let workout, _) = world.states.workout(id) else { return 0 }
    guard let audience = workout.audience else { return 1 }
    return UInt64(Audience.allCases.firstIndex(of: audience) ?? 0) + 2
  }

  private static func relation(
    of a: UserID, to b: UserID, in world: borrowing GeneratedWorld
  ) -> UInt64 {
    let states = world.states
    let (first, second) = (states.profile(a), states.profile(b))
    let friendship: UInt64 =
      switch states.friendship(a, b) {
      case .none: 0
      case .friends: 1
      case .pending(let sender): sender == a ? 2 : 3
      }
    let flags = [
      a == b, first.account == .open, first.account == .deleted, second.account == .open,
      second.account == .deleted, second.isPublic, states.isFollowing(a, b),
      states.isFollowing(b, a), states.isBlocking(a, b), states.isBlocking(b, a),
    ]
    return flags.reduce(friendship) { $0 << 1 | ($1 ? 1 : 0) }
  }
}

extension HistoryBuilder {
  /// Returns the parts of the ground that a drawn event reaches; none if nobody asks for them.
  package func ground(of drawn: borrowing Drawn) -> [UInt64] {
    guard let ground else { return [] }
    return ground.parts(of: drawn.event, by: drawn.actor, refusal: refusal(of: drawn), in: world)
  }

  /// Returns a number for the code of the rules' refusal of an event in a hostile history; 0 if the
  /// rules allow it. Returns nil in other histories.
  private func refusal(of drawn: borrowing Drawn) -> UInt64? {
    guard style == .hostile else { return nil }
    let actor = EventActor(drawn.actor, isService: drawn.actor == world.service)
    let time = Timestamp(milliseconds: time + drawn.pause)
    do throws(DomainError) {
      return try drawn.event.decide(in: world.states, by: actor, at: time, rules) == nil ? 1 : 0
    } catch {
      return "\(error)".utf8.prefix { $0 != 0x28 }.reduce(7) { ($0 &* 31 &+ UInt64($1)) }
    }
  }
}
