import Events
import Projections

/// The caller's notifications.
public struct GetNotifications: Query {
  public struct Input: UseCaseInput {
    public var limit: Int?
    public var after: PageCursor?

    public init(limit: Int? = nil, after: PageCursor? = nil) {
      (self.limit, self.after) = (limit, after)
    }

    public init(from fields: inout Fields) throws(InputError) {
      limit = try fields.limit()
      after = try fields.after(
        "Only rows behind this one: the last row's time, kind, user, and comment, workout or group."
      )
    }
  }

  public struct Notification: Answer {
    public enum Kind: String, Sendable {
      case request, acceptance, follow, chup, reaction, comment, reply, heart
      case groupInvitation, groupRequest, groupApproval
    }

    public var kind: Kind
    /// Nil, as is the handle, for a group's owner who is hidden.
    public var user: String?
    public var handle: String?
    public var time: Timestamp
    /// For what was done to a workout, or to a comment on it.
    public var workout: String?
    /// For a chup.
    public var big: Bool?
    /// For a reaction.
    public var reaction: ReactionKind?
    /// For a comment, a reply or a heart.
    public var comment: String?
    public var text: String?
    /// For an invitation, a request to join, or that one was granted: the group, by whose owner the
    /// first and last are.
    public var group: String?
    public var unread = true

    public var json: JSONValue {
      .object([
        "kind": .string(kind.rawValue), "user": .optional(user), "handle": .optional(handle),
        "time": .string("\(time)"), "workout": .optional(workout), "big": big.json,
        "reaction": .optional(reaction?.rawValue),
        "comment": .optional(comment), "text": .optional(text),
        "group": .optional(group), "unread": .bool(unread),
      ])
    }
  }

  public static let about = About(
    "GetNotifications", .notifications,
    "Show what others did that concerns oneself, one's workouts, comments and groups",
    result:
      "kind, user, handle, time, unread, and what it is about; the newest first",
    errors: ["unauthorized", "profileNotFound"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [Notification] {
    let viewer = try model.signedIn(caller)
    let cursor = input.after
    // The notifications of the cursor's time, up to its own.
    var toSkip = 0
    if let cursor {
      let same = model.views.notifications(of: viewer, limit: .max) { $0.time == cursor.time }
      let last = same.firstIndex { Notification($0, for: viewer, in: model).key == cursor.key }
      toSkip = last.map { $0 + 1 } ?? 0
    }
    let newest = model.views.notifications(of: viewer, limit: clamped(input.limit)) { told in
      if let cursor, told.time >= cursor.time {
        if told.time > cursor.time { return false }
        toSkip -= 1
        if toSkip >= 0 { return false }
      }
      return model.isShown(told, to: viewer)
    }
    return newest.map { Notification($0, for: viewer, in: model) }
  }
}

extension GetNotifications.Notification {
  /// Distinguishes notifications of the same time.
  fileprivate var key: String {
    kind.rawValue + "," + (user ?? "") + "," + (comment ?? workout ?? group ?? "")
  }

  init(
    _ told: Notifications.Notification, for viewer: UserID, in model: borrowing Model
  ) {
    kind =
      switch told.kind {
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
    if model.isNamed(told, to: viewer) {
      user = model.names[told.user]
      handle = model.views.card(of: told.user)?.handle
    }
    time = told.time
    workout = told.kind.workout.map { model.names[$0] }
    if case .chup(_, let big) = told.kind { self.big = big }
    if case .reaction(_, let kind) = told.kind { reaction = kind }
    comment = told.kind.comment.map { model.names[$0] }
    text = told.kind.comment.flatMap { model.views.comment($0)?.text }
    group = told.kind.group.map { model.names[$0] }
    unread = told.isUnread
  }
}
