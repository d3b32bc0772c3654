/// An event in the conversation of two users.
public enum ConversationEvent: EventFamily, CodedFamily {
  /// One user sent the other user a message.
  indirect case sent(MessageSent)
  /// A message was removed for both users.
  case removed(MessageRemoved)
  /// One user read the other user's messages.
  indirect case read(ConversationRead)

  @inlinable
  public init?(_ event: borrowing Event) {
    switch event {
    case .conversation(let event): self = event
    default: return nil
    }
  }

  func visit<V: EventVisitor>(_ visitor: inout V) -> V.Result {
    switch self {
    case .sent(let data): visitor.visit(.messageSent, data) { .conversation(.sent($0)) }
    case .removed(let data): visitor.visit(.messageRemoved, data) { .conversation(.removed($0)) }
    case .read(let data): visitor.visit(.conversationRead, data) { .conversation(.read($0)) }
    }
  }
}

/// The data of `MessageSent`: a text from one user to another.
public struct MessageSent: EventData {
  /// The new message's id.
  public var message: MessageID
  /// The user who sends the message.
  public var sender: UserID
  /// The user who receives the message.
  public var receiver: UserID
  /// The message's text.
  public var text: String

  /// Creates the data of a `MessageSent` event.
  public init(message: MessageID, sender: UserID, receiver: UserID, text: String) {
    (self.message, self.sender, self.receiver, self.text) = (message, sender, receiver, text)
  }

  init() { self.init(message: .blank, sender: .blank, receiver: .blank, text: "") }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("message", &message)
    try members("sender", &sender)
    try members("receiver", &receiver)
    try members.text("text", &text, .words)
  }

  public var stream: StreamID { .conversation(sender, receiver) }

  var words: Words? { Words(of: AnyID(message), by: .user(sender)) }
}

/// The data of `MessageRemoved`: neither user sees the message any more.
public struct MessageRemoved: WordlessData {
  /// The id of the removed message.
  public var message: MessageID
  /// The user who sent the message.
  public var sender: UserID
  /// The user who received the message.
  public var receiver: UserID

  /// Creates the data of a `MessageRemoved` event.
  public init(message: MessageID, sender: UserID, receiver: UserID) {
    (self.message, self.sender, self.receiver) = (message, sender, receiver)
  }

  init() { self.init(message: .blank, sender: .blank, receiver: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("message", &message)
    try members("sender", &sender)
    try members("receiver", &receiver)
  }

  public var stream: StreamID { .conversation(sender, receiver) }
}

/// The data of `ConversationRead`: one user has read the other user's messages.
public struct ConversationRead: EventData {
  /// The user who has read the messages.
  public var user: UserID
  /// The user who sent the messages.
  public var other: UserID
  /// The id of the last event that the user has read. All messages recorded up to this event count
  /// as read.
  public var upTo: EventID

  /// Creates the data of a `ConversationRead` event.
  public init(user: UserID, other: UserID, upTo: EventID) {
    (self.user, self.other, self.upTo) = (user, other, upTo)
  }

  init() { self.init(user: .blank, other: .blank, upTo: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("user", &user)
    try members("other", &other)
    try members.event("upTo", &upTo)
  }

  public var stream: StreamID { .conversation(user, other) }

  var words: Words? { nil }
}

extension ConversationEvent {
  /// The id of the message that was sent or removed; nil for a `read` event.
  package var message: MessageID? {
    switch self {
    case .sent(let data): data.message
    case .removed(let data): data.message
    case .read: nil
    }
  }
}
