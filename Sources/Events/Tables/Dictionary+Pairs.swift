extension Dictionary {
  /// A dictionary of the first pair with each key. `init(_:uniquingKeysWith:)` casts, which
  /// Embedded Swift cannot.
  package init(firstOf pairs: some Sequence<(Key, Value)>) {
    self.init()
    for (key, value) in pairs where self[key] == nil { self[key] = value }
  }
}
