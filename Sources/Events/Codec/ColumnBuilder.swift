/// The values of one column, for consecutive rows, in the layout of Apache Arrow.
///
/// Rows without a value cost nothing until the next row with one.
package struct ColumnBuilder: Sendable {
  package let column: EventColumn
  /// The number of rows with a value or with null so far.
  package private(set) var count = 0
  /// The number of rows without a value.
  package private(set) var nullCount = 0
  /// A bit for each row, the lowest bit first: 1 if the row has a value.
  package private(set) var validity: [UInt8] = []
  /// The values of a column of integers, times or numbers, each as its bits.
  package private(set) var words: [UInt64] = []
  /// The texts one after another, or the bits of a column of booleans.
  package private(set) var bytes: [UInt8] = []
  /// The ends of the texts in `bytes`, after a first 0.
  package private(set) var ends: [Int32]

  package init(_ column: EventColumn) {
    self.column = column
    ends = column.kind == .text ? [0] : []
  }

  /// Appends nulls until there are `rows` rows.
  package mutating func pad(to rows: Int) {
    guard count < rows else { return }
    let more = rows - count
    switch column.kind {
    case .text: ends.append(contentsOf: repeatElement(ends.last ?? 0, count: more))
    case .boolean: fill(&bytes, rows)
    default: words.append(contentsOf: repeatElement(0, count: more))
    }
    fill(&validity, rows)
    nullCount += more
    count = rows
  }

  private func fill(_ bits: inout [UInt8], _ rows: Int) {
    let size = (rows + 7) / 8
    if bits.count < size { bits.append(contentsOf: repeatElement(0, count: size - bits.count)) }
  }

  /// Sets the value of row `row`, which must not be before the rows so far.
  @inline(__always)
  mutating func set(_ row: Int, _ text: UnsafeBufferPointer<UInt8>) {
    pad(to: row)
    bytes.append(contentsOf: text)
    ends.append(Int32(truncatingIfNeeded: bytes.count))
    validate(row)
  }

  @inline(__always)
  mutating func set(_ row: Int, word: UInt64) {
    pad(to: row)
    if column.kind == .boolean {
      fill(&bytes, row + 1)
      bytes[row >> 3] |= UInt8(truncatingIfNeeded: word) << UInt8(row & 7)
    } else {
      words.append(word)
    }
    validate(row)
  }

  @inline(__always)
  private mutating func validate(_ row: Int) {
    if row & 7 == 0 { validity.append(1) } else { validity[row >> 3] |= 1 << UInt8(row & 7) }
    count = row + 1
  }

  /// Appends the memory of values, padded with zeros to a multiple of 8 bytes. Arrow's integers are
  /// little-endian, like those of all supported machines.
  package static func append<T: BitwiseCopyable>(_ values: [T], to bytes: inout [UInt8]) {
    let size = values.count * MemoryLayout<T>.size
    values.withUnsafeBytes { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: repeatElement(0, count: (8 - size % 8) % 8))
  }

  /// Whether a row has a value.
  package func hasValue(_ row: Int) -> Bool { validity[row >> 3] >> UInt8(row & 7) & 1 == 1 }

  /// The text of a row that has one.
  package func text(_ row: Int) -> ArraySlice<UInt8> { bytes[Int(ends[row])..<Int(ends[row + 1])] }

  /// The boolean of a row that has one.
  package func boolean(_ row: Int) -> Bool { bytes[row >> 3] >> UInt8(row & 7) & 1 == 1 }
}
