/// An index that finds the dense ids of a text by the text's hash. The caller must compare the text
/// of each id found, because two texts can have the same hash.
///
/// ```swift
/// var index = TextIndex()
/// let texts = [UInt32(3): "alice"]
/// index.add("alice", 3)
/// index.first("alice") { texts[$0] == "alice" }  // 3
/// ```
/// An id has at most one text in the index. The index does not store the texts.
/// - Complexity: O(1) for each access. For a text that n ids have, which only imports can cause, it
///   is O(n).
package struct TextIndex: Sendable {
  /// For each hash of a text, the id that was added last.
  private var last = KeyTable()
  /// For each id, the id that was added next with the same hash. The last added id links to the
  /// first, so the ids form a ring.
  private var next = Column<UInt32>(0)
  /// A random seed, so that an attacker cannot choose texts with equal hashes.
  private var seed = UInt64.random(in: .min ... .max)

  package init() {}

  package var textCount: Int { last.count }

  /// - Parameter owner: The owner of the text, such as a user's dense number; equal texts of
  ///   different owners have different keys.
  private func key(_ text: String, _ owner: UInt32) -> UInt64 {
    var text = text
    let hash = text.withUTF8 {
      XXH64.hash(UnsafeRawPointer($0.baseAddress), $0.count, seed: seed ^ UInt64(owner))
    }
    return hash >> 1  // A key must not be all ones.
  }

  /// Adds an id with its text; the index must not contain the id yet.
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

  /// Removes an id with its text, if the index contains it.
  package mutating func remove(_ text: String, of owner: UInt32 = 0, _ id: UInt32) {
    let key = key(text, owner)
    guard let end = last[key] else { return }
    var before = end
    // A damaged checkpoint may contain a wrong ring of ids; the limit prevents an endless loop.
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

  /// Returns the first id, in the order of adding, whose text has the same hash as `text` and for
  /// which `isIt` returns true. Returns nil if there is none.
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
