extension Event {
  /// The users, workouts and comments that an event names, in the order of its members.
  public var ids: IDs {
    var ids = IDs()
    forEachID(
      user: { ids.users.append($0) }, workout: { ids.workouts.append($0) },
      comment: { ids.comments.append($0) })
    return ids
  }

  /// Calls a closure with each id that the event names, in the order of its members.
  public func forEachID(
    user: (UserID) -> Void = { _ in }, workout: (WorkoutID) -> Void = { _ in },
    comment: (CommentID) -> Void = { _ in }
  ) {
    var copy = self
    copy.mapIDs(
      user: {
        user($0)
        return $0
      },
      workout: {
        workout($0)
        return $0
      },
      comment: {
        comment($0)
        return $0
      })
  }

  public struct IDs: Equatable, Sendable {
    public var users: [UserID] = []
    public var workouts: [WorkoutID] = []
    public var comments: [CommentID] = []
  }

  /// Puts other ids in the place of those that the event names, in the order of its members.
  public mutating func mapIDs(
    user: (UserID) -> UserID, workout: (WorkoutID) -> WorkoutID,
    comment: (CommentID) -> CommentID
  ) {
    switch self {
    case .profileCreated(var data): self = .profileCreated(with(&data) { $0.user = user($0.user) })
    case .profileEdited(var data): self = .profileEdited(with(&data) { $0.user = user($0.user) })
    case .profilePhotoSet(var data):
      self = .profilePhotoSet(with(&data) { $0.user = user($0.user) })
    case .profilePhotoRemoved(let data): self = .profilePhotoRemoved(.init(user: user(data.user)))
    case .baseLocationSet(var data):
      self = .baseLocationSet(with(&data) { $0.user = user($0.user) })
    case .baseLocationCleared(let data): self = .baseLocationCleared(.init(user: user(data.user)))
    case .sportSet(var data): self = .sportSet(with(&data) { $0.user = user($0.user) })
    case .sportRemoved(var data): self = .sportRemoved(with(&data) { $0.user = user($0.user) })
    case .sendLogged(var data): self = .sendLogged(with(&data) { $0.user = user($0.user) })
    case .accountDeleted(let data): self = .accountDeleted(.init(user: user(data.user)))
    case .userFollowed(let edge): self = .userFollowed(edge.mapped(user))
    case .userUnfollowed(let edge): self = .userUnfollowed(edge.mapped(user))
    case .friendRequested(let request): self = .friendRequested(request.mapped(user))
    case .friendRequestCancelled(let request):
      self = .friendRequestCancelled(request.mapped(user))
    case .friendRequestAccepted(let request): self = .friendRequestAccepted(request.mapped(user))
    case .friendRequestRejected(let request): self = .friendRequestRejected(request.mapped(user))
    case .friendRemoved(let data):
      self = .friendRemoved(.init(user: user(data.user), friend: user(data.friend)))
    case .workoutShared(var data):
      self = .workoutShared(
        with(&data) {
          $0.workout = workout($0.workout)
          $0.owner = user($0.owner)
        })
    case .workoutEdited(var data):
      self = .workoutEdited(with(&data) { $0.workout = workout($0.workout) })
    case .workoutDetailAttached(var data):
      self = .workoutDetailAttached(with(&data) { $0.workout = workout($0.workout) })
    case .workoutRemoved(let data): self = .workoutRemoved(.init(workout: workout(data.workout)))
    case .chupGiven(let data):
      self = .chupGiven(
        .init(workout: workout(data.workout), user: user(data.user), big: data.big))
    case .chupWithdrawn(let data):
      self = .chupWithdrawn(.init(workout: workout(data.workout), user: user(data.user)))
    case .commentPosted(var data):
      self = .commentPosted(
        with(&data) {
          $0.comment = comment($0.comment)
          $0.workout = workout($0.workout)
          $0.user = user($0.user)
          $0.replyTo = $0.replyTo.map(comment)
        })
    case .commentEdited(var data):
      self = .commentEdited(with(&data) { $0.comment = comment($0.comment) })
    case .commentRemoved(let data): self = .commentRemoved(.init(comment: comment(data.comment)))
    case .commentHearted(let heart):
      self = .commentHearted(.init(comment: comment(heart.comment), user: user(heart.user)))
    case .commentUnhearted(let heart):
      self = .commentUnhearted(.init(comment: comment(heart.comment), user: user(heart.user)))
    }
  }
}

private func with<Data>(_ data: inout Data, _ body: (inout Data) -> Void) -> Data {
  body(&data)
  return data
}

extension Follow {
  fileprivate func mapped(_ user: (UserID) -> UserID) -> Follow {
    Follow(follower: user(follower), followee: user(followee))
  }
}

extension FriendRequest {
  fileprivate func mapped(_ user: (UserID) -> UserID) -> FriendRequest {
    FriendRequest(sender: user(sender), receiver: user(receiver))
  }
}
