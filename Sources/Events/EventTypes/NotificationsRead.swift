/// An event about a user's notifications.
public indirect enum NotificationEvent: EventFamily, CodedFamily {
  /// The user read their notifications.
  case read(NotificationsRead)

  @inlinable
  public init?(_ event: borrowing Event) {
    switch event {
    case .notification(let event): self = event
    default: return nil
    }
  }

  func visit<V: EventVisitor>(_ visitor: inout V) -> V.Result {
    switch self {
    case .read(let data): visitor.visit(.notificationsRead, data) { .notification(.read($0)) }
    }
  }
}

/// The data of `NotificationsRead`: a user has read their notifications.
public struct NotificationsRead: EventData {
  /// The user who has read their notifications.
  public var user: UserID
  /// The id of the last event that the user has read. All notifications recorded up to this event
  /// count as read.
  public var upTo: EventID

  /// Creates the data of a `NotificationsRead` event.
  public init(user: UserID, upTo: EventID) {
    (self.user, self.upTo) = (user, upTo)
  }

  init() { self.init(user: .blank, upTo: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("user", &user)
    try members.event("upTo", &upTo)
  }

  public var stream: StreamID { .notifications(user) }

  var words: Words? { nil }
}
