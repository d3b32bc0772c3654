extension History {
  /// Returns whether any line of the history contains the bytes `words`. Does not check the lines
  /// for damage.
  /// - Complexity: Reads the history once, one chunk at a time.
  package func contains(_ words: [UInt8]) throws(LogError) -> Bool {
    for chunk in try chunks(after: 0, until: .max) {
      if try read(chunk).withBytes({ occurs(words, in: $0) }) { return true }
    }
    return false
  }
}

/// Returns whether `bytes` contains `words`. Uses Horspool's algorithm, in which most steps skip as
/// many bytes as `words` has.
private func occurs(_ words: [UInt8], in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
  guard let final = words.last else { return true }
  var steps = [Int](repeating: words.count, count: 256)
  for (index, byte) in words.dropLast().enumerated() {
    steps[Int(byte)] = words.count - 1 - index
  }
  var at = words.count - 1
  while at < bytes.count {
    let byte = bytes[at]
    if byte == final, bytes[(at + 1 - words.count)...at].elementsEqual(words) { return true }
    at += steps[Int(byte)]
  }
  return false
}
