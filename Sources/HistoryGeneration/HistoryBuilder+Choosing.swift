import Events

// The choice of the users and things that an event is about.
extension HistoryBuilder {
  /// Chooses the acting user; if `earlier` is given, usually the last user with an event of that
  /// type.
  func user(_ t: Source, undoing earlier: EventType? = nil) -> UserID {
    if world.accounts.count == 0 { return UserID(index: world[.user].ids[0]) }
    let place = t.place(UserID.self, of: world.accounts.count) {
      behavior.actor(&$0, among: world.accounts, undoing: earlier)
    }
    return world.accounts.users[place]
  }

  /// Chooses a user for a new account, usually one who never had an account.
  func newcomer(_ t: Source) -> UserID {
    let users = world[.user]
    let place = t.place(UserID.self, of: users.ids.count) { random in
      random.chance(7, in: 8) ? users.nextPlace : random.below(users.ids.count)
    }
    return UserID(index: users.ids[place])
  }

  /// Chooses two users for an event in which the first user acts on the second.
  /// - Parameters:
  ///   - isKnown: whether the first user has already done this to the second.
  ///   - suggest: may pick a second user for the first one; nil leaves the choice to `behavior`.
  func pair(
    _ t: Source, _ isKnown: (UserID, UserID) -> Bool,
    _ suggest: (UserID, inout SplitMix64) -> UserID? = { _, _ in nil }
  ) -> (UserID, UserID) {
    let user = user(t)
    // The second user is another user than the first; in a hostile history possibly the same user.
    let own = style == .hostile || world.accounts.count < 2 ? nil : world.accounts.place(of: user)
    let place = t.place(UserID.self, of: world.accounts.count - (own == nil ? 0 : 1)) { random in
      let other = suggest(user, &random).flatMap(world.accounts.place)
      let place =
        other ?? behavior.target(&random, of: user, among: world.accounts) { isKnown(user, $0) }
      guard let own, place >= own else { return place }
      return max(place - 1, 0)
    }
    guard let own, place >= own else { return (user, world.accounts.users[place]) }
    return (user, world.accounts.users[place + 1])
  }

  func newFollow(_ t: Source) -> Follow {
    let pair = pair(t) { world.states.isFollowing($0, $1) }
    return Follow(follower: pair.0, followee: pair.1)
  }

  func newRequest(_ t: Source) -> FriendRequest {
    let pair = pair(t) {
      world.states.friendship($0, $1) != .none
    } _: { user, random in
      // Some users ask a former friend again, others a friend of a friend.
      if random.chance(1, in: 2), let other = world.formerFriend(of: user) { return other }
      let friends = random.chance(1, in: 2) ? world.friends(of: user) : []
      let others = friends.isEmpty ? [] : world.friends(of: random.pick(friends))
      return others.isEmpty ? nil : random.pick(others)
    }
    return FriendRequest(sender: pair.0, receiver: pair.1)
  }

  /// Draws a block, preferably between users without a follow, friendship or request. A block would
  /// have to end these.
  func newBlock(_ t: Source) -> Block {
    let pair = pair(t) { world.states.isBlocking($0, $1) || world.states.isTied($0, $1) }
    return Block(user: pair.0, other: pair.1)
  }

  /// Chooses a user who may see a workout: its owner or one of the owner's friends.
  func viewer(_ t: Source, of workout: WorkoutID) -> UserID {
    guard style != .hostile, let owner = world.owner(of: workout) else { return user(t) }
    let friends = world.friends(of: owner)
    let place = t.place(UserID.self, of: friends.count + 1) { random in
      if friends.isEmpty || random.oneIn(24) { return 0 }
      let place = random.below(friends.count)
      return world.accounts.place(of: friends[place]) == nil ? 0 : place + 1
    }
    return place == 0 ? owner : friends[place - 1]
  }

  // MARK: Choosing things

  /// Chooses an existing thing. In a hostile history, or if none exists, chooses any ids.
  func choose(_ t: Source, _ subject: Subject) -> Pair {
    let pairs = world[subject].pairs
    if style == .hostile || pairs.isEmpty { return anything(t, subject) }
    let place = t.place(Subject.self, of: pairs.count) { random in
      behavior.thing(&random, of: pairs.count) { behavior.isAtHand(pairs[$0], subject) }
    }
    t.chosenPlace = place
    return pairs[place]
  }

  private func anything(_ t: Source, _ subject: Subject) -> Pair {
    if subject.kind == .user { return Pair(user(t), user(t)) }
    let ids = world[subject.kind].ids
    let place = t.place(IDKind.self, of: ids.count) { random in
      behavior.thing(&random, of: ids.count) { ids[$0] == behavior.last(subject.kind) }
    }
    return Pair(a: ids[place], b: subject.hasUser ? user(t).index : 0)
  }

  /// Chooses a thing like `choose`, and returns its id.
  func one<ID: DenseID>(_ t: Source, _ subject: Subject) -> ID { choose(t, subject).first() }

  /// Returns the next unused id; in a hostile history any id.
  func new<ID: DenseID>(_ t: Source, _ subject: Subject) -> ID {
    style == .hostile ? anything(t, subject).first() : ID(index: world[subject.kind].next)
  }

  /// Chooses a group and one of its members, invited users or applicants; `subject` says which.
  func membership(_ t: Source, among subject: Subject) -> Membership {
    let pair = choose(t, subject)
    return Membership(group: pair.first(), user: pair.second)
  }

  func newMembership(_ t: Source) -> Membership {
    Membership(group: one(t, .group), user: user(t))
  }

  /// Chooses two friends, in either order.
  func friends(_ t: Source) -> (UserID, UserID) {
    let pair = choose(t, .friendship)
    return t.flag() ? (pair.first(), pair.second) : (pair.second, pair.first())
  }

  /// Chooses a sent message. In a hostile history its sender and receiver are any users.
  func message(_ t: Source) -> (id: MessageID, sender: UserID, receiver: UserID) {
    let id: MessageID = one(t, .message)
    guard style != .hostile, case .sent(let message) = world.states.message(id) else {
      return (id, user(t), user(t))
    }
    return (id, message.sender, message.receiver)
  }
}
