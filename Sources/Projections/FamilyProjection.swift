import Events

/// A projection that handles one family of events and removes deleted accounts.
///
/// Its `apply` is a switch over that family. If the family gets a new event, the projection does
/// not compile until it handles that event. A new family does not affect the projection.
public protocol FamilyProjection: Projection {
  /// The family of events that the projection handles.
  associatedtype Family: EventFamily

  /// Applies an event of the family.
  mutating func apply(_ event: borrowing Family, at moment: Moment)
  /// Removes a user whose account is deleted.
  mutating func removeAccount(_ user: UserID)
}

extension FamilyProjection {
  /// Applies the events of the family and the deletions of accounts; ignores other events.
  @inlinable
  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    switch event {
    case .accountDeleted(let data): removeAccount(data.user)
    default: if let event = Family(event) { apply(event, at: moment) }
    }
  }
}
