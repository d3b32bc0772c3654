#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where the first line feed of some bytes is.
///
/// With a C library its `memchr`, which looks at 32 bytes at once; without one a loop.
@inline(__always)
func firstLineFeed(_ bytes: UnsafeRawPointer, _ count: Int) -> UnsafeRawPointer? {
  #if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
    memchr(bytes, 0x0a, count).map { UnsafeRawPointer($0) }
  #else
    UnsafeRawBufferPointer(start: bytes, count: count).firstIndex(of: 0x0a).map { bytes + $0 }
  #endif
}
