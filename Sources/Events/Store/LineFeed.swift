#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The first line feed among some bytes; nil if there is none.
///
/// The C library's search, the one thing that scanning asks of the platform: a build without a C
/// library brings its own function of this name.
@inline(__always)
func firstLineFeed(_ bytes: UnsafeRawPointer, _ count: Int) -> UnsafeRawPointer? {
  memchr(bytes, 0x0a, count).map { UnsafeRawPointer($0) }
}
