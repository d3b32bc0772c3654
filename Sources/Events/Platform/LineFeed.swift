#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The first line feed of some bytes.
///
/// With a C library its `memchr`, which looks at 32 bytes at once; without one, in a browser, a
/// loop.
@inline(__always)
func firstLineFeed(_ start: UnsafePointer<UInt8>, _ count: Int) -> UnsafePointer<UInt8>? {
  #if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
    guard let found = memchr(start, 0x0a, count) else { return nil }
    return UnsafePointer(found.assumingMemoryBound(to: UInt8.self))
  #else
    var at = start
    while at < start + count {
      if at.pointee == 0x0a { return at }
      at += 1
    }
    return nil
  #endif
}
