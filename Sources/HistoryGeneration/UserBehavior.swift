import Events

/// The behavior of a history's users: the probabilities of actors, targets, things and bursts.
///
/// The behavior changes only the probabilities of random choices and adds no choices. So a tape
/// determines the same history under every behavior, and shrinking does not depend on the behavior.
struct UserBehavior: Sendable {
  /// A pattern that lasts for a few events.
  enum Burst {
    /// One user causes several events.
    case actor
    /// Several users act on one user, or on one workout.
    case target
    /// Two users act on each other.
    case pair
  }

  /// The number of users who should have joined by now.
  var joinersDue: Int
  var popularity = Popularity()
  /// The distributions of the users who are acted on, and of those who act.
  private let (targets, actors): (Popularity.Law, Popularity.Law)
  /// The indices of event types in `EventWeights.all`. Each is repeated, so that a random element
  /// follows the weights.
  private let lots: [UInt8]
  /// The probability that a burst begins at an event, in 64ths.
  private let burstiness: UInt64
  /// The probability that an event outside of bursts is about a recently used thing, in 16ths.
  private let attention: UInt64

  private(set) var burst: Burst?
  /// The previous event's type, actor and other user.
  private var last: EventType?
  private var user: UserID?
  private var other: UserID?
  /// By kind of id: the number of the last id of this kind that an event used.
  private var things = IDKind.allCases.map { _ in UInt32?.none }
  /// The user who last caused an event of each type, by the type's raw value.
  private var doers = [UserID?](repeating: nil, count: Int(EventType.app.rawValue) + 1)

  /// Creates the behavior of a long history. Events favour users by their rank of popularity, and
  /// bursts are rare.
  init() {
    (joinersDue, targets, actors) = (1, .ranked, .mixed)
    (burstiness, attention) = (1, 0)
    lots = EventWeights.lots(.long)
    popularity.favorite = .max
  }

  /// Creates the behavior of a short history.
  ///
  /// In 7 of 16 histories, and in 4 of 16 hostile ones, nearly all users follow one user. Two
  /// thirds of the other histories have themes: groups of event types that are more frequent.
  init(users: Int, _ style: HistoryStyle, _ random: inout SplitMix64) {
    (burstiness, attention) = ([0, 8, 16, 32][random.below(4)], 4)
    let hasStar = random.chance(style == .hostile ? 4 : 7, in: 16)
    let fewest = hasStar ? users * 3 / 4 : 2
    joinersDue = users < 3 ? users : random.within(fewest...users)
    popularity.favorite = random.chance(1, in: 2) ? 0 : random.below(joinersDue)
    targets = hasStar ? .star : [.even, .mixed, .ranked][random.below(3)]
    actors = hasStar ? .even : [.even, .even, .mixed, .ranked][random.below(4)]
    var themes: [EventWeights.Theme] = hasStar ? [.beginning(.follow)] : []
    if !hasStar, random.chance(2, in: 3) {
      themes = [random.pick(Self.themes), random.pick(Self.themes)]
    }
    lots = EventWeights.lots(style, themes: themes)
  }

  /// Randomly continues or ends the current burst, or begins another. Call it before each event.
  mutating func goOn(_ random: inout SplitMix64) {
    if burst != nil, random.chance(1, in: 5) { burst = nil }
    if burst == nil, random.chance(burstiness, in: 64) {
      burst = [.actor, .target, .target, .pair][random.below(4)]
    }
  }

  /// Records that an event was added to the history.
  mutating func record(_ event: Event, by actor: UserID) {
    (last, user) = (event.type, actor)
    doers[Int(event.type.rawValue)] = actor
    guard let stream = event.stream else { return }
    switch stream.kind {
    case .follow, .friendship, .block, .conversation:
      other = UserID(index: stream.a == actor.index ? stream.b : stream.a)
      return
    case .profile: if case .accountDeleted = event { other = actor }
    case .member: other = UserID(index: stream.b)
    default: break
    }
    if let subject = EventWeights[event.type].subject {
      things[Int(subject.kind.rawValue)] = stream.a
    }
  }

  /// Returns the number of the id of this kind that an event last used; nil if there is none.
  func last(_ kind: IDKind) -> UInt32? { things[Int(kind.rawValue)] }

  /// Returns whether a pair has a user of the previous event or, for a thing, the last used id.
  func isAtHand(_ pair: Pair, _ subject: Subject) -> Bool {
    if subject.kind != .user { return pair.a == last(subject.kind) }
    let isFromUser = pair.a == user?.index
    return isFromUser || pair.b == other?.index || subject == .friendship && pair.b == user?.index
  }

  /// The themes that a short history may have.
  private static let themes: [EventWeights.Theme] = [
    .about([.follow, .block]), .about([.follow], profiles: true), .about([.block], profiles: true),
    .about([.request, .friendship]), .about(Subject.of(.workout)), .about(Subject.of(.comment)),
    .endings, .about([], profiles: true), .about(Subject.of(.group)),
    .about([.friendship, .message, .block]),
  ]

  // MARK: Picking

  /// Picks the next event's type, and returns its index in `EventWeights.all`.
  /// - Parameter joined: the number of users who have joined.
  func type(_ random: inout SplitMix64, joined: Int) -> Int {
    if joined < joinersDue, random.chance(1, in: 2) {
      return EventWeights.place(of: .profileCreated)
    }
    if burst != nil, let last, random.chance(3, in: 4) {
      return EventWeights.place(of: random.pick(EventWeights.following[Int(last.rawValue)]))
    }
    return Int(random.pick(lots))
  }

  /// Picks the acting user, and returns the index in `accounts`. In a burst, usually picks the
  /// previous actor or one of the pair.
  /// - Parameter earlier: the type of the event to undo, usually by the user who last caused one.
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
    // In a `.target` burst, several users act on one user or workout, once each.
    return popularity.pick(
      &random, actors, among: accounts, except: burst == .target ? user : nil)
  }

  /// Picks the user who is acted on, and returns the index in `accounts`. Prefers a user for whom
  /// `isKnown` is false.
  /// - Parameter isKnown: whether the actor has already done this to a user.
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

  /// Picks the thing that an event is about, and returns its index. Often picks the last used
  /// thing, otherwise a recent one.
  func thing(_ random: inout SplitMix64, of count: Int, _ isAtHand: (Int) -> Bool) -> Int {
    if random.chance(burst == nil ? attention : 12, in: 16) {
      let recent = max(0, count - 32)..<count
      if let place = recent.last(where: isAtHand) { return place }
    }
    return count - 1 - random.skewed(count)
  }

  /// Picks a pause from a sorted list, and returns its index. Pauses are short within a burst and
  /// long before it.
  func pause(_ random: inout SplitMix64, of count: Int, wasInBurst: Bool) -> Int {
    if burst == nil { return random.below(count) }
    return wasInBurst ? random.below(3) : random.within(3...count - 1)
  }
}
