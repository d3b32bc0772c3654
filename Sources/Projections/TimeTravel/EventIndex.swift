import Events

/// An inverted index from ids and handles to the positions of their events,
/// so that the history of one can be read without the rest.
///
/// ```swift
/// let key = EventIndex.Key(.chups, run)
/// mentions.positions(key)  // [9, 10]: where somebody chupped the run, or took it back
/// ```
/// - Complexity: O(1) per event; memory about 15 bytes per event. Positions up to 4,294,967,295.
public struct EventIndex: Projection {
  public static let name = "mentions"
  public static let version = 6
  public static let handles = EventTypes.all

  /// The kinds of lists of positions.
  public enum Role: Int, CaseIterable, Sendable {
    /// By user: events about the profile; follows of and by the user; friendships; blocks of and
    /// by the user; workouts shared; everything given to a workout or a comment.
    case profile, followee, follower, friend, block, owner, giver
    /// By user: memberships, and groups made or taken over; messages, sent or received, and what
    /// was read of them; what was read of notifications.
    case membership, conversation, notified
    /// By user: comments posted.
    case author
    /// By user: every deletion of the account; an imported log may repeat it.
    case deletion
    /// By workout: its own events, its chups, its reactions, and comments posted on it.
    case workout, chups, reactions, posts
    /// By comment: its own events, its hearts, and the replies to it.
    case comment, hearts, replies
    /// By group: its own events, and those of its members.
    case group, members
    /// By message and by report: its own events.
    case message, report
    /// By handle, numbered in `handleNumbers`: the events that set it.
    case handle
    /// The events of apps' own types, all in one list: what they name is the apps' to know.
    case app

    /// The kind of ids that key the lists; nil if there is one list only.
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

    /// Whether the events in the lists can be needed to decide others again that name the same ids.
    /// Each event is in one such list at least.
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

  /// The end of a list: where its last block is in `blocks`, and how many positions the list has.
  private struct List: BitwiseCopyable {
    var last: UInt32 = 0
    var count: UInt32 = 0
  }

  private var lists = Role.allCases.map { _ in Slab(blank: List()) }
  /// Blocks of lists: the index of the previous block, then positions.
  private var blocks = Slab<UInt32>(blank: 0)
  /// Numbers by the hash of the folded handle. Handles with the same hash share a list of
  /// positions: a relevant for one then has some events of the other, which do not change it.
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
    // The stream of these has all ids that they name.
    case .profile, .workout, .comment, .group, .follow, .friendship, .block, .chup, .reaction,
      .heart, .member, .notification, .report, .app:
      break
    }
  }

  private mutating func addHandle(_ handle: String, _ seq: UInt32) {
    add(.handle, handleNumbers.intern(Self.hash(handle)), seq)
  }

  /// FNV-1a of the folded handle, avoiding the value that is not a valid key.
  private static func hash(_ handle: String) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in handle.lowercased().utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return hash >> 1
  }

  /// Appends a position to a list.
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

  /// The offset of a position within its block, by its number; blocks hold 2, 4, 8 … 1,024, 1,024 …
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
  /// Identifies one of the lists.
  public struct Key: Hashable, Sendable {
    var role: Role
    var index: UInt32

    /// The events of apps' own types.
    public static let app = Key(.app, 0)

    init(_ role: Role, _ index: UInt32) { (self.role, self.index) = (role, index) }
    public init(_ role: Role, _ id: some DenseID) { self.init(role, id.index) }
  }

  /// The list of a handle, regardless of case.
  func key(ofHandle handle: String) -> Key? {
    handleNumbers[Self.hash(handle)].map { Key(.handle, $0) }
  }

  func count(_ key: Key) -> Int {
    let list = lists[key.role.rawValue]
    return Int(key.index) < list.count ? Int(list[Int(key.index)].count) : 0
  }

  /// The positions in a list, ascending.
  func positions(_ key: Key) -> [UInt64] {
    guard count(key) > 0 else { return [] }
    let list = lists[key.role.rawValue][Int(key.index)]
    var positions: [UInt64] = []
    var (block, left) = (Int(list.last), list.count)
    // Stays within the blocks and terminates even if a checkpoint is damaged.
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
  /// The lists for the ids of such a stream, which every event of it is in.
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
