/// One thing that happened, as data: the typed form of a line's `type` and `data` members.
///
/// ```swift
/// var names = Names()
/// let (alice, bob) = (try names.user("alice"), try names.user("bob"))
/// let event = Event.follow(.followed(Follow(follower: alice, followee: bob)))
/// event.type == .userFollowed  // true
/// ```
///
/// Events come in families, one for each kind of aggregate: what looks at a family has a `switch`
/// over its events and does not compile when a new one is forgotten, and a new family is nothing to
/// what looks at others. This file is the only one of the module that lists families. The deletion
/// of an account is a case of its own, because nearly every projection forgets something then.
///
/// Who did it, when, and where it stands in the log is not here but in `RecordedEvent` (the whole
/// line) and `Moment` (what a projection sees). Ids are dense numbers given out by one `Names`
/// table, so that the events a log is full of (follows, friendships, chups, hearts) are plain
/// values: no reference counting, no allocation. Those with texts are boxed (`indirect`), which
/// keeps the enum at 16 bytes.
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
    switch self {
    case .profile(let event): event.type
    case .accountDeleted: .accountDeleted
    case .follow(let event): event.type
    case .friendship(let event): event.type
    case .workout(let event): event.type
    case .chup(let event): event.type
    case .comment(let event): event.type
    case .heart(let event): event.type
    case .block(let event): event.type
    case .reaction(let event): event.type
    case .group(let event): event.type
    case .member(let event): event.type
    case .conversation(let event): event.type
    case .notification(let event): event.type
    case .report(let event): event.type
    case .app: .app
    }
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

/// The events of one kind of aggregate: what a case of `Event` holds. Also several such, where
/// somebody looks at them together.
public protocol EventFamily: Equatable, Sendable {
  /// The event as one of the family; nil if it is of another.
  init?(_ event: borrowing Event)
}

/// A family as its events are written and read.
protocol CodedFamily: EventFamily {
  var type: EventType { get }
  /// Passes the event's data to a visitor.
  func visitData<V: DataVisitor>(_ visitor: inout V) -> V.Result
  /// Replaces the event's data.
  mutating func mapData(_ map: inout some DataMap)
}

extension Event {
  /// Reads the data of an event of `type` at its current version.
  init<R: MemberReader>(_ type: EventType, from r: inout R) throws(LineFault) {
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

  /// - Returns: nil for an event of an app's, whose data is the app's.
  func visitData<V: DataVisitor>(_ visitor: inout V) -> V.Result? {
    switch self {
    case .profile(let event): event.visitData(&visitor)
    case .accountDeleted(let data): visitor.visit(data)
    case .follow(let event): event.visitData(&visitor)
    case .friendship(let event): event.visitData(&visitor)
    case .workout(let event): event.visitData(&visitor)
    case .chup(let event): event.visitData(&visitor)
    case .comment(let event): event.visitData(&visitor)
    case .heart(let event): event.visitData(&visitor)
    case .block(let event): event.visitData(&visitor)
    case .reaction(let event): event.visitData(&visitor)
    case .group(let event): event.visitData(&visitor)
    case .member(let event): event.visitData(&visitor)
    case .conversation(let event): event.visitData(&visitor)
    case .notification(let event): event.visitData(&visitor)
    case .report(let event): event.visitData(&visitor)
    case .app: nil
    }
  }

  /// Replaces the event's data; that of an app's stays as it is.
  mutating func mapData(_ map: inout some DataMap) {
    func mapped<Family: CodedFamily>(_ event: Family) -> Family {
      var copy = event
      copy.mapData(&map)
      return copy
    }
    switch self {
    case .profile(let event): self = .profile(mapped(event))
    case .accountDeleted(let data): self = .accountDeleted(map(data))
    case .follow(let event): self = .follow(mapped(event))
    case .friendship(let event): self = .friendship(mapped(event))
    case .workout(let event): self = .workout(mapped(event))
    case .chup(let event): self = .chup(mapped(event))
    case .comment(let event): self = .comment(mapped(event))
    case .heart(let event): self = .heart(mapped(event))
    case .block(let event): self = .block(mapped(event))
    case .reaction(let event): self = .reaction(mapped(event))
    case .group(let event): self = .group(mapped(event))
    case .member(let event): self = .member(mapped(event))
    case .conversation(let event): self = .conversation(mapped(event))
    case .notification(let event): self = .notification(mapped(event))
    case .report(let event): self = .report(mapped(event))
    case .app: break
    }
  }

  /// Replaces the ids that the event names, in the order of its members.
  mutating func mapIDs(_ map: some IDMap) {
    if case .app(var record) = self {
      record.mapIDs(map)
      self = .app(record)
      return
    }
    var ids = DataIDs(map: map)
    mapData(&ids)
  }
}

/// Replaces the ids in data.
private struct DataIDs<Map: IDMap>: DataMap {
  let map: Map
  func callAsFunction<Data: EventData>(_ data: Data) -> Data {
    var copy = data
    copy.mapIDs(map)
    return copy
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
