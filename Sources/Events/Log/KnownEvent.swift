/// An event of a known type with what its line says of it: where, when, by whom and why.
public struct KnownEvent: Equatable, Sendable {
  public var event: Event
  public var moment: Moment
  public var actor: UserID
  public var id: EventID
  /// The event that led to this one.
  public var cause: EventID?
}
