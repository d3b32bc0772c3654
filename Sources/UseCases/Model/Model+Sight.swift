import Aggregates
import Events
import Projections

extension Reading: SightFacts {
  /// As a method of the facts, since what is handed over as an argument is copied.
  fileprivate func sight(of user: UserID, _ viewer: Viewer, _ rules: Rules) -> ProfileSight {
    rules.sight(of: user, viewer, self)
  }

  fileprivate func sees(
    _ audience: Audience?, of owner: UserID, _ viewer: Viewer, _ rules: Rules
  ) -> Bool {
    rules.sees(audience, of: owner, viewer, self)
  }
}

// What queries ask about sight; `Rules` decides it.
extension Model {
  /// Who asks.
  func viewer(_ caller: Caller) -> Viewer {
    if caller.service != nil { return .service }
    // As a function value, `existing` would copy the model.
    guard let name = caller.user, let user = existing(name) else { return .nobody }
    return .user(user)
  }

  func sight(of user: UserID, _ viewer: Viewer) -> ProfileSight {
    views.sight(of: user, viewer, rules)
  }

  /// Whether a viewer sees an owner's items of an audience.
  func sees(_ audience: Audience?, of owner: UserID, _ viewer: Viewer) -> Bool {
    views.sees(audience, of: owner, viewer, rules)
  }

  func sees(_ item: WorkoutShared, _ viewer: Viewer) -> Bool {
    sees(item.audience, of: item.owner, viewer)
  }

  /// A workout that the caller may see.
  /// - Throws: `workoutNotFound`, `notVisible`.
  func visible(_ workout: String, to caller: Caller) throws(UseCaseError) -> WorkoutShared {
    guard let id = views.find(workout: workout, in: names), let shared = views.workout(id) else {
      throw .refused(.workoutNotFound)
    }
    guard sees(shared, viewer(caller)) else { throw .refused(.notVisible) }
    return shared
  }

  /// Those whose items are in a user's feed: the user, and whom the rules add.
  func circle(of user: UserID) -> [UserID] {
    switch rules.circle {
    case .friends: [user] + Array(views.friends(of: user))
    case .following: [user] + Array(views.following(of: user))
    }
  }

  /// Whether the request that another user sent to this one stands: then the sender is shown with
  /// it, however private.
  func isAskedBy(_ sender: UserID, _ user: UserID) -> Bool {
    views.relationship(of: user, to: sender) == .requestReceived && !views.isBlocked(user, sender)
  }
}
