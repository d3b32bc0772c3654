// What the use cases of the page have instead of a core: they answer from a model, and decide
// nothing.

public struct Core: Sendable {
  public init() {}
}

public struct Refresh<Q: Query>: Sendable {}

extension Model {
  struct Draft: Sendable {}
}
