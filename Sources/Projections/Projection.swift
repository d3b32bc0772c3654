import Events

/// State that is updated event by event to answer questions.
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
/// Replays, use cases and tests all call the same `apply`. It enforces no rules, because the
/// deciders do, and the state must stay consistent after any events. Ids are dense numbers, so that
/// state can be arrays indexed by them.
public protocol Projection: Sendable {
  /// The projection's name, as in `eventlog project`.
  static var name: String { get }
  /// A number to increment whenever `apply` or the state's layout changes. Checkpoints of other
  /// versions are ignored.
  static var version: Int { get }
  /// The types of events that `apply` handles. Lines of other types are verified but not decoded.
  static var handles: EventTypes { get }
  /// The types of an app's own events that `apply` handles; `handles` then contains `.app`.
  var appEvents: AppEventTypes { get }

  /// Creates the initial state, before any event.
  init()
  /// Applies an event that happened at `moment`.
  mutating func apply(_ event: borrowing Event, at moment: Moment)
  /// Applies consecutive events. A projection composed of others may implement it.
  mutating func apply(_ batch: borrowing EventBatch)
  /// Whether the batches of a replay contain the actors of the events.
  static var readsActors: Bool { get }
  /// The number of independent parts of the state, at least 1. A replay of a long log applies
  /// events to several parts at once.
  static var partCount: Int { get }
  /// Applies consecutive events to one part only; parts are counted from 0.
  mutating func apply(_ batch: borrowing EventBatch, toPart part: Int)
  /// Replaces one part by that of another state.
  mutating func takePart(_ part: Int, of other: Self)
  /// Prefetches memory for an event that `apply` will get soon. It has no observable effect.
  mutating func prefetch(_ event: borrowing Event)
  /// Does work that is cheaper in bulk; it is called after a run of `apply` and before any read.
  mutating func settle()
  /// Encodes the state after `settle` into a checkpoint, or decodes it from one. A projection that
  /// does not implement it is always rebuilt from the log.
  mutating func codeParts(with coder: inout StateCoder)
  /// Describes the first invariant broken after `settle`; nil if all hold. Debug builds check it.
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
    precondition(Self.partCount == 1, "a projection with several parts must implement this")
    apply(batch)
  }
  public mutating func takePart(_ part: Int, of other: Self) {
    precondition(Self.partCount == 1, "a projection with several parts must implement this")
    self = other
  }
  public mutating func prefetch(_ event: borrowing Event) {}
  public mutating func settle() {}
  public mutating func codeParts(with coder: inout StateCoder) { coder.fail() }
  public func brokenInvariant(_ names: Names) -> String? { nil }
}
