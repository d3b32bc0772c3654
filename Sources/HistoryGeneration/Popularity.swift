import Events

/// A ranking of users by popularity.
struct Popularity: Sendable {
  /// A probability distribution for picking a user.
  enum Law {
    /// All users are equally likely.
    case even
    /// Half of the picks are `even`, the others `ranked`.
    case mixed
    /// A user's probability is about proportional to rank^-¾.
    case ranked
    /// 5 of 6 picks are the most popular user.
    case star
  }

  /// The number of users who join before the favorite, who becomes the most popular user. A number
  /// that is never reached means that no user keeps the first rank.
  var favorite = 0
  /// The users who have joined, the most popular first.
  private var ranks: [UserID] = []

  /// The number of users who have joined.
  var count: Int { ranks.count }

  /// Adds a user. The favorite gets the first rank and keeps it. Half of the other users get a
  /// random rank, the rest the lowest.
  mutating func add(_ user: UserID, _ random: inout SplitMix64) {
    ranks.append(user)
    let last = ranks.count - 1
    if last == favorite {
      ranks.swapAt(0, last)
    } else if random.chance(1, in: 2) {
      let first = last > favorite ? 1 : 0
      ranks.swapAt(random.within(first...last), last)
    }
  }

  /// Picks an open account, and returns its index in `accounts`.
  ///
  /// Tries 6 times to find a user other than `excluded` for whom `isFit` is true. Then picks any.
  func pick(
    _ random: inout SplitMix64, _ law: Law, among accounts: OpenAccounts,
    except excluded: UserID? = nil, _ isFit: (UserID) -> Bool = { _ in true }
  ) -> Int {
    for attempt in 0..<6 where !ranks.isEmpty {
      let user = ranks[rank(&random, attempt < 3 ? law : .even)]
      if user != excluded, let place = accounts.place(of: user), isFit(user) { return place }
    }
    return random.below(accounts.count)
  }

  @inline(__always)
  private func rank(_ random: inout SplitMix64, _ law: Law) -> Int {
    switch law {
    case .even: random.below(ranks.count)
    case .mixed: random.chance(1, in: 2) ? random.below(ranks.count) : random.skewed(ranks.count)
    case .ranked: random.skewed(ranks.count)
    case .star: random.chance(5, in: 6) ? 0 : random.below(ranks.count)
    }
  }
}

/// The users with open accounts, in the order in which they joined.
struct OpenAccounts: Sendable {
  private(set) var users: [UserID] = []
  /// Each user's index in `users` plus 1, by the user's number; 0 if the user has no account.
  private var places: [UInt32] = []

  var count: Int { users.count }

  @inline(__always)
  func place(of user: UserID) -> Int? {
    let number = Int(user.index)
    return number < places.count && places[number] > 0 ? Int(places[number]) - 1 : nil
  }

  mutating func add(_ user: UserID) {
    if place(of: user) != nil { return }
    while places.count <= Int(user.index) { places.append(0) }
    users.append(user)
    places[Int(user.index)] = UInt32(users.count)
  }

  /// - Complexity: O(users).
  mutating func remove(_ user: UserID) {
    guard let place = place(of: user) else { return }
    users.remove(at: place)
    places[Int(user.index)] = 0
    for later in users[place...] { places[Int(later.index)] -= 1 }
  }
}
