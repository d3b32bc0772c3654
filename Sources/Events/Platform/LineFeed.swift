#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where the first line feed of some bytes is.
@inline(__always)
func firstLineFeed(_ bytes: UnsafeRawPointer, _ count: Int) -> UnsafeRawPointer? {
  first(0x0a, bytes, count)
}

/// Where a byte is first found in some bytes.
///
/// With a C library its `memchr`, which looks at 32 bytes at once; without one a loop.
@inline(__always)
func first(_ byte: UInt8, _ bytes: UnsafeRawPointer, _ count: Int) -> UnsafeRawPointer? {
  #if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
    memchr(bytes, Int32(byte), count).map { UnsafeRawPointer($0) }
  #else
    UnsafeRawBufferPointer(start: bytes, count: count).firstIndex(of: byte).map { bytes + $0 }
  #endif
}
