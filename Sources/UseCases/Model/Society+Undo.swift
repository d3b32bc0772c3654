import Aggregates
import Events
import Projections

extension Society {
  /// What an event is about to change, as it is: decisions that turn out not to be durable are
  /// taken back with it, last first.
  enum Memento: Sendable {
    case nothing
    case profile(UserID, ProfileDecider.State)
    case follow(UInt64, UInt32?)
    case friendship(UInt64, UInt32?)
    case workout(WorkoutID, WorkoutDecider.State, LocalID?, earlier: WorkoutID?)
    case chup(UInt64, UInt32?)
    case comment(CommentID, CommentDecider.State)
    case heart(UInt64, UInt32?)
  }

  func memento(before event: Event) -> Memento {
    switch event {
    case .profileCreated(let data): return .profile(data.user, profile(data.user))
    case .profileEdited(let data): return .profile(data.user, profile(data.user))
    case .profilePhotoSet(let data): return .profile(data.user, profile(data.user))
    case .baseLocationSet(let data): return .profile(data.user, profile(data.user))
    case .sportSet(let data): return .profile(data.user, profile(data.user))
    case .sportRemoved(let data): return .profile(data.user, profile(data.user))
    case .profilePhotoRemoved(let data), .baseLocationCleared(let data),
      .accountDeleted(let data):
      return .profile(data.user, profile(data.user))
    case .sendLogged: return .nothing
    case .userFollowed(let data), .userUnfollowed(let data):
      let key = PairTable.key(data.follower.index, data.followee.index)
      return .follow(key, follows[key])
    case .friendRequested(let data), .friendRequestCancelled(let data),
      .friendRequestAccepted(let data), .friendRequestRejected(let data):
      let key = Self.pair(data.sender, data.receiver)
      return .friendship(key, friendships[key])
    case .friendRemoved(let data):
      let key = Self.pair(data.user, data.friend)
      return .friendship(key, friendships[key])
    case .workoutShared(let data):
      let localID = LocalID(data.owner, data.localID)
      return .workout(data.workout, workout(data.workout), localID, earlier: localIDs[localID])
    case .workoutEdited(let data): return memento(data.workout)
    case .workoutDetailAttached(let data): return memento(data.workout)
    case .workoutRemoved(let data): return memento(data.workout)
    case .chupGiven(let data):
      let key = PairTable.key(data.workout.index, data.user.index)
      return .chup(key, chups[key])
    case .chupWithdrawn(let data):
      let key = PairTable.key(data.workout.index, data.user.index)
      return .chup(key, chups[key])
    case .commentPosted(let data): return .comment(data.comment, state(of: data.comment))
    case .commentEdited(let data): return .comment(data.comment, state(of: data.comment))
    case .commentRemoved(let data): return .comment(data.comment, state(of: data.comment))
    case .commentHearted(let data), .commentUnhearted(let data):
      let key = PairTable.key(data.comment.index, data.user.index)
      return .heart(key, hearts[key])
    }
  }

  private func memento(_ id: WorkoutID) -> Memento {
    guard case .shared(let workout, _) = self.workout(id) else {
      return .workout(id, self.workout(id), nil, earlier: nil)
    }
    let localID = LocalID(workout.owner, workout.localID)
    return .workout(id, self.workout(id), localID, earlier: localIDs[localID])
  }

  /// Puts back what an event changed; those after it have to be put back before.
  mutating func restore(_ memento: Memento) {
    switch memento {
    case .nothing: break
    case .profile(let user, let state): set(state, user)
    case .follow(let key, let old): Self.restore(&follows, key, old)
    case .friendship(let key, let old): Self.restore(&friendships, key, old)
    case .workout(let id, let state, let localID, let earlier):
      set(state, id)
      if let localID { localIDs[localID] = earlier }
    case .chup(let key, let old): Self.restore(&chups, key, old)
    case .comment(let id, let state): set(state, id)
    case .heart(let key, let old): Self.restore(&hearts, key, old)
    }
  }

  private static func restore(_ table: inout PairTable, _ key: UInt64, _ old: UInt32?) {
    if let old { table.set(key, old) } else { _ = table.remove(key) }
  }
}
