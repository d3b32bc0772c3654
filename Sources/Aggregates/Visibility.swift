import Events

/// Somebody who asks or acts.
public enum Viewer: Equatable, Sendable {
  /// Nobody who has a profile.
  case nobody
  case user(UserID)
  /// A caller that is no user, and sees everything.
  case service
}

/// What visibility depends on: the deciders' states answer it, and so do the projections.
public protocol VisibilityFacts {
  /// Whether the user's profile is public; nil without an open account.
  func isPublic(_ user: UserID) -> Bool?
  func areFriends(_ a: UserID, _ b: UserID) -> Bool
  func isFollowing(_ follower: UserID, _ followee: UserID) -> Bool
  /// Whether either has blocked the other.
  func isBlocked(_ a: UserID, _ b: UserID) -> Bool
}

/// What somebody sees of a person.
public enum ProfileVisibility: Equatable, Sendable {
  /// As of a user who does not exist.
  case hidden
  /// Handle, display name and number of friends.
  case limited
  case full
}

extension Rules {
  /// What a viewer sees of a person: together with `sees`, the one place that decides visibility.
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

  /// What a viewer sees of an item of an owner's: nothing at all if the owner is hidden.
  public func visibility(
    ofItem audience: Audience?, of owner: UserID, _ viewer: Viewer, _ facts: some VisibilityFacts
  ) -> Visibility {
    if sees(audience, of: owner, viewer, facts) { return .visible }
    return visibility(of: owner, viewer, facts) == .hidden ? .nothing : .hidden
  }

  /// Whether a viewer sees an item of an owner's.
  ///
  /// The owner's profile caps the audience at friends while it is not public.
  /// - Parameter audience: nil where the item names none.
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

/// What somebody sees of an item, and with it of its chups and comments; or of a comment.
public enum Visibility: Equatable, Sendable {
  /// The actor has no profile, or no longer has one.
  case noProfile
  /// There is no such item, as far as the actor may know: it was never shared, it was removed, its
  /// owner's account was deleted, or its owner is hidden from the actor.
  case nothing
  /// The item exists and the actor sees its owner, but is not in its audience.
  case hidden
  case visible

  /// - Throws: `profileNotFound`, `workoutNotFound` or `notVisible`, unless the item is visible.
  public func check() throws(DomainError) {
    switch self {
    case .noProfile: throw .profileNotFound
    case .nothing: throw .workoutNotFound
    case .hidden: throw .notVisible
    case .visible: break
    }
  }

  /// - Throws: as `check`, with `commentNotFound` in place of `workoutNotFound`.
  func checkComment() throws(DomainError) {
    if self == .nothing { throw .commentNotFound }
    try check()
  }

  func checkProfile() throws(DomainError) { if self == .noProfile { throw .profileNotFound } }
}
