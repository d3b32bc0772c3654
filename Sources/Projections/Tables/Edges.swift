import Events

/// Ordered pairs of dense ids, in insertion order, found from either end.
///
/// Lists of followers, friends, chups and hearts are made of it.
/// - Complexity: O(1) to look up; to add or remove, O(log n) plus moving at most 8 bytes per edge
///   of either end. Memory: 28 to 40 bytes per edge and 16 per node.
package struct Edges: Sendable, Equatable {
  /// From pair to age.
  private var pairs = KeyTable()
  /// By id, the ages (high half) and the other ids (low half), oldest first.
  private var forward: [[UInt64]] = []
  private var backward: [[UInt64]] = []

  package init() {}

  package var count: Int { pairs.count }

  package func contains(_ from: UInt32, _ to: UInt32) -> Bool { age(from, to) != nil }

  /// Prefetches the slot of an edge.
  package mutating func prefetch(_ from: UInt32, _ to: UInt32) {
    pairs.prefetch(KeyTable.key(from, to))
  }

  /// The edge's age, as given to `insert`; nil if there is no such edge.
  package func age(_ from: UInt32, _ to: UInt32) -> UInt32? { pairs[KeyTable.key(from, to)] }

  /// Adds an edge; returns false, changing nothing, if it exists.
  /// - Parameter age: greater than that of any edge added before.
  @discardableResult
  package mutating func insert(_ from: UInt32, _ to: UInt32, age: UInt32) -> Bool {
    guard pairs.insert(KeyTable.key(from, to), age) else { return false }
    Self.append(to, age, to: from, &forward)
    Self.append(from, age, to: to, &backward)
    return true
  }

  /// Removes an edge; returns false if it does not exist.
  @discardableResult
  package mutating func remove(_ from: UInt32, _ to: UInt32) -> Bool {
    guard let age = age(from, to) else { return false }
    _ = pairs.remove(KeyTable.key(from, to))
    Self.remove(age, &forward[Int(from)])
    Self.remove(age, &backward[Int(to)])
    return true
  }

  /// Removes every edge from an id.
  package mutating func removeAll(from: UInt32) {
    for to in self.from(from) { remove(from, to) }
  }

  /// Removes every edge to an id.
  package mutating func removeAll(to: UInt32) {
    for from in self.to(to) { remove(from, to) }
  }

  /// The other ends of the edges from an id, newest first.
  package func from(_ id: UInt32) -> Ends { Ends(Int(id) < forward.count ? forward[Int(id)] : []) }

  /// The other ends of the edges to an id, newest first.
  package func to(_ id: UInt32) -> Ends { Ends(Int(id) < backward.count ? backward[Int(id)] : []) }

  /// The ids that edges may start from.
  package var starts: Range<UInt32> { 0..<UInt32(forward.count) }

  /// The ids at the other ends of edges, newest first; reading a page costs O(its length).
  package struct Ends: RandomAccessCollection, Sendable {
    private let edges: [UInt64]

    init(_ edges: [UInt64]) { self.edges = edges }

    package var startIndex: Int { 0 }
    package var endIndex: Int { edges.count }
    package subscript(index: Int) -> UInt32 {
      UInt32(truncatingIfNeeded: edges[edges.count - 1 - index])
    }
  }

  private static func append(
    _ other: UInt32, _ age: UInt32, to id: UInt32, _ lists: inout [[UInt64]]
  ) {
    if Int(id) >= lists.count {
      let missing = max(Int(id) + 1, lists.count * 2) - lists.count
      lists.append(contentsOf: repeatElement([], count: missing))
    }
    lists[Int(id)].append(UInt64(age) << 32 | UInt64(other))
  }

  private static func remove(_ age: UInt32, _ list: inout [UInt64]) {
    list.remove(at: list.lowerBound { $0 >> 32 < UInt64(age) })
  }

  package mutating func code(with coder: inout StateCoder) {
    pairs.code(with: &coder)
    coder(&forward)
    coder(&backward)
  }

  /// The first pair that the lists of both ends and the table of pairs do not agree on; nil if
  /// there is none.
  package var brokenInvariant: String? {
    var broken: String?
    pairs.forEachPair { a, b, _ in
      if !from(a).contains(b) || !to(b).contains(a) { broken = "pair \(a), \(b) is not listed" }
    }
    let listed = (forward.map { $0.count }.reduce(0, +), backward.map { $0.count }.reduce(0, +))
    if listed != (pairs.count, pairs.count) { broken = "\(listed) listed of \(pairs.count) pairs" }
    return broken
  }
}
