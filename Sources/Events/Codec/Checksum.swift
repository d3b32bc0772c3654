/// The length in bytes of the checksum field that ends every line: `,"sum":"`, 16 hexadecimal
/// digits and `"}`.
package let sumLength = 26

/// Returns the checksum in the last field of a line; nil if the last field is not a checksum.
@inline(__always)
package func recordedSum(_ line: UnsafePointer<UInt8>, _ length: Int) -> UInt64? {
  guard length >= sumLength else { return nil }
  let tail = line + (length - sumLength)
  guard equal(tail, Envelope.sum.utf8Start, 8),
    tail[24] == UInt8(ascii: "\""), tail[25] == UInt8(ascii: "}")
  else { return nil }
  return hexSum(tail + 8)
}

/// Returns the value of sixteen lowercase hexadecimal digits; nil for other bytes.
///
/// The function reads eight digits as one word without branches, because reading them one by one
/// took an eighth of a replay's time.
@inline(__always)
func hexSum(_ digits: UnsafePointer<UInt8>) -> UInt64? {
  let raw = UnsafeRawPointer(digits)
  let (high, isHigh) = hexWord(UInt64(littleEndian: raw.loadUnaligned(as: UInt64.self)))
  let (low, isLow) = hexWord(
    UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  return isHigh && isLow ? high << 32 | low : nil
}

/// Returns the value of eight hexadecimal digits, and whether all eight are valid digits. The first
/// digit is the lowest byte of `text`.
@inline(__always)
func hexWord(_ text: UInt64) -> (value: UInt64, isHex: Bool) {
  let ones: UInt64 = 0x0101_0101_0101_0101
  let letters = (text >> 6) & ones
  let nibbles = (text & (ones &* 0x0f)) &+ letters &* 9
  // The digits 0…9 keep their value, a…f become 10…15, and other bytes are not valid.
  let isHex =
    nibbles &+ ones &* 0x30 &+ letters &* 0x27 == text
    && ((nibbles &+ ones &* 6) >> 4) & ones == letters && nibbles & (ones &* 0x10) == 0
  let pairs = (nibbles << 4 | nibbles >> 8) & 0x00ff_00ff_00ff_00ff
  let quads = (pairs << 8 | pairs >> 16) & 0x0000_ffff_0000_ffff
  return ((quads << 16 | quads >> 32) & 0xffff_ffff, isHex)
}

/// Returns eight lowercase hexadecimal digits; the first digit is the lowest byte. This is the
/// inverse of `hexWord`.
@inline(__always)
func hexText(_ value: UInt32) -> UInt64 {
  let ones: UInt64 = 0x0101_0101_0101_0101
  let quads = UInt64(value) >> 16 | UInt64(value & 0xffff) << 32
  let pairs = (quads >> 8 & 0x0000_00ff_0000_00ff) | (quads & 0x0000_00ff_0000_00ff) << 16
  let nibbles = (pairs >> 4 & 0x000f_000f_000f_000f) | (pairs & 0x000f_000f_000f_000f) << 8
  let letters = ((nibbles &+ ones &* 6) >> 4) & ones
  return nibbles &+ ones &* 0x30 &+ letters &* 0x27
}

package func recordedSum(_ line: UnsafeBufferPointer<UInt8>) -> UInt64? {
  line.baseAddress.flatMap { recordedSum($0, line.count) }
}

/// Returns the checksum of the line whose line feed is the byte before `index`; nil if there is no
/// such line or it has no checksum.
package func recordedSum(_ bytes: UnsafeBufferPointer<UInt8>, before index: Int) -> UInt64? {
  guard index > sumLength, let base = bytes.baseAddress, bytes[index - 1] == UInt8(ascii: "\n")
  else { return nil }
  return recordedSum(base + (index - 1 - sumLength), sumLength)
}

/// Returns a line's checksum if it is the XXH64 hash of the line's bytes before the checksum; nil
/// otherwise.
/// - Parameter previous: The previous line's checksum, which is the hash's seed. If it is nil
///   because the previous line has no checksum, the result is always nil.
package func rightSum(_ line: UnsafeBufferPointer<UInt8>, after previous: UInt64?) -> UInt64? {
  guard let base = line.baseAddress, let previous, let sum = recordedSum(base, line.count),
    XXH64.hash(base, line.count - sumLength, seed: previous) == sum
  else { return nil }
  return sum
}

package func rightSum(_ line: [UInt8], after previous: UInt64?) -> UInt64? {
  line.withUnsafeBufferPointer { rightSum($0, after: previous) }
}
