import Events

/// The entities of a history and their current relations: the bundles that its events draw from.
struct Cast {
  let users: [UserID]
  let workoutIDs: [WorkoutID]
  let commentIDs: [CommentID]
  let groupIDs: [GroupID]
  let messageIDs: [MessageID]
  let reportIDs: [ReportID]
  /// Records what users have paid for.
  let service: UserID?
  /// Whether to draw from all entities, whatever their relations.
  let isHostile: Bool
  /// The odds; they never make impossible what can be drawn here.
  var habits: Habits

  private(set) var open = Bundle<UserID>()
  /// The users whose accounts were deleted.
  private(set) var gone: Set<UserID> = []
  private(set) var follows = Bundle<Follow>()
  private(set) var requests = Bundle<FriendRequest>()
  private(set) var friends = Bundle<FriendRequest>()
  private(set) var workouts = Bundle<WorkoutShared>()
  private(set) var chups = Bundle<ChupWithdrawn>()
  private(set) var comments = Bundle<CommentPosted>()
  private(set) var hearts = Bundle<Heart>()
  private(set) var blocks = Bundle<Block>()
  private(set) var reactions = Bundle<Reaction>()
  var groups = Bundle<GroupCreated>()
  /// Those who belong to a group, are invited, or have asked.
  var members = Bundle<Membership>()
  var invited = Bundle<Membership>()
  var requested = Bundle<Membership>()
  var messages = Bundle<MessageSent>()
  var reports = Bundle<ContentReported>()
  private(set) var shared = 0
  private(set) var posted = 0
  var made = 0
  var sent = 0

  init(_ names: inout Names, users: Int, isHostile: Bool, _ t: Trial) {
    func ids<ID>(_ prefix: String, _ count: Int, _ make: (String) throws -> ID) -> [ID] {
      (1...count).compactMap { try? make("\(prefix)\($0)") }
    }
    self.users = ids("u", users) { try names.user($0) }
    workoutIDs = ids("w", isHostile ? 6 : 99) { try names.workout($0) }
    commentIDs = ids("c", isHostile ? 6 : 99) { try names.comment($0) }
    groupIDs = ids("g", isHostile ? 4 : 20) { try names.group($0) }
    messageIDs = ids("m", isHostile ? 6 : 99) { try names.message($0) }
    reportIDs = ids("r", isHostile ? 3 : 20) { try names.report($0) }
    service = try? names.user(Names.servicePrefix + "billing")
    self.isHostile = isHostile
    habits =
      t.improvise { Habits(users: users, isHostile: isHostile, &$0) } ?? Habits(users: users)
  }

  mutating func apply(_ event: Event) {
    switch event {
    case .profile(.created(let data)): open.add(data.user)
    case .accountDeleted(let data): remove(data.user)
    case .follow(.followed(let edge)): follows.add(edge)
    case .follow(.unfollowed(let edge)): follows.remove { $0 == edge }
    case .block(.blocked(let block)): blocks.add(block)
    case .block(.unblocked(let block)): blocks.remove { $0 == block }
    case .friendship(.requested(let request)): requests.add(request)
    case .friendship(.accepted(let request)):
      requests.remove { $0 == request }
      friends.add(request)
    case .friendship(.cancelled(let request)), .friendship(.rejected(let request)):
      requests.remove { $0 == request }
    case .friendship(.removed(let data)):
      friends.remove {
        ($0.sender, $0.receiver) == (data.user, data.friend)
          || ($0.sender, $0.receiver) == (data.friend, data.user)
      }
    case .workout(.shared(let workout)):
      workouts.add(workout)
      shared += 1
    case .workout(.removed(let data)):
      workouts.remove { $0.workout == data.workout }
      comments.remove { $0.workout == data.workout }
    case .chup(.given(let data)): chups.add(ChupWithdrawn(workout: data.workout, user: data.user))
    case .chup(.withdrawn(let data)): chups.remove { $0 == data }
    case .reaction(.given(let reaction)): reactions.add(reaction)
    case .reaction(.withdrawn(let reaction)): reactions.remove { $0 == reaction }
    case .comment(.posted(let data)):
      comments.add(data)
      posted += 1
    case .comment(.removed(let data)): comments.remove { $0.comment == data.comment }
    case .heart(.given(let heart)): hearts.add(heart)
    case .heart(.withdrawn(let heart)): hearts.remove { $0 == heart }
    case .group(let event): apply(event)
    case .member(let event): apply(event)
    case .conversation(.sent(let message)):
      messages.add(message)
      sent += 1
    case .conversation(.removed(let data)): messages.remove { $0.message == data.message }
    case .report(.reported(let report)): reports.add(report)
    default: break
    }
  }

  private mutating func remove(_ user: UserID) {
    gone.insert(user)
    open.remove { $0 == user }
    follows.remove { $0.follower == user || $0.followee == user }
    requests.remove { $0.sender == user || $0.receiver == user }
    friends.remove { $0.sender == user || $0.receiver == user }
    workouts.remove { $0.owner == user }
    chups.remove { $0.user == user }
    reactions.remove { $0.user == user }
    comments.remove { $0.user == user }
    hearts.remove { $0.user == user }
    blocks.remove { $0.user == user || $0.other == user }
    members.remove { $0.user == user }
    invited.remove { $0.user == user }
    requested.remove { $0.user == user }
  }

  // MARK: Drawing

  /// One of some values; if no tape says which, the habits pick it.
  func one<T: Sendable>(
    _ t: Trial, of values: some RandomAccessCollection<T> & Sendable,
    _ pick: (inout SplitMix64) -> Int
  ) -> T {
    let choice = t.span(T.self) {
      t.choose(upTo: UInt64(values.count - 1)) { UInt64(pick(&$0)) }
    }
    return values[values.index(values.startIndex, offsetBy: Int(choice))]
  }

  private var people: [UserID] { isHostile || open.isEmpty ? users : Array(open) }

  /// - Parameter earlier: the event that the user may undo, though somebody else may have caused
  ///   it.
  func user(_ t: Trial, undoing earlier: EventType? = nil) -> UserID {
    let people = people
    return one(t, of: people) { habits.actor(&$0, among: people, undoing: earlier) }
  }

  /// A user for a new account: usually one who never had one.
  func newcomer(_ t: Trial) -> UserID {
    one(t, of: users) { random in
      let new = users.indices.filter { !open.contains(users[$0]) && !gone.contains(users[$0]) }
      return random.chance(7, in: 8)
        ? new.first ?? random.within(0...users.count - 1) : random.within(0...users.count - 1)
    }
  }

  /// Two users; the first does something to the second.
  /// - Parameter known: whether the first has already done it to the second.
  func pair(_ t: Trial, known: (UserID, UserID) -> Bool) -> (UserID, UserID) {
    let user = user(t)
    var others = people.filter { isHostile || $0 != user }
    if others.isEmpty { others = people }
    return (
      user,
      one(t, of: others) { random in
        habits.target(&random, of: user, among: others) { known(user, $0) }
      }
    )
  }

  func newFollow(_ t: Trial) -> Follow {
    let pair = pair(t) { a, b in follows.contains { $0.follower == a && $0.followee == b } }
    return Follow(follower: pair.0, followee: pair.1)
  }

  func newRequest(_ t: Trial) -> FriendRequest {
    let pair = pair(t) { a, b in
      friends.contains { isBetween($0, a, b) } || requests.contains { isBetween($0, a, b) }
    }
    return FriendRequest(sender: pair.0, receiver: pair.1)
  }

  /// A block, preferably of somebody with whom there is nothing that the block would have to end
  /// in the same commit.
  func newBlock(_ t: Trial) -> Block {
    let pair = pair(t) { a, b in
      blocks.contains { $0.user == a && $0.other == b }
        || follows.contains { [$0.follower, $0.followee] == [a, b] }
        || follows.contains { [$0.follower, $0.followee] == [b, a] }
        || friends.contains { isBetween($0, a, b) } || requests.contains { isBetween($0, a, b) }
    }
    return Block(user: pair.0, other: pair.1)
  }

  private func isBetween(_ request: FriendRequest, _ a: UserID, _ b: UserID) -> Bool {
    request.sender == a && request.receiver == b || request.sender == b && request.receiver == a
  }

  /// One of the existing values; any value in a hostile history, or if there are none.
  func pick<T: Sendable>(
    _ t: Trial, _ there: Bundle<T>, _ isAtHand: (T) -> Bool, _ any: (Trial) -> T
  ) -> T {
    isHostile || there.isEmpty
      ? any(t) : one(t, of: there) { habits.thing(&$0, among: there, isAtHand) }
  }

  func follow(_ t: Trial) -> Follow {
    pick(t, follows) {
      $0.follower == habits.user || $0.followee == habits.other
    } _: {
      Follow(follower: user($0), followee: user($0))
    }
  }

  func block(_ t: Trial) -> Block {
    pick(t, blocks) {
      $0.user == habits.user || $0.other == habits.other
    } _: {
      Block(user: user($0), other: user($0))
    }
  }

  func request(_ t: Trial) -> FriendRequest {
    pick(t, requests) {
      isAtHand($0)
    } _: {
      FriendRequest(sender: user($0), receiver: user($0))
    }
  }

  func friendship(_ t: Trial) -> FriendRequest {
    pick(t, friends) {
      isAtHand($0)
    } _: {
      FriendRequest(sender: user($0), receiver: user($0))
    }
  }

  private func isAtHand(_ request: FriendRequest) -> Bool {
    let two = [habits.user, habits.other]
    return two.contains(request.sender) && two.contains(request.receiver)
  }

  func workout(_ t: Trial) -> WorkoutID {
    if isHostile || workouts.isEmpty {
      return one(t, of: workoutIDs) {
        habits.thing(&$0, among: workoutIDs) { $0 == habits.workout }
      }
    }
    return one(t, of: workouts) {
      habits.thing(&$0, among: workouts) { $0.workout == habits.workout }
    }.workout
  }

  func comment(_ t: Trial) -> CommentID {
    if isHostile || comments.isEmpty {
      return one(t, of: commentIDs) {
        habits.thing(&$0, among: commentIDs) { $0 == habits.comment }
      }
    }
    return one(t, of: comments) {
      habits.thing(&$0, among: comments) { $0.comment == habits.comment }
    }.comment
  }

  /// A user who may see a workout.
  func viewer(_ t: Trial, of workout: WorkoutID) -> UserID {
    guard !isHostile, let owner = owner(of: workout) else { return user(t) }
    let others = friends.filter { $0.sender == owner || $0.receiver == owner }
    let viewers = [owner] + others.map { $0.sender == owner ? $0.receiver : $0.sender }
    return one(t, of: viewers) { habits.actor(&$0, among: viewers, undoing: nil) }
  }

  func chup(_ t: Trial) -> ChupWithdrawn {
    pick(t, chups) {
      $0.workout == habits.workout
    } _: {
      ChupWithdrawn(workout: workout($0), user: user($0))
    }
  }

  func reaction(_ t: Trial) -> Reaction {
    pick(t, reactions) {
      $0.workout == habits.workout
    } _: {
      Reaction(
        workout: workout($0), user: user($0), kind: $0.draw(.element(of: ReactionKind.allCases)))
    }
  }

  func heart(_ t: Trial) -> Heart {
    pick(t, hearts) {
      $0.comment == habits.comment
    } _: {
      Heart(comment: comment($0), user: user($0))
    }
  }

  /// The time since the previous event, in milliseconds.
  func pause(_ t: Trial, wasBurst: Bool) -> Int64 {
    one(t, of: Habits.pauses) { habits.pause(&$0, wasBurst: wasBurst) }
  }

  /// How many accounts exist or existed; a hostile history does not need accounts.
  var accounts: Int { isHostile ? .max : open.count + gone.count }

  func newWorkout(_ t: Trial) -> WorkoutID {
    isHostile ? workout(t) : workoutIDs[shared % workoutIDs.count]
  }

  func newComment(_ t: Trial) -> CommentID {
    isHostile ? comment(t) : commentIDs[posted % commentIDs.count]
  }

  // MARK: Who may

  func owner(of workout: WorkoutID) -> UserID? {
    workouts.first { $0.workout == workout }?.owner
  }

  func author(of comment: CommentID) -> UserID? {
    comments.first { $0.comment == comment }?.user
  }

  func workout(of comment: CommentID) -> WorkoutID? {
    comments.first { $0.comment == comment }?.workout
  }
}
