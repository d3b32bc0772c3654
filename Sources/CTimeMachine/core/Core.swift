// Replaces the core for the page's use cases: they answer from a model and decide nothing.

public struct Core: Sendable {
  public init() {}
}

public struct Refresh<Q: Query>: Sendable {}

extension Model {
  struct Draft: Sendable {}
}
