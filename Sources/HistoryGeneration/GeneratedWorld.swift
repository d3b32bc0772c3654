import Aggregates
import Events

/// The entities of a generated history and their current relations: what its next event may be
/// about.
///
/// Whether an event is possible is for the deciders to say, from `states`. The lists only propose.
struct GeneratedWorld: ~Copyable {
  var users: IDPool<UserID>
  var workoutIDs: IDPool<WorkoutID>
  var commentIDs: IDPool<CommentID>
  var groupIDs: IDPool<GroupID>
  var messageIDs: IDPool<MessageID>
  var reportIDs: IDPool<ReportID>
  /// The service that records what users have paid for, and closes reports.
  private(set) var service = UserID(index: 0)

  /// Whether only users with an account act; otherwise `accounts` has all users.
  private var needsAccounts = true

  /// The state of every aggregate.
  private(set) var states = Society()
  private(set) var accounts = OpenAccounts()
  private(set) var follows = Candidates<Follow>()
  private(set) var requests = Candidates<FriendRequest>()
  private(set) var friends = Candidates<FriendRequest>()
  /// The friends of each user, by number.
  private var friendsByUser: [[UserID]] = []
  private(set) var workouts = Candidates<WorkoutID>()
  private(set) var chups = Candidates<ChupWithdrawn>()
  private(set) var comments = Candidates<CommentID>()
  /// The comments on each workout, by number.
  private var commentsByWorkout: [[CommentID]] = []
  private(set) var hearts = Candidates<Heart>()
  private(set) var blocks = Candidates<Block>()
  private(set) var reactions = Candidates<Reaction>()
  private(set) var groups = Candidates<GroupID>()
  private(set) var members = Candidates<Membership>()
  private(set) var invited = Candidates<Membership>()
  private(set) var requested = Candidates<Membership>()
  private(set) var messages = Candidates<SentMessage>()
  private(set) var reports = Candidates<ReportID>()
  /// The last few who ended a friendship.
  private var formerFriends: [FriendRemoved] = []
  /// Some handles that users gave up.
  private(set) var formerHandles: [String] = []

  struct SentMessage: Equatable {
    var message: MessageID
    var sender: UserID
    var receiver: UserID
  }

  init(users: Int, _ style: HistoryStyle) {
    func pool<ID>(_ prefix: String, _ short: Int, hostile: Int) -> IDPool<ID> {
      let count = style == .long ? 1 : style == .short ? short : hostile
      return IDPool(prefix, count, grows: style != .hostile)
    }
    self.users = IDPool("u", users, grows: style == .long)
    workoutIDs = pool("w", 99, hostile: 6)
    commentIDs = pool("c", 99, hostile: 6)
    groupIDs = pool("g", 20, hostile: 4)
    messageIDs = pool("m", 99, hostile: 6)
    reportIDs = pool("r", 20, hostile: 3)
  }

  /// Makes the first ids.
  mutating func begin(_ names: inout Names, needsAccounts: Bool) {
    users.fill(&names)
    workoutIDs.fill(&names)
    commentIDs.fill(&names)
    groupIDs.fill(&names)
    messageIDs.fill(&names)
    reportIDs.fill(&names)
    service = names.id(Names.servicePrefix + "billing")
    self.needsAccounts = needsAccounts
    if !needsAccounts { for user in users.ids { accounts.add(user) } }
  }

  /// Applies an event.
  /// - Parameter place: the place of what it ends in the list from which that was chosen.
  mutating func apply(_ event: Event, _ place: Int?, _ names: inout Names) {
    switch event {
    case .profile(.edited(let data)) where data.handle != .keep: keepHandle(of: data.user)
    case .accountDeleted(let data): keepHandle(of: data.user)
    default: break
    }
    states.apply(event)
    switch event {
    case .profile(.created(let data)):
      accounts.add(data.user)
      while states.profile(users.next).account != .none, users.isNew { users.take(&names) }
    case .accountDeleted(let data):
      if needsAccounts { accounts.remove(data.user) }
      removeEnded()
    case .follow(.followed(let edge)): follows.add(edge)
    case .follow(.unfollowed(let edge)): follows.remove(edge, at: place)
    case .block(.blocked(let block)): blocks.add(block)
    case .block(.unblocked(let block)): blocks.remove(block, at: place)
    case .friendship(let event): apply(event, place)
    case .workout(.shared(let data)):
      workouts.add(data.workout)
      if data.workout == workoutIDs.next { workoutIDs.take(&names) }
    case .workout(.removed(let data)):
      workouts.remove(data.workout, at: place)
      removeEnded()
    case .chup(.given(let data)): chups.add(ChupWithdrawn(workout: data.workout, user: data.user))
    case .chup(.withdrawn(let data)): chups.remove(data, at: place)
    case .reaction(.given(let reaction)): reactions.add(reaction)
    case .reaction(.withdrawn(let reaction)): reactions.remove(reaction, at: place)
    case .comment(.posted(let data)):
      comments.add(data.comment)
      commentsByWorkout.grow(to: Int(data.workout.index) + 1, [])
      commentsByWorkout[Int(data.workout.index)].append(data.comment)
      if data.comment == commentIDs.next { commentIDs.take(&names) }
    case .comment(.removed(let data)): comments.remove(data.comment, at: place)
    case .heart(.given(let heart)): hearts.add(heart)
    case .heart(.withdrawn(let heart)): hearts.remove(heart, at: place)
    case .group(.created(let data)):
      groups.add(data.group)
      members.add(Membership(group: data.group, user: data.owner))
      if data.group == groupIDs.next { groupIDs.take(&names) }
    case .group(.deleted(let data)):
      groups.remove(data.group, at: place)
      removeEnded()
    case .member(let event): apply(event, place)
    case .conversation(.sent(let data)):
      messages.add(
        SentMessage(message: data.message, sender: data.sender, receiver: data.receiver))
      if data.message == messageIDs.next { messageIDs.take(&names) }
    case .conversation(.removed(let data)):
      messages.remove(
        SentMessage(message: data.message, sender: data.sender, receiver: data.receiver), at: place)
    case .report(.reported(let data)):
      reports.add(data.report)
      if data.report == reportIDs.next { reportIDs.take(&names) }
    case .report(.closed(let data)): reports.remove(data.report, at: place)
    case .profile, .workout, .comment, .group, .conversation, .notification, .app: break
    }
  }

  private mutating func apply(_ event: FriendshipEvent, _ place: Int?) {
    switch event {
    case .requested(let request): requests.add(request)
    case .cancelled(let request), .rejected(let request): requests.remove(request, at: place)
    case .accepted(let request):
      requests.remove(request, at: place)
      friends.add(request)
      friendsByUser.grow(to: Int(max(request.sender.index, request.receiver.index)) + 1, [])
      friendsByUser[Int(request.sender.index)].append(request.receiver)
      friendsByUser[Int(request.receiver.index)].append(request.sender)
    case .removed(let data):
      if formerFriends.count == 64 { formerFriends.removeFirst() }
      formerFriends.append(data)
      friends.remove(FriendRequest(sender: data.user, receiver: data.friend), at: place)
      friends.remove(FriendRequest(sender: data.friend, receiver: data.user), at: place)
      for (user, friend) in [(data.user, data.friend), (data.friend, data.user)] {
        let number = Int(user.index)
        guard number < friendsByUser.count,
          let place = friendsByUser[number].firstIndex(of: friend)
        else { continue }
        friendsByUser[number].remove(at: place)
      }
    }
  }

  private mutating func apply(_ event: MemberEvent, _ place: Int?) {
    let membership = event.membership
    if case .roleSet = event { return }
    invited.remove(membership, at: place)
    requested.remove(membership, at: place)
    switch event {
    case .invited: invited.add(membership)
    case .requested: requested.add(membership)
    case .joined: members.add(membership)
    case .left, .removed: members.remove(membership, at: place)
    case .roleSet: break
    }
  }

  private mutating func keepHandle(of user: UserID) {
    guard let handle = states.profile(user).handle else { return }
    if formerHandles.count == 64 { formerHandles.removeFirst() }
    formerHandles.append(handle)
  }

  /// Removes what ended with an account, a workout or a group from the lists that are short.
  private mutating func removeEnded() {
    let states = states
    follows.keep { states.isFollowing($0) }
    requests.keep { states.exists($0.sender) && states.exists($0.receiver) }
    friends.keep { states.areFriends($0.sender, $0.receiver) }
    workouts.keep { states.owner($0) != nil }
    chups.keep { states.chup($0.workout, $0.user) != .none }
    reactions.keep { !states.reactions($0.workout, $0.user).isEmpty }
    comments.keep { states.workout(of: $0).flatMap(states.owner) != nil }
    hearts.keep { states.isHearted($0) }
    blocks.keep { states.exists($0.user) && states.exists($0.other) }
    members.keep { states.standing($0.group, $0.user) != .none }
    invited.keep { states.standing($0.group, $0.user) != .none }
    requested.keep { states.standing($0.group, $0.user) != .none }
  }

  // MARK: Looking up

  /// The friends of a user. In a long history some may have deleted their accounts.
  func friends(of user: UserID) -> [UserID] {
    Int(user.index) < friendsByUser.count ? friendsByUser[Int(user.index)] : []
  }

  /// Somebody who was lately a friend of a user.
  func formerFriend(of user: UserID) -> UserID? {
    let last = formerFriends.last { $0.user == user || $0.friend == user }
    return last.map { $0.user == user ? $0.friend : $0.user }
  }

  /// The last few comments on a workout that are not removed.
  func comments(on workout: WorkoutID) -> [CommentID] {
    guard Int(workout.index) < commentsByWorkout.count else { return [] }
    return commentsByWorkout[Int(workout.index)].suffix(8).filter {
      states.workout(of: $0) != nil
    }
  }

  func owner(of group: GroupID) -> UserID? {
    if case .open(let group) = states.group(group) { group.owner } else { nil }
  }

  func author(of comment: CommentID) -> UserID? {
    if case .posted(let comment) = states.comment(comment) { comment.user } else { nil }
  }
}

/// The ids of one kind that a history may use: numbered, with a letter before the number.
struct IDPool<ID: DenseID>: Sendable {
  private(set) var ids: [ID] = []
  private let prefix: String
  /// Whether there is always another new id.
  private let grows: Bool
  private let first: Int
  private var used = 0

  /// - Parameter first: how many ids there are at first.
  init(_ prefix: String, _ first: Int, grows: Bool) {
    (self.prefix, self.first, self.grows) = (prefix, first, grows)
  }

  mutating func fill(_ names: inout Names) { while ids.count < first { add(&names) } }

  private mutating func add(_ names: inout Names) {
    ids.append(names.id("\(prefix)\(ids.count + 1)"))
  }

  /// The place of the next new id; in a pool that does not grow the last one, in the end.
  var nextPlace: Int { min(used, ids.count - 1) }
  var next: ID { ids[nextPlace] }

  /// Whether `next` is new.
  var isNew: Bool { used < ids.count }

  /// Marks the next id as used.
  mutating func take(_ names: inout Names) {
    used += 1
    if grows, used == ids.count { add(&names) }
  }
}

/// Values that a later event may be about.
///
/// A list of more than 64 values swaps when it removes one, and may keep values that have ended
/// meanwhile: then the rules refuse the event. A shorter list keeps its order and has no such
/// values, for the sake of tapes.
struct Candidates<Value: Equatable & Sendable>: Sendable {
  private(set) var values: [Value] = []

  private var isShort: Bool { values.count <= 64 }
  var count: Int { values.count }
  var isEmpty: Bool { values.isEmpty }
  subscript(place: Int) -> Value { values[place] }

  mutating func add(_ value: Value) {
    if !isShort || !values.contains(value) { values.append(value) }
  }

  /// Removes a value that is at a place; in a short list, wherever it is.
  mutating func remove(_ value: Value, at place: Int?) {
    if isShort {
      values.removeAll { $0 == value }
    } else if let place, place < values.count, values[place] == value {
      values.swapAt(place, values.count - 1)
      values.removeLast()
    }
  }

  /// Removes the other values from a short list.
  mutating func keep(_ isToStay: (Value) -> Bool) {
    if isShort { values.removeAll { !isToStay($0) } }
  }
}

extension MemberEvent {
  /// The group and the user that it is about.
  var membership: Membership {
    switch self {
    case .invited(let data), .requested(let data), .joined(let data), .left(let data),
      .removed(let data):
      data
    case .roleSet(let data): Membership(group: data.group, user: data.user)
    }
  }
}

extension Names {
  /// The number of an id, which must be valid.
  mutating func id<ID: DenseID>(_ name: String) -> ID {
    guard let id = try? intern(name, ID.kind) else { preconditionFailure("\(name) is an id") }
    return ID(index: id.index)
  }
}

extension Array {
  mutating func grow(to count: Int, _ element: Element) {
    while self.count < count { append(element) }
  }
}
