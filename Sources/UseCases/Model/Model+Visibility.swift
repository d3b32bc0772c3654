import Aggregates
import Events
import Projections

extension Reading: VisibilityFacts {}

// These functions find out what a query's caller may see. `Rules` decides.
extension Model {
  package func viewer(_ caller: Caller) -> Viewer {
    if caller.service != nil { return .service }
    return caller.user.flatMap(existing).map { .user($0) } ?? .nobody
  }

  package func visibility(of user: UserID, _ viewer: Viewer) -> ProfileVisibility {
    rules.visibility(of: user, viewer, views)
  }

  /// Returns whether a viewer sees the items that an owner shared with an audience.
  package func sees(_ audience: Audience?, of owner: UserID, _ viewer: Viewer) -> Bool {
    rules.sees(audience, of: owner, viewer, views)
  }

  package func sees(_ item: WorkoutShared, _ viewer: Viewer) -> Bool {
    sees(item.audience, of: item.owner, viewer)
  }

  /// Returns whether a viewer is the user, a friend or a service.
  private func isClose(_ viewer: Viewer, to user: UserID) -> Bool {
    switch viewer {
    case .nobody: false
    case .user(let other): other == user || views.areFriends(other, user)
    case .service: true
    }
  }

  /// Returns whether a viewer who sees a profile in full also sees the user's friends.
  ///
  /// If `privateProfiles` is not `hidden`, only the user, friends and services see the list of
  /// friends.
  package func seesFriends(of user: UserID, _ viewer: Viewer) -> Bool {
    rules.privateProfiles == .hidden || isClose(viewer, to: user)
  }

  /// Returns a user's base location for a viewer who sees the profile in full: the place's name,
  /// and for friends also the coordinates. Nil if there is nothing to show.
  package func location(of user: UserID, for viewer: Viewer) -> BaseLocation? {
    guard let location = views.profile(of: user)?.location else { return nil }
    if isClose(viewer, to: user) { return BaseLocation(location) }
    return location.name.map { BaseLocation(latitude: nil, longitude: nil, name: $0) }
  }

  /// Returns the metres of an owner's items in total, counting only items that the viewer sees.
  func meters(_ sums: Leaderboard.Sums, of owner: UserID, for viewer: Viewer) -> Int64 {
    var meters: Int64 = 0
    for audience in Leaderboard.Sums.audiences where sums[audience] > 0 {
      if sees(audience, of: owner, viewer) { meters = meters.adding(sums[audience]) }
    }
    return meters
  }

  /// Returns a workout that the caller may see.
  /// - Throws: `workoutNotFound` if there is none, or if its owner is hidden from the caller;
  ///   `notVisible` if the caller is not in the workout's audience.
  func visible(_ workout: String, to caller: Caller) throws(UseCaseError) -> WorkoutShared {
    guard let id = views.find(workout: workout, in: names), let shared = views.workout(id) else {
      throw .refused(.workoutNotFound)
    }
    switch rules.visibility(ofItem: shared.audience, of: shared.owner, viewer(caller), views) {
    case .visible: return shared
    case .hidden: throw .refused(.notVisible)
    case .nothing, .noProfile: throw .refused(.workoutNotFound)
    }
  }

  /// Returns whether a viewer who sees a comment's workout sees the comment: whether no block
  /// separates the viewer and the comment's author. Removed comments are not hidden.
  package func isShown(_ comment: CommentID, to viewer: Viewer) -> Bool {
    guard case .user(let viewer) = viewer, let author = views.comment(comment)?.user else {
      return true
    }
    return !views.isBlocked(viewer, author)
  }

  /// Returns the users whose workouts are in a user's feed: the user and, depending on the rules,
  /// the user's friends or the users whom the user follows.
  package func circle(of user: UserID) -> [UserID] {
    switch rules.circle {
    case .friends: [user] + Array(views.friends(of: user))
    case .following: [user] + Array(views.following(of: user))
    }
  }

  /// Returns whether `user` has an open friend request from `sender`. If so, `user` sees `sender`,
  /// even if the sender's profile is private.
  func isAskedBy(_ sender: UserID, _ user: UserID) -> Bool {
    views.relationship(of: user, to: sender) == .requestReceived && !views.isBlocked(user, sender)
  }
}
