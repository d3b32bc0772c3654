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
/// deciders do that. The state must stay consistent even if events break the rules. Ids in events
/// are dense numbers, so the state can consist of arrays indexed by id.
public protocol Projection: Sendable {
  /// The projection's name, as in `eventlog project`.
  static var name: String { get }
  /// A number to increment whenever `apply` or the state's layout changes. A checkpoint with
  /// another version is ignored.
  static var version: Int { get }
  /// The types of events that `apply` handles. A replay verifies other lines without decoding them.
  static var handles: EventTypes { get }
  /// The types of an app's own events that `apply` handles. If any, `handles` contains `.app`.
  var appEvents: AppEventTypes { get }

  /// Creates the initial state, before any event.
  init()
  /// Applies an event that happened at `moment`.
  mutating func apply(_ event: borrowing Event, at moment: Moment)
  /// Applies consecutive events, by default one by one. A projection composed of others may
  /// implement it to pass on the whole batch.
  mutating func apply(_ batch: borrowing EventBatch)
  /// Whether a replay includes the events' actors in its batches; false by default.
  static var readsActors: Bool { get }
  /// The number of independent parts of the state, at least 1. A replay of a long log applies
  /// events to several parts in parallel.
  static var partCount: Int { get }
  /// Applies consecutive batches of events to one part of the state only. Parts are counted from 0.
  mutating func apply(_ batches: [EventBatch], toPart part: Int)
  /// Replaces one part of this state by the same part of another state.
  mutating func takePart(_ part: Int, of other: Self)
  /// Prefetches memory for an event that `apply` will get soon. It has no observable effect.
  mutating func prefetch(_ event: borrowing Event)
  /// Does the work that is cheaper for many events at once. The caller calls it after a series of
  /// `apply` and before it reads the state.
  mutating func settle()
  /// Encodes the state after `settle` into a checkpoint, or decodes the state from one. A
  /// projection that does not implement `codeParts` is always rebuilt from the log.
  mutating func codeParts(with coder: inout StateCoder)
  /// Describes the first broken invariant after `settle`; nil if all hold. Debug builds check it.
  func brokenInvariant(_ names: Names) -> String?
}

extension Projection {
  public var appEvents: AppEventTypes { AppEventTypes() }
  @inlinable
  public mutating func apply(_ batch: borrowing EventBatch) {
    batch.forEachEvent { event, _ in prefetch(event) }
    batch.forEachEvent { event, moment in apply(event, at: moment) }
  }
  public static var readsActors: Bool { false }
  public static var partCount: Int { 1 }
  public mutating func apply(_ batches: [EventBatch], toPart part: Int) {
    precondition(Self.partCount == 1, "a projection with several parts must implement this")
    for batch in batches { apply(batch) }
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
