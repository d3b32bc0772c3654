/// One thing that happened, as data: the typed form of a line's `type` and `data` members.
///
/// ```swift
/// var names = Names()
/// let (alice, bob) = (try names.user("alice"), try names.user("bob"))
/// let event = Event.userFollowed(Follow(follower: alice, followee: bob))
/// event.type == .userFollowed  // true
/// ```
///
/// Who did it, when, and where it stands in the log is not here but in `RecordedEvent` (the whole
/// line) and `Moment` (what a projection sees). Ids are dense numbers given out by one `Names`
/// table, so that the families a log is full of (follows, friendships, chups, hearts) are plain
/// values: no reference counting, no allocation. Those with texts are boxed (`indirect`), which
/// keeps the enum at 16 bytes.
public enum Event: Equatable, Sendable {
  indirect case profileCreated(ProfileCreated)
  indirect case profileEdited(ProfileEdited)
  indirect case profilePhotoSet(ProfilePhotoSet)
  case profilePhotoRemoved(UserReference)
  indirect case baseLocationSet(BaseLocationSet)
  case baseLocationCleared(UserReference)
  indirect case sportSet(SportSet)
  indirect case sportRemoved(SportRemoved)
  indirect case sendLogged(SendLogged)
  case accountDeleted(UserReference)
  case userFollowed(Follow)
  case userUnfollowed(Follow)
  case friendRequested(FriendRequest)
  case friendRequestCancelled(FriendRequest)
  case friendRequestAccepted(FriendRequest)
  case friendRequestRejected(FriendRequest)
  case friendRemoved(FriendRemoved)
  indirect case workoutShared(WorkoutShared)
  indirect case workoutEdited(WorkoutEdited)
  indirect case workoutDetailAttached(WorkoutDetailAttached)
  case workoutRemoved(WorkoutReference)
  case chupGiven(ChupGiven)
  case chupWithdrawn(ChupWithdrawn)
  indirect case commentPosted(CommentPosted)
  indirect case commentEdited(CommentEdited)
  case commentRemoved(CommentReference)
  case commentHearted(Heart)
  case commentUnhearted(Heart)

  /// The kind of this event.
  public var type: EventType {
    switch self {
    case .profileCreated: .profileCreated
    case .profileEdited: .profileEdited
    case .profilePhotoSet: .profilePhotoSet
    case .profilePhotoRemoved: .profilePhotoRemoved
    case .baseLocationSet: .baseLocationSet
    case .baseLocationCleared: .baseLocationCleared
    case .sportSet: .sportSet
    case .sportRemoved: .sportRemoved
    case .sendLogged: .sendLogged
    case .accountDeleted: .accountDeleted
    case .userFollowed: .userFollowed
    case .userUnfollowed: .userUnfollowed
    case .friendRequested: .friendRequested
    case .friendRequestCancelled: .friendRequestCancelled
    case .friendRequestAccepted: .friendRequestAccepted
    case .friendRequestRejected: .friendRequestRejected
    case .friendRemoved: .friendRemoved
    case .workoutShared: .workoutShared
    case .workoutEdited: .workoutEdited
    case .workoutDetailAttached: .workoutDetailAttached
    case .workoutRemoved: .workoutRemoved
    case .chupGiven: .chupGiven
    case .chupWithdrawn: .chupWithdrawn
    case .commentPosted: .commentPosted
    case .commentEdited: .commentEdited
    case .commentRemoved: .commentRemoved
    case .commentHearted: .commentHearted
    case .commentUnhearted: .commentUnhearted
    }
  }
}

/// What a projection learns of an event beside the event itself.
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
