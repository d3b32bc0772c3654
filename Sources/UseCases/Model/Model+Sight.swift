import Aggregates
import Events
import Projections

extension Views: SightFacts {
  public func isPublic(_ user: UserID) -> Bool? { profiles.isPublic(user) }

  public func areFriends(_ a: UserID, _ b: UserID) -> Bool { relationships[a, b] == .friends }

  public func isFollowing(_ follower: UserID, _ followee: UserID) -> Bool {
    following.isFollowing(follower, followee)
  }

  public func isBlocked(_ a: UserID, _ b: UserID) -> Bool { blocks.isBlocked(a, b) }
}

// What queries ask about sight; `Rules` decides it.
extension Model {
  /// Who asks.
  func viewer(_ caller: Caller) -> Viewer {
    if caller.service != nil { return .service }
    return caller.user.flatMap(existing).map(Viewer.user) ?? .nobody
  }

  func sight(of user: UserID, _ viewer: Viewer) -> ProfileSight {
    rules.sight(of: user, viewer, views)
  }

  func sees(_ item: WorkoutShared, _ viewer: Viewer) -> Bool {
    rules.sees(item.audience, of: item.owner, viewer, views)
  }

  /// A workout that the caller may see.
  /// - Throws: `workoutNotFound`, `notVisible`.
  func visible(_ workout: String, to caller: Caller) throws(UseCaseError) -> WorkoutShared {
    guard let id = names.find(workout: workout), let shared = views.workouts[id] else {
      throw .refused(.workoutNotFound)
    }
    guard sees(shared, viewer(caller)) else { throw .refused(.notVisible) }
    return shared
  }

  /// Those whose items are in a user's feed: the user, and whom the rules add.
  func circle(of user: UserID) -> [UserID] {
    switch rules.circle {
    case .friends: [user] + Array(views.relationships.friends(of: user))
    case .following: [user] + Array(views.following.following(of: user))
    }
  }

  /// Whether the request that another user sent to this one stands: then the sender is shown with
  /// it, however private.
  func isAskedBy(_ sender: UserID, _ user: UserID) -> Bool {
    views.relationships[user, sender] == .requestReceived && !views.isBlocked(user, sender)
  }
}
