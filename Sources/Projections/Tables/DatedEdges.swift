import Events

/// `Edges` with the time at which each edge was added.
///
/// - Complexity: see `Edges`. Memory: 8 bytes more for each edge that was ever added.
package struct DatedEdges: Sendable {
  private var edges = Edges()
  private var made: UInt32 = 0
  /// By the edge's age (see `Edges.insert`): the time at which it was added, in milliseconds.
  private var times = Column<Int64>(0)

  package init() {}

  package var count: Int { edges.count }

  package func contains(_ from: UInt32, _ to: UInt32) -> Bool { edges.contains(from, to) }

  /// Returns the time at which the edge was added; nil if there is no such edge.
  package func since(_ from: UInt32, _ to: UInt32) -> Timestamp? {
    edges.age(from, to).map { Timestamp(milliseconds: times[$0]) }
  }

  package mutating func insert(_ from: UInt32, _ to: UInt32, at time: Timestamp) {
    guard edges.insert(from, to, age: made) else { return }
    times[made] = time.milliseconds
    made += 1
  }

  @inline(__always)
  package mutating func prefetch(_ from: UInt32, _ to: UInt32) { edges.prefetch(from, to) }

  /// Removes an edge; returns the time at which it was added, or nil if there is no such edge.
  @discardableResult
  package mutating func remove(_ from: UInt32, _ to: UInt32) -> Timestamp? {
    edges.remove(from, to).map { Timestamp(milliseconds: times[$0]) }
  }

  package mutating func removeAll(from: UInt32) { edges.removeAll(from: from) }
  package mutating func removeAll(to: UInt32) { edges.removeAll(to: to) }

  package func from(_ id: UInt32) -> Edges.Ends { edges.from(id) }
  package func to(_ id: UInt32) -> Edges.Ends { edges.to(id) }
  package var starts: Range<UInt32> { edges.starts }
  package var brokenInvariant: String? { edges.brokenInvariant }

  /// Describes an edge that only one of its ends lists, or a deleted user in a list; nil if none.
  func brokenInvariant(_ isDeleted: Column<Bool>, _ names: Names) -> String? {
    if let broken = brokenInvariant { return broken }
    return isDeleted.indices.lazy.map { UInt32($0) }.first {
      isDeleted[$0] && !(from($0).isEmpty && to($0).isEmpty)
    }.map { "\(names[UserID(index: $0)]) is deleted and in a list" }
  }

  package mutating func code(with coder: inout StateCoder) {
    edges.code(with: &coder)
    coder(&made)
    times.code(with: &coder)
  }
}
