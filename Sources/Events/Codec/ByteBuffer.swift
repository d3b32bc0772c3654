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
    var rest = value
    var at = count + digits
    repeat {
      at -= 1
      base[at] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while at > count
    count += digits
  }

  /// Appends an integer as sixteen lowercase hexadecimal digits.
  package mutating func appendHex(_ value: UInt64) {
    reserve(16)
    for index in 0..<16 {
      let nibble = UInt8(truncatingIfNeeded: value >> UInt64(60 - 4 * index)) & 15
      base[count + index] =
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") - 10 + nibble
    }
    count += 16
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
