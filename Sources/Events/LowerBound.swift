extension RandomAccessCollection where Index == Int {
  /// The first index whose element does not satisfy a condition that holds for the elements of a
  /// beginning of the collection and for no other; `endIndex` if it holds for all.
  /// - Complexity: O(log count).
  @inlinable
  package func lowerBound(where isBefore: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
