import Aggregates
import Events
import Projections

/// The state of every aggregate of a log, side by side, and the facts that cross them.
struct Society: Sendable {
  struct LocalID: Hashable {
    var owner: UserID
    /// As bytes: composed and decomposed letters differ.
    var id: [UInt8]

    init(_ owner: UserID, _ id: String) {
      self.owner = owner
      self.id = Array(id.utf8)
    }
  }

  private struct Place {
    var workout: WorkoutID
    var author: UserID
  }

  private var profiles: [ProfileDecider.State] = []
  /// By lowercase handle, how many hold it: more than one only where an import brought that.
  private var handles: [String: Int] = [:]
  var follows = PairTable()
  /// The smaller index first: 1 it asked, 2 the other asked, 3 friends.
  var friendships = PairTable()
  private var workouts: [WorkoutDecider.State] = []
  /// Beside the states, whose texts cost a reference count each to look at: the owner of a shared
  /// workout, and where a posted comment is and whose. Twice as fast for chups and hearts.
  private var owners: [UserID?] = []
  private var places: [Place?] = []
  var localIDs: [LocalID: WorkoutID] = [:]
  var chups = PairTable()
  private var comments: [CommentDecider.State] = []
  var hearts = PairTable()

  mutating func visit(_ state: inout StateCoder) {
    state(&profiles)
    state(&handles)
    follows.visit(&state)
    friendships.visit(&state)
    state(&workouts)
    chups.visit(&state)
    state(&comments)
    hearts.visit(&state)
    // Each entry's key is in its workout.
    var byLocalID = Array(localIDs.values)
    state(&byLocalID)
    guard state.isReading else { return }
    // What stands beside the states can be told from them.
    owners = [UserID?](repeating: nil, count: workouts.count)
    places = [Place?](repeating: nil, count: comments.count)
    for number in workouts.indices { index(WorkoutID(index: UInt32(number))) }
    for id in byLocalID {
      guard case .shared(let workout, _) = workout(id) else { return state.fail() }
      localIDs[LocalID(workout.owner, workout.localID)] = id
    }
    for number in comments.indices { index(CommentID(index: UInt32(number))) }
  }

  // MARK: Facts

  func profile(_ user: UserID) -> ProfileDecider.State {
    Int(user.index) < profiles.count ? profiles[Int(user.index)] : ProfileDecider.initial
  }

  func exists(_ user: UserID) -> Bool {
    Int(user.index) < profiles.count && profiles[Int(user.index)].account == .open
  }

  func isFree(_ handle: String?, for user: UserID) -> Bool {
    guard let key = handle?.lowercased(), let holders = handles[key] else { return true }
    return holders == (profile(user).handle.lowercased() == key ? 1 : 0)
  }

  /// The key of two users' friendship, whichever is named first.
  static func pair(_ a: UserID, _ b: UserID) -> UInt64 {
    PairTable.key(min(a.index, b.index), max(a.index, b.index))
  }

  func friendship(_ a: UserID, _ b: UserID) -> FriendshipDecider.State {
    switch friendships[Self.pair(a, b)] {
    case 1: .pending(sender: a.index < b.index ? a : b)
    case 2: .pending(sender: a.index < b.index ? b : a)
    case 3: .friends
    default: .none
    }
  }

  func workout(_ id: WorkoutID) -> WorkoutDecider.State {
    Int(id.index) < workouts.count ? workouts[Int(id.index)] : .none
  }

  /// Removed, too, where its author is gone.
  func comment(_ id: CommentID) -> CommentDecider.State {
    guard Int(id.index) < comments.count else { return .none }
    if let place = places[Int(id.index)], !exists(place.author) { return .removed }
    return comments[Int(id.index)]
  }

  /// What the comment is on; nil where it or its author is gone.
  func workout(of id: CommentID) -> WorkoutID? {
    guard Int(id.index) < places.count, let place = places[Int(id.index)], exists(place.author)
    else { return nil }
    return place.workout
  }

  /// The workout's owner; nil where either is gone.
  func owner(_ id: WorkoutID) -> UserID? {
    guard Int(id.index) < owners.count, let owner = owners[Int(id.index)], exists(owner)
    else { return nil }
    return owner
  }

  func sight(_ id: WorkoutID?, _ viewer: UserID) -> Sight {
    let owner = id.flatMap(owner)
    return Sight(
      viewer: viewer, hasProfile: exists(viewer), owner: owner,
      friendship(owner ?? viewer, viewer))
  }

  func isFollowing(_ edge: Follow) -> Bool {
    follows[PairTable.key(edge.follower.index, edge.followee.index)] != nil
  }

  func chup(_ workout: WorkoutID, _ user: UserID) -> ChupDecider.State {
    let state = chups[PairTable.key(workout.index, user.index)] ?? 0
    return ChupDecider.State(rawValue: UInt8(truncatingIfNeeded: state)) ?? .none
  }

  func isHearted(_ heart: Heart) -> Bool {
    hearts[PairTable.key(heart.comment.index, heart.user.index)] != nil
  }

  /// The workout that the owner's local id made before, if that is not removed.
  func earlier(_ owner: UserID, _ localID: String) -> WorkoutID? {
    localIDs[LocalID(owner, localID)]
  }

  func replyExists(_ comment: CommentPosted) -> Bool {
    comment.replyTo.map { workout(of: $0) == comment.workout } ?? true
  }
}

extension Society {
  // MARK: Taking events in

  mutating func apply(_ event: Event) {
    switch event {
    case .profileCreated(let data): evolve(event, data.user)
    case .profileEdited(let data): evolve(event, data.user)
    case .profilePhotoSet(let data): evolve(event, data.user)
    case .baseLocationSet(let data): evolve(event, data.user)
    case .sportSet(let data): evolve(event, data.user)
    case .sportRemoved(let data): evolve(event, data.user)
    case .profilePhotoRemoved(let data), .baseLocationCleared(let data), .accountDeleted(let data):
      evolve(event, data.user)
    case .sendLogged: break
    case .userFollowed(let data):
      follows.set(PairTable.key(data.follower.index, data.followee.index), 1)
    case .userUnfollowed(let data):
      _ = follows.remove(PairTable.key(data.follower.index, data.followee.index))
    case .friendRequested(let data), .friendRequestCancelled(let data),
      .friendRequestAccepted(let data), .friendRequestRejected(let data):
      evolve(event, data.sender, data.receiver)
    case .friendRemoved(let data): evolve(event, data.user, data.friend)
    case .workoutShared(let data):
      let localID = LocalID(data.owner, data.localID)
      if localIDs[localID] == nil { localIDs[localID] = data.workout }
      evolve(event, data.workout)
    case .workoutEdited(let data): evolve(event, data.workout)
    case .workoutDetailAttached(let data): evolve(event, data.workout)
    case .workoutRemoved(let data):
      if case .shared(let workout, _) = workout(data.workout) {
        let localID = LocalID(workout.owner, workout.localID)
        if localIDs[localID] == data.workout { localIDs[localID] = nil }
      }
      evolve(event, data.workout)
    case .chupGiven(let data):
      let state: ChupDecider.State = data.big ? .big : .chup
      chups.set(PairTable.key(data.workout.index, data.user.index), UInt32(state.rawValue))
    case .chupWithdrawn(let data):
      _ = chups.remove(PairTable.key(data.workout.index, data.user.index))
    case .commentPosted(let data): evolve(event, data.comment)
    case .commentEdited(let data): evolve(event, data.comment)
    case .commentRemoved(let data): evolve(event, data.comment)
    case .commentHearted(let data):
      hearts.set(PairTable.key(data.comment.index, data.user.index), 1)
    case .commentUnhearted(let data):
      _ = hearts.remove(PairTable.key(data.comment.index, data.user.index))
    }
  }

  private mutating func evolve(_ event: Event, _ user: UserID) {
    makeRoom(for: user)
    let old = profiles[Int(user.index)].handle
    ProfileDecider.evolve(&profiles[Int(user.index)], event)
    index(profiles[Int(user.index)].handle, after: old)
  }

  /// Replaces a state, as when a decision is taken back.
  mutating func set(_ state: ProfileDecider.State, _ user: UserID) {
    makeRoom(for: user)
    let old = profiles[Int(user.index)].handle
    profiles[Int(user.index)] = state
    index(state.handle, after: old)
  }

  private mutating func makeRoom(for user: UserID) {
    while profiles.count <= Int(user.index) { profiles.append(ProfileDecider.initial) }
  }

  private mutating func index(_ new: String, after old: String) {
    guard old != new else { return }
    if let holders = handles[old.lowercased()] {
      handles[old.lowercased()] = holders > 1 ? holders - 1 : nil
    }
    if !new.isEmpty { handles[new.lowercased(), default: 0] += 1 }
  }

  private mutating func evolve(_ event: Event, _ a: UserID, _ b: UserID) {
    var state = friendship(a, b)
    FriendshipDecider.evolve(&state, event)
    let key = Self.pair(a, b)
    switch state {
    case .none: _ = friendships.remove(key)
    case .pending(let sender): friendships.set(key, sender.index == UInt32(key >> 32) ? 1 : 2)
    case .friends: friendships.set(key, 3)
    }
  }

  private mutating func evolve(_ event: Event, _ workout: WorkoutID) {
    makeRoom(for: workout)
    WorkoutDecider.evolve(&workouts[Int(workout.index)], event)
    index(workout)
  }

  /// Replaces a state, as when a decision is taken back.
  mutating func set(_ state: WorkoutDecider.State, _ workout: WorkoutID) {
    makeRoom(for: workout)
    workouts[Int(workout.index)] = state
    index(workout)
  }

  private mutating func makeRoom(for workout: WorkoutID) {
    while workouts.count <= Int(workout.index) {
      workouts.append(WorkoutDecider.initial)
      owners.append(nil)
    }
  }

  private mutating func index(_ workout: WorkoutID) {
    if case .shared(let shared, _) = workouts[Int(workout.index)] {
      owners[Int(workout.index)] = shared.owner
    } else {
      owners[Int(workout.index)] = nil
    }
  }

  private mutating func evolve(_ event: Event, _ comment: CommentID) {
    makeRoom(for: comment)
    CommentDecider.evolve(&comments[Int(comment.index)], event)
    index(comment)
  }

  /// Replaces a state, as when a decision is taken back.
  mutating func set(_ state: CommentDecider.State, _ comment: CommentID) {
    makeRoom(for: comment)
    comments[Int(comment.index)] = state
    index(comment)
  }

  /// The comment by itself, whatever became of its author.
  func state(of id: CommentID) -> CommentDecider.State {
    Int(id.index) < comments.count ? comments[Int(id.index)] : .none
  }

  private mutating func makeRoom(for comment: CommentID) {
    while comments.count <= Int(comment.index) {
      comments.append(CommentDecider.initial)
      places.append(nil)
    }
  }

  private mutating func index(_ comment: CommentID) {
    if case .posted(let posted) = comments[Int(comment.index)] {
      places[Int(comment.index)] = Place(workout: posted.workout, author: posted.user)
    } else {
      places[Int(comment.index)] = nil
    }
  }
}
