/// A growable array of bytes, into which the encoder writes lines.
///
/// It allocates raw memory instead of using `[UInt8]`. The encoder appends two dozen short pieces
/// for each line; with `[UInt8]` this takes twice as long as the rest of encoding.
///
/// It is `@unchecked Sendable` because it is never copied and nothing else has the pointer to its
/// memory.
public struct ByteBuffer: ~Copyable, @unchecked Sendable {
  private var base: UnsafeMutablePointer<UInt8>
  /// The number of bytes in the buffer.
  public private(set) var count = 0
  private var capacity: Int

  /// Creates an empty buffer with room for `capacity` bytes, at least 64.
  public init(capacity: Int = 256) {
    self.capacity = max(capacity, 64)
    base = .allocate(capacity: self.capacity)
  }

  deinit { base.deallocate() }

  @inline(__always)
  mutating func reserve(_ more: Int) {
    if count + more > capacity { grow(more) }
  }

  @inline(never)
  private mutating func grow(_ more: Int) {
    capacity = max(capacity * 2, count + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.update(from: base, count: count)
    base.deallocate()
    base = larger
  }

  /// Appends one byte.
  @inline(__always)
  public mutating func append(_ byte: UInt8) {
    reserve(1)
    base[count] = byte
    count += 1
  }

  /// Appends the bytes to the buffer.
  @inline(__always)
  public mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let source = bytes.baseAddress else { return }
    reserve(bytes.count)
    (base + count).update(from: source, count: bytes.count)
    count += bytes.count
  }

  /// Appends a string literal as UTF-8.
  @inline(__always)
  public mutating func append(_ text: StaticString) {
    append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends a text as UTF-8.
  public mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append($0) }
  }

  /// Appends the bytes to the buffer.
  public mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { append($0) }
  }

  /// Appends an integer as decimal digits.
  public mutating func append(_ value: UInt64) {
    reserve(20)
    var digits = 1
    var limit: UInt64 = 10
    while digits < 20 && value >= limit {
      digits += 1
      limit = digits == 20 ? .max : limit &* 10
    }
    appendDigits(value, digits)
  }

  /// Appends the last `digits` decimal digits of an integer, padded with leading zeros.
  @inline(__always)
  package mutating func appendDigits(_ value: UInt64, _ digits: Int) {
    reserve(digits)
    var rest = value
    var at = count + digits
    while at > count {
      at -= 1
      base[at] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    count += digits
  }

  /// Appends an integer as sixteen lowercase hexadecimal digits.
  package mutating func appendHex(_ value: UInt64) {
    appendHex(UInt32(truncatingIfNeeded: value >> 32))
    appendHex(UInt32(truncatingIfNeeded: value))
  }

  /// Appends an integer as eight lowercase hexadecimal digits, all at once. One by one, digits of
  /// ids and checksums took a fifteenth of the time of writing a line.
  @inline(__always)
  package mutating func appendHex(_ value: UInt32) {
    reserve(8)
    UnsafeMutableRawPointer(base + count).storeBytes(
      of: hexText(value).littleEndian, as: UInt64.self)
    count += 8
  }

  /// Appends an integer as four lowercase hexadecimal digits.
  @inline(__always)
  mutating func appendHex(_ value: UInt16) {
    reserve(4)
    UnsafeMutableRawPointer(base + count).storeBytes(
      of: UInt32(truncatingIfNeeded: hexText(UInt32(value)) >> 32).littleEndian, as: UInt32.self)
    count += 4
  }

  /// Shortens the buffer to its first `length` bytes; `length` is at most `count`.
  public mutating func truncate(to length: Int) {
    precondition(length <= count)
    count = length
  }

  /// Calls `body` with the buffer's bytes; the pointer is only valid during the call.
  @inline(__always)
  public func withBytes<T, E: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(E) -> T
  ) throws(E) -> T {
    try body(UnsafeBufferPointer(start: base, count: count))
  }

  /// A copy of the buffer's bytes, decoded as UTF-8.
  public var text: String {
    String(decoding: UnsafeBufferPointer(start: base, count: count), as: UTF8.self)
  }

  /// A copy of the buffer's bytes.
  public var array: [UInt8] { Array(UnsafeBufferPointer(start: base, count: count)) }
}
