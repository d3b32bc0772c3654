extension Dictionary {
  /// A dictionary of pairs; of those with equal keys the first counts.
  ///
  /// In place of `init(_:uniquingKeysWith:)`, which casts, and Embedded Swift cannot.
  package init(firstOf pairs: some Sequence<(Key, Value)>) {
    self.init()
    for (key, value) in pairs where self[key] == nil { self[key] = value }
  }
}
