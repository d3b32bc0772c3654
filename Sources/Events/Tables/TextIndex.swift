/// Finds the dense ids with a text by its hash; the caller compares the candidates' own texts.
///
/// ```swift
/// var index = TextIndex()
/// let texts = [UInt32(3): "alice"]
/// index.add("alice", 3)
/// index.first("alice") { texts[$0] == "alice" }  // 3
/// ```
/// An id has one text at a time. The index does not store texts.
/// - Complexity: O(1) for each access; O(n) for a text that an import gave to n ids.
package struct TextIndex: Sendable {
  /// For each hash, the id that was added last.
  private var last = KeyTable()
  /// For each id, the next one with the same hash, in the order of adding; the last leads to the
  /// first.
  private var next = Column<UInt32>(0)
  /// Protects against chosen collisions.
  private var seed = UInt64.random(in: .min ... .max)

  package init() {}

  package var textCount: Int { last.count }

  /// - Parameter owner: Distinguishes equal texts of different owners.
  private func key(_ text: String, _ owner: UInt32) -> UInt64 {
    var text = text
    let hash = text.withUTF8 {
      XXH64.hash(UnsafeRawPointer($0.baseAddress), $0.count, seed: seed ^ UInt64(owner))
    }
    return hash >> 1  // A key must not be all ones.
  }

  /// Adds an id; it must not be in the index.
  package mutating func add(_ text: String, of owner: UInt32 = 0, _ id: UInt32) {
    let key = key(text, owner)
    if let last = last[key] {
      next[id] = next[last]
      next[last] = id
    } else {
      next[id] = id
    }
    last.set(key, id)
  }

  /// Removes an id if it is in the index.
  package mutating func remove(_ text: String, of owner: UInt32 = 0, _ id: UInt32) {
    let key = key(text, owner)
    guard let end = last[key] else { return }
    var before = end
    // The limit prevents an endless loop if a checkpoint is damaged.
    for _ in 0...next.indices.count {
      if next[before] == id { break }
      before = next[before]
      if before == end { return }
    }
    guard next[before] == id else { return }
    if before == id {
      _ = last.remove(key)
    } else {
      next[before] = next[id]
      if end == id { last.set(key, before) }
    }
  }

  /// Returns the first added id for which `isIt` returns true.
  package func first(
    _ text: String, of owner: UInt32 = 0, where isIt: (UInt32) -> Bool
  ) -> UInt32? {
    guard let end = last[key(text, owner)] else { return nil }
    var id = end
    for _ in 0...next.indices.count {
      id = next[id]
      if isIt(id) { return id }
      if id == end { return nil }
    }
    return nil
  }

  package mutating func code(with coder: inout StateCoder) {
    coder(&seed)
    last.code(with: &coder)
    next.code(with: &coder)
  }
}
