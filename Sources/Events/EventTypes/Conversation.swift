/// What happens in the conversation of two users.
public enum ConversationEvent: EventFamily, CodedFamily {
  indirect case sent(MessageSent)
  case removed(MessageRemoved)
  indirect case read(ConversationRead)

  @inlinable
  public init?(_ event: borrowing Event) {
    switch event {
    case .conversation(let event): self = event
    default: return nil
    }
  }

  public var type: EventType {
    switch self {
    case .sent: .messageSent
    case .removed: .messageRemoved
    case .read: .conversationRead
    }
  }

  func visitData<V: DataVisitor>(_ visitor: inout V) -> V.Result {
    switch self {
    case .sent(let data): visitor.visit(data)
    case .removed(let data): visitor.visit(data)
    case .read(let data): visitor.visit(data)
    }
  }

  mutating func mapData(_ map: inout some DataMap) {
    switch self {
    case .sent(let data): self = .sent(map(data))
    case .removed(let data): self = .removed(map(data))
    case .read(let data): self = .read(map(data))
    }
  }
}

/// The data of `MessageSent`: a text from one user to another.
public struct MessageSent: EventData {
  public var message: MessageID
  public var sender: UserID
  public var receiver: UserID
  public var text: String

  public init(message: MessageID, sender: UserID, receiver: UserID, text: String) {
    self.message = message
    self.sender = sender
    self.receiver = receiver
    self.text = text
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    message = try r.required("message")
    sender = try r.required("sender")
    receiver = try r.required("receiver")
    text = try r.required("text")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("message", message)
    w.member("sender", sender)
    w.member("receiver", receiver)
    w.member("text", text)
  }

  public var stream: StreamID { .conversation(sender, receiver) }

  mutating func mapIDs(_ map: some IDMap) {
    message = map(message)
    sender = map(sender)
    receiver = map(receiver)
  }

  var words: Words? { Words(of: AnyID(message), by: .user(sender)) }

  mutating func mapContent(_ map: inout some ContentMap) {
    text = map.text(text, "text")
  }
}

/// The data of `MessageRemoved`: a message that both no longer see.
public struct MessageRemoved: WordlessData {
  public var message: MessageID
  public var sender: UserID
  public var receiver: UserID

  public init(message: MessageID, sender: UserID, receiver: UserID) {
    self.message = message
    self.sender = sender
    self.receiver = receiver
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    message = try r.required("message")
    sender = try r.required("sender")
    receiver = try r.required("receiver")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("message", message)
    w.member("sender", sender)
    w.member("receiver", receiver)
  }

  public var stream: StreamID { .conversation(sender, receiver) }

  mutating func mapIDs(_ map: some IDMap) {
    message = map(message)
    sender = map(sender)
    receiver = map(receiver)
  }
}

/// The data of `ConversationRead`: a user has read what another has sent.
public struct ConversationRead: EventData {
  /// Who has read.
  public var user: UserID
  public var other: UserID
  /// The last event of what is read: everything recorded until then.
  public var upTo: EventID

  public init(user: UserID, other: UserID, upTo: EventID) {
    self.user = user
    self.other = other
    self.upTo = upTo
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    user = try r.required("user")
    other = try r.required("other")
    upTo = try r.required("upTo")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("user", user)
    w.member("other", other)
    w.member("upTo", upTo)
  }

  public var stream: StreamID { .conversation(user, other) }

  mutating func mapIDs(_ map: some IDMap) {
    user = map(user)
    other = map(other)
  }

  var words: Words? { nil }

  mutating func mapContent(_ map: inout some ContentMap) {
    upTo = map.eventID(upTo)
  }
}
