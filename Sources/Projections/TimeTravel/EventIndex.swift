import Events

/// An inverted index from ids and handles to the positions of their events. With it, one can read
/// one id's history without reading the rest of the log.
///
/// ```swift
/// let key = EventIndex.Key(.chups, run)
/// index.positions(key)  // [9, 10]: where somebody chupped the run or withdrew a chup
/// ```
/// - Complexity: O(1) per event. Memory: about 15 bytes per event. Positions have 32 bits: a log
///   may have at most 4,294,967,295 events.
public struct EventIndex: Projection {
  public static let name = "mentions"
  public static let version = 6
  public static let handles = EventTypes.all

  /// The role of an id in events. The index has one list of events for each pair of role and id.
  ///
  /// A comment on several cases describes their lists in the order of the cases.
  public enum Role: Int, CaseIterable, Sendable {
    /// By user: events about the profile; follows of the user; follows by the user; friendships;
    /// blocks of and by the user; workouts shared; chups, reactions, comments and hearts given.
    case profile, followee, follower, friend, block, owner, giver
    /// By user: memberships and groups created or received; messages sent, received or read;
    /// notifications that the user read.
    case membership, conversation, notified
    /// By user: the comments that the user posted.
    case author
    /// By user: the deletion of the account; an imported log may repeat it.
    case deletion
    /// By workout: the workout's own events; its chups; its reactions; the comments posted on it.
    case workout, chups, reactions, posts
    /// By comment: the comment's own events; its hearts; the replies to it.
    case comment, hearts, replies
    /// By group: the group's own events; the events about its members.
    case group, members
    /// By message or report: the events of that message or report.
    case message, report
    /// By handle: the events that set the handle. `handleNumbers` has the number of each handle.
    case handle
    /// All events of the app's own types in one list, because only the app can interpret their ids.
    case app

    /// The kind of the ids that have a list for this role; nil if the role has only one list.
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

    /// Whether deciders may need the events in the lists for this role to decide a later event
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

  /// The state of a list: the index of its last block in `blocks`, and the number of its positions.
  private struct List: BitwiseCopyable {
    var last: UInt32 = 0
    var count: UInt32 = 0
  }

  private var lists = Role.allCases.map { _ in Slab(blank: List()) }
  /// The blocks of all lists. A block has the index of the list's previous block, then positions.
  private var blocks = Slab<UInt32>(blank: 0)
  /// The number of each handle, by the hash of the lowercase handle. Handles with the same hash
  /// share a list. A handle's relevant events may then include another handle's; this does no harm.
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
    // For these events, the ids in the stream's name are all that the index needs.
    case .profile, .workout, .comment, .group, .follow, .friendship, .block, .chup, .reaction,
      .heart, .member, .notification, .report, .app:
      break
    }
  }

  private mutating func addHandle(_ handle: String, _ seq: UInt32) {
    add(.handle, handleNumbers.intern(Self.hash(handle)), seq)
  }

  /// Returns the FNV-1a hash of the lowercase handle. It is halved: `UInt64.max` is no valid key.
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

  /// Returns the offset of a position in its block, and the block's capacity. The blocks of a list
  /// hold 2, 4, 8 … 1,024, 1,024 … positions.
  /// - Parameter number: The index of the position in its list.
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
  /// The key of one list: a role and an id.
  public struct Key: Hashable, Sendable {
    var role: Role
    var index: UInt32

    /// The key of the list of the app's own events.
    public static let app = Key(.app, 0)

    init(_ role: Role, _ index: UInt32) { (self.role, self.index) = (role, index) }
    /// Creates the key of the list for a role and an id.
    public init(_ role: Role, _ id: some DenseID) { self.init(role, id.index) }
  }

  /// Returns the key of a handle's list, regardless of case; nil if no event sets the handle.
  func key(ofHandle handle: String) -> Key? {
    handleNumbers[Self.hash(handle)].map { Key(.handle, $0) }
  }

  func count(_ key: Key) -> Int {
    let list = lists[key.role.rawValue]
    return Int(key.index) < list.count ? Int(list[Int(key.index)].count) : 0
  }

  /// Returns the positions in a list, in ascending order.
  func positions(_ key: Key) -> [UInt64] {
    guard count(key) > 0 else { return [] }
    let list = lists[key.role.rawValue][Int(key.index)]
    var positions: [UInt64] = []
    var (block, left) = (Int(list.last), list.count)
    // This loop stays within the blocks and ends even if a checkpoint is damaged.
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
  /// The roles of the ids in a stream's name. Their lists contain all events of the stream.
  var roles: (first: EventIndex.Role, second: EventIndex.Role?) {
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
