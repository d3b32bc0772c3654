import Aggregates
import EventLog
import Events
import Projections
import Replaying

/// A core's whole state as one projection, which a checkpoint can store.
///
/// ```swift
/// var state = Replay<CoreState>()
/// try await state.run(view, until: 200)
/// let core = try await Core(ReadOnlyLog(view), state: state)
/// core.position  // 300
/// ```
/// `Core.open` takes the state from a checkpoint.
/// - Complexity: opening a core from a checkpoint depends on the size of the state, not of the log.
public struct CoreState: Projection {
  public static let name = "core"
  public static let version = 1
  public static let handles = EventTypes.all

  var aggregates = AggregateStates()
  var views: Views

  /// Creates the state of an empty log.
  /// - Parameter catalogue: the projections to maintain, including the app's own.
  public init(_ catalogue: Catalogue) { views = catalogue.views() }
  /// Creates the state of an empty log, with the standard projections.
  public init() { self.init(.standard) }

  public var appEvents: AppEventTypes { views.appEvents }

  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    aggregates.apply(copy event)
    views.apply(event, at: moment)
  }

  public mutating func apply(_ batch: borrowing EventBatch) {
    views.apply(batch)
    applyToSociety(batch)
  }

  private mutating func applyToSociety(_ batch: borrowing EventBatch) {
    batch.forEachEvent { event, _ in aggregates.prefetch(event) }
    batch.forEachEvent { event, _ in aggregates.apply(event) }
  }

  /// The number of parts of the views, plus one part for the deciders' states.
  public static var partCount: Int { Views.partCount + 1 }

  public mutating func apply(_ batches: [EventBatch], toPart part: Int) {
    if part < Views.partCount { return views.apply(batches, toPart: part) }
    for batch in batches { applyToSociety(batch) }
  }

  public mutating func takePart(_ part: Int, of other: CoreState) {
    if part < Views.partCount {
      views.takePart(part, of: other.views)
    } else {
      aggregates = other.aggregates
    }
  }

  public mutating func settle() { views.settle() }

  public mutating func codeParts(with coder: inout StateCoder) {
    coder.part("aggregates", version: AggregateStates.version) { aggregates.code(with: &$0) }
    views.codeParts(with: &coder)
  }

  public func brokenInvariant(_ names: Names) -> String? { views.brokenInvariant(names) }
}
