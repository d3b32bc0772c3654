extension Dictionary {
  /// Creates a dictionary from the first pair with each key. Embedded Swift cannot compile
  /// `init(_:uniquingKeysWith:)`, which uses a cast.
  package init(firstOf pairs: some Sequence<(Key, Value)>) {
    self.init()
    for (key, value) in pairs where self[key] == nil { self[key] = value }
  }
}
