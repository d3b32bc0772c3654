import Events

/// An answer that is kept up to date event by event.
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
/// It is written once: replays, the use cases and the tests all call this `apply`. It judges
/// nothing (the deciders do) and must stay consistent whatever it is given. Ids are dense numbers,
/// so state is arrays indexed by them, grown as ids appear.
public protocol Projection: Sendable {
  /// What `eventlog project` calls it.
  static var name: String { get }
  /// Grows with every change of `apply` or of the state's shape; checkpoints are tied to it.
  static var version: Int { get }
  /// The types `apply` looks at. Lines of others are verified and skipped, not decoded.
  static var handles: EventTypes { get }

  init()
  mutating func apply(_ event: borrowing Event, at moment: Moment)
  /// Applies events in a row; what it is made of, if it has no `apply` of its own.
  mutating func apply(_ batch: borrowing EventBatch)
  /// Called some events before `apply`: may look at memory that `apply` will need, so that the
  /// cache misses of several events overlap. Changes nothing that anybody could see.
  mutating func prefetch(_ event: borrowing Event)
  /// Called after the last of a run of `apply` and before anything is read: the place for work
  /// that is cheaper done once than event by event.
  mutating func settle()
  /// Passes over the state after `settle`, to write a checkpoint or to read one. A projection
  /// without it is rebuilt from the log each time.
  mutating func codeParts(with coder: inout StateCoder)
  /// The first thing that is not as it must be after `settle`, in words; checked in debug builds.
  func brokenInvariant(_ names: Names) -> String?
}

extension Projection {
  @inlinable
  public mutating func apply(_ batch: borrowing EventBatch) {
    for event in batch.events { prefetch(event) }
    for (event, moment) in zip(batch.events, batch.moments) { apply(event, at: moment) }
  }
  public mutating func prefetch(_ event: borrowing Event) {}
  public mutating func settle() {}
  public mutating func codeParts(with coder: inout StateCoder) { coder.fail() }
  public func brokenInvariant(_ names: Names) -> String? { nil }
}
