/// Merges sorted lists, greatest first: a binary heap of lists keyed by their last elements.
struct Heap<List: RandomAccessCollection>
where List.Element: Comparable, List.SubSequence == List {
  private var lists: [List] = []

  /// - Parameter list: ascending.
  mutating func add(_ list: List) {
    if !list.isEmpty { lists.append(list) }
  }

  /// Heapifies the lists added; call once, before the first `pop`.
  /// - Complexity: O(lists).
  mutating func build() {
    for index in stride(from: lists.count / 2 - 1, through: 0, by: -1) { sink(index) }
  }

  /// Takes the greatest remaining element.
  /// - Complexity: O(log lists).
  mutating func pop() -> List.Element? {
    guard let top = lists.first?.last else { return nil }
    lists[0].removeLast()
    if lists[0].isEmpty {
      lists.swapAt(0, lists.count - 1)
      lists.removeLast()
    }
    sink(0)
    return top
  }

  private func isLess(_ a: Int, _ b: Int) -> Bool {
    guard let x = lists[a].last, let y = lists[b].last else { return false }
    return x < y
  }

  private mutating func sink(_ start: Int) {
    var at = start
    while true {
      var greatest = at
      for child in [2 * at + 1, 2 * at + 2] where child < lists.count {
        if isLess(greatest, child) { greatest = child }
      }
      if greatest == at { return }
      lists.swapAt(at, greatest)
      at = greatest
    }
  }
}
