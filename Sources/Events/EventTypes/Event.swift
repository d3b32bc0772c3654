/// A typed event: the Swift value of a log line's `type` and `data` fields.
///
/// ```swift
/// var names = Names()
/// let (alice, bob) = (try names.user("alice"), try names.user("bob"))
/// let event = Event.follow(.followed(Follow(follower: alice, followee: bob)))
/// event.type == .userFollowed  // true
/// ```
///
/// Events come in families, one for each kind of aggregate. Deciders and projections `switch` over
/// the events of their families. So if a family gets a new event, they do not compile until they
/// handle it. A new family needs no change in code about other families. The deletion of an account
/// belongs to no family, because nearly every projection then removes something.
///
/// An `Event` does not contain its position, time and actor. `RecordedEvent` (the whole line) has
/// all of these; `Moment` (for projections) has the position and the time.
///
/// Ids are dense numbers from one `Names` table. So the most frequent events (follows, friendships,
/// chups) need no allocation and no reference counting. Events with texts are boxed (`indirect`),
/// which keeps the enum at 16 bytes.
public enum Event: Equatable, Sendable {
  /// An event about a profile, except the deletion of the account.
  case profile(ProfileEvent)
  /// A user deleted their account.
  case accountDeleted(UserReference)
  /// An event about whether one user follows another.
  case follow(FollowEvent)
  /// An event about the friendship of two users.
  case friendship(FriendshipEvent)
  /// An event about a workout.
  case workout(WorkoutEvent)
  /// An event about a user's chup (like) on a workout.
  case chup(ChupEvent)
  /// An event about a comment.
  case comment(CommentEvent)
  /// An event about a user's heart on a comment.
  case heart(HeartEvent)
  /// An event about a user's block of another.
  case block(BlockEvent)
  /// An event about a user's reactions to a workout.
  case reaction(ReactionEvent)
  /// An event about a group.
  case group(GroupEvent)
  /// An event about a user's membership in a group.
  case member(MemberEvent)
  /// An event in the conversation of two users.
  case conversation(ConversationEvent)
  /// An event about the notifications of a user.
  case notification(NotificationEvent)
  /// An event about a report of content.
  case report(ReportEvent)
  /// An event of a type that an app declares itself (`AppEvent`).
  indirect case app(AppRecord)

  /// The event's type.
  public var type: EventType {
    var visitor = TypeVisitor()
    return visit(&visitor) ?? .app
  }

  // This visitor is not a local type, because Swift 6.3's Embedded mode cannot read modules with
  // local visitors.
  private struct TypeVisitor: EventVisitor {
    func visit<Data>(_ type: EventType, _: Data, _: (Data) -> Event) -> EventType { type }
  }

  /// The schema version of the event's data.
  public var version: Int {
    if case .app(let record) = self { record.version } else { type.version }
  }

  /// The event's type as the log's `type` field names it.
  public var typeName: String {
    if case .app(let record) = self { record.type } else { type.name }
  }
}

/// A type for the events of one kind of aggregate, or of several kinds that one decider or
/// projection handles together.
public protocol EventFamily: Equatable, Sendable {
  /// Creates this family's event from any event; returns nil if the event belongs to another
  /// family.
  init?(_ event: borrowing Event)
}

/// A family whose events pass their type and data to an `EventVisitor`.
protocol CodedFamily: EventFamily {
  /// Calls the visitor with the event's type and data, and with a closure that makes an event from
  /// such data.
  func visit<V: EventVisitor>(_ visitor: inout V) -> V.Result
}

/// An operation on an event's data that has the same code for all event types.
protocol EventVisitor {
  /// The result of the operation.
  associatedtype Result
  /// Performs the operation on one event.
  /// - Parameter event: A closure that takes data and returns an event of the same type with this
  ///   data.
  mutating func visit<Data: EventData>(
    _ type: EventType, _ data: Data, _ event: (Data) -> Event
  ) -> Result
}

extension Event {
  /// Reads an event of `type` from its data, which has the type's current version.
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

  /// Performs the visitor's operation on the event and returns the result. Returns nil for an app's
  /// own event, because its data is not an `EventData` type.
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

/// The position and the time of a recorded event, as projections receive them.
public struct Moment: Equatable, Sendable {
  /// The event's position in the log: 1, 2, 3 …
  public var seq: UInt64
  /// The time at which the event was recorded.
  public var time: Timestamp

  /// Creates a moment from a position and a time.
  public init(seq: UInt64, time: Timestamp) {
    (self.seq, self.time) = (seq, time)
  }
}
