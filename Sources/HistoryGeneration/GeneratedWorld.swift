import Aggregates
import Events

/// The users and things in a generated history that the next event may be about.
///
/// The lists only contain candidates. The deciders determine from `states` whether an event is
/// possible.
struct GeneratedWorld: ~Copyable {
  /// The ids of each kind, by the kind's raw value.
  private var pools: [IDPool] = []
  /// The service that records premium subscriptions and closes reports.
  private(set) var service = UserID(index: 0)
  /// Whether only users with an account act. If false, `accounts` contains all users.
  private var needsAccounts = true

  /// The state of every aggregate.
  private(set) var states = AggregateStates()
  private(set) var accounts = OpenAccounts()
  /// The existing things that an event may be about, by the raw value of their `Subject`.
  private var lists = Subject.allCases.map { _ in Candidates() }
  /// The friends of each user, by the user's number.
  private var friendsByUser: [[UserID]] = []
  /// The owner of each workout, by the workout's number, and the workout of each comment, by the
  /// comment's number.
  private var owners: [UserID] = []
  private var commented: [WorkoutID] = []
  /// The comments on each workout, by the workout's number.
  private var commentsByWorkout: [[CommentID]] = []
  /// The last 64 friendships that ended.
  private var formerFriends: [FriendRemoved] = []
  /// The last 64 handles that users no longer have.
  private(set) var formerHandles: [String] = []

  /// Creates the first ids of each kind.
  mutating func begin(users: Int, _ style: HistoryStyle, _ names: inout Names) {
    needsAccounts = style != .hostile
    let counts: [(prefix: String, short: Int, hostile: Int)] = [
      ("u", users, users), ("w", 99, 6), ("c", 99, 6), ("g", 20, 4), ("m", 99, 6), ("r", 20, 3),
    ]
    pools = zip(IDKind.allCases, counts).map { kind, count in
      let first = style == .long ? 1 : style == .short ? count.short : count.hostile
      let grows = style == .long || style == .short && kind != .user
      return IDPool(kind, count.prefix, first, grows: grows, &names)
    }
    service = UserID(index: names.number(of: Names.servicePrefix + "billing", .user))
    if !needsAccounts { for number in self[.user].ids { accounts.add(UserID(index: number)) } }
  }

  subscript(kind: IDKind) -> IDPool { pools[Int(kind.rawValue)] }

  subscript(subject: Subject) -> Candidates { lists[subject.rawValue] }

  // MARK: Changes

  /// Applies an event that happens at a time.
  /// - Parameter place: the index of the thing that the event ends, in its list of candidates.
  mutating func apply(
    _ event: Event, at time: Int64, _ place: Int?, _ names: inout Names
  ) {
    switch event {
    case .profile(.edited(let data)) where data.handle != .keep: keepHandle(of: data.user)
    case .accountDeleted(let data): keepHandle(of: data.user)
    default: break
    }
    states.apply(event, at: Timestamp(milliseconds: time))
    let (entry, pair) = (EventWeights[event.type], event.pair)
    if let ended = entry.ends { lists[ended.rawValue].remove(pair, at: place) }
    switch event {
    case .profile(.created(let data)):
      accounts.add(data.user)
      while self[.user].isNew, states.profile(UserID(index: self[.user].next)).account != .none {
        pools[Int(IDKind.user.rawValue)].take(&names)
      }
    case .accountDeleted(let data):
      if needsAccounts { accounts.remove(data.user) }
      removeEnded()
    case .workout(.removed), .group(.deleted): removeEnded()
    case .friendship(.accepted(let request)):
      friendsByUser.append(request.receiver, at: request.sender.index)
      friendsByUser.append(request.sender, at: request.receiver.index)
    case .friendship(.removed(let data)): remove(data, at: place)
    case .workout(.shared(let data)): owners.set(data.owner, at: data.workout.index)
    case .comment(.posted(let data)):
      commented.set(data.workout, at: data.comment.index)
      commentsByWorkout.append(data.comment, at: data.workout.index)
    case .group(.created(let data)):
      lists[Subject.member.rawValue].add(Pair(data.group, data.owner))
    case .member(.roleSet): break
    case .member:
      lists[Subject.invitation.rawValue].remove(pair, at: place)
      lists[Subject.application.rawValue].remove(pair, at: place)
    default: break
    }
    guard let begun = entry.begins else { return }
    lists[begun.rawValue].add(pair)
    if !begun.hasUser, pair.a == self[begun.kind].next {
      pools[Int(begun.kind.rawValue)].take(&names)
    }
  }

  private mutating func remove(_ data: FriendRemoved, at place: Int?) {
    lists[Subject.friendship.rawValue].remove(Pair(data.friend, data.user), at: place)
    if formerFriends.count == 64 { formerFriends.removeFirst() }
    formerFriends.append(data)
    for (user, friend) in [(data.user, data.friend), (data.friend, data.user)]
    where friendsByUser.indices.contains(Int(user.index)) {
      friendsByUser[Int(user.index)].removeAll { $0 == friend }
    }
  }

  private mutating func keepHandle(of user: UserID) {
    guard let handle = states.profile(user).handle else { return }
    if formerHandles.count == 64 { formerHandles.removeFirst() }
    formerHandles.append(handle)
  }

  /// Removes things that ended because an account, a workout or a group was deleted. Only short
  /// lists are updated.
  private mutating func removeEnded() {
    for subject in Subject.allCases where lists[subject.rawValue].isShort {
      let pairs = lists[subject.rawValue].pairs.filter { stands(subject, $0) }
      lists[subject.rawValue] = Candidates(pairs: pairs)
    }
  }

  private func stands(_ subject: Subject, _ pair: Pair) -> Bool {
    switch subject {
    case .follow: states.isFollowing(pair.first(), pair.second)
    case .block, .request: states.exists(pair.first()) && states.exists(pair.second)
    case .friendship: states.areFriends(pair.first(), pair.second)
    case .workout: states.owner(pair.first()) != nil
    case .chup: states.chup(pair.first(), pair.second) != .none
    case .reaction: !states.reactions(pair.first(), pair.second).isEmpty
    case .comment: states.workout(of: pair.first()).flatMap(states.owner) != nil
    case .heart: states.isHearted(Heart(comment: pair.first(), user: pair.second))
    case .member, .invitation, .application:
      states.standing(pair.first(), pair.second) != .none
    case .group, .message, .report: true
    }
  }

  // MARK: Looking up

  /// Returns a user's friends. In a long history, some of them may have deleted their accounts.
  func friends(of user: UserID) -> [UserID] {
    Int(user.index) < friendsByUser.count ? friendsByUser[Int(user.index)] : []
  }

  /// Returns a recent former friend of a user.
  func formerFriend(of user: UserID) -> UserID? {
    let last = formerFriends.last { $0.user == user || $0.friend == user }
    return last.map { $0.user == user ? $0.friend : $0.user }
  }

  /// Returns those of a workout's last 8 comments that were not removed.
  func comments(on workout: WorkoutID) -> [CommentID] {
    guard Int(workout.index) < commentsByWorkout.count else { return [] }
    return commentsByWorkout[Int(workout.index)].suffix(8).filter {
      states.workout(of: $0) != nil
    }
  }

  /// Returns a workout's owner; nil if the workout was never shared.
  func owner(of workout: WorkoutID) -> UserID? {
    Int(workout.index) < owners.count ? owners[Int(workout.index)] : nil
  }

  /// Returns a comment's workout; nil if the comment was never posted.
  func workout(of comment: CommentID) -> WorkoutID? {
    Int(comment.index) < commented.count ? commented[Int(comment.index)] : nil
  }

  func owner(of group: GroupID) -> UserID? {
    if case .open(let group) = states.group(group) { group.owner } else { nil }
  }

  func author(of comment: CommentID) -> UserID? {
    if case .posted(let comment) = states.comment(comment) { comment.user } else { nil }
  }
}

/// The ids of one kind that a history may use, such as `w1`, `w2` ….
struct IDPool: Sendable {
  private(set) var ids: [UInt32] = []
  private let kind: IDKind
  private let prefix: String
  /// Whether the pool adds a new id when all are used.
  private let grows: Bool
  private var used = 0

  /// - Parameter first: the number of ids that the pool has at the beginning.
  init(_ kind: IDKind, _ prefix: String, _ first: Int, grows: Bool, _ names: inout Names) {
    (self.kind, self.prefix, self.grows) = (kind, prefix, grows)
    while ids.count < first { add(&names) }
  }

  private mutating func add(_ names: inout Names) {
    ids.append(names.number(of: "\(prefix)\(ids.count + 1)", kind))
  }

  /// The index of the next unused id; the last index if all are used and the pool does not grow.
  var nextPlace: Int { min(used, ids.count - 1) }
  var next: UInt32 { ids[nextPlace] }

  /// Whether `next` is an unused id.
  var isNew: Bool { used < ids.count }

  /// Marks the next id as used.
  mutating func take(_ names: inout Names) {
    used += 1
    if grows, used == ids.count { add(&names) }
  }
}

/// A thing or relation, as the numbers of its first id and of its user (0 if it has no user).
struct Pair: Equatable, BitwiseCopyable, Sendable {
  var a: UInt32
  var b: UInt32
}

extension Pair {
  init(_ first: some DenseID, _ second: UserID? = nil) {
    (a, b) = (first.index, second?.index ?? 0)
  }

  func first<ID: DenseID>() -> ID { ID(index: a) }
  var second: UserID { UserID(index: b) }
}

extension Event {
  /// The ids of the thing that the event begins or ends.
  var pair: Pair {
    switch self {
    case .friendship(.requested(let request)), .friendship(.cancelled(let request)),
      .friendship(.accepted(let request)), .friendship(.rejected(let request)):
      Pair(request.sender, request.receiver)
    case .friendship(.removed(let data)): Pair(data.user, data.friend)
    case .conversation(.sent(let data)): Pair(data.message)
    case .conversation(.removed(let data)): Pair(data.message)
    default: stream.map { Pair(a: $0.a, b: $0.b) } ?? Pair(a: 0, b: 0)
    }
  }
}

/// The things of one subject that a later event may be about.
///
/// A list of up to 64 pairs keeps its order and contains only existing things, so that tapes are
/// reproducible. A longer list is faster, but removing a pair changes its order, and some of its
/// things may have ended. The rules refuse an event about a thing that has ended.
struct Candidates: Sendable {
  private(set) var pairs: [Pair] = []

  init(pairs: [Pair] = []) { self.pairs = pairs }

  var isShort: Bool { pairs.count <= 64 }

  mutating func add(_ pair: Pair) {
    if !isShort || !pairs.contains(pair) { pairs.append(pair) }
  }

  /// Removes a pair. In a long list, `place` must be the pair's index.
  mutating func remove(_ pair: Pair, at place: Int?) {
    if isShort {
      pairs.removeAll { $0 == pair }
    } else if let place, place < pairs.count, pairs[place] == pair {
      pairs.swapAt(place, pairs.count - 1)
      pairs.removeLast()
    }
  }
}

extension Names {
  /// Returns the number of an id.
  /// - Precondition: the id is valid.
  mutating func number(of name: String, _ kind: IDKind) -> UInt32 {
    guard let id = try? intern(name, kind) else { preconditionFailure("\(name) is an id") }
    return id.index
  }
}

extension Array {
  /// Sets the item at an index. If the array is too short, fills it up with the item.
  fileprivate mutating func set(_ item: Element, at place: UInt32) {
    while count <= Int(place) { append(item) }
    self[Int(place)] = item
  }

  /// Appends an item to the list at an index. If the array is too short, appends empty lists.
  fileprivate mutating func append<Item>(_ item: Item, at place: UInt32)
  where Element == [Item] {
    while count <= Int(place) { append([]) }
    self[Int(place)].append(item)
  }
}
