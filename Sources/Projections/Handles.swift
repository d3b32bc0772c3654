import Events

/// Each user's present handle, and with it which accounts exist.
///
/// - Complexity: O(1) an event; memory 17 bytes a user and the handles.
public struct Handles: Projection {
  public static let name = "handles"
  public static let version = 1
  public static let handles: EventTypes = [.profileCreated, .profileEdited, .accountDeleted]

  private enum Account: Equatable {
    case unknown, deleted
    case open(String)
  }
  private var accounts: [Account] = []

  public init() {}

  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    switch event {
    case .profileCreated(let profile):
      if self[account: profile.user] == .unknown {
        self[account: profile.user] = .open(profile.handle)
      }
    case .profileEdited(let edit):
      if let handle = edit.handle, case .open = self[account: edit.user] {
        self[account: edit.user] = .open(handle)
      }
    case .accountDeleted(let deleted): self[account: deleted.user] = .deleted
    case .profilePhotoSet, .profilePhotoRemoved, .baseLocationSet, .baseLocationCleared,
      .sportSet, .sportRemoved, .sendLogged, .userFollowed, .userUnfollowed, .friendRequested,
      .friendRequestCancelled, .friendRequestAccepted, .friendRequestRejected, .friendRemoved,
      .workoutShared, .workoutEdited, .workoutDetailAttached, .workoutRemoved, .chupGiven,
      .chupWithdrawn, .commentPosted, .commentEdited, .commentRemoved, .commentHearted,
      .commentUnhearted:
      break
    }
  }

  private subscript(account user: UserID) -> Account {
    get { Int(user.index) < accounts.count ? accounts[Int(user.index)] : .unknown }
    set {
      while accounts.count <= Int(user.index) { accounts.append(.unknown) }
      accounts[Int(user.index)] = newValue
    }
  }

  /// The user's handle; nil without an account.
  public subscript(user: UserID) -> String? {
    if case .open(let handle) = self[account: user] { return handle }
    return nil
  }

  public func isDeleted(_ user: UserID) -> Bool { self[account: user] == .deleted }
}
