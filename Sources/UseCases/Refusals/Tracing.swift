import Events

/// The settings for the traces of requests that a core leaves beside their events.
public struct Tracing: Sendable {
  /// The journal to which the core adds refused commands; nil if there is none. Refused queries and
  /// use cases that store a photo are not added.
  public var refusals: RefusalJournal?
  /// Whether events record `Caller.correlation`.
  public var recordsCorrelation = true

  /// Creates the default: no journal, and events record the ids of their requests.
  public init() {}
}
