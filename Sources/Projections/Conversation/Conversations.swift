import Events

/// The messages between users, and how far each has read.
///
/// ```swift
/// Array(conversations.messages(alice, bob))  // [hi]: the oldest first
/// conversations.unread(by: alice, from: bob)  // 1
/// ```
/// A removed message is gone for both. When an account is deleted, its messages stay, without their
/// sender. A user who reads up to an event has read every message recorded before, up to the time
/// in the event's id, to the millisecond.
/// - Complexity: O(1) per event; a removal costs the messages of the conversation.
public struct Conversations: FamilyProjection {
  public static let name = "conversations"
  public static let version = 1
  public static let handles = EventTypes.conversation.union([.accountDeleted])

  public struct Message: Equatable, Sendable {
    /// Nil for one whose account is deleted.
    public var sender: UserID?
    public var receiver: UserID
    public var text: String
    public var seq: UInt64
    public var time: Timestamp
  }

  private var states = Records<Removable<Message>>()
  /// By pair, the lower number first: the number of their conversation.
  private var numbers = KeyTable()
  /// By conversation, oldest first.
  private var lists = Lists(blank: MessageID(index: 0))
  /// By user, the partners in the order in which the conversations began.
  private var partners = Lists(blank: UserID(index: 0))
  /// By reader and sender.
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

  /// The message; nil if it is removed or was never sent.
  public subscript(id: MessageID) -> Message? {
    guard var message = states[id.index]?.value else { return nil }
    if let sender = message.sender, isDeleted[sender.index] { message.sender = nil }
    return message
  }

  /// The messages between two users, oldest first.
  public func messages(_ a: UserID, _ b: UserID) -> Slab<MessageID>.SubSequence {
    // No conversation has this number.
    lists[numbers[Self.key(a, b)] ?? .max]
  }

  /// The users with whom the user has a conversation, even if all its messages are removed.
  public func partners(of user: UserID) -> [UserID] { Array(partners[user.index]) }

  /// How many messages from the other the user has not read.
  /// - Complexity: O(messages since then).
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

  /// Every list has the messages of its two users, in order.
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
        broken = "message \(message.seq) is in another's conversation"
      }
      if zip(messages, messages.dropFirst()).contains(where: { $0.seq >= $1.seq }) {
        broken = "a conversation of \(names[UserID(index: a)]) is out of order"
      }
    }
    return broken ?? (listed == sent ? nil : "\(listed) messages are listed of \(sent)")
  }
}

/// How far somebody has read.
struct ReadMark: BitwiseCopyable, Sendable {
  static let none = ReadMark(time: .min, seq: 0)

  /// Nothing recorded later is read, in milliseconds.
  private var time: Int64
  /// Nothing at or after this position is read.
  private var seq: UInt32

  private init(time: Int64, seq: UInt32) { (self.time, self.seq) = (time, seq) }

  /// The mark after its user has read up to an event; it never goes back. An id without a time
  /// changes nothing, and a later time than now means now.
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
