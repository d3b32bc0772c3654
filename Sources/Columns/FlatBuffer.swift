/// A builder of a FlatBuffers message, as far as the messages of Apache Arrow need one.
///
/// A message is built from its end to its start, so that each offset points forward. `bytes` has
/// the bytes in reverse order. A place in the message is the number of bytes from there to the end.
struct FlatBuffer {
  /// A value in a table's slot.
  enum Slot {
    case absent
    case byte(UInt8)
    case short(Int16)
    case int(Int32)
    case long(Int64)
    /// The place of a table, vector or string.
    case offset(Int)
  }

  private var bytes: [UInt8] = []

  /// Adds padding, so that the message is aligned to `alignment` after `size` more bytes.
  private mutating func align(_ alignment: Int, before size: Int = 0) {
    while (bytes.count + size) % alignment != 0 { bytes.append(0) }
  }

  private mutating func put<I: FixedWidthInteger>(_ value: I) {
    for index in (0..<I.bitWidth / 8).reversed() {
      bytes.append(UInt8(truncatingIfNeeded: value >> I(index * 8)))
    }
  }

  /// Puts the distance from here to a place.
  private mutating func put(offset place: Int) { put(UInt32(bytes.count + 4 - place)) }

  /// Adds a string and returns its place.
  mutating func string(_ text: String) -> Int {
    let utf8 = Array(text.utf8)
    align(4, before: utf8.count + 1)
    bytes.append(0)
    bytes.append(contentsOf: utf8.reversed())
    put(UInt32(utf8.count))
    return bytes.count
  }

  /// Adds a vector of tables and returns its place.
  mutating func vector(_ places: [Int]) -> Int {
    align(4)
    for place in places.reversed() { put(offset: place) }
    put(UInt32(places.count))
    return bytes.count
  }

  /// Adds a vector of structs, each with two 64-bit integers, and returns its place.
  mutating func vector(pairs: [(Int64, Int64)]) -> Int {
    align(8)
    for (first, second) in pairs.reversed() {
      put(second)
      put(first)
    }
    put(UInt32(pairs.count))
    return bytes.count
  }

  /// Adds a table and returns its place.
  mutating func table(_ slots: [Slot]) -> Int {
    let start = bytes.count
    var places = [Int](repeating: 0, count: slots.count)
    for (index, slot) in slots.enumerated().reversed() {
      switch slot {
      case .absent: continue
      case .byte(let value): put(value)
      case .short(let value):
        align(2)
        put(value)
      case .int(let value):
        align(4)
        put(value)
      case .long(let value):
        align(8)
        put(value)
      case .offset(let place):
        align(4)
        put(offset: place)
      }
      places[index] = bytes.count
    }
    align(4)
    let header = 4 + 2 * slots.count
    put(Int32(header))
    let table = bytes.count
    for place in places.reversed() { put(UInt16(place == 0 ? 0 : table - place)) }
    put(UInt16(table - start))
    put(UInt16(header))
    return table
  }

  /// Returns the message, whose root is the table at a place. Its length is a multiple of 8.
  mutating func finish(_ root: Int) -> [UInt8] {
    align(8, before: 4)
    put(offset: root)
    return bytes.reversed()
  }
}
