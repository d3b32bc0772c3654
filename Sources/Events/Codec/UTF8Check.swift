/// Returns the offset of the first byte that is not well-formed UTF-8 (Unicode 16, table 3-7); nil
/// if there is none.
/// - Complexity: O(bytes). ASCII text is checked eight bytes at a time.
func firstInvalidUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
  guard let base = bytes.baseAddress else { return nil }
  let raw = UnsafeRawPointer(base)
  let count = bytes.count
  var at = 0
  while at < count {
    if at + 8 <= count,
      raw.loadUnaligned(fromByteOffset: at, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
    {
      at += 8
      continue
    }
    let length = sequenceLength(bytes, at)
    if length == 0 { return at }
    at += length
  }
  return nil
}

/// Returns the length in bytes of the well-formed UTF-8 sequence at `at`, or 0 if there is none.
private func sequenceLength(_ bytes: UnsafeBufferPointer<UInt8>, _ at: Int) -> Int {
  func continues(_ offset: Int, _ range: ClosedRange<UInt8> = 0x80...0xbf) -> Bool {
    at + offset < bytes.count && range.contains(bytes[at + offset])
  }
  switch bytes[at] {
  case 0...0x7f: return 1
  case 0xc2...0xdf: return continues(1) ? 2 : 0
  case 0xe0: return continues(1, 0xa0...0xbf) && continues(2) ? 3 : 0
  case 0xed: return continues(1, 0x80...0x9f) && continues(2) ? 3 : 0
  case 0xe1...0xef: return continues(1) && continues(2) ? 3 : 0
  case 0xf0: return continues(1, 0x90...0xbf) && continues(2) && continues(3) ? 4 : 0
  case 0xf4: return continues(1, 0x80...0x8f) && continues(2) && continues(3) ? 4 : 0
  case 0xf1...0xf3: return continues(1) && continues(2) && continues(3) ? 4 : 0
  default: return 0
  }
}
