import Events

/// An answer that is updated event by event.
///
/// ```swift
/// struct Deletions: Projection {
///   static let name = "deletions", version = 1
///   static let handles: EventTypes = [.accountDeleted]
///   var count = 0
///   init() {}
///   mutating func apply(_ event: borrowing Event, at moment: Moment) {
///     switch event {
///     case .accountDeleted: count += 1
///     default: break
///     }
///   }
/// }
/// ```
/// Replays, use cases and tests all call the same `apply`. It enforces no rules (the deciders do)
/// and must stay consistent after any events. Ids are dense numbers, so state is arrays indexed by
/// them.
public protocol Projection: Sendable {
  /// The projection's name, as in `eventlog project`.
  static var name: String { get }
  /// Incremented with every change to `apply` or to the state's shape; checkpoints depend on it.
  static var version: Int { get }
  /// The types that `apply` handles. Lines of other types are verified and skipped, not decoded.
  static var handles: EventTypes { get }
  /// The types of an app's own events that `apply` reads; `handles` then has `.app`.
  var appEvents: AppEventTypes { get }

  init()
  mutating func apply(_ event: borrowing Event, at moment: Moment)
  /// Applies consecutive events; a projection composed of others may override it.
  mutating func apply(_ batch: borrowing EventBatch)
  /// Whether the batches of a replay name the actors of the events.
  static var readsActors: Bool { get }
  /// The number of independent parts of the state, at least 1. A replay of a long log applies
  /// events to several at once.
  static var partCount: Int { get }
  /// Applies consecutive events to one part only, from 0.
  mutating func apply(_ batch: borrowing EventBatch, toPart part: Int)
  /// Takes over a part of another state.
  mutating func takePart(_ part: Int, of other: Self)
  /// Prefetches memory that `apply` will need some events later. Has no observable effect.
  mutating func prefetch(_ event: borrowing Event)
  /// Called after a run of `apply` and before any read, for work that is cheaper in bulk.
  mutating func settle()
  /// Encodes the state after `settle` to a checkpoint, or decodes it from one. A projection that
  /// does not implement it is always rebuilt from the log.
  mutating func codeParts(with coder: inout StateCoder)
  /// Describes the first invariant that does not hold after `settle`; checked in debug builds.
  func brokenInvariant(_ names: Names) -> String?
}

extension Projection {
  public var appEvents: AppEventTypes { AppEventTypes() }
  @inlinable
  public mutating func apply(_ batch: borrowing EventBatch) {
    for event in batch.events { prefetch(event) }
    for (event, moment) in zip(batch.events, batch.moments) { apply(event, at: moment) }
  }
  public static var readsActors: Bool { false }
  public static var partCount: Int { 1 }
  public mutating func apply(_ batch: borrowing EventBatch, toPart part: Int) {
    precondition(Self.partCount == 1, "a projection of several parts implements this")
    apply(batch)
  }
  public mutating func takePart(_ part: Int, of other: Self) {
    precondition(Self.partCount == 1, "a projection of several parts implements this")
    self = other
  }
  public mutating func prefetch(_ event: borrowing Event) {}
  public mutating func settle() {}
  public mutating func codeParts(with coder: inout StateCoder) { coder.fail() }
  public func brokenInvariant(_ names: Names) -> String? { nil }
}
