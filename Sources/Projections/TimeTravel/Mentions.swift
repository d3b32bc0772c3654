import Events

/// Where in the log something is mentioned: an index from users, workouts, comments and handles to
/// positions, so that the history of one of them can be read without that of the others.
///
/// ```swift
/// let key = Mentions.Key(.chups, run)
/// mentions.positions(key)  // [9, 10]: where somebody chupped the run, or took it back
/// ```
/// - Complexity: O(1) an event; memory about 15 bytes an event. Positions up to 4,294,967,295.
public struct Mentions: Projection {
  public static let name = "mentions"
  public static let version = 2
  public static let handles = EventTypes.all

  /// What positions are listed by.
  public enum Role: Int, CaseIterable, Sendable {
    /// Of a user: of the profile; follows of it and by it; friendships; workouts shared; and
    /// chups, comments and hearts given.
    case profile, followee, follower, friend, owner, giver
    /// Of a user: every deletion of the account; an imported log may repeat it.
    case deletion
    /// Of a workout: itself, its chups, and the posting of its comments.
    case workout, chups, posts
    /// Of a comment: itself, and its hearts.
    case comment, hearts
    /// The setting of a handle, by the number that `handleNumbers` gave it.
    case handle

    /// Whose ids the lists are of.
    var ids: NamedID.Kind {
      switch self {
      case .profile, .followee, .follower, .friend, .owner, .giver, .deletion: .user
      case .workout, .chups, .posts: .workout
      case .comment, .hearts: .comment
      case .handle: .handle
      }
    }
  }

  /// The end of a list: where in `blocks` its last block is, and how many positions it has.
  private struct List: BitwiseCopyable {
    var last: UInt32 = 0
    var count: UInt32 = 0
  }

  private var lists = Role.allCases.map { _ in Slab(blank: List()) }
  /// Blocks of a list: where the one before is, then positions.
  private var blocks = Slab<UInt32>(blank: 0)
  /// Numbers by the hash of the folded handle. Two handles with one hash share a list of positions:
  /// the slice of one then has some events of the other, which change nothing of it.
  private var handleNumbers = KeyTable()

  public init() {}

  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    let seq = UInt32(truncatingIfNeeded: moment.seq)
    switch event {
    case .profile(.created(let data)):
      add(.profile, data.user.index, seq)
      addHandle(data.handle, seq)
    case .profile(.edited(let data)):
      add(.profile, data.user.index, seq)
      if let handle = data.handle { addHandle(handle, seq) }
    case .profile(.photoSet(let data)): add(.profile, data.user.index, seq)
    case .profile(.photoRemoved(let data)), .profile(.baseLocationCleared(let data)):
      add(.profile, data.user.index, seq)
    case .profile(.baseLocationSet(let data)): add(.profile, data.user.index, seq)
    case .profile(.sportSet(let data)): add(.profile, data.user.index, seq)
    case .profile(.sportRemoved(let data)): add(.profile, data.user.index, seq)
    case .profile(.sendLogged(let data)): add(.profile, data.user.index, seq)
    case .accountDeleted(let data):
      add(.profile, data.user.index, seq)
      add(.deletion, data.user.index, seq)
    case .follow(.followed(let edge)), .follow(.unfollowed(let edge)):
      add(.followee, edge.followee.index, seq)
      add(.follower, edge.follower.index, seq)
    case .friendship(.requested(let request)), .friendship(.cancelled(let request)),
      .friendship(.accepted(let request)), .friendship(.rejected(let request)):
      add(.friend, request.sender.index, seq)
      add(.friend, request.receiver.index, seq)
    case .friendship(.removed(let data)):
      add(.friend, data.user.index, seq)
      add(.friend, data.friend.index, seq)
    case .workout(.shared(let data)):
      add(.workout, data.workout.index, seq)
      add(.owner, data.owner.index, seq)
    case .workout(.edited(let data)): add(.workout, data.workout.index, seq)
    case .workout(.detailAttached(let data)): add(.workout, data.workout.index, seq)
    case .workout(.removed(let data)): add(.workout, data.workout.index, seq)
    case .chup(.given(let data)): addChup(data.workout, data.user, seq)
    case .chup(.withdrawn(let data)): addChup(data.workout, data.user, seq)
    case .comment(.posted(let data)):
      add(.posts, data.workout.index, seq)
      add(.comment, data.comment.index, seq)
      add(.giver, data.user.index, seq)
    case .comment(.edited(let data)): add(.comment, data.comment.index, seq)
    case .comment(.removed(let data)): add(.comment, data.comment.index, seq)
    case .heart(.given(let heart)), .heart(.withdrawn(let heart)):
      add(.hearts, heart.comment.index, seq)
      add(.giver, heart.user.index, seq)
    }
  }

  private mutating func addChup(_ workout: WorkoutID, _ user: UserID, _ seq: UInt32) {
    add(.chups, workout.index, seq)
    add(.giver, user.index, seq)
  }

  private mutating func addHandle(_ handle: String, _ seq: UInt32) {
    add(.handle, handleNumbers.intern(Self.hash(handle)), seq)
  }

  /// FNV-1a of the folded handle, without the value that no key may have.
  private static func hash(_ handle: String) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in handle.lowercased().utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return hash >> 1
  }

  /// Appends a position to a list, once.
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

  /// Where in its block the position of a number is: blocks hold 2, 4, 8 … 1,024, 1,024 …
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

extension Mentions {
  /// One of the lists.
  public struct Key: Hashable, Sendable {
    var role: Role
    var index: UInt32

    init(_ role: Role, _ index: UInt32) { (self.role, self.index) = (role, index) }
    public init(_ role: Role, _ user: UserID) { self.init(role, user.index) }
    public init(_ role: Role, _ workout: WorkoutID) { self.init(role, workout.index) }
    public init(_ role: Role, _ comment: CommentID) { self.init(role, comment.index) }
  }

  /// The list of a handle, whatever its case.
  func key(ofHandle handle: String) -> Key? {
    handleNumbers[Self.hash(handle)].map { Key(.handle, $0) }
  }

  func count(_ key: Key) -> Int {
    let list = lists[key.role.rawValue]
    return Int(key.index) < list.count ? Int(list[Int(key.index)].count) : 0
  }

  /// The positions of a list, ascending.
  func positions(_ key: Key) -> [UInt64] {
    guard count(key) > 0 else { return [] }
    let list = lists[key.role.rawValue][Int(key.index)]
    var positions: [UInt64] = []
    var (block, left) = (Int(list.last), list.count)
    // Whatever a damaged checkpoint says, within the blocks and to an end.
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
