import Events

/// An inverted index from ids and handles to the positions of their events. It makes it possible to
/// read the history of one id without the rest of the log.
///
/// ```swift
/// let key = EventIndex.Key(.chups, run)
/// index.positions(key)  // [9, 10]: where somebody chupped the run or withdrew a chup
/// ```
/// - Complexity: O(1) per event. Memory: about 15 bytes per event. Positions up to 4,294,967,295.
public struct EventIndex: Projection {
  public static let name = "mentions"
  public static let version = 6
  public static let handles = EventTypes.all

  /// A kind of lists of positions.
  public enum Role: Int, CaseIterable, Sendable {
    /// By user: events about the profile; follows of the user; follows by the user; friendships;
    /// blocks of and by the user; workouts shared; everything given to a workout or a comment.
    case profile, followee, follower, friend, block, owner, giver
    /// By user: memberships and groups created or received; messages sent, received or read;
    /// notifications read.
    case membership, conversation, notified
    /// By user: comments posted.
    case author
    /// By user: every deletion of the account, because an imported log may repeat it.
    case deletion
    /// By workout: its own events; its chups; its reactions; the comments posted on it.
    case workout, chups, reactions, posts
    /// By comment: its own events; its hearts; the replies to it.
    case comment, hearts, replies
    /// By group: its own events; its members' events.
    case group, members
    /// By message or report: its own events.
    case message, report
    /// By handle, numbered in `handleNumbers`: the events that set it.
    case handle
    /// All events of the app's own types, in one list, because only the app knows the ids in them.
    case app

    /// The kind of ids that key the lists; nil if there is only one list.
    var ids: NamedID.Kind? {
      switch self {
      case .profile, .followee, .follower, .friend, .block, .owner, .giver, .deletion,
        .membership, .conversation, .notified, .author:
        .user
      case .workout, .chups, .reactions, .posts: .workout
      case .comment, .hearts, .replies: .comment
      case .group, .members: .group
      case .message: .message
      case .report: .report
      case .handle: .handle
      case .app: nil
      }
    }

    /// Whether the events in these lists may be needed to decide other events with the same ids
    /// again. Each event is in at least one such list.
    var isOfBackground: Bool {
      switch self {
      case .profile, .follower, .friend, .block, .owner, .workout, .chups, .reactions, .posts,
        .comment, .hearts, .group, .members, .conversation, .notified, .report:
        true
      case .followee, .giver, .deletion, .handle, .app, .membership, .author, .replies, .message:
        false
      }
    }
  }

  /// The end of a list: the index of its last block in `blocks`, and the number of its positions.
  private struct List: BitwiseCopyable {
    var last: UInt32 = 0
    var count: UInt32 = 0
  }

  private var lists = Role.allCases.map { _ in Slab(blank: List()) }
  /// The blocks of all lists: the index of the previous block, then positions.
  private var blocks = Slab<UInt32>(blank: 0)
  /// Numbers by the hash of the folded handle. Handles with the same hash share a list: the
  /// relevant events of one then include events of the other, which do not change it.
  private var handleNumbers = KeyTable()

  public init() {}

  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    let seq = UInt32(truncatingIfNeeded: moment.seq)
    guard let stream = event.stream else { return add(.app, 0, seq) }
    let roles = stream.kind.roles
    add(roles.first, stream.a, seq)
    if let role = roles.second { add(role, stream.b, seq) }
    switch event {
    case .profile(.created(let data)): if let handle = data.handle { addHandle(handle, seq) }
    case .profile(.edited(let data)): if let handle = data.handle.value { addHandle(handle, seq) }
    case .accountDeleted: add(.deletion, stream.a, seq)
    case .workout(.shared(let data)): add(.owner, data.owner.index, seq)
    case .comment(.posted(let data)):
      add(.posts, data.workout.index, seq)
      add(.giver, data.user.index, seq)
      add(.author, data.user.index, seq)
      if let replyTo = data.replyTo { add(.replies, replyTo.index, seq) }
    case .group(.created(let data)): add(.membership, data.owner.index, seq)
    case .group(.transferred(let data)): add(.membership, data.owner.index, seq)
    case .conversation(let event): if let id = event.message { add(.message, id.index, seq) }
    // The stream of these events has all the ids that they name.
    case .profile, .workout, .comment, .group, .follow, .friendship, .block, .chup, .reaction,
      .heart, .member, .notification, .report, .app:
      break
    }
  }

  private mutating func addHandle(_ handle: String, _ seq: UInt32) {
    add(.handle, handleNumbers.intern(Self.hash(handle)), seq)
  }

  /// Returns the FNV-1a hash of the folded handle, without the value that is no valid key.
  private static func hash(_ handle: String) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in handle.lowercased().utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return hash >> 1
  }

  private mutating func add(_ role: Role, _ index: UInt32, _ seq: UInt32) {
    let index = Int(index)
    lists[role.rawValue].grow(to: index + 1)
    var list = lists[role.rawValue][index]
    let place = Self.place(of: list.count)
    if place.offset == 0 {
      let before = list.last
      list.last = UInt32(truncatingIfNeeded: blocks.count)
      blocks.grow(to: blocks.count + 1 + place.capacity)
      blocks[Int(list.last)] = before
    }
    blocks[Int(list.last) + 1 + place.offset] = seq
    list.count &+= 1
    lists[role.rawValue][index] = list
  }

  /// Returns the offset of a position in its block. Blocks hold 2, 4, 8 … 1,024, 1,024 … positions.
  /// - Parameter number: The number of the position in its list.
  private static func place(of number: UInt32) -> (offset: Int, capacity: Int) {
    let number = Int(number)
    if number >= 2046 { return ((number - 2046) % 1024, 1024) }
    let capacity = 1 << ((number + 2).bitWidth - 1 - (number + 2).leadingZeroBitCount)
    return (number + 2 - capacity, capacity)
  }

  public mutating func codeParts(with coder: inout StateCoder) {
    coder.part(Self.name, version: Self.version) { code(with: &$0) }
  }

  private mutating func code(with coder: inout StateCoder) {
    for index in lists.indices { coder(&lists[index]) }
    coder(&blocks)
    handleNumbers.code(with: &coder)
  }
}

extension EventIndex {
  /// The key of one list.
  public struct Key: Hashable, Sendable {
    var role: Role
    var index: UInt32

    /// The list of the events of the app's own types.
    public static let app = Key(.app, 0)

    init(_ role: Role, _ index: UInt32) { (self.role, self.index) = (role, index) }
    /// Creates the key of an id's list.
    public init(_ role: Role, _ id: some DenseID) { self.init(role, id.index) }
  }

  /// Returns the key of a handle's list, regardless of case.
  func key(ofHandle handle: String) -> Key? {
    handleNumbers[Self.hash(handle)].map { Key(.handle, $0) }
  }

  func count(_ key: Key) -> Int {
    let list = lists[key.role.rawValue]
    return Int(key.index) < list.count ? Int(list[Int(key.index)].count) : 0
  }

  /// Returns the positions in a list, ascending.
  func positions(_ key: Key) -> [UInt64] {
    guard count(key) > 0 else { return [] }
    let list = lists[key.role.rawValue][Int(key.index)]
    var positions: [UInt64] = []
    var (block, left) = (Int(list.last), list.count)
    // Stays within the blocks and ends even if a checkpoint is damaged.
    while left > 0 {
      let place = Self.place(of: left - 1)
      guard block + 1 + place.offset < blocks.count else { return [] }
      for offset in (0...place.offset).reversed() {
        positions.append(UInt64(blocks[block + 1 + offset]))
      }
      left -= UInt32(place.offset + 1)
      block = Int(blocks[block])
    }
    return positions.reversed()
  }
}

extension StreamID.Kind {
  /// The lists that contain every event of such a stream, by the ids of the stream.
  fileprivate var roles: (first: EventIndex.Role, second: EventIndex.Role?) {
    switch self {
    case .profile: (.profile, nil)
    case .follow: (.follower, .followee)
    case .friendship: (.friend, .friend)
    case .workout: (.workout, nil)
    case .chup: (.chups, .giver)
    case .comment: (.comment, nil)
    case .heart: (.hearts, .giver)
    case .block: (.block, .block)
    case .reaction: (.reactions, .giver)
    case .group: (.group, nil)
    case .member: (.members, .membership)
    case .conversation: (.conversation, .conversation)
    case .notifications: (.notified, nil)
    case .report: (.report, nil)
    }
  }
}
