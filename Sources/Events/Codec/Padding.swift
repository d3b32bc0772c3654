extension BinaryInteger {
  /// Returns the number's digits, padded with leading zeros to `width` digits. A longer number is
  /// not shortened.
  package func padded(to width: Int, radix: Int = 10) -> String {
    let digits = String(self, radix: radix)
    return String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
  }
}
