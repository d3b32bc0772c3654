/// Reads the fields of a JSON object that is in canonical form, with its fields in the expected
/// order. Other objects need `TapeReader`.
///
/// A line with a correct checksum was almost certainly written by this module's encoder, so the
/// reader expects the encoder's layout byte for byte. The reader throws an error at every
/// deviation, and the caller then uses the strict parser. The reader never reads beyond the line.
///
/// For every line that this reader accepts, the strict parser returns the same result.
/// `CodecPropertiesTests` and the fuzz target `differential` test that.
struct FastReader: MemberReader {
  /// The error for every deviation from the encoder's layout; callers ignore its content.
  static let deviation = LineFault(.truncated)

  var at: UnsafePointer<UInt8>
  let end: UnsafePointer<UInt8>
  let names: UnsafeMutablePointer<Names>
  private var separator: UInt8
  /// Whether the reader only loads the table slots of short ids into the CPU cache, to speed up a
  /// later read. If true, every id is read as number 0.
  private let prefetches: Bool

  /// - Parameter separator: The byte before the first field to read: `{` at the start of an object,
  ///   or `,` after another field.
  @inline(__always)
  init(
    _ at: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ names: UnsafeMutablePointer<Names>,
    separator: UInt8 = UInt8(ascii: "{"), prefetches: Bool = false
  ) {
    (self.at, self.end, self.names, self.separator) = (at, end, names, separator)
    self.prefetches = prefetches
  }

  @inline(__always)
  mutating func required<V: WireValue>(_ name: StaticString) throws(LineFault) -> V {
    guard take(name), let value = V.fast(&self) else { throw Self.deviation }
    return value
  }

  @inline(__always)
  mutating func optional<V: WireValue>(_ name: StaticString) throws(LineFault) -> V? {
    guard take(name) else { return nil }
    guard let value = V.fast(&self) else { throw Self.deviation }
    return value
  }

  mutating func patch<V: WireValue>(_ name: StaticString) throws(LineFault) -> Patch<V> {
    guard take(name) else { return .keep }
    if skip("null") { return .clear }
    guard let value = V.fast(&self) else { throw Self.deviation }
    return .set(value)
  }

  /// Whether only the object's closing brace is left before `end`.
  @inline(__always)
  mutating func isAtEnd() -> Bool {
    if separator == UInt8(ascii: "{") { return false }
    return end - at == 1 && at.pointee == UInt8(ascii: "}")
  }

  /// Whether only the closing brace of the data is left before `end`, or the brace and the field
  /// `correlation`. `end` must be the start of the field `sum`.
  @inline(__always)
  mutating func endsLine() -> Bool { isAtEnd() || isBeforeCorrelation() }

  private func isBeforeCorrelation() -> Bool {
    let word = Envelope.correlation
    let start = at + 1 + word.utf8CodeUnitCount
    guard separator != UInt8(ascii: "{"), end - start > 1, at.pointee == UInt8(ascii: "}"),
      equal(at + 1, word.utf8Start, word.utf8CodeUnitCount), end[-1] == UInt8(ascii: "\"")
    else { return false }
    return CorrelationID.isValid(UnsafeBufferPointer(start: start, count: end - 1 - start))
  }

  /// Reads the closing brace of an object inside another object; returns false if the next byte is
  /// not a closing brace.
  mutating func close() -> Bool {
    guard separator != UInt8(ascii: "{"), at < end, at.pointee == UInt8(ascii: "}") else {
      return false
    }
    at += 1
    return true
  }

  /// Reads an optional field whose value is an ASCII string without escapes; returns nil if the
  /// field is absent.
  mutating func text(_ name: StaticString) throws(LineFault) -> UnsafeBufferPointer<UInt8>? {
    guard take(name) else { return nil }
    guard at < end, at.pointee == UInt8(ascii: "\"") else { throw Self.deviation }
    let start = at + 1
    var seen: UInt64 = 0
    let cursor = textEnd(start, &seen)
    // `textEnd` reads eight bytes at once, so `seen` may reflect bytes after the quote. Check the
    // text's own bytes.
    guard cursor < end, cursor.pointee == UInt8(ascii: "\"") else { throw Self.deviation }
    let bytes = UnsafeBufferPointer(start: start, count: cursor - start)
    if seen != 0, !bytes.allSatisfy({ $0 < 0x7f }) { throw Self.deviation }
    at = cursor + 1
    return bytes
  }

  /// Returns the address of the first quote, backslash or control character from `start` on; `end`
  /// if there is none.
  ///
  /// The function compares eight bytes at a time.
  /// - Parameter seen: Becomes nonzero if a byte up to the returned address, or one of the next few
  ///   bytes, is 0x7f or not ASCII.
  @inline(__always)
  private func textEnd(
    _ start: UnsafePointer<UInt8>, _ seen: inout UInt64
  ) -> UnsafePointer<UInt8> {
    var cursor = start
    while end - cursor >= 8 {
      let word = UInt64(littleEndian: UnsafeRawPointer(cursor).loadUnaligned(as: UInt64.self))
      let ends =
        Self.zeroBytes(word ^ Self.everyByte(UInt8(ascii: "\"")))
        | Self.zeroBytes(word ^ Self.everyByte(UInt8(ascii: "\\")))
        | (word &- Self.everyByte(0x20)) & ~word & Self.everyByte(0x80)
      seen |= (word | (word &+ Self.everyByte(1))) & Self.everyByte(0x80)
      if ends != 0 { return cursor + ends.trailingZeroBitCount / 8 }
      cursor += 8
    }
    while cursor < end, cursor.pointee != UInt8(ascii: "\""),
      cursor.pointee != UInt8(ascii: "\\"), cursor.pointee >= 0x20
    {
      seen |= UInt64(cursor.pointee &+ 1) & 0x80 | UInt64(cursor.pointee & 0x80)
      cursor += 1
    }
    return cursor
  }

  /// Moves past `,"name":` (or `{"name":` for an object's first field) if these are the next bytes;
  /// returns false otherwise.
  @inline(__always)
  mutating func take(_ name: StaticString) -> Bool {
    let count = name.utf8CodeUnitCount
    guard end - at > count + 4, at[0] == separator, at[1] == UInt8(ascii: "\""),
      equal(at + 2, name.utf8Start, count), at[count + 2] == UInt8(ascii: "\""),
      at[count + 3] == UInt8(ascii: ":")
    else { return false }
    at += count + 4
    separator = UInt8(ascii: ",")
    return true
  }

  @inline(__always)
  mutating func skip(_ word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard end - at >= count, equal(at, word.utf8Start, count) else { return false }
    at += count
    return true
  }

  /// Reads an id and returns its dense number in `table`; returns nil if the next value is not an
  /// id.
  ///
  /// An id of three to seven bytes is read as one word, without a loop. A replay spends much of its
  /// time on ids, and cache misses for several ids overlap if the code between them is short.
  @inline(__always)
  mutating func id(in table: inout NameInterner) -> UInt32? {
    if end - at > 9, at.pointee == UInt8(ascii: "\"") {
      let word = UInt64(
        littleEndian: UnsafeRawPointer(at + 1).loadUnaligned(as: UInt64.self))
      let quotes = Self.zeroBytes(word ^ Self.everyByte(UInt8(ascii: "\"")))
      let count = quotes.trailingZeroBitCount / 8
      if count < 8, count > 2 {
        let mask = (1 as UInt64) << UInt64(count * 8) &- 1
        let name = word & mask
        // Checks all bytes of the word like `isIDByte`, at once; bytes after the id's end count as
        // valid.
        let filled = name | ~mask & Self.everyByte(0x21)
        let wrong =
          (filled | (filled &+ Self.everyByte(1)) | ~(filled &+ Self.everyByte(0x5f)))
          & Self.everyByte(0x80)
          | Self.zeroBytes(filled ^ Self.everyByte(UInt8(ascii: "\\")))
          | Self.zeroBytes(filled ^ Self.everyByte(UInt8(ascii: "/")))
        if wrong == 0 {
          let start = at + 1
          at = start + count + 1
          if prefetches {
            table.prefetch(short: name, count)
            return 0
          }
          return table.intern(short: name, UnsafeBufferPointer(start: start, count: count))
        }
      }
    }
    return id().map { prefetches ? 0 : table.intern($0) }
  }

  @inline(__always)
  static func everyByte(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

  /// Returns a word with the high bit set in each byte that is zero in `word`. Bytes above the
  /// lowest zero byte may have the bit set too.
  @inline(__always)
  static func zeroBytes(_ word: UInt64) -> UInt64 {
    (word &- everyByte(1)) & ~word & everyByte(0x80)
  }

  /// Reads an id and returns its bytes, without the quotes; returns nil for any other value.
  @inline(__always)
  mutating func id() -> UnsafeBufferPointer<UInt8>? {
    guard at < end, at.pointee == UInt8(ascii: "\"") else { return nil }
    let start = at + 1
    var cursor = start
    while cursor < end, isIDByte(cursor.pointee) { cursor += 1 }
    let bytes = UnsafeBufferPointer(start: start, count: cursor - start)
    guard cursor < end, cursor.pointee == UInt8(ascii: "\""),
      bytes.count > 2 ? bytes.count <= longestID : isValidID(bytes)
    else { return nil }
    at = cursor + 1
    return bytes
  }

  /// Reads a UUID in quotes; returns nil for any other value.
  @inline(__always)
  mutating func eventID() -> EventID? {
    guard end - at > EventID.length + 1, at.pointee == UInt8(ascii: "\""),
      at[EventID.length + 1] == UInt8(ascii: "\""),
      let id = EventID(UnsafeBufferPointer(start: at + 1, count: EventID.length))
    else { return nil }
    at += EventID.length + 2
    return id
  }

  /// Reads a string without escapes and returns its bytes, without the quotes; returns nil for any
  /// other value.
  mutating func plainText() -> UnsafeBufferPointer<UInt8>? {
    guard at < end, at.pointee == UInt8(ascii: "\"") else { return nil }
    let start = at + 1
    var seen: UInt64 = 0
    let cursor = textEnd(start, &seen)
    guard cursor < end, cursor.pointee == UInt8(ascii: "\"") else { return nil }
    let bytes = UnsafeBufferPointer(start: start, count: cursor - start)
    if seen != 0, firstInvalidUTF8(bytes) != nil { return nil }
    at = cursor + 1
    return bytes
  }

  mutating func string() -> String? {
    guard at < end, at.pointee == UInt8(ascii: "\"") else { return nil }
    let start = at + 1
    var seen: UInt64 = 0
    let cursor = textEnd(start, &seen)
    guard cursor < end else { return nil }
    if cursor.pointee == UInt8(ascii: "\\") { return escapedString(from: cursor) }
    guard cursor.pointee == UInt8(ascii: "\"") else { return nil }
    let bytes = UnsafeBufferPointer(start: start, count: cursor - start)
    if seen != 0, firstInvalidUTF8(bytes) != nil { return nil }
    at = cursor + 1
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads a string whose first escape is at `escape`; returns nil if the string is not valid.
  private mutating func escapedString(from escape: UnsafePointer<UInt8>) -> String? {
    let start = at + 1
    let rest = UnsafeBufferPointer(start: start, count: end - start)
    var (cursor, seen) = (escape, 0 as UInt64)
    while cursor < end, cursor.pointee == UInt8(ascii: "\\") {
      var offset = cursor - start
      guard (try? JSONString.skipEscape(rest, &offset)) != nil else { return nil }
      cursor = textEnd(start + offset, &seen)
    }
    guard cursor < end, cursor.pointee == UInt8(ascii: "\"") else { return nil }
    let bytes = UnsafeBufferPointer(start: start, count: cursor - start)
    guard firstInvalidUTF8(bytes) == nil else { return nil }
    at = cursor + 1
    let node = JSONTape.Node(kind: .string, escaped: true, start: 0, end: UInt32(bytes.count))
    return String(decoding: JSONString.decode(bytes, node), as: UTF8.self)
  }

  /// Reads an integer of up to 18 digits; returns nil for any other value.
  mutating func integer() -> Int64? {
    var cursor = at
    let negative = cursor < end && cursor.pointee == UInt8(ascii: "-")
    if negative { cursor += 1 }
    let first = cursor
    var value: Int64 = 0
    while cursor < end, cursor.pointee &- UInt8(ascii: "0") < 10, cursor - first < 19 {
      value = value &* 10 &+ Int64(cursor.pointee &- UInt8(ascii: "0"))
      cursor += 1
    }
    let digits = cursor - first
    guard (1...18).contains(digits), digits == 1 || first.pointee != UInt8(ascii: "0"),
      cursor < end, cursor.pointee == UInt8(ascii: ",") || cursor.pointee == UInt8(ascii: "}")
    else { return nil }
    at = cursor
    return negative ? -value : value
  }

  /// Reads a number of up to 15 digits without exponent; returns nil for any other value.
  ///
  /// The number is an integer, made of all its digits, divided by a power of ten. Both are exact
  /// doubles, so their quotient is the double nearest to the number.
  mutating func double() -> Double? {
    var cursor = at
    let negative = cursor < end && cursor.pointee == UInt8(ascii: "-")
    if negative { cursor += 1 }
    let first = cursor
    var (digits, scale): (Int64, Double) = (0, 1)
    func takeDigits() {
      while cursor < end, cursor.pointee &- UInt8(ascii: "0") < 10, cursor - first < 17 {
        digits = digits &* 10 &+ Int64(cursor.pointee &- UInt8(ascii: "0"))
        cursor += 1
      }
    }
    takeDigits()
    let whole = cursor - first
    guard whole > 0, whole == 1 || first.pointee != UInt8(ascii: "0") else { return nil }
    var count = whole
    if cursor < end, cursor.pointee == UInt8(ascii: ".") {
      cursor += 1
      let point = cursor
      takeDigits()
      guard cursor > point else { return nil }
      count += cursor - point
      for _ in point..<cursor { scale *= 10 }
    }
    guard count <= 15, cursor < end,
      cursor.pointee == UInt8(ascii: ",") || cursor.pointee == UInt8(ascii: "}")
    else { return nil }
    at = cursor
    let value = Double(digits) / scale
    return negative && value != 0 ? -value : value
  }
}

@inline(__always)
package func equal(_ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, _ count: Int) -> Bool {
  let left = UnsafeRawPointer(a)
  let right = UnsafeRawPointer(b)
  if count >= 8 {
    var at = 0
    while at + 8 <= count {
      if left.loadUnaligned(fromByteOffset: at, as: UInt64.self)
        != right.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      {
        return false
      }
      at += 8
    }
    return left.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
      == right.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
  }
  for index in 0..<count where a[index] != b[index] { return false }
  return true
}
