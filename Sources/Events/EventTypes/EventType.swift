/// The type of an event. It determines the type's name in logs and its current schema version.
///
/// Raw values are only used in memory, as bits of `EventTypes` and as indices of tables. Logs
/// contain `wireName` instead, a literal that stays the same if the case is renamed in Swift.
public enum EventType: UInt8, CaseIterable, Sendable {
  case profileCreated, profileEdited, profilePhotoSet, profilePhotoRemoved
  case baseLocationSet, baseLocationCleared, sportSet, sportRemoved, sendLogged, accountDeleted
  case userFollowed, userUnfollowed
  case friendRequested, friendRequestCancelled, friendRequestAccepted, friendRequestRejected
  case friendRemoved
  case workoutShared, workoutEdited, workoutDetailAttached, workoutRemoved
  case chupGiven, chupWithdrawn
  case commentPosted, commentEdited, commentRemoved
  case commentHearted, commentUnhearted
  case userBlocked, userUnblocked
  case reactionGiven, reactionWithdrawn
  case weeklyGoalSet, premiumRecorded
  case groupCreated, groupEdited, groupTransferred, groupDeleted
  case memberInvited, memberRequested, memberJoined, memberLeft, memberRemoved, memberRoleSet
  case messageSent, messageRemoved, conversationRead
  case notificationsRead
  case contentReported, reportClosed
  /// Any event type that an app declares itself (`AppEvent`). This is the only case that `allCases`
  /// does not contain.
  case app

  /// All event types of the core.
  public static let allCases = (0..<app.rawValue).compactMap { EventType(rawValue: $0) }

  /// The type's name in the log's `type` field.
  public var wireName: StaticString {
    switch self {
    case .profileCreated: "ProfileCreated"
    case .profileEdited: "ProfileEdited"
    case .profilePhotoSet: "ProfilePhotoSet"
    case .profilePhotoRemoved: "ProfilePhotoRemoved"
    case .baseLocationSet: "BaseLocationSet"
    case .baseLocationCleared: "BaseLocationCleared"
    case .sportSet: "SportSet"
    case .sportRemoved: "SportRemoved"
    case .sendLogged: "SendLogged"
    case .accountDeleted: "AccountDeleted"
    case .userFollowed: "UserFollowed"
    case .userUnfollowed: "UserUnfollowed"
    case .friendRequested: "FriendRequested"
    case .friendRequestCancelled: "FriendRequestCancelled"
    case .friendRequestAccepted: "FriendRequestAccepted"
    case .friendRequestRejected: "FriendRequestRejected"
    case .friendRemoved: "FriendRemoved"
    case .workoutShared: "WorkoutShared"
    case .workoutEdited: "WorkoutEdited"
    case .workoutDetailAttached: "WorkoutDetailAttached"
    case .workoutRemoved: "WorkoutRemoved"
    case .chupGiven: "ChupGiven"
    case .chupWithdrawn: "ChupWithdrawn"
    case .commentPosted: "CommentPosted"
    case .commentEdited: "CommentEdited"
    case .commentRemoved: "CommentRemoved"
    case .commentHearted: "CommentHearted"
    case .commentUnhearted: "CommentUnhearted"
    case .userBlocked: "UserBlocked"
    case .userUnblocked: "UserUnblocked"
    case .reactionGiven: "ReactionGiven"
    case .reactionWithdrawn: "ReactionWithdrawn"
    case .weeklyGoalSet: "WeeklyGoalSet"
    case .premiumRecorded: "PremiumRecorded"
    case .groupCreated: "GroupCreated"
    case .groupEdited: "GroupEdited"
    case .groupTransferred: "GroupTransferred"
    case .groupDeleted: "GroupDeleted"
    case .memberInvited: "MemberInvited"
    case .memberRequested: "MemberRequested"
    case .memberJoined: "MemberJoined"
    case .memberLeft: "MemberLeft"
    case .memberRemoved: "MemberRemoved"
    case .memberRoleSet: "MemberRoleSet"
    case .messageSent: "MessageSent"
    case .messageRemoved: "MessageRemoved"
    case .conversationRead: "ConversationRead"
    case .notificationsRead: "NotificationsRead"
    case .contentReported: "ContentReported"
    case .reportClosed: "ReportClosed"
    case .app: "app"
    }
  }

  /// The type's name in the log's `type` field, as a `String`. The strings are created once.
  public var name: String { Self.names[Int(rawValue)] }
  private static let names = (allCases + [.app]).map { "\($0.wireName)" }

  /// The schema version of the data that this code writes. `Upcaster` converts older versions when
  /// they are read.
  public var version: Int {
    switch self {
    case .profileCreated, .profilePhotoSet, .workoutShared, .workoutEdited: 2
    default: 1
    }
  }

  /// Creates the type from its name in the log's `type` field; returns nil if the name is unknown.
  /// - Complexity: O(number of types). The readers of lines use the hash table `TypeTable` instead.
  public init?(wireName: String) {
    guard let match = Self.allCases.first(where: { "\($0.wireName)" == wireName }) else {
      return nil
    }
    self = match
  }
}

/// A set of event types, such as the types that a projection handles. Each type is one bit.
public struct EventTypes: Sendable, Equatable, ExpressibleByArrayLiteral {
  /// The set as bits. The bit whose index is a type's raw value is 1 if the set contains the type.
  public var bits: UInt64

  /// Creates a set from its bits, as in `bits`.
  public init(bits: UInt64) { self.bits = bits }
  public init(arrayLiteral elements: EventType...) { self.init(elements) }
  /// Creates a set of event types.
  public init(_ elements: some Sequence<EventType>) {
    bits = elements.reduce(0) { $0 | 1 << UInt64($1.rawValue) }
  }

  /// All event types, including apps' own types.
  public static let all = EventTypes(bits: 1 << (UInt64(EventType.app.rawValue) + 1) - 1)

  /// The types of profile events, except `accountDeleted`.
  public static let profile: EventTypes = [
    .profileCreated, .profileEdited, .profilePhotoSet, .profilePhotoRemoved, .baseLocationSet,
    .baseLocationCleared, .sportSet, .sportRemoved, .sendLogged, .weeklyGoalSet, .premiumRecorded,
  ]
  /// The types of follow events.
  public static let follow: EventTypes = [.userFollowed, .userUnfollowed]
  /// The types of friendship events.
  public static let friendship: EventTypes = [
    .friendRequested, .friendRequestCancelled, .friendRequestAccepted, .friendRequestRejected,
    .friendRemoved,
  ]
  /// The types of workout events.
  public static let workout: EventTypes = [
    .workoutShared, .workoutEdited, .workoutDetailAttached, .workoutRemoved,
  ]
  /// The types of chup events.
  public static let chup: EventTypes = [.chupGiven, .chupWithdrawn]
  /// The types of comment events.
  public static let comment: EventTypes = [.commentPosted, .commentEdited, .commentRemoved]
  /// The types of heart events.
  public static let heart: EventTypes = [.commentHearted, .commentUnhearted]
  /// The types of block events.
  public static let block: EventTypes = [.userBlocked, .userUnblocked]
  /// The types of reaction events.
  public static let reaction: EventTypes = [.reactionGiven, .reactionWithdrawn]
  /// The types of group events.
  public static let group: EventTypes = [
    .groupCreated, .groupEdited, .groupTransferred, .groupDeleted,
  ]
  /// The types of membership events.
  public static let member: EventTypes = [
    .memberInvited, .memberRequested, .memberJoined, .memberLeft, .memberRemoved, .memberRoleSet,
  ]
  /// The types of conversation events.
  public static let conversation: EventTypes = [.messageSent, .messageRemoved, .conversationRead]
  /// The types of notification events.
  public static let notification: EventTypes = [.notificationsRead]
  /// The types of report events.
  public static let report: EventTypes = [.contentReported, .reportClosed]

  /// The types whose data consists mainly of two ids, so reading it needs no allocation.
  static let pairs = follow.union(friendship).union(chup).union(heart).union(block)
    .union(reaction).union(member)

  /// Whether the set contains an event type.
  @inline(__always)
  public func contains(_ type: EventType) -> Bool { bits & 1 << UInt64(type.rawValue) != 0 }
  /// Returns a set with the types of both sets.
  public func union(_ other: EventTypes) -> EventTypes { EventTypes(bits: bits | other.bits) }
}
