#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Returns the address of the first line feed in `count` bytes; nil if there is none.
@inline(__always)
package func firstLineFeed(_ bytes: UnsafeRawPointer, _ count: Int) -> UnsafeRawPointer? {
  first(0x0a, bytes, count)
}

package func firstLineFeed(_ bytes: [UInt8]) -> Int? {
  bytes.withUnsafeBytes { raw in
    guard let base = raw.baseAddress else { return nil }
    return firstLineFeed(base, raw.count).map { $0 - base }
  }
}

package func lastLineFeed(_ bytes: [UInt8]) -> Int? {
  bytes.withUnsafeBytes { raw in
    var at = raw.count - 1
    while at >= 0, raw[at] != 0x0a { at -= 1 }
    return at >= 0 ? at : nil
  }
}

package func lineFeedCount(_ bytes: [UInt8]) -> Int {
  bytes.withUnsafeBytes { raw in
    guard var at = raw.baseAddress else { return 0 }
    let end = at + raw.count
    var count = 0
    while let found = firstLineFeed(at, end - at) {
      count += 1
      at = found + 1
    }
    return count
  }
}

/// Returns the address of the first occurrence of a byte in `count` bytes; nil if there is none.
///
/// It calls the C library's `memchr`, which compares 32 bytes at once. On platforms without a C
/// library it uses a loop.
@inline(__always)
package func first(_ byte: UInt8, _ bytes: UnsafeRawPointer, _ count: Int) -> UnsafeRawPointer? {
  #if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
    memchr(bytes, Int32(byte), count).map { UnsafeRawPointer($0) }
  #else
    UnsafeRawBufferPointer(start: bytes, count: count).firstIndex(of: byte).map { bytes + $0 }
  #endif
}
