/// The runs that shrinking has already performed, as a tree of their choices.
///
/// A run of a deterministic property depends only on the choices that it reads. So if a tape makes
/// the choices of an earlier run, its result is known. The tree knows this for tapes that differ,
/// for example in numbers above a bound, or in choices after the last one that the run reads.
/// - Complexity: O(choices of the tape) for each operation.
struct KnownRuns {
  /// Some consecutive choices that all runs below this node have in common.
  private struct Node {
    /// The index of a run with these choices.
    var run: Int
    /// The number of choices from the tree's root to the end of this node.
    var end: Int
    /// The next nodes, by their first choice.
    var next: [UInt64: Int] = [:]
  }

  private var runs: [(choices: [UInt64], bounds: [UInt64], spans: [Span])] = []
  private var nodes: [Node] = []
  /// The number of choices and spans that the tree may still store: 32 to 64 MB.
  private var room = 1_000_000

  /// Adds a run, unless the tree is full.
  mutating func insert(_ run: Shrinker.Run) {
    let (choices, count) = (run.tape.choices, run.tape.choices.count)
    room -= count + run.spans.count
    if room < 0 { return }
    runs.append((choices, run.bounds, run.spans))
    let last = runs.count - 1
    if nodes.isEmpty {
      nodes.append(Node(run: last, end: count))
      return
    }
    var (node, position) = (0, 0)
    while true {
      let known = runs[nodes[node].run].choices
      let end = nodes[node].end
      while position < min(end, count), choices[position] == known[position] { position += 1 }
      if position < end {
        if position == count { return }
        nodes.append(Node(run: nodes[node].run, end: end, next: nodes[node].next))
        nodes[node].next = [known[position]: nodes.count - 1]
        nodes[node].end = position
      }
      if position == count { return }
      guard let next = nodes[node].next[choices[position]] else {
        nodes.append(Node(run: last, end: count))
        nodes[node].next[choices[position]] = nodes.count - 1
        return
      }
      node = next
    }
  }

  /// Returns whether a tape makes the choices of a known run.
  func contains(_ tape: [UInt64], _ splice: Splice?) -> Bool {
    if nodes.isEmpty { return false }
    var (node, position, cursor, isPast) = (0, 0, 0, splice == nil)
    while true {
      let (run, end) = (runs[nodes[node].run], nodes[node].end)
      while position < run.choices.count {
        if !isPast, let splice, position >= splice.start, splice.span < run.spans.count,
          run.spans[splice.span].range.upperBound == position
        {
          (isPast, cursor) = (true, splice.resume)
        }
        let isSkipping = !isPast && position >= splice?.start ?? 0
        let wanted = isSkipping || cursor >= tape.count ? 0 : tape[cursor]
        let choice = min(wanted, run.bounds[position])
        if position == end {
          guard let next = nodes[node].next[choice] else { return false }
          node = next
          break
        }
        if choice != run.choices[position] { return false }
        if !isSkipping { cursor += 1 }
        position += 1
      }
      if position == run.choices.count, position == end { return true }
    }
  }
}
