/// An event's id: a UUID (RFC 9562). New ids are version 7, so they sort by time.
///
/// Because of the id, a client can safely repeat an append. If the log already contains an event
/// with the id, the append adds nothing.
public struct EventID: Hashable, Sendable {
  /// The first 64 bits of the UUID.
  public let high: UInt64
  /// The last 64 bits of the UUID.
  public let low: UInt64

  /// Creates an id from the 128 bits of the UUID.
  public init(high: UInt64, low: UInt64) {
    (self.high, self.low) = (high, low)
  }

  /// Creates a UUID of version 7 from a time and 74 of the 128 random bits.
  public init(time: Timestamp, random: (UInt64, UInt64)) {
    let milliseconds = UInt64(bitPattern: max(time.milliseconds, 0)) & 0xffff_ffff_ffff
    high = milliseconds << 16 | 0x7000 | random.0 & 0xfff
    low = 0x8000_0000_0000_0000 | random.1 >> 2
  }

  /// The time that a UUID of version 7 contains; nil for other versions.
  public var time: Timestamp? {
    high >> 12 & 0xf == 7 ? Timestamp(milliseconds: Int64(high >> 16)) : nil
  }

  package static let length = 36

  /// Reads a UUID `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`, in upper or lower case; returns nil for
  /// any other text.
  public init?(_ text: String) {
    var text = text
    guard let id = text.withUTF8({ EventID($0) }) else { return nil }
    self = id
  }

  package init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.count == Self.length, let base = bytes.baseAddress else { return nil }
    if let id = Self(lowercase: UnsafeRawPointer(base)) {
      self = id
      return
    }
    var halves: (UInt64, UInt64) = (0, 0)
    var digits = 0
    for (index, byte) in bytes.enumerated() {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let digit = hexDigit(byte) else { return nil }
      if digits < 16 {
        halves.0 = halves.0 << 4 | UInt64(digit)
      } else {
        halves.1 = halves.1 << 4 | UInt64(digit)
      }
      digits += 1
    }
    self.init(high: halves.0, low: halves.1)
  }

  /// Reads an id in lower case, eight bytes at a time; returns nil for any other text. All ids that
  /// this type creates are in lower case.
  @inline(__always)
  init?(lowercase text: UnsafeRawPointer) {
    func half(_ first: Int, _ second: Int) -> UInt64 {
      UInt64(UInt32(littleEndian: text.loadUnaligned(fromByteOffset: first, as: UInt32.self)))
        | UInt64(UInt32(littleEndian: text.loadUnaligned(fromByteOffset: second, as: UInt32.self)))
        << 32
    }
    let hyphens = half(8, 13) & 0xff_0000_00ff | (half(18, 23) & 0xff_0000_00ff) << 8
    let (a, isA) = hexWord(half(0, 4))
    let (b, isB) = hexWord(half(9, 14))
    let (c, isC) = hexWord(half(19, 24))
    let (d, isD) = hexWord(half(28, 32))
    guard hyphens == 0x2d2d_0000_2d2d, isA, isB, isC, isD else { return nil }
    self.init(high: a << 32 | b, low: c << 32 | d)
  }

  func append(to out: inout ByteBuffer) {
    out.appendHex(UInt32(truncatingIfNeeded: high >> 32))
    out.append(UInt8(ascii: "-"))
    out.appendHex(UInt16(truncatingIfNeeded: high >> 16))
    out.append(UInt8(ascii: "-"))
    out.appendHex(UInt16(truncatingIfNeeded: high))
    out.append(UInt8(ascii: "-"))
    out.appendHex(UInt16(truncatingIfNeeded: low >> 48))
    out.append(UInt8(ascii: "-"))
    out.appendHex(UInt16(truncatingIfNeeded: low >> 32))
    out.appendHex(UInt32(truncatingIfNeeded: low))
  }
}

extension EventID: CustomStringConvertible {
  public var description: String {
    var out = ByteBuffer(capacity: 64)
    append(to: &out)
    return out.text
  }
}
