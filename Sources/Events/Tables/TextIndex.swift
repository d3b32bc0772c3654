/// Finds the dense ids that have a text, by the text's hash: a candidate's own text decides.
///
/// ```swift
/// var index = TextIndex()
/// let texts = [UInt32(3): "alice"]
/// index.add("alice", 3)
/// index.first("alice") { texts[$0] == "alice" }  // 3
/// ```
/// An id has one text at a time. Texts are not kept.
/// - Complexity: O(1) for each access; O(n) for a text that an import gave to n ids.
package struct TextIndex: Sendable {
  /// By hash, the id that was added last.
  private var last = KeyTable()
  /// By id, the one that was added after it with the same hash; after the last one the first.
  private var next = Column<UInt32>(0)
  /// Guards against chosen collisions.
  private var seed = UInt64.random(in: .min ... .max)

  package init() {}

  package var textCount: Int { last.count }

  /// - Parameter owner: tells apart texts that may be alike.
  private func key(_ text: String, _ owner: UInt32) -> UInt64 {
    var text = text
    let hash = text.withUTF8 {
      XXH64.hash(UnsafeRawPointer($0.baseAddress), $0.count, seed: seed ^ UInt64(owner))
    }
    return hash >> 1  // a key is not all ones
  }

  /// Adds an id, which must not be there.
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

  /// Removes an id, if it is there.
  package mutating func remove(_ text: String, of owner: UInt32 = 0, _ id: UInt32) {
    let key = key(text, owner)
    guard let end = last[key] else { return }
    var before = end
    // Counted, so that a damaged checkpoint does not lead in circles.
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

  /// The id that was added first of those for which `isIt` is true.
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
