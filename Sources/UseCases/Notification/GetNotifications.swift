import Aggregates
import Events
import Projections

/// The caller's notifications.
public struct GetNotifications: Query {
  /// The input of `GetNotifications`.
  public struct Input: UseCaseInput {
    /// The maximum number of rows: 1 to 50, by default 20.
    public var limit: Int?
    /// The cursor of the previous page's last row; nil for the first page.
    public var after: PageCursor?

    /// Creates the input.
    public init(limit: Int? = nil, after: PageCursor? = nil) {
      (self.limit, self.after) = (limit, after)
    }

    public static var placeholder: Input { Input() }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.limit(&limit)
      try fields.after(
        """
        Only rows after this one: the last row's time, kind, user, comment or workout or group, \
        and reaction.
        """, &after)
    }
  }

  /// A notification of the caller.
  public struct Notification: Answer {
    /// The kinds of notifications.
    public enum Kind: String, ChoiceField {
      case request, acceptance, follow, chup, reaction, comment, reply, heart
      case groupInvitation, groupRequest, groupApproval
    }

    /// The kind of the notification.
    public var kind: Choice<Kind>
    /// The id of the user who acted; nil if that user owns a group and is hidden from the caller.
    public var user: String?
    /// The handle of the user who acted; nil if `user` is nil or the user has no handle.
    public var handle: String?
    /// The time when the user acted.
    public var time: Timestamp
    /// The workout's id, if the user acted on a workout or on one of its comments.
    public var workout: String?
    /// Whether the chup is big; nil if the notification is not about a chup.
    public var big: Bool?
    /// The kind of the reaction; nil if the notification is not about a reaction.
    public var reaction: Choice<ReactionKind>?
    /// The comment's id, if the notification is about a comment, a reply or a heart.
    public var comment: String?
    /// The comment's text, if the notification is about a comment, a reply or a heart.
    public var text: String?
    /// The group's id, if the notification is about an invitation, an approval or a request to
    /// join.
    public var group: String?
    /// Whether the caller has not marked the notification as read.
    public var unread = true

    public static var schema: String? { "Notification" }
    public static var placeholder: Notification { Notification(kind: .placeholder, time: .epoch) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("kind", "The kind of the notification.", &kind)
      try fields.nullable(
        "user", "The id of the user who acted; null for a group's owner who is hidden.", &user)
      try fields.nullable(
        "handle",
        "The handle of the user who acted; null if `user` is null or the user has no handle.",
        &handle)
      try fields.required("time", "The time when that user acted.", &time)
      try fields.nullable(
        "workout", "The workout's id, if the user acted on a workout or on one of its comments.",
        &workout)
      try fields.nullable(
        "big", "Whether the chup is big; null if the notification is not about a chup.", &big)
      try fields.nullable(
        "reaction", "The kind of the reaction; null if the notification is not about a reaction.",
        &reaction)
      try fields.nullable(
        "comment", "The comment's id, if the notification is about a comment, a reply or a heart.",
        &comment)
      try fields.nullable("text", "The text of that comment.", &text)
      try fields.nullable(
        "group", "The group's id, for an invitation, an approval or a request to join.", &group)
      try fields.required(
        "unread", "Whether the caller has not marked the notification as read.", &unread)
    }
  }

  public static let about = About(
    "GetNotifications", .notifications,
    "Show the acts of others that concern the caller, or the caller's workouts, comments or groups",
    result:
      "kind, user, handle, time, unread, and the subject; the newest first",
    errors: ["unauthorized", "profileNotFound"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [Notification] {
    let viewer = try model.signedIn(caller)
    let cursor = input.after
    // The number of notifications with the cursor's time, up to and including the cursor's own.
    var toSkip = 0
    if let cursor {
      let same = model.views.notifications(of: viewer, limit: .max) { $0.time == cursor.time }
      let rows = same.map { Notification($0, for: viewer, in: model) }
      // A cursor without the reaction is after all reactions that it can mean.
      let last =
        rows.firstIndex { $0.key + "," + ($0.reaction?.word ?? "") == cursor.key }
        ?? rows.lastIndex { $0.key == cursor.key }
      toSkip = last.map { $0 + 1 } ?? 0
    }
    let newest = model.views.notifications(of: viewer, limit: clamped(input.limit)) {
      notification in
      if let cursor, notification.time >= cursor.time {
        if notification.time > cursor.time { return false }
        toSkip -= 1
        if toSkip >= 0 { return false }
      }
      return model.isShown(notification, to: viewer)
    }
    return newest.map { Notification($0, for: viewer, in: model) }
  }
}

extension GetNotifications.Notification {
  /// The text that distinguishes the notification from others of the same time, for a cursor. A
  /// cursor also has the reaction, because a user may give several reactions at once.
  fileprivate var key: String {
    kind.word + "," + (user ?? "") + "," + (comment ?? workout ?? group ?? "")
  }

  package init(
    _ notification: Notifications.Notification, for viewer: UserID, in model: Model
  ) {
    let kind: Kind =
      switch notification.kind {
      case .request: .request
      case .acceptance: .acceptance
      case .follow: .follow
      case .chup: .chup
      case .reaction: .reaction
      case .comment: .comment
      case .reply: .reply
      case .heart: .heart
      case .invitation: .groupInvitation
      case .joinRequest: .groupRequest
      case .approval: .groupApproval
      }
    self.init(kind: .known(kind), time: notification.time)
    if model.isNamed(notification, to: viewer) {
      user = model.names[notification.user]
      handle = model.views.card(of: notification.user)?.handle
    }
    workout = notification.kind.workout.map { model.names[$0] }
    if case .chup(_, let big) = notification.kind { self.big = big }
    if case .reaction(_, let kind) = notification.kind { reaction = .known(kind) }
    comment = notification.kind.comment.map { model.names[$0] }
    text = notification.kind.comment.flatMap { model.views.comment($0)?.text }
    group = notification.kind.group.map { model.names[$0] }
    unread = notification.isUnread
  }
}

extension Model {
  /// Returns whether the receiver of a notification may see it now.
  package func isShown(_ notification: Notifications.Notification, to user: UserID) -> Bool {
    let isSeen = visibility(of: notification.user, .user(user)) != .hidden
    switch notification.kind {
    case .request: return isSeen || isAskedBy(notification.user, user)
    case .acceptance, .follow, .chup, .reaction, .comment: return isSeen
    case .reply(_, let workout), .heart(_, let workout):
      return isSeen && views.workout(workout).map { sees($0, .user(user)) } ?? false
    case .joinRequest: return !views.isBlocked(user, notification.user)
    // Invitations and approvals come from the group, not from its owner.
    case .invitation, .approval: return true
    }
  }

  /// Returns whether a shown notification names the user who acted.
  ///
  /// The receiver of an open request or invitation may see its sender, even if the sender's profile
  /// is private.
  func isNamed(_ notification: Notifications.Notification, to user: UserID) -> Bool {
    switch notification.kind {
    case .invitation: !views.isBlocked(user, notification.user)
    case .approval: visibility(of: notification.user, .user(user)) != .hidden
    default: true
    }
  }

  /// Returns the unread notifications that the user may see now, up to and including a time.
  func unread(
    of user: UserID, until end: Timestamp = .latest
  ) -> [Notifications.Notification] {
    views.unread(of: user) { $0.time <= end && isShown($0, to: user) }
  }
}
