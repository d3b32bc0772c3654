/// One thing that happened, as data: the typed form of a line's `type` and `data` members.
///
/// ```swift
/// var names = Names()
/// let (alice, bob) = (try names.user("alice"), try names.user("bob"))
/// let event = Event.follow(.followed(Follow(follower: alice, followee: bob)))
/// event.type == .userFollowed  // true
/// ```
///
/// Events come in families, one for each kind of aggregate. Deciders and projections have a
/// `switch` over the events of their families and do not compile until a new event is handled; a
/// new family needs no change in code about other families. The deletion of an account is a case
/// of its own, because nearly every projection removes something then.
///
/// The actor, the time and the position in the log are not here but in `RecordedEvent` (the whole
/// line) and `Moment` (for projections). Ids are dense numbers from one `Names` table, so the most
/// frequent events (follows, friendships, chups) are plain values: no reference counting, no
/// allocation. Events with texts are boxed (`indirect`), which keeps the enum at 16 bytes.
public enum Event: Equatable, Sendable {
  case profile(ProfileEvent)
  case accountDeleted(UserReference)
  case follow(FollowEvent)
  case friendship(FriendshipEvent)
  case workout(WorkoutEvent)
  case chup(ChupEvent)
  case comment(CommentEvent)
  case heart(HeartEvent)
  case block(BlockEvent)
  case reaction(ReactionEvent)
  case group(GroupEvent)
  case member(MemberEvent)
  case conversation(ConversationEvent)
  case notification(NotificationEvent)
  case report(ReportEvent)
  /// Of an app's own type.
  indirect case app(AppRecord)

  /// The kind of this event.
  public var type: EventType {
    var visitor = TypeVisitor()
    return visit(&visitor) ?? .app
  }

  // Visitors are not local types: with those Swift 6.3's Embedded mode cannot read the module.
  private struct TypeVisitor: EventVisitor {
    func visit<Data>(_ type: EventType, _: Data, _: (Data) -> Event) -> EventType { type }
  }

  /// The schema version of its type.
  public var version: Int {
    if case .app(let record) = self { record.version } else { type.version }
  }

  /// The name of its type in a log.
  public var typeName: String {
    if case .app(let record) = self { record.type } else { type.name }
  }
}

/// The events of one kind of aggregate, as a case of `Event` holds them; or of several kinds that a
/// decider or a projection handles together.
public protocol EventFamily: Equatable, Sendable {
  /// The event as one of the family; nil if it is of another.
  init?(_ event: borrowing Event)
}

/// A family whose events can be visited: each with its type, its data, and how other data of the
/// same type is made into an event.
protocol CodedFamily: EventFamily {
  func visit<V: EventVisitor>(_ visitor: inout V) -> V.Result
}

/// An operation that is the same for events of every type.
protocol EventVisitor {
  associatedtype Result
  /// - Parameter event: makes an event of the same type from data.
  mutating func visit<Data: EventData>(
    _ type: EventType, _ data: Data, _ event: (Data) -> Event
  ) -> Result
}

extension Event {
  /// Reads the data of an event of `type` at its current version.
  init<C: MemberCoder>(_ type: EventType, from r: inout C) throws(LineFault) {
    switch type {
    case .profileCreated: self = .profile(.created(try .init(from: &r)))
    case .profileEdited: self = .profile(.edited(try .init(from: &r)))
    case .profilePhotoSet: self = .profile(.photoSet(try .init(from: &r)))
    case .profilePhotoRemoved: self = .profile(.photoRemoved(try .init(from: &r)))
    case .baseLocationSet: self = .profile(.baseLocationSet(try .init(from: &r)))
    case .baseLocationCleared: self = .profile(.baseLocationCleared(try .init(from: &r)))
    case .sportSet: self = .profile(.sportSet(try .init(from: &r)))
    case .sportRemoved: self = .profile(.sportRemoved(try .init(from: &r)))
    case .sendLogged: self = .profile(.sendLogged(try .init(from: &r)))
    case .accountDeleted: self = .accountDeleted(try .init(from: &r))
    case .userFollowed: self = .follow(.followed(try .init(from: &r)))
    case .userUnfollowed: self = .follow(.unfollowed(try .init(from: &r)))
    case .friendRequested: self = .friendship(.requested(try .init(from: &r)))
    case .friendRequestCancelled: self = .friendship(.cancelled(try .init(from: &r)))
    case .friendRequestAccepted: self = .friendship(.accepted(try .init(from: &r)))
    case .friendRequestRejected: self = .friendship(.rejected(try .init(from: &r)))
    case .friendRemoved: self = .friendship(.removed(try .init(from: &r)))
    case .workoutShared: self = .workout(.shared(try .init(from: &r)))
    case .workoutEdited: self = .workout(.edited(try .init(from: &r)))
    case .workoutDetailAttached: self = .workout(.detailAttached(try .init(from: &r)))
    case .workoutRemoved: self = .workout(.removed(try .init(from: &r)))
    case .chupGiven: self = .chup(.given(try .init(from: &r)))
    case .chupWithdrawn: self = .chup(.withdrawn(try .init(from: &r)))
    case .commentPosted: self = .comment(.posted(try .init(from: &r)))
    case .commentEdited: self = .comment(.edited(try .init(from: &r)))
    case .commentRemoved: self = .comment(.removed(try .init(from: &r)))
    case .commentHearted: self = .heart(.given(try .init(from: &r)))
    case .commentUnhearted: self = .heart(.withdrawn(try .init(from: &r)))
    case .userBlocked: self = .block(.blocked(try .init(from: &r)))
    case .userUnblocked: self = .block(.unblocked(try .init(from: &r)))
    case .weeklyGoalSet: self = .profile(.weeklyGoalSet(try .init(from: &r)))
    case .premiumRecorded: self = .profile(.premiumRecorded(try .init(from: &r)))
    case .reactionGiven: self = .reaction(.given(try .init(from: &r)))
    case .reactionWithdrawn: self = .reaction(.withdrawn(try .init(from: &r)))
    case .groupCreated: self = .group(.created(try .init(from: &r)))
    case .groupEdited: self = .group(.edited(try .init(from: &r)))
    case .groupTransferred: self = .group(.transferred(try .init(from: &r)))
    case .groupDeleted: self = .group(.deleted(try .init(from: &r)))
    case .memberInvited: self = .member(.invited(try .init(from: &r)))
    case .memberRequested: self = .member(.requested(try .init(from: &r)))
    case .memberJoined: self = .member(.joined(try .init(from: &r)))
    case .memberLeft: self = .member(.left(try .init(from: &r)))
    case .memberRemoved: self = .member(.removed(try .init(from: &r)))
    case .memberRoleSet: self = .member(.roleSet(try .init(from: &r)))
    case .messageSent: self = .conversation(.sent(try .init(from: &r)))
    case .messageRemoved: self = .conversation(.removed(try .init(from: &r)))
    case .conversationRead: self = .conversation(.read(try .init(from: &r)))
    case .notificationsRead: self = .notification(.read(try .init(from: &r)))
    case .contentReported: self = .report(.reported(try .init(from: &r)))
    case .reportClosed: self = .report(.closed(try .init(from: &r)))
    case .app: throw LineFault(.unknownType(type.name), path: "type")
    }
  }

  /// - Returns: nil for an event of an app, which has no data of the core's.
  func visit<V: EventVisitor>(_ visitor: inout V) -> V.Result? {
    switch self {
    case .profile(let event): event.visit(&visitor)
    case .accountDeleted(let data): visitor.visit(.accountDeleted, data) { .accountDeleted($0) }
    case .follow(let event): event.visit(&visitor)
    case .friendship(let event): event.visit(&visitor)
    case .workout(let event): event.visit(&visitor)
    case .chup(let event): event.visit(&visitor)
    case .comment(let event): event.visit(&visitor)
    case .heart(let event): event.visit(&visitor)
    case .block(let event): event.visit(&visitor)
    case .reaction(let event): event.visit(&visitor)
    case .group(let event): event.visit(&visitor)
    case .member(let event): event.visit(&visitor)
    case .conversation(let event): event.visit(&visitor)
    case .notification(let event): event.visit(&visitor)
    case .report(let event): event.visit(&visitor)
    case .app: nil
    }
  }
}

/// Where and when an event was recorded: what a projection sees of it beside the event itself.
public struct Moment: Equatable, Sendable {
  /// The position in the log: 1, 2, 3 …
  public var seq: UInt64
  /// When it was recorded.
  public var time: Timestamp

  public init(seq: UInt64, time: Timestamp) {
    self.seq = seq
    self.time = time
  }
}
