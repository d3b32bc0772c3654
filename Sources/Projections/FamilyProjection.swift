import Events

/// A projection that looks at one family of events, and removes a user whose account is deleted.
///
/// Its `apply` is a switch over that family: a new event of it does not compile until somebody has
/// thought of it here, and a new family changes nothing.
public protocol FamilyProjection: Projection {
  associatedtype Family: EventFamily

  mutating func apply(_ event: borrowing Family, at moment: Moment)
  /// Removes a user whose account is deleted.
  mutating func removeAccount(_ user: UserID)
}

extension FamilyProjection {
  @inlinable
  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    switch event {
    case .accountDeleted(let data): removeAccount(data.user)
    default: if let event = Family(event) { apply(event, at: moment) }
    }
  }
}
