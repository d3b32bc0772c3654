import Events

/// A set of edges between dense ids. The edges of each end are listed in insertion order.
///
/// Projections keep followers, friends and chups as edges. There is no hash table of pairs: a
/// lookup searches the list of the end that has fewer edges. This takes half the memory, and less
/// time than a hash table's cache misses.
/// - Complexity: A lookup is O(length of the shorter list): some microseconds between users with
///   thousands of edges each. Adding or removing an edge costs a lookup and moves at most 8 bytes
///   per edge of either end. Memory: 16 to 24 bytes per edge and 16 per node.
package struct Edges: Sendable {
  package private(set) var count = 0
  /// By id: the edges that start (`forward`) or end (`backward`) there, oldest first. The high half
  /// of a number is the edge's age, the low half the id at the other end.
  private var forward = Lists<UInt64>(blank: 0)
  private var backward = Lists<UInt64>(blank: 0)

  package init() {}

  package func contains(_ from: UInt32, _ to: UInt32) -> Bool { age(from, to) != nil }

  /// Returns the edge's age, as given to `insert`; nil if there is no such edge.
  package func age(_ from: UInt32, _ to: UInt32) -> UInt32? {
    forward.count(of: from) <= backward.count(of: to)
      ? Self.age(of: to, in: forward, from) : Self.age(of: from, in: backward, to)
  }

  /// Returns the age of the edge between `id` and `other`; nil if there is none. Searches the
  /// newest edges first, because most removals concern recent edges.
  private static func age(of other: UInt32, in lists: Lists<UInt64>, _ id: UInt32) -> UInt32? {
    lists.withElements(of: id) { list in
      var at = list.count - 1
      while at >= 0 {
        if UInt32(truncatingIfNeeded: list[at]) == other { return UInt32(list[at] >> 32) }
        at -= 1
      }
      return nil
    }
  }

  /// Prefetches the ends of the two lists that a lookup or an insertion of the edge reads.
  @inline(__always)
  package mutating func prefetch(_ from: UInt32, _ to: UInt32) {
    forward.prefetchEnd(of: from)
    backward.prefetchEnd(of: to)
  }

  /// Adds an edge. If the edge already exists, returns false and changes nothing.
  /// - Parameter age: A number greater than the age of every edge added before.
  @discardableResult
  package mutating func insert(_ from: UInt32, _ to: UInt32, age: UInt32) -> Bool {
    if contains(from, to) { return false }
    count += 1
    forward.append(UInt64(age) << 32 | UInt64(to), to: from)
    backward.append(UInt64(age) << 32 | UInt64(from), to: to)
    return true
  }

  /// Removes an edge. Returns its age, as given to `insert`; nil if it does not exist.
  @discardableResult
  package mutating func remove(_ from: UInt32, _ to: UInt32) -> UInt32? {
    guard let age = age(from, to) else { return nil }
    count -= 1
    Self.remove(age, from, &forward)
    Self.remove(age, to, &backward)
    return age
  }

  package mutating func removeAll(from: UInt32) {
    for to in Array(self.from(from)) { remove(from, to) }
  }

  package mutating func removeAll(to: UInt32) {
    for from in Array(self.to(to)) { remove(from, to) }
  }

  /// Returns the other ends of the edges from an id, newest first.
  package func from(_ id: UInt32) -> Ends { Ends(forward[id]) }

  /// Returns the other ends of the edges to an id, newest first.
  package func to(_ id: UInt32) -> Ends { Ends(backward[id]) }

  /// The range of the ids at which edges may start.
  package var starts: Range<UInt32> { forward.indices }

  /// The ids at the other ends of one id's edges, newest first. Reading a page costs O(its length).
  package struct Ends: RandomAccessCollection, Sendable {
    private let edges: Slab<UInt64>
    /// The offset in `edges` at which the id's list starts; its length is `endIndex`.
    private let start: Int
    package let endIndex: Int

    init(_ list: Slab<UInt64>.SubSequence) {
      (edges, start, endIndex) = (list.base, list.startIndex, list.endIndex - list.startIndex)
    }

    package var startIndex: Int { 0 }
    package var count: Int { endIndex }
    package func index(after index: Int) -> Int { index + 1 }
    package subscript(index: Int) -> UInt32 {
      precondition(index >= 0 && index < endIndex, "index out of range")
      return UInt32(truncatingIfNeeded: edges[start + endIndex - 1 - index])
    }
  }

  private static func remove(_ age: UInt32, _ id: UInt32, _ lists: inout Lists<UInt64>) {
    let at = lists.withElements(of: id) { list in
      list.lowerBound { $0 >> 32 < UInt64(age) }
    }
    // In a damaged checkpoint, one end's list may lack an edge that the other end's list has.
    if at < lists.count(of: id) { lists.remove(at: at, in: id) }
  }

  package mutating func code(with coder: inout StateCoder) {
    coder(&count)
    forward.code(with: &coder)
    backward.code(with: &coder)
  }

  /// Describes a wrong count, or an edge that only one of its ends lists; nil if there is neither.
  package var brokenInvariant: String? {
    var broken: String?
    for a in forward.indices {
      for b in from(a) where !to(b).contains(a) { broken = "pair \(a), \(b) is not listed" }
    }
    let listed = (
      forward.indices.reduce(0) { $0 + forward.count(of: $1) },
      backward.indices.reduce(0) { $0 + backward.count(of: $1) }
    )
    if listed != (count, count) { broken = "\(listed) listed of \(count) pairs" }
    return broken
  }
}
