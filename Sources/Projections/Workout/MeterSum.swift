/// A sum of metres that saturates, and that every distance can be taken from again.
///
/// ```swift
/// var sum = MeterSum()
/// sum.add(.max)
/// sum.add(.max)
/// sum.meters          // 9223372036854775807
/// sum.subtract(.max)
/// sum.meters          // 9223372036854775807: one of the two is left
/// ```
/// The rules bound the distance of an item, but an import may bring any number.
/// - Complexity: O(1). Exact for 2³¹ distances.
struct MeterSum: Equatable, BitwiseCopyable, Sendable {
  /// The lower 64 bits of the sum.
  private var low: Int64
  /// The sum is `carries` · 2⁶⁴ + `low`.
  private var carries: Int32 = 0

  init(_ meters: Int64 = 0) { low = meters }

  /// The sum; the nearest `Int64` if it is none itself.
  var meters: Int64 { carries == 0 ? low : carries < 0 ? .min : .max }

  var isZero: Bool { low == 0 && carries == 0 }

  mutating func add(_ meters: Int64) {
    let (sum, overflows) = low.addingReportingOverflow(meters)
    low = sum
    if overflows { carries &+= meters < 0 ? -1 : 1 }
  }

  mutating func subtract(_ meters: Int64) {
    let (difference, overflows) = low.subtractingReportingOverflow(meters)
    low = difference
    if overflows { carries &+= meters < 0 ? 1 : -1 }
  }
}
