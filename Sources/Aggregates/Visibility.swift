import Events

/// The caller whose view of profiles and workouts is computed.
public enum Viewer: Equatable, Sendable {
  /// A caller without a profile.
  case nobody
  /// A user.
  case user(UserID)
  /// A service, which is not a user and can see everything.
  case service
}

/// The facts that visibility depends on; the deciders' states and the projections provide them.
public protocol VisibilityFacts {
  /// Whether the user's profile is public; nil if the user has no open account.
  func isPublic(_ user: UserID) -> Bool?
  /// Whether the two users are friends.
  func areFriends(_ a: UserID, _ b: UserID) -> Bool
  /// Whether `follower` follows `followee`.
  func isFollowing(_ follower: UserID, _ followee: UserID) -> Bool
  /// Whether one of the users has blocked the other.
  func isBlocked(_ a: UserID, _ b: UserID) -> Bool
}

/// The visibility of a person's profile for a viewer.
public enum ProfileVisibility: Equatable, Sendable {
  /// Nothing is visible, as if the user did not exist.
  case hidden
  /// The handle, the display name and the number of friends are visible.
  case limited
  /// The whole profile is visible.
  case full
}

extension Rules {
  /// Returns the visibility of a user's profile for a viewer. All decisions about visibility use
  /// this function or `sees`.
  public func visibility(
    of user: UserID, _ viewer: Viewer, _ facts: some VisibilityFacts
  ) -> ProfileVisibility {
    guard let isPublic = facts.isPublic(user) else { return .hidden }
    switch viewer {
    case .service: return .full
    case .nobody: if isPublic { return .full }
    case .user(let viewer):
      if viewer == user { return .full }
      if facts.isBlocked(viewer, user) { return .hidden }
      if isPublic || facts.areFriends(viewer, user) { return .full }
    }
    return privateProfiles == .hidden ? .hidden : .limited
  }

  /// Returns the visibility of a workout for a viewer; `nothing` if the owner's profile is hidden.
  public func visibility(
    ofItem audience: Audience?, of owner: UserID, _ viewer: Viewer, _ facts: some VisibilityFacts
  ) -> Visibility {
    if sees(audience, of: owner, viewer, facts) { return .visible }
    return visibility(of: owner, viewer, facts) == .hidden ? .nothing : .hidden
  }

  /// Whether a viewer can see an owner's workout.
  ///
  /// If the owner's profile is not public, the audience is at most `friends`.
  /// - Parameter audience: The workout's audience; nil means the default of the rules.
  public func sees(
    _ audience: Audience?, of owner: UserID, _ viewer: Viewer, _ facts: some VisibilityFacts
  ) -> Bool {
    guard let isPublic = facts.isPublic(owner) else { return false }
    let named = audience ?? self.audience
    let capped = isPublic || named == .private ? named : .friends
    switch viewer {
    case .service: return true
    case .nobody: return capped == .public
    case .user(let viewer):
      if viewer == owner { return true }
      if facts.isBlocked(viewer, owner) { return false }
      switch capped {
      case .private: return false
      case .friends: return facts.areFriends(viewer, owner)
      case .followers: return facts.isFollowing(viewer, owner) || facts.areFriends(viewer, owner)
      case .public: return true
      }
    }
  }
}

/// The visibility of a workout and its chups and comments, or of a single comment.
public enum Visibility: Equatable, Sendable {
  /// The actor has no profile, or deleted it.
  case noProfile
  /// For the actor, the workout does not exist. It was never shared or was removed, or its owner's
  /// account was deleted, or its owner's profile is hidden from the actor.
  case nothing
  /// The actor can see the workout's owner, but is not in the workout's audience.
  case hidden
  /// The actor can see the workout.
  case visible

  /// Throws `profileNotFound`, `workoutNotFound` or `notVisible` unless the workout is visible.
  public func check() throws(DomainError) {
    switch self {
    case .noProfile: throw .profileNotFound
    case .nothing: throw .workoutNotFound
    case .hidden: throw .notVisible
    case .visible: break
    }
  }

  /// Throws like `check`, but `commentNotFound` instead of `workoutNotFound`.
  func checkComment() throws(DomainError) {
    if self == .nothing { throw .commentNotFound }
    try check()
  }

  func checkProfile() throws(DomainError) { if self == .noProfile { throw .profileNotFound } }
}
