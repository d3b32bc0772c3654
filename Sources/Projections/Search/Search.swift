import Events

/// Finds public profiles by any part of handle or display name, without regard to case or
/// diacritics.
///
/// ```swift
/// search.matches("bjorn", limit: 20)  // @bjorn, then @bjorn99, then @anna “Anna Bjørnstad”
/// Search.isTooShort(" b ")            // true
/// ```
/// An exact handle comes first, then handles that start with the query, then the rest, each in the
/// alphabetical order of the folded handles. Not a judge: what an import brought of an account not
/// open changes nothing here, as nowhere.
/// - Complexity: O(texts) a query.
public struct Search: Projection {
  public static let name = "search"
  public static let version = 1
  public static let handles: EventTypes = [.profileCreated, .profileEdited, .accountDeleted]

  private enum Account {
    case none, deleted
    case open(Profile)
  }
  private struct Profile {
    var handle: String
    var displayName: String?
    var isPublic: Bool
  }
  private var accounts: [Account] = []

  public init() {}

  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    switch event {
    case .profileCreated(let new):
      guard case .none = self[account: new.user] else { return }
      self[account: new.user] = .open(
        Profile(handle: new.handle, displayName: new.displayName, isPublic: new.isPublic))
    case .profileEdited(let edit):
      guard case .open(var profile) = self[account: edit.user] else { return }
      profile.handle = edit.handle ?? profile.handle
      profile.isPublic = edit.isPublic ?? profile.isPublic
      edit.displayName.apply(to: &profile.displayName)
      self[account: edit.user] = .open(profile)
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
    get { Int(user.index) < accounts.count ? accounts[Int(user.index)] : .none }
    set {
      while accounts.count <= Int(user.index) { accounts.append(.none) }
      accounts[Int(user.index)] = newValue
    }
  }
}

extension Search {
  /// Whether a query has fewer than two Characters between its white space.
  public static func isTooShort(_ query: String) -> Bool { trimmed(query).count < 2 }

  private static func trimmed(_ query: String) -> Substring {
    guard let first = query.firstIndex(where: { !$0.isWhitespace }),
      let last = query.lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return query[first...last]
  }

  /// The public profiles with the query in handle or display name, at most `limit`.
  ///
  /// None for a query of which folding leaves nothing.
  public func matches(_ query: String, limit: Int) -> [UserID] {
    let query = Folding.fold(String(Self.trimmed(query)))
    guard !query.isEmpty, limit > 0 else { return [] }
    var found: [(group: Int, folded: [UInt8], handle: String, user: UserID)] = []
    for (index, account) in accounts.enumerated() {
      guard case .open(let profile) = account, profile.isPublic else { continue }
      let handle = Folding.fold(profile.handle)
      let name = profile.displayName.map(Folding.fold) ?? []
      let group = handle == query ? 0 : handle.starts(with: query) ? 1 : 2
      if group < 2 || handle.contains(query) || name.contains(query) {
        found.append((group, handle, profile.handle, UserID(index: UInt32(index))))
      }
    }
    found.sort { a, b in
      if a.group != b.group { return a.group < b.group }
      if a.folded != b.folded { return a.folded.lexicographicallyPrecedes(b.folded) }
      if a.handle.utf8.elementsEqual(b.handle.utf8) { return a.user.index < b.user.index }
      return a.handle.utf8.lexicographicallyPrecedes(b.handle.utf8)
    }
    return found.prefix(limit).map(\.user)
  }
}
