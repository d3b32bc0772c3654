/// One thing that happened, as data: the typed form of a line's `type` and `data` members.
///
/// ```swift
/// var names = Names()
/// let (alice, bob) = (try names.user("alice"), try names.user("bob"))
/// let event = Event.follow(.followed(Follow(follower: alice, followee: bob)))
/// event.type == .userFollowed  // true
/// ```
///
/// Events come in families, one for each kind of aggregate, so that a `switch` can name the
/// families it ignores, and does not compile when a new one is forgotten. The deletion of an
/// account is a case of its own, because nearly every projection forgets something then.
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
