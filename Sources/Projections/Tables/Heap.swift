/// A binary heap with the greatest item first.
struct Heap<Item: Comparable> {
  /// The items. The caller fills this array and then calls `build`.
  var items: [Item] = []

  /// Puts the items in heap order.
  /// - Complexity: O(items).
  mutating func build() {
    for index in stride(from: items.count / 2 - 1, through: 0, by: -1) { sink(index) }
  }

  /// Replaces the greatest item by `item`; if `item` is nil, only removes the greatest item.
  /// - Complexity: O(log items).
  mutating func replaceGreatest(with item: Item?) {
    if let item {
      items[0] = item
    } else {
      items.swapAt(0, items.count - 1)
      items.removeLast()
    }
    sink(0)
  }

  private mutating func sink(_ start: Int) {
    var at = start
    while true {
      var greatest = at
      for child in [2 * at + 1, 2 * at + 2] where child < items.count {
        if items[greatest] < items[child] { greatest = child }
      }
      if greatest == at { return }
      items.swapAt(at, greatest)
      at = greatest
    }
  }
}
