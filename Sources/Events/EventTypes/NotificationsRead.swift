/// What happens to a user's notifications.
public indirect enum NotificationEvent: EventFamily, CodedFamily {
  case read(NotificationsRead)

  @inlinable
  public init?(_ event: borrowing Event) {
    switch event {
    case .notification(let event): self = event
    default: return nil
    }
  }

  public var type: EventType {
    switch self {
    case .read: .notificationsRead
    }
  }

  func visitData<V: DataVisitor>(_ visitor: inout V) -> V.Result {
    switch self {
    case .read(let data): visitor.visit(data)
    }
  }

  mutating func mapData(_ map: inout some DataMap) {
    switch self {
    case .read(let data): self = .read(map(data))
    }
  }
}

/// The data of `NotificationsRead`: a user has read their notifications.
public struct NotificationsRead: EventData {
  public var user: UserID
  /// The last event of which the user has read: everything recorded until then.
  public var upTo: EventID

  public init(user: UserID, upTo: EventID) {
    self.user = user
    self.upTo = upTo
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    user = try r.required("user")
    upTo = try r.required("upTo")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("user", user)
    w.member("upTo", upTo)
  }

  public var stream: StreamID { .notifications(user) }

  mutating func mapIDs(_ map: some IDMap) {
    user = map(user)
  }

  var words: Words? { nil }

  mutating func mapContent(_ map: inout some ContentMap) {
    upTo = map.eventID(upTo)
  }
}
