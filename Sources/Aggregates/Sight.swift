import Events

/// What somebody may know of a workout, and so of its chups and comments.
///
/// ```swift
/// Sight(viewer: bob, hasProfile: true, owner: alice, .friends)  // .visible
/// ```
public enum Sight: Equatable, Sendable {
  /// Who looks has no profile, or no longer one.
  case noProfile
  /// There is no such workout, it is removed, or its owner's account is deleted.
  case nothing
  /// It is there, but who looks is neither its owner nor a friend of the owner.
  case hidden
  case visible

  /// - Parameters:
  ///   - hasProfile: whether the viewer has one.
  ///   - owner: the workout's, nil if it or the owner's account is gone.
  ///   - friendship: of viewer and owner; looked up only where it matters.
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

  /// - Throws: `profileNotFound`, `workoutNotFound`, `notVisible` for what is not visible.
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
