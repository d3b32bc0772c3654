import Events

// The users and things that an event is about.
extension HistoryBuilder {
  func user(_ t: Source, undoing earlier: EventType? = nil) -> UserID {
    if world.accounts.count == 0 { return world.users.ids[0] }
    let place = t.place(UserID.self, of: world.accounts.count) {
      behavior.actor(&$0, among: world.accounts, undoing: earlier)
    }
    return world.accounts.users[place]
  }

  /// A user for a new account: usually one who never had one.
  func newcomer(_ t: Source) -> UserID {
    let users = world.users.ids
    let place = t.place(UserID.self, of: users.count) { random in
      random.chance(7, in: 8) ? world.users.nextPlace : random.below(users.count)
    }
    return users[place]
  }

  /// Two users; the first does something to the second.
  /// - Parameters:
  ///   - isKnown: whether the first has already done it to the second.
  ///   - suggest: may pick the second, for the first.
  func pair(
    _ t: Source, _ isKnown: (UserID, UserID) -> Bool,
    _ suggest: (UserID, inout SplitMix64) -> UserID? = { _, _ in nil }
  ) -> (UserID, UserID) {
    let user = user(t)
    // Everybody but the user; in a hostile history the user, too.
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
      // Some ask a former friend again, others a friend of a friend.
      if random.chance(1, in: 2), let other = world.formerFriend(of: user) { return other }
      let friends = random.chance(1, in: 2) ? world.friends(of: user) : []
      let others = friends.isEmpty ? [] : world.friends(of: random.pick(friends))
      return others.isEmpty ? nil : random.pick(others)
    }
    return FriendRequest(sender: pair.0, receiver: pair.1)
  }

  /// A block, preferably of somebody with whom there is nothing that the block would have to end
  /// in the same commit.
  func newBlock(_ t: Source) -> Block {
    let pair = pair(t) { world.states.isBlocking($0, $1) || world.states.isTied($0, $1) }
    return Block(user: pair.0, other: pair.1)
  }

  /// A user who may see a workout: its owner or one of the owner's friends.
  func viewer(_ t: Source, of workout: WorkoutID) -> UserID {
    guard style != .hostile, let owner = world.states.owner(workout) else { return user(t) }
    let friends = world.friends(of: owner)
    let place = t.place(UserID.self, of: friends.count + 1) { random in
      if friends.isEmpty || random.oneIn(24) { return 0 }
      let place = random.below(friends.count)
      return world.accounts.place(of: friends[place]) == nil ? 0 : place + 1
    }
    return place == 0 ? owner : friends[place - 1]
  }

  // MARK: Choosing things

  /// Chooses one of the existing values; any value in a hostile history, or if there are none.
  func choose<Value>(
    _ t: Source, _ list: Candidates<Value>, or any: @autoclosure () -> Value,
    _ isAtHand: (Value) -> Bool
  ) -> Value {
    if style == .hostile || list.isEmpty { return any() }
    let place = t.place(Value.self, of: list.count) { random in
      behavior.thing(&random, of: list.count) { isAtHand(list[$0]) }
    }
    t.chosenPlace = place
    return list[place]
  }

  private func any<ID>(_ t: Source, _ pool: IDPool<ID>, _ atHand: ID?) -> ID {
    let ids = pool.ids
    return ids[
      t.place(ID.self, of: ids.count) { random in
        behavior.thing(&random, of: ids.count) { ids[$0] == atHand }
      }]
  }

  /// A new id; in a hostile history any.
  func new<ID>(_ t: Source, _ pool: IDPool<ID>, _ atHand: ID? = nil) -> ID {
    style == .hostile ? any(t, pool, atHand) : pool.next
  }

  func workout(_ t: Source) -> WorkoutID {
    choose(t, world.workouts, or: any(t, world.workoutIDs, behavior.workout)) {
      $0 == behavior.workout
    }
  }

  func comment(_ t: Source) -> CommentID {
    choose(t, world.comments, or: any(t, world.commentIDs, behavior.comment)) {
      $0 == behavior.comment
    }
  }

  func group(_ t: Source) -> GroupID {
    choose(t, world.groups, or: any(t, world.groupIDs, behavior.group)) { $0 == behavior.group }
  }

  func follow(_ t: Source) -> Follow {
    choose(t, world.follows, or: Follow(follower: user(t), followee: user(t))) {
      $0.follower == behavior.user || $0.followee == behavior.other
    }
  }

  func block(_ t: Source) -> Block {
    choose(t, world.blocks, or: Block(user: user(t), other: user(t))) {
      $0.user == behavior.user || $0.other == behavior.other
    }
  }

  func request(_ t: Source, in list: Candidates<FriendRequest>) -> FriendRequest {
    func isAtHand(_ user: UserID) -> Bool { user == behavior.user || user == behavior.other }
    return choose(t, list, or: FriendRequest(sender: user(t), receiver: user(t))) {
      isAtHand($0.sender) && isAtHand($0.receiver)
    }
  }

  func chup(_ t: Source) -> ChupWithdrawn {
    choose(t, world.chups, or: ChupWithdrawn(workout: workout(t), user: user(t))) {
      $0.workout == behavior.workout
    }
  }

  func reaction(_ t: Source) -> Reaction {
    choose(
      t, world.reactions,
      or: Reaction(workout: workout(t), user: user(t), kind: t.element(ReactionKind.allCases))
    ) { $0.workout == behavior.workout }
  }

  func heart(_ t: Source) -> Heart {
    choose(t, world.hearts, or: Heart(comment: comment(t), user: user(t))) {
      $0.comment == behavior.comment
    }
  }

  /// Somebody in a group, or with another standing there.
  func membership(_ t: Source, among list: Candidates<Membership>) -> Membership {
    choose(t, list, or: newMembership(t)) { $0.group == behavior.group }
  }

  func newMembership(_ t: Source) -> Membership {
    Membership(group: group(t), user: user(t))
  }

  func message(_ t: Source) -> GeneratedWorld.SentMessage {
    choose(
      t, world.messages,
      or: GeneratedWorld.SentMessage(
        message: t.element(world.messageIDs.ids), sender: user(t), receiver: user(t))
    ) { $0.sender == behavior.user }
  }
}
