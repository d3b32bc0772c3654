/// A value that tables store encoded as bytes, because it contains texts or has several cases.
public protocol Storable {
  /// A blank value, which decoding then overwrites.
  static var blank: Self { get }
  /// Passes each property to the coder, which encodes or decodes it.
  mutating func code(with coder: inout RecordCoder)
}

/// Encodes a value's properties into bytes, or decodes them from bytes.
///
/// ```swift
/// struct Book: Storable {
///   static let blank = Book(title: "", pages: 0)
///   var title: String
///   var pages: Int
///
///   mutating func code(with coder: inout RecordCoder) {
///     coder(&title)
///     coder(&pages)
///   }
/// }
/// ```
/// The same `code` method encodes and decodes. If the bytes do not fit the method, decoding leaves
/// some properties blank and sets `isSound` to false. The coder reads from raw memory, so decoding
/// copies only texts.
public struct RecordCoder {
  @usableFromInline private(set) var bytes: [UInt8] = []
  /// The address of the next byte to decode; nil when encoding.
  private var at: UnsafePointer<UInt8>?
  /// The end of the bytes to decode; nil when encoding.
  private var end: UnsafePointer<UInt8>?
  /// Whether the coder decodes; otherwise it encodes.
  public let isReading: Bool
  /// Whether all values decoded so far were present and in the expected form.
  public private(set) var isSound = true

  /// Creates an encoder that writes into an array's memory, to avoid an allocation.
  @usableFromInline init(reusing bytes: [UInt8] = []) {
    self.bytes = bytes
    self.bytes.removeAll(keepingCapacity: true)
    isReading = false
  }

  /// Creates a decoder of the bytes in a buffer, which must stay valid while the decoder is used.
  @usableFromInline init(_ buffer: UnsafeBufferPointer<UInt8>) {
    at = buffer.baseAddress
    end = buffer.baseAddress.map { $0 + buffer.count }
    isReading = true
  }

  /// Marks the decoded data as invalid: sets `isSound` to false.
  public mutating func fail() { isSound = false }

  /// Encodes or decodes a value.
  @inlinable
  public mutating func callAsFunction<V: Storable>(_ value: inout V) { value.code(with: &self) }

  /// Encodes or decodes a number in as few bytes as possible, with seven bits in each byte.
  @inline(__always)
  public mutating func number(_ number: inout UInt64) {
    if !isReading, number < 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: number))
    } else {
      codeNumber(&number)
    }
  }

  private mutating func codeNumber(_ number: inout UInt64) {
    if isReading {
      var (value, shift) = (UInt64(0), UInt64(0))
      while let next = byte() {
        value |= UInt64(next & 0x7f) << shift
        shift += 7
        if next < 0x80 || shift > 63 { break }
      }
      number = value
    } else {
      var rest = number
      while rest >= 0x80 {
        bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
      }
      bytes.append(UInt8(rest))
    }
  }

  private mutating func byte() -> UInt8? {
    guard let next = at, let end, next < end else {
      isSound = false
      return nil
    }
    at = next + 1
    return next.pointee
  }

  /// Encodes or decodes the count of a collection's elements. When decoding, checks that so many
  /// elements can fit into the remaining bytes.
  @usableFromInline mutating func count(_ count: inout Int) {
    var wide = UInt64(count)
    number(&wide)
    guard isReading else { return }
    let left = at.flatMap { at in end.map { $0 - at } } ?? 0
    if wide > left { isSound = false }
    count = isSound ? Int(wide) : 0
  }

  mutating func text(_ text: inout String) {
    var count = text.utf8.count
    self.count(&count)
    if isReading {
      guard let start = at, count > 0 else {
        text = ""
        return
      }
      text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
      at = start + count
    } else {
      bytes.append(contentsOf: text.utf8)
    }
  }
}

extension Storable where Self: FixedWidthInteger & UnsignedInteger {
  public static var blank: Self { 0 }
  public mutating func code(with coder: inout RecordCoder) {
    var wide = UInt64(self)
    coder.number(&wide)
    if coder.isReading { self = Self(truncatingIfNeeded: wide) }
  }
}

extension Storable where Self: FixedWidthInteger & SignedInteger {
  public static var blank: Self { 0 }
  /// Encodes or decodes an integer. The sign is stored in the lowest bit, so that small negative
  /// numbers also take few bytes.
  public mutating func code(with coder: inout RecordCoder) {
    let value = Int64(self)
    var wide = UInt64(bitPattern: value << 1 ^ value >> 63)
    coder.number(&wide)
    guard coder.isReading else { return }
    self = Self(truncatingIfNeeded: Int64(bitPattern: wide >> 1) ^ -Int64(wide & 1))
  }
}

extension UInt8: Storable {}
extension UInt32: Storable {}
extension UInt64: Storable {}
extension Int: Storable {}
extension Int64: Storable {}

extension Bool: Storable {
  public static var blank: Self { false }
  public mutating func code(with coder: inout RecordCoder) {
    var number: UInt64 = self ? 1 : 0
    coder.number(&number)
    self = number != 0
  }
}

extension Double: Storable {
  public static var blank: Self { 0 }
  public mutating func code(with coder: inout RecordCoder) {
    // Most numbers have at most six decimals. As an integer of millionths, they take three to five
    // bytes instead of eight.
    let scaled = (self * 1e6).rounded()
    var millionths = abs(scaled) < 1e15 && scaled / 1e6 == self ? Int64(scaled) : nil
    coder(&millionths)
    if let millionths {
      self = Double(millionths) / 1e6
      return
    }
    var number = bitPattern
    coder.number(&number)
    self = Double(bitPattern: number)
  }
}

extension String: Storable {
  public static var blank: Self { "" }
  public mutating func code(with coder: inout RecordCoder) { coder.text(&self) }
}

extension Optional: Storable where Wrapped: Storable {
  public static var blank: Self { nil }
  @inlinable
  public mutating func code(with coder: inout RecordCoder) {
    var isThere = self != nil
    coder(&isThere)
    guard isThere else {
      self = nil
      return
    }
    var wrapped: Wrapped = self ?? Wrapped.blank
    coder(&wrapped)
    if coder.isReading { self = wrapped }
  }
}

extension Array: Storable where Element: Storable {
  public static var blank: Self { [] }
  @inlinable
  public mutating func code(with coder: inout RecordCoder) {
    var count = count
    coder.count(&count)
    if coder.isReading { self = [Element](repeating: .blank, count: count) }
    for index in indices { coder(&self[index]) }
  }
}

extension Dictionary: Storable where Key: Storable & Comparable, Value: Storable {
  public static var blank: Self { [:] }
  /// Encodes or decodes the dictionary's pairs in the order of their keys, so that equal
  /// dictionaries have equal bytes.
  @inlinable
  public mutating func code(with coder: inout RecordCoder) {
    var keys = coder.isReading ? [] : keys.sorted()
    coder(&keys)
    for key in keys {
      var value = self[key] ?? .blank
      coder(&value)
      if coder.isReading { self[key] = value }
    }
  }
}
