extension RandomAccessCollection where Index == Int {
  /// Returns the index of the first element that does not satisfy a condition; `endIndex` if all
  /// elements satisfy it.
  /// - Precondition: All elements that satisfy the condition come before the others.
  /// - Complexity: O(log count).
  @inlinable
  package func lowerBound<E: Error>(
    where isBefore: (Element) throws(E) -> Bool
  ) throws(E) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if try isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
