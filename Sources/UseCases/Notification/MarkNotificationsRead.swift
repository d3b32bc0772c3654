import Events

/// Marks the caller's notifications as read. Does nothing if they are already read.
public struct MarkNotificationsRead: SilentCommand {
  /// The input of `MarkNotificationsRead`.
  public struct Input: UseCaseInput {
    /// An event's id: marks its notification and all earlier ones. Nil marks all notifications.
    public var upTo: String?

    /// Creates the input.
    public init(upTo: String? = nil) { self.upTo = upTo }

    public static var placeholder: Input { Input() }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.optional(
        "upTo", "The id of the last event whose notification was read; by default all until now.",
        &upTo)
    }
  }

  public static let about = About(
    "MarkNotificationsRead", .notifications, "Mark the caller's notifications as read",
    errors: ["profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) {
    let actor = try model.actor()
    var upTo: EventID?
    if let text = input.upTo {
      guard let id = EventID(text), id.time != nil else {
        throw .invalidInput(InputError("upTo", "the id of an event, a UUID version 7, is expected"))
      }
      upTo = id
    }
    guard
      model.mayBeUnread(actor) || !model.unread(of: actor, until: upTo?.time ?? .latest).isEmpty
    else { return }
    try model.decideRead(upTo) { .notification(.read(.init(user: actor, upTo: $0))) }
  }
}

extension Model {
  /// Returns whether a user may have unread messages or notifications that the projections lack.
  func mayBeUnread(_ user: UserID) -> Bool { draft.isAhead || !views.isOpen(user) }

  /// Records that the actor has read everything up to the event `upTo`. If `upTo` is nil, uses the
  /// id of the new event itself.
  mutating func decideRead(
    _ upTo: EventID? = nil, _ event: (EventID) -> Event
  ) throws(UseCaseError) {
    let actor = try actor()
    let own = EventID(time: draft.time, random: draft.random())
    guard try decide(event(upTo ?? own), by: actor) != nil else { return }
    draft.events[draft.events.count - 1].id = own
  }
}
