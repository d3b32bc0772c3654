import Events

/// The odds that make a random history look real: a few users who meet often, some of them popular,
/// bursts, and events that lead to others.
///
/// Habits only weigh the choices that are picked at random; they add none. So a tape stands for the
/// same history whatever they are, and shrinking does not depend on them.
struct Habits {
  /// A pattern that lasts for a few events.
  enum Burst {
    /// One user does several things.
    case actor
    /// Several users do something to one user, or to one workout.
    case target
    /// Two users do things to each other.
    case pair
  }

  /// How many users usually have an account.
  private let circle: Int
  /// By event type, in the order of `types`.
  private let weights: [UInt64]
  /// By user number: the odds of being the target, and of acting.
  private let popularity: [UInt64]
  private let activity: [UInt64]
  /// The odds, out of 16, that a burst begins at an event.
  private let restlessness: UInt64

  private(set) var burst: Burst?
  /// The type of the previous event, and what it was about.
  private(set) var last: EventType?
  private(set) var user: UserID?
  private(set) var other: UserID?
  private(set) var workout: WorkoutID?
  private(set) var comment: CommentID?
  private(set) var group: GroupID?
  /// The user who last caused an event of each type.
  private var doers: [EventType: UserID] = [:]

  /// Uniform odds, for when everything comes from a tape and they are not used.
  init(users: Int) {
    (circle, restlessness) = (users, 0)
    weights = Self.types.map { UInt64($0.weight) }
    (popularity, activity) = (Self.flat(users), Self.flat(users))
  }

  init(users: Int, isHostile: Bool, _ random: inout SplitMix64) {
    restlessness = [0, 2, 4, 8][random.within(0...3)]
    // In a third of the histories nearly all users follow one; half are mostly about one or two
    // other kinds of events.
    let (hasStar, isThemed) = (random.chance(1, in: isHostile ? 8 : 3), random.chance(2, in: 3))
    let fewest = hasStar ? users * 3 / 4 : 2
    circle = users < 3 ? users : random.within(fewest...users)
    let themes =
      hasStar
      ? [[.userFollowed]]
      : (0..<2).map { _ in Self.themes[random.within(0...Self.themes.count - 1)] }
    popularity = Self.shares(users, first: circle, hasStar ? [3] : [0, 1, 2], &random)
    activity = Self.shares(users, first: circle, hasStar ? [0] : [0, 0, 1, 2], &random)
    weights = Self.types.map { entry in
      let weight = isHostile ? Self.hostileWeights[entry.type] ?? entry.weight : entry.weight
      let isTheme = (hasStar || isThemed) && themes.contains { $0.contains(entry.type) }
      return UInt64(isTheme ? 6 * weight : weight)
    }
  }

  private static func flat(_ count: Int) -> [UInt64] { Array(repeating: 1, count: count) }

  /// Uniform or by rank, such as 1, 1/2, 1/3 … or 1, 1/4, 1/9 …; half of the time the first user
  /// has the highest rank, otherwise one of the first few.
  private static func shares(
    _ count: Int, first: Int, _ steepnesses: [Int], _ random: inout SplitMix64
  ) -> [UInt64] {
    let steepness = steepnesses[random.within(0...steepnesses.count - 1)]
    let first = random.chance(1, in: 2) ? 0 : random.within(0...first - 1)
    return (0..<count).map { number in
      let rank = UInt64((number + count - first) % count + 1)
      return 720 / (0..<steepness).reduce(1) { power, _ in power * rank } + 1
    }
  }

  // MARK: What happens

  /// The number of events: uniform, and now and then none, few or all.
  func size(_ random: inout SplitMix64, _ range: ClosedRange<Int>) -> Int {
    let most = range.upperBound - range.lowerBound
    switch random.within(0...15) {
    case 0: return range.lowerBound
    case 1: return range.upperBound
    case 2: return range.lowerBound + random.within(0...min(most, 8))
    default: return range.lowerBound + random.within(0...most)
    }
  }

  /// Before an event: continues a burst, or begins another.
  mutating func goOn(_ random: inout SplitMix64) {
    if burst != nil, random.chance(1, in: 5) { burst = nil }
    if burst == nil, random.chance(restlessness, in: 16) {
      burst = [.actor, .target, .target, .pair][random.within(0...3)]
    }
  }

  /// Records an event.
  mutating func saw(_ event: Event, by actor: UserID) {
    last = event.type
    user = actor
    doers[event.type] = actor
    switch event {
    case .follow(.followed(let edge)), .follow(.unfollowed(let edge)):
      (user, other) = (edge.follower, edge.followee)
    case .block(.blocked(let block)), .block(.unblocked(let block)):
      (user, other) = (block.user, block.other)
    case .friendship(.requested(let request)), .friendship(.cancelled(let request)),
      .friendship(.accepted(let request)), .friendship(.rejected(let request)):
      (user, other) = (request.sender, request.receiver)
    case .friendship(.removed(let data)): (user, other) = (data.user, data.friend)
    case .accountDeleted(let data): other = data.user
    case .workout(.shared(let data)): workout = data.workout
    case .workout(.edited(let data)): workout = data.workout
    case .workout(.detailAttached(let data)): workout = data.workout
    case .workout(.removed(let data)): workout = data.workout
    case .chup(.given(let data)): workout = data.workout
    case .reaction(.given(let data)): workout = data.workout
    case .comment(.posted(let data)): (workout, comment) = (data.workout, data.comment)
    case .comment(.edited(let data)): comment = data.comment
    case .comment(.removed(let data)): comment = data.comment
    case .heart(.given(let heart)): comment = heart.comment
    case .group(.created(let data)): group = data.group
    case .group(.transferred(let data)): (group, other) = (data.group, data.owner)
    case .member(let event): (group, other) = (event.group, event.user)
    case .conversation(.sent(let data)): (user, other) = (data.sender, data.receiver)
    default: break
    }
  }

  // MARK: Odds

  /// The index in `types` of the next event's type.
  func type(_ random: inout SplitMix64, accounts: Int) -> Int {
    if accounts < circle, random.chance(1, in: 2) { return 1 }
    if burst != nil, let last, let next = Self.next[last], random.chance(3, in: 4) {
      return next[random.within(0...next.count - 1)]
    }
    return random.index(weights)
  }

  /// Picks who acts: in a burst usually the user who did before, or one of the two.
  /// - Parameter earlier: a type of event that the user who last caused one may undo.
  func actor(
    _ random: inout SplitMix64, among people: some Collection<UserID>, undoing earlier: EventType?
  ) -> Int {
    let doer = earlier.flatMap { doers[$0] }
    if let doer, let place = place(of: doer, people), random.chance(3, in: 4) { return place }
    let usual =
      switch burst {
      case .actor: user
      case .pair: random.chance(1, in: 2) ? user : other
      case .target, nil: UserID?.none
      }
    if let usual, let place = place(of: usual, people), random.chance(7, in: 8) { return place }
    // Several users act on one user or workout, once each.
    let before = burst == .target ? user : nil
    return random.index(people.map { $0 == before ? 1 : 16 * activity[Int($0.index)] })
  }

  /// Picks the target of a user's action, preferably one who is not known yet.
  /// - Parameter known: whether the action was already done to a user.
  func target(
    _ random: inout SplitMix64, of one: UserID, among people: some Collection<UserID>,
    known: (UserID) -> Bool
  ) -> Int {
    let usual =
      switch burst {
      case .target: other
      case .pair: one == user ? other : user
      case .actor, nil: UserID?.none
      }
    if let usual, let place = place(of: usual, people), random.chance(7, in: 8) { return place }
    return random.index(
      people.map { known($0) ? 1 : 16 * popularity[Int($0.index)] })
  }

  /// Picks the thing that an event is about: often the one at hand.
  func thing<T>(
    _ random: inout SplitMix64, among things: some BidirectionalCollection<T>,
    _ isAtHand: (T) -> Bool
  ) -> Int {
    let isUsual = random.chance(burst == nil ? 4 : 12, in: 16)
    let usual = isUsual ? things.lastIndex(where: isAtHand) : nil
    if let usual { return things.distance(from: things.startIndex, to: usual) }
    return random.within(0...things.count - 1)
  }

  /// The index of a pause in `pauses`: short within a burst, long before one.
  func pause(_ random: inout SplitMix64, wasBurst: Bool) -> Int {
    if burst == nil { return random.within(0...Self.pauses.count - 1) }
    return wasBurst ? random.within(0...2) : random.within(3...Self.pauses.count - 1)
  }

  private func place(of user: UserID, _ people: some Collection<UserID>) -> Int? {
    people.firstIndex(of: user).map { people.distance(from: people.startIndex, to: $0) }
  }

  /// In milliseconds: none, one, a second, an hour, a day, a week.
  static let pauses: [Int64] = [0, 1, 1_000, 3_600_000, 86_400_000, 604_800_000]

  // MARK: Types

  /// The types, simplest first, and how often each is tried. Types that need many earlier events
  /// are weighted up, because they are often not possible yet, and so are types that end something.
  static let types: [(weight: Int, type: EventType)] = [
    (28, .userFollowed), (4, .profileCreated), (4, .userUnfollowed), (8, .friendRequested),
    (12, .friendRequestAccepted), (2, .friendRequestRejected), (2, .friendRequestCancelled),
    (4, .friendRemoved), (6, .workoutShared), (6, .chupGiven), (2, .chupWithdrawn),
    (6, .commentPosted), (2, .commentEdited), (2, .commentRemoved), (6, .commentHearted),
    (4, .commentUnhearted), (2, .workoutEdited), (2, .workoutDetailAttached),
    (2, .workoutRemoved), (4, .profileEdited), (2, .profilePhotoSet), (3, .profilePhotoRemoved),
    (2, .baseLocationSet), (3, .baseLocationCleared), (2, .sportSet), (3, .sportRemoved),
    (2, .sendLogged), (2, .accountDeleted), (5, .userBlocked), (3, .userUnblocked),
    (4, .reactionGiven), (2, .reactionWithdrawn), (2, .weeklyGoalSet), (2, .premiumRecorded),
    (2, .groupCreated), (1, .groupEdited), (1, .groupTransferred), (1, .groupDeleted),
    (2, .memberInvited), (2, .memberRequested), (3, .memberJoined), (1, .memberLeft),
    (1, .memberRemoved), (2, .memberRoleSet), (3, .messageSent), (1, .messageRemoved),
    (1, .conversationRead), (1, .notificationsRead), (1, .contentReported), (1, .reportClosed),
  ]

  /// Other weights for hostile histories: what follows a deletion is of interest, as it ends
  /// nothing there; nothing needs earlier events; and types with texts are what a reader of lines
  /// may get wrong.
  private static let hostileWeights: [EventType: Int] = [
    .accountDeleted: 6, .userFollowed: 10, .friendRequestAccepted: 6, .profileEdited: 9,
    .workoutShared: 8, .workoutEdited: 6, .workoutDetailAttached: 4, .commentPosted: 8,
    .commentEdited: 4, .baseLocationSet: 4, .sportSet: 4, .sportRemoved: 4, .sendLogged: 3,
    .groupEdited: 2, .groupTransferred: 2, .groupDeleted: 2, .memberLeft: 2, .memberRemoved: 2,
    .messageRemoved: 2, .conversationRead: 2, .notificationsRead: 2, .contentReported: 2,
    .reportClosed: 2,
  ]

  private static let themes: [Set<EventType>] = [
    [.userFollowed, .userUnfollowed, .userBlocked, .userUnblocked],
    [.userFollowed, .profileEdited],
    [.userBlocked, .profileEdited],
    [
      .friendRequested, .friendRequestAccepted, .friendRequestRejected, .friendRequestCancelled,
      .friendRemoved,
    ],
    [
      .workoutShared, .chupGiven, .chupWithdrawn, .reactionGiven, .reactionWithdrawn,
      .workoutEdited, .workoutDetailAttached,
    ],
    [.commentPosted, .commentEdited, .commentHearted, .commentUnhearted],
    [.accountDeleted, .workoutRemoved, .commentRemoved, .friendRemoved, .profileCreated],
    [
      .profileEdited, .profilePhotoSet, .baseLocationSet, .sportSet, .sendLogged, .weeklyGoalSet,
      .premiumRecorded,
    ],
    [
      .groupCreated, .groupTransferred, .memberInvited, .memberRequested, .memberJoined,
      .memberLeft, .memberRemoved, .memberRoleSet,
    ],
    [
      .messageSent, .messageRemoved, .conversationRead, .notificationsRead, .userBlocked,
      .friendRequestAccepted,
    ],
  ]

  /// The types likely to follow a type within a burst, as indices into `types`.
  private static let next: [EventType: [Int]] = {
    let after: [EventType: [EventType]] = [
      .userFollowed: [
        .userFollowed, .userFollowed, .userFollowed, .userUnfollowed, .profileEdited,
      ],
      .userUnfollowed: [.userFollowed, .userFollowed, .userUnfollowed],
      .friendRequested: [
        .friendRequestAccepted, .friendRequestAccepted, .friendRequestCancelled,
        .friendRequestRejected, .friendRequested,
      ],
      .friendRequestCancelled: [.friendRequested],
      .friendRequestRejected: [.friendRequested, .userFollowed],
      .friendRequestAccepted: [.friendRemoved, .friendRequested, .workoutShared, .userFollowed],
      .friendRemoved: [.friendRequested, .friendRequested, .userUnfollowed, .chupGiven],
      .workoutShared: [.chupGiven, .commentPosted, .workoutShared, .workoutRemoved],
      .workoutEdited: [.workoutEdited, .workoutRemoved],
      .workoutRemoved: [.workoutShared, .commentPosted, .chupGiven],
      .chupGiven: [.chupGiven, .chupWithdrawn, .commentPosted, .reactionGiven],
      .reactionGiven: [.reactionGiven, .reactionWithdrawn, .workoutRemoved],
      .reactionWithdrawn: [.reactionGiven],
      .chupWithdrawn: [.chupGiven, .workoutRemoved],
      .commentPosted: [.commentPosted, .commentHearted, .commentEdited, .commentRemoved],
      .commentHearted: [.commentUnhearted, .commentHearted, .commentRemoved],
      .commentUnhearted: [.commentHearted],
      .commentRemoved: [.commentPosted, .commentHearted, .commentEdited],
      .groupCreated: [.memberInvited, .memberRequested, .memberJoined],
      .groupTransferred: [.memberLeft, .memberRemoved, .groupTransferred, .accountDeleted],
      .memberInvited: [.memberJoined, .memberJoined, .memberLeft, .memberRemoved],
      .memberRequested: [.memberJoined, .memberJoined, .memberInvited, .memberRemoved],
      .memberJoined: [.memberRoleSet, .memberJoined, .memberLeft, .groupTransferred],
      .memberRoleSet: [.groupTransferred, .memberRequested, .memberRemoved, .memberRoleSet],
      .memberLeft: [.memberRequested, .memberInvited, .memberJoined],
      .messageSent: [.messageSent, .conversationRead, .messageRemoved, .userBlocked],
      .messageRemoved: [.messageSent, .conversationRead],
      .contentReported: [.reportClosed],
      .profilePhotoSet: [.profilePhotoSet, .profilePhotoRemoved],
      .baseLocationSet: [.baseLocationSet, .baseLocationCleared],
      .sportSet: [.sportSet, .sportRemoved],
      .accountDeleted: [
        .userFollowed, .userUnfollowed, .friendRequested, .profileCreated, .profileEdited,
        .commentPosted, .chupGiven,
      ],
    ]
    return after.mapValues { types in
      types.compactMap { type in Self.types.firstIndex { $0.type == type } }
    }
  }()
}
