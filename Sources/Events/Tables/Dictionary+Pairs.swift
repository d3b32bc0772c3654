extension Dictionary {
  /// Makes a dictionary of pairs; of pairs with equal keys it takes the first.
  ///
  /// In place of `init(_:uniquingKeysWith:)`, which casts, and Embedded Swift cannot.
  package init(firstOf pairs: some Sequence<(Key, Value)>) {
    self.init()
    for (key, value) in pairs where self[key] == nil { self[key] = value }
  }
}
