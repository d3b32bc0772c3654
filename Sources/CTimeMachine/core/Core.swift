// Replaces the core for the page's use cases: they answer from a model and decide nothing.

/// The stand-in for the core.
public struct Core: Sendable {
  /// Creates the stand-in.
  public init() {}
}

/// The stand-in for a query that first reads what other writers have appended.
public struct Refresh<Q: Query>: Sendable {}

extension Model {
  package struct Draft: Sendable {
    package init() {}
  }
}
