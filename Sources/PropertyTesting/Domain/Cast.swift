import Events

/// Who and what a history is about, and what is so far between them: the bundles that its events
/// draw from.
struct Cast {
  let users: [UserID]
  let workoutIDs: [WorkoutID]
  let commentIDs: [CommentID]
  /// Whether to draw from all there are, whatever they have to do with each other.
  let isHostile: Bool

  private(set) var open = Bundle<UserID>()
  private(set) var follows = Bundle<Follow>()
  private(set) var requests = Bundle<FriendRequest>()
  private(set) var friends = Bundle<FriendRequest>()
  private(set) var workouts = Bundle<WorkoutShared>()
  private(set) var chups = Bundle<ChupWithdrawn>()
  private(set) var comments = Bundle<CommentPosted>()
  private(set) var hearts = Bundle<Heart>()
  private(set) var shared = 0
  private(set) var posted = 0

  init(_ names: inout Names, users: Int, isHostile: Bool) {
    func ids<ID>(_ prefix: String, _ count: Int, _ make: (String) throws -> ID) -> [ID] {
      (1...count).compactMap { try? make("\(prefix)\($0)") }
    }
    self.users = ids("u", users) { try names.user($0) }
    workoutIDs = ids("w", isHostile ? 6 : 99) { try names.workout($0) }
    commentIDs = ids("c", isHostile ? 6 : 99) { try names.comment($0) }
    self.isHostile = isHostile
  }

  mutating func apply(_ event: Event) {
    switch event {
    case .profileCreated(let data): open.add(data.user)
    case .accountDeleted(let data): remove(data.user)
    case .userFollowed(let edge): follows.add(edge)
    case .userUnfollowed(let edge): follows.remove { $0 == edge }
    case .friendRequested(let request): requests.add(request)
    case .friendRequestAccepted(let request):
      requests.remove { $0 == request }
      friends.add(request)
    case .friendRequestCancelled(let request), .friendRequestRejected(let request):
      requests.remove { $0 == request }
    case .friendRemoved(let data):
      friends.remove {
        ($0.sender, $0.receiver) == (data.user, data.friend)
          || ($0.sender, $0.receiver) == (data.friend, data.user)
      }
    case .workoutShared(let workout):
      workouts.add(workout)
      shared += 1
    case .workoutRemoved(let data):
      workouts.remove { $0.workout == data.workout }
      comments.remove { $0.workout == data.workout }
    case .chupGiven(let data): chups.add(ChupWithdrawn(workout: data.workout, user: data.user))
    case .chupWithdrawn(let data): chups.remove { $0 == data }
    case .commentPosted(let data):
      comments.add(data)
      posted += 1
    case .commentRemoved(let data): comments.remove { $0.comment == data.comment }
    case .commentHearted(let heart): hearts.add(heart)
    case .commentUnhearted(let heart): hearts.remove { $0 == heart }
    default: break
    }
  }

  private mutating func remove(_ user: UserID) {
    open.remove { $0 == user }
    follows.remove { $0.follower == user || $0.followee == user }
    requests.remove { $0.sender == user || $0.receiver == user }
    friends.remove { $0.sender == user || $0.receiver == user }
    workouts.remove { $0.owner == user }
    chups.remove { $0.user == user }
    comments.remove { $0.user == user }
    hearts.remove { $0.user == user }
  }

  // MARK: Drawing

  func user(_ t: Trial) -> UserID {
    t.draw(.element(of: isHostile || open.isEmpty ? users : Array(open)))
  }

  func pair(_ t: Trial) -> (UserID, UserID) {
    let one = user(t)
    let others = open.filter { $0 != one }
    return (one, isHostile || others.isEmpty ? user(t) : t.draw(.element(of: others)))
  }

  /// One of what is there, as if it were not hostile; anything otherwise.
  private func pick<T: Sendable>(_ t: Trial, _ there: Bundle<T>, _ any: (Trial) -> T) -> T {
    isHostile || there.isEmpty ? any(t) : t.draw(.element(of: there))
  }

  func follow(_ t: Trial) -> Follow {
    pick(t, follows) { Follow(follower: user($0), followee: user($0)) }
  }

  func request(_ t: Trial) -> FriendRequest {
    pick(t, requests) { FriendRequest(sender: user($0), receiver: user($0)) }
  }

  func friendship(_ t: Trial) -> FriendRequest {
    pick(t, friends) { FriendRequest(sender: user($0), receiver: user($0)) }
  }

  func workout(_ t: Trial) -> WorkoutID {
    isHostile || workouts.isEmpty
      ? t.draw(.element(of: workoutIDs)) : t.draw(.element(of: workouts)).workout
  }

  func comment(_ t: Trial) -> CommentID {
    isHostile || comments.isEmpty
      ? t.draw(.element(of: commentIDs)) : t.draw(.element(of: comments)).comment
  }

  /// Somebody who sees a workout.
  func viewer(_ t: Trial, of workout: WorkoutID) -> UserID {
    guard !isHostile, let owner = owner(of: workout) else { return user(t) }
    let others = friends.filter { $0.sender == owner || $0.receiver == owner }
    return t.draw(
      .element(of: [owner] + others.map { $0.sender == owner ? $0.receiver : $0.sender }))
  }

  func chup(_ t: Trial) -> ChupWithdrawn {
    pick(t, chups) { ChupWithdrawn(workout: workout($0), user: user($0)) }
  }

  func heart(_ t: Trial) -> Heart {
    pick(t, hearts) { Heart(comment: comment($0), user: user($0)) }
  }

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

  /// Who could cause an event.
  func actor(of event: Event) -> UserID? {
    switch event {
    case .profileCreated(let data): data.user
    case .profileEdited(let data): data.user
    case .profilePhotoSet(let data): data.user
    case .profilePhotoRemoved(let data): data.user
    case .baseLocationSet(let data): data.user
    case .baseLocationCleared(let data): data.user
    case .sportSet(let data): data.user
    case .sportRemoved(let data): data.user
    case .sendLogged(let data): data.user
    case .accountDeleted(let data): data.user
    case .userFollowed(let edge), .userUnfollowed(let edge): edge.follower
    case .friendRequested(let request), .friendRequestCancelled(let request): request.sender
    case .friendRequestAccepted(let request), .friendRequestRejected(let request):
      request.receiver
    case .friendRemoved(let data): data.user
    case .workoutShared(let data): data.owner
    case .workoutEdited(let data): owner(of: data.workout)
    case .workoutDetailAttached(let data): owner(of: data.workout)
    case .workoutRemoved(let data): owner(of: data.workout)
    case .chupGiven(let data): data.user
    case .chupWithdrawn(let data): data.user
    case .commentPosted(let data): data.user
    case .commentEdited(let data): author(of: data.comment)
    case .commentRemoved(let data): author(of: data.comment)
    case .commentHearted(let heart), .commentUnhearted(let heart): heart.user
    }
  }
}
