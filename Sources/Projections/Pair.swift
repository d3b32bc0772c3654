import Events

/// Two projections that one replay of the log rebuilds.
///
/// ```swift
/// var replay = Replay(Pair<Chups, Profiles>())
/// try await replay.run(view)
/// replay.projection.first.users(of: run)
/// ```
/// - Complexity: The sum of the two projections' costs. An event is decoded only once, even if both
///   handle it. A projection ignores events that only the other one handles.
public struct Pair<First: Projection, Second: Projection>: Projection {
  public static var name: String { First.name }
  public static var version: Int { First.version &+ Second.version }
  public static var handles: EventTypes { First.handles.union(Second.handles) }

  /// The first projection.
  public private(set) var first = First()
  /// The second projection.
  public private(set) var second = Second()

  public init() {}

  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    first.apply(event, at: moment)
    second.apply(event, at: moment)
  }

  public mutating func apply(_ batch: borrowing EventBatch) {
    first.apply(batch)
    second.apply(batch)
  }

  public mutating func settle() {
    first.settle()
    second.settle()
  }

  public mutating func codeParts(with coder: inout StateCoder) {
    first.codeParts(with: &coder)
    second.codeParts(with: &coder)
  }

  public func brokenInvariant(_ names: Names) -> String? {
    first.brokenInvariant(names) ?? second.brokenInvariant(names)
  }
}
