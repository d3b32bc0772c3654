import Events

/// Whether somebody may see a workout, and with it its chups and comments.
///
/// ```swift
/// Sight(viewer: bob, hasProfile: true, owner: alice, .friends)  // .visible
/// ```
public enum Sight: Equatable, Sendable {
  /// The viewer has no profile, or no longer has one.
  case noProfile
  /// There is no such workout, it was removed, or its owner's account was deleted.
  case nothing
  /// The workout exists, but the viewer is neither its owner nor a friend of the owner.
  case hidden
  case visible

  /// - Parameters:
  ///   - hasProfile: whether the viewer has a profile.
  ///   - owner: the workout's owner; nil if the workout or the owner's account is gone.
  ///   - friendship: between viewer and owner; evaluated only if the answer depends on it.
  public init(
    viewer: UserID, hasProfile: Bool, owner: UserID?,
    _ friendship: @autoclosure () -> FriendshipDecider.State
  ) {
    if !hasProfile {
      self = .noProfile
    } else if let owner {
      self = owner == viewer || friendship() == .friends ? .visible : .hidden
    } else {
      self = .nothing
    }
  }

  /// - Throws: `profileNotFound`, `workoutNotFound` or `notVisible`, unless the workout is visible.
  public func check() throws(DomainError) {
    switch self {
    case .noProfile: throw .profileNotFound
    case .nothing: throw .workoutNotFound
    case .hidden: throw .notVisible
    case .visible: break
    }
  }

  func checkProfile() throws(DomainError) { if self == .noProfile { throw .profileNotFound } }
}
