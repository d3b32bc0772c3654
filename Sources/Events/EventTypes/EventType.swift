/// The kind of an event: its wire name, its current schema version and the family of its stream.
///
/// Raw values index the `EventTypes` bit set and tables in memory and are never written to a log.
/// Logs have `wireName`, a literal that does not change when a Swift name does.
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
  /// Every type of an app's own (`AppEvent`); the core has no other that is not in `allCases`.
  case app

  /// The core's own types.
  public static let allCases = (0..<app.rawValue).compactMap { EventType(rawValue: $0) }

  /// The name in the log's `type` member.
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

  /// The wire name as a String, made once.
  public var name: String { Self.names[Int(rawValue)] }
  private static let names = (allCases + [.app]).map { "\($0.wireName)" }

  /// The schema version that this code writes. Older ones are upcast on reading (`Upcaster`).
  public var version: Int {
    switch self {
    case .profileCreated, .profilePhotoSet, .workoutShared, .workoutEdited: 2
    default: 1
    }
  }

  /// The type with this wire name, or nil for an unknown name.
  /// - Complexity: O(number of types); the fast reader has its own hash (`TypeTable`).
  public init?(wireName: String) {
    guard let match = Self.allCases.first(where: { "\($0.wireName)" == wireName }) else {
      return nil
    }
    self = match
  }
}

/// A set of event types, one bit each; what a projection says it handles.
public struct EventTypes: Sendable, Equatable, ExpressibleByArrayLiteral {
  public var bits: UInt64

  public init(bits: UInt64) { self.bits = bits }
  public init(arrayLiteral elements: EventType...) {
    bits = elements.reduce(0) { $0 | 1 << UInt64($1.rawValue) }
  }

  /// Every type there is, those of apps included.
  public static let all = EventTypes(bits: 1 << (UInt64(EventType.app.rawValue) + 1) - 1)

  /// The types of each family.
  public static let profile: EventTypes = [
    .profileCreated, .profileEdited, .profilePhotoSet, .profilePhotoRemoved, .baseLocationSet,
    .baseLocationCleared, .sportSet, .sportRemoved, .sendLogged, .weeklyGoalSet, .premiumRecorded,
  ]
  public static let follow: EventTypes = [.userFollowed, .userUnfollowed]
  public static let friendship: EventTypes = [
    .friendRequested, .friendRequestCancelled, .friendRequestAccepted, .friendRequestRejected,
    .friendRemoved,
  ]
  public static let workout: EventTypes = [
    .workoutShared, .workoutEdited, .workoutDetailAttached, .workoutRemoved,
  ]
  public static let chup: EventTypes = [.chupGiven, .chupWithdrawn]
  public static let comment: EventTypes = [.commentPosted, .commentEdited, .commentRemoved]
  public static let heart: EventTypes = [.commentHearted, .commentUnhearted]
  public static let block: EventTypes = [.userBlocked, .userUnblocked]
  public static let reaction: EventTypes = [.reactionGiven, .reactionWithdrawn]
  public static let group: EventTypes = [
    .groupCreated, .groupEdited, .groupTransferred, .groupDeleted,
  ]
  public static let member: EventTypes = [
    .memberInvited, .memberRequested, .memberJoined, .memberLeft, .memberRemoved, .memberRoleSet,
  ]
  public static let conversation: EventTypes = [.messageSent, .messageRemoved, .conversationRead]
  public static let notification: EventTypes = [.notificationsRead]
  public static let report: EventTypes = [.contentReported, .reportClosed]

  /// The types whose data is two ids and nothing that takes memory.
  static let pairs = follow.union(friendship).union(chup).union(heart).union(block)
    .union(reaction).union(member)

  @inline(__always)
  public func contains(_ type: EventType) -> Bool { bits & 1 << UInt64(type.rawValue) != 0 }
  public func union(_ other: EventTypes) -> EventTypes { EventTypes(bits: bits | other.bits) }
}
