#if hasFeature(Embedded)
  /// Stands for the core where there is none: queries are asked of a model, `answer(_:to:in:)`.
  public struct Core: Sendable {
    public init() {}
  }
#endif
