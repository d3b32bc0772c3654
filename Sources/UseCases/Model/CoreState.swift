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

  var aggregates = Boxed(AggregateStates())
  var views: Boxed<Views>

  /// Creates the state of an empty log.
  /// - Parameter catalogue: the projections to maintain, including the app's own.
  public init(_ catalogue: Catalogue) { views = Boxed(catalogue.views()) }
  /// Creates the state of an empty log, with the standard projections.
  public init() { self.init(.standard) }

  public var appEvents: AppEventTypes { views.value.appEvents }

  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    aggregates.value.apply(copy event, at: moment.time)
    views.value.apply(event, at: moment)
  }

  public mutating func apply(_ batch: borrowing EventBatch) {
    views.value.apply(batch)
    applyToSociety(batch)
  }

  private mutating func applyToSociety(_ batch: borrowing EventBatch) {
    batch.forEachEvent { event, _ in aggregates.value.prefetch(event) }
    batch.forEachEvent { event, moment in aggregates.value.apply(event, at: moment.time) }
  }

  /// The number of parts of the views, plus one part for the deciders' states.
  public static var partCount: Int { Views.partCount + 1 }

  public mutating func apply(_ batches: [EventBatch], toPart part: Int) {
    if part < Views.partCount { return views.value.apply(batches, toPart: part) }
    for batch in batches { applyToSociety(batch) }
  }

  public mutating func takePart(_ part: Int, of other: CoreState) {
    if part < Views.partCount {
      views.value.takePart(part, of: other.views.value)
    } else {
      aggregates = other.aggregates
    }
  }

  public mutating func settle() { views.value.settle() }

  public mutating func codeParts(with coder: inout StateCoder) {
    coder.part("aggregates", version: AggregateStates.version) { aggregates.value.code(with: &$0) }
    views.value.codeParts(with: &coder)
  }

  public func brokenInvariant(_ names: Names) -> String? { views.value.brokenInvariant(names) }
}
