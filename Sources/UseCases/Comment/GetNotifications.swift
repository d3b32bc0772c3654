import Events
import Projections

/// The caller's notifications.
public struct GetNotifications: Query {
  public struct Input: UseCaseInput {
    public var limit: Int?

    public init(limit: Int? = nil) { self.limit = limit }

    public init(from fields: inout Fields) throws(InputError) {
      limit = try fields.limit()
    }
  }

  public struct Notification: Answer {
    public enum Kind: String, Sendable {
      case request, acceptance, follow, chup, reaction, comment
    }

    public var kind: Kind
    public var user: String
    public var handle: String?
    public var time: Timestamp
    /// For a chup, a reaction or a comment.
    public var workout: String?
    /// For a chup.
    public var big: Bool?
    /// For a reaction.
    public var reaction: ReactionKind?
    /// For a comment.
    public var comment: String?
    public var text: String?

    public var json: JSONValue {
      .object([
        "kind": .string(kind.rawValue), "user": .string(user), "handle": .optional(handle),
        "time": .string("\(time)"), "workout": .optional(workout), "big": big.json,
        "reaction": .optional(reaction?.rawValue),
        "comment": .optional(comment), "text": .optional(text),
      ])
    }
  }

  public static let about = About(
    "GetNotifications", .comments,
    "Show requests, acceptances, follows, and chups, reactions and comments on one's workouts",
    result: "kind, user, handle, time, workout, big, reaction, comment and text, newest first",
    errors: ["unauthorized", "profileNotFound"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [Notification] {
    let viewer = try model.signedIn(caller)
    let newest = model.views.notifications(of: viewer, limit: clamped(input.limit)) {
      model.sight(of: $0.user, .user(viewer)) != .hidden
        || $0.kind == .request && model.isAskedBy($0.user, viewer)
    }
    return newest.map { told in
      var notification = Notification(
        kind: .follow, user: model.names[told.user],
        handle: model.views.card(of: told.user)?.handle, time: told.time)
      notification.workout = told.kind.workout.map { model.names[$0] }
      switch told.kind {
      case .request: notification.kind = .request
      case .acceptance: notification.kind = .acceptance
      case .follow: break
      case .chup(_, let big):
        notification.kind = .chup
        notification.big = big
      case .reaction(_, let kind):
        notification.kind = .reaction
        notification.reaction = kind
      case .comment(let comment, _):
        notification.kind = .comment
        notification.comment = model.names[comment]
        notification.text = model.views.comment(comment)?.text
      }
      return notification
    }
  }
}

public typealias RefreshNotifications = Refresh<GetNotifications>
