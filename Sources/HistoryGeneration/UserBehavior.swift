import Events

/// How the users of a history behave: who acts, at whom, about what, and in which bursts.
///
/// It decides only how likely the choices are that are picked at random; it adds none. So a tape
/// stands for the same history whatever the behavior, and shrinking does not depend on it.
struct UserBehavior: Sendable {
  /// A pattern that lasts for a few events.
  enum Burst {
    /// One user does several things.
    case actor
    /// Several users do something to one user, or about one workout.
    case target
    /// Two users do things to each other.
    case pair
  }

  /// How many users should have joined by now.
  var joinersDue: Int
  var popularity = Popularity()
  /// How the users are chosen at whom something is done, and those who act.
  private let (targets, actors): (Popularity.Law, Popularity.Law)
  /// The places of event types, to pick one.
  private let lots: [UInt8]
  /// How likely a burst begins at an event, out of 64.
  private let burstiness: UInt64

  private(set) var burst: Burst?
  /// The type of the previous event, and what it was about.
  private var last: EventType?
  private(set) var user: UserID?
  private(set) var other: UserID?
  private(set) var workout: WorkoutID?
  private(set) var comment: CommentID?
  private(set) var group: GroupID?
  /// The user who last caused an event of each type, by the type's raw value.
  private var doers = [UserID?](repeating: nil, count: Int(EventType.app.rawValue) + 1)

  /// A long history's: users are popular by rank, and bursts are rare.
  init() {
    (joinersDue, targets, actors, burstiness) = (1, .ranked, .mixed, 1)
    lots = EventWeights.lots(.long)
  }

  /// A short history's: in three of eight nearly all follow one user; most others have themes.
  init(users: Int, _ style: HistoryStyle, _ random: inout SplitMix64) {
    burstiness = [0, 8, 16, 32][random.below(4)]
    let hasStar = random.chance(style == .hostile ? 2 : 6, in: 16)
    let fewest = hasStar ? users * 3 / 4 : 2
    joinersDue = users < 3 ? users : random.within(fewest...users)
    popularity.favorite = random.chance(1, in: 2) ? 0 : random.below(joinersDue)
    targets = hasStar ? .star : [.even, .mixed, .ranked][random.below(3)]
    actors = hasStar ? .even : [.even, .even, .mixed, .ranked][random.below(4)]
    var emphasized: Set<EventType> = hasStar ? [.userFollowed] : []
    if !hasStar, random.chance(2, in: 3) {
      for _ in 0..<2 {
        emphasized.formUnion(EventWeights.themes[random.below(EventWeights.themes.count)])
      }
    }
    lots = EventWeights.lots(style, emphasized: emphasized)
  }

  /// Before an event: continues a burst, or begins another.
  mutating func goOn(_ random: inout SplitMix64) {
    if burst != nil, random.chance(1, in: 5) { burst = nil }
    if burst == nil, random.chance(burstiness, in: 64) {
      burst = [.actor, .target, .target, .pair][random.below(4)]
    }
  }

  /// Records an event.
  mutating func record(_ event: Event, by actor: UserID) {
    last = event.type
    user = actor
    doers[Int(event.type.rawValue)] = actor
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
    case .member(let event):
      (group, other) = (event.membership.group, event.membership.user)
    case .conversation(.sent(let data)): (user, other) = (data.sender, data.receiver)
    default: break
    }
  }

  // MARK: Picking

  /// Picks the next event's type, as its place in `EventWeights.all`.
  /// - Parameter joined: how many users have joined.
  func type(_ random: inout SplitMix64, joined: Int) -> Int {
    if joined < joinersDue, random.chance(1, in: 2) {
      return EventWeights.place(of: .profileCreated)
    }
    if burst != nil, let last, random.chance(3, in: 4) {
      let following = EventWeights.following[Int(last.rawValue)]
      if !following.isEmpty { return EventWeights.place(of: random.pick(following)) }
    }
    return Int(random.pick(lots))
  }

  /// Picks the place of the user who acts: in a burst usually the user who did before, or one of
  /// the two.
  /// - Parameter earlier: a type of event; the user who last caused one may undo it.
  func actor(
    _ random: inout SplitMix64, among accounts: OpenAccounts, undoing earlier: EventType?
  ) -> Int {
    let doer = earlier.flatMap { doers[Int($0.rawValue)] }
    if let doer, let place = accounts.place(of: doer), random.chance(3, in: 4) { return place }
    let usual =
      switch burst {
      case .actor: user
      case .pair: random.chance(1, in: 2) ? user : other
      case .target, nil: UserID?.none
      }
    if let usual, let place = accounts.place(of: usual), random.chance(7, in: 8) { return place }
    // Several users act on one user or workout, once each.
    return popularity.pick(
      &random, actors, among: accounts, except: burst == .target ? user : nil)
  }

  /// Picks the place of the user at whom another acts, preferably one to whom it was not done yet.
  /// - Parameter isKnown: whether it was done to a user.
  func target(
    _ random: inout SplitMix64, of actor: UserID, among accounts: OpenAccounts,
    _ isKnown: (UserID) -> Bool
  ) -> Int {
    let usual =
      switch burst {
      case .target: other
      case .pair: actor == user ? other : user
      case .actor, nil: UserID?.none
      }
    if let usual, let place = accounts.place(of: usual), random.chance(7, in: 8) { return place }
    return popularity.pick(&random, targets, among: accounts, except: actor) { !isKnown($0) }
  }

  /// Picks the place of the thing that an event is about: often the one at hand, otherwise a
  /// recent one.
  func thing(_ random: inout SplitMix64, of count: Int, _ isAtHand: (Int) -> Bool) -> Int {
    if random.chance(burst == nil ? 4 : 12, in: 16) {
      let recent = max(0, count - 32)..<count
      if let place = recent.last(where: isAtHand) { return place }
    }
    return count - 1 - random.skewed(count)
  }

  /// Picks the place of a pause in a list, shortest first: short within a burst, long before one.
  func pause(_ random: inout SplitMix64, of count: Int, wasInBurst: Bool) -> Int {
    if burst == nil { return random.below(count) }
    return wasInBurst ? random.below(3) : random.within(3...count - 1)
  }
}
