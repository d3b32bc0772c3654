import Events

/// The messages between users, and how far each user has read them.
///
/// ```swift
/// Array(conversations.messages(alice, bob))  // [hi]: oldest first
/// conversations.unread(by: alice, from: bob)  // 1
/// ```
/// A removed message disappears for both users. When an account is deleted, its messages stay
/// without their sender.
///
/// A read event names the last event that the user has read, by an id that contains a time in
/// milliseconds. All messages sent until that time then count as read, if they precede the read
/// event in the log.
/// - Complexity: O(1) per event; removing a message costs O(messages of the conversation).
public struct Conversations: FamilyProjection {
  public static let name = "conversations"
  public static let version = 1
  public static let handles = EventTypes.conversation.union([.accountDeleted])

  /// A message that was not removed.
  public struct Message: Equatable, Sendable {
    /// The sender; nil if the account is deleted.
    public var sender: UserID?
    /// The user who received the message.
    public var receiver: UserID
    /// The message's text.
    public var text: String
    /// The position of the event that sent the message.
    public var seq: UInt64
    /// The time at which the message was sent.
    public var time: Timestamp
  }

  private var states = Records<Removable<Message>>()
  /// The number of each conversation, by its pair of users, lower id first.
  private var numbers = KeyTable()
  /// The messages by the conversation's number, oldest first.
  private var lists = Lists(blank: MessageID(index: 0))
  /// By user: the user's partners, in the order in which the conversations began.
  private var partners = Lists(blank: UserID(index: 0))
  /// By reader and sender: the index in `marks` of the point up to which the reader has read.
  private var readers = KeyTable()
  private var marks = Column(ReadMark.none)
  private var isDeleted = Column(false)

  public init() {}

  public mutating func apply(_ event: borrowing ConversationEvent, at moment: Moment) {
    switch event {
    case .sent(let data): send(data, moment)
    case .removed(let data): remove(data.message)
    case .read(let data):
      let number = readers.intern(KeyTable.key(data.user.index, data.other.index))
      marks[number] = marks[number].moved(to: data.upTo, at: moment)
    }
  }

  private mutating func send(_ data: MessageSent, _ moment: Moment) {
    guard !states.has(data.message.index) else { return }
    states[data.message.index] = .present(
      Message(
        sender: data.sender, receiver: data.receiver, text: data.text, seq: moment.seq,
        time: moment.time))
    let known = numbers.count
    let number = numbers.intern(Self.key(data.sender, data.receiver))
    lists.append(data.message, to: number)
    guard numbers.count > known else { return }
    partners.append(data.receiver, to: data.sender.index)
    if data.sender != data.receiver { partners.append(data.sender, to: data.receiver.index) }
  }

  private mutating func remove(_ id: MessageID) {
    if let message = states[id.index]?.value, let sender = message.sender,
      let number = numbers[Self.key(sender, message.receiver)]
    {
      lists.removeAll(in: number) { $0 == id }
    }
    states[id.index] = .removed
  }

  public mutating func removeAccount(_ user: UserID) { isDeleted[user.index] = true }

  private static func key(_ a: UserID, _ b: UserID) -> UInt64 {
    KeyTable.key(min(a.index, b.index), max(a.index, b.index))
  }

  public mutating func code(with coder: inout StateCoder) {
    states.code(with: &coder)
    numbers.code(with: &coder)
    lists.code(with: &coder)
    partners.code(with: &coder)
    readers.code(with: &coder)
    marks.code(with: &coder)
    isDeleted.code(with: &coder)
  }

  /// The message with this id; nil if it was removed or never sent.
  public subscript(id: MessageID) -> Message? {
    guard var message = states[id.index]?.value else { return nil }
    if let sender = message.sender, isDeleted[sender.index] { message.sender = nil }
    return message
  }

  /// Returns the messages between two users, oldest first.
  public func messages(_ a: UserID, _ b: UserID) -> Slab<MessageID>.SubSequence {
    // If there is no such conversation, `.max` finds an empty list.
    lists[numbers[Self.key(a, b)] ?? .max]
  }

  /// Returns the users with whom the user has a conversation, even if all its messages are removed.
  public func partners(of user: UserID) -> [UserID] { Array(partners[user.index]) }

  /// Returns the number of messages from the other user that the user has not read.
  /// - Complexity: O(messages after the last one that the user has read).
  public func unread(by user: UserID, from other: UserID) -> Int {
    let mark = readers[KeyTable.key(user.index, other.index)].map { marks[$0] } ?? .none
    var count = 0
    for id in messages(user, other).reversed() {
      guard let message = states[id.index]?.value else { continue }
      if mark.covers(message.seq, message.time) { break }
      // A message to oneself counts as read.
      if message.sender == other, user != other { count += 1 }
    }
    return count
  }

  /// Returns nil if each conversation's list has the messages of its two users, oldest first;
  /// otherwise describes the fault.
  public func brokenInvariant(_ names: Names) -> String? {
    let sent = names.all(MessageID.self).count { states[$0.index]?.value != nil }
    var listed = 0
    var broken: String?
    numbers.forEachPair { a, b, number in
      let messages = lists[number].compactMap { states[$0.index]?.value }
      listed += messages.count
      for message in messages
      where message.sender.map({ Self.key($0, message.receiver) })
        != KeyTable.key(a, b)
      {
        broken = "message \(message.seq) is in a conversation of other users"
      }
      if zip(messages, messages.dropFirst()).contains(where: { $0.seq >= $1.seq }) {
        broken = "a conversation of \(names[UserID(index: a)]) is out of order"
      }
    }
    return broken ?? (listed == sent ? nil : "\(listed) of \(sent) messages are listed")
  }
}

/// The point up to which a user has read messages or notifications.
struct ReadMark: BitwiseCopyable, Sendable {
  static let none = ReadMark(time: .min, seq: 0)

  /// The time in milliseconds; everything recorded after this time is unread.
  private var time: Int64
  /// The position of the read event; everything at or after this position is unread.
  private var seq: UInt32

  private init(time: Int64, seq: UInt32) { (self.time, self.seq) = (time, seq) }

  /// Returns this mark moved to `event`, the last event read. A mark never moves back.
  ///
  /// If the id of `event` contains no time, the mark does not change. A time after `moment` counts
  /// as the time of `moment`.
  func moved(to event: EventID, at moment: Moment) -> ReadMark {
    guard let read = event.time, min(read, moment.time).milliseconds >= time else { return self }
    return ReadMark(
      time: min(read, moment.time).milliseconds, seq: UInt32(truncatingIfNeeded: moment.seq))
  }

  func covers(_ seq: UInt64, _ time: Timestamp) -> Bool {
    seq < self.seq && time.milliseconds <= self.time
  }
}

extension Conversations.Message: Storable {
  public static var blank: Self {
    Self(sender: nil, receiver: UserID(index: 0), text: "", seq: 0, time: .earliest)
  }

  public mutating func code(with coder: inout RecordCoder) {
    coder(&sender)
    coder(&receiver)
    coder(&text)
    coder(&seq)
    coder(&time)
  }
}
