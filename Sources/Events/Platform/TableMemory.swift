#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Memory for a table with random access: from 2 MiB on, in pages of that size if the system has
/// them, so that fewer accesses miss the translation buffer; and moved to where there is more room
/// without being copied.
///
/// Large pages save a twentieth of the time of a replay with 200,000 users. Growing without a copy
/// saves as much when all projections are replayed: a copy would go into memory that the system has
/// to clear first.
enum TableMemory {
  private static let page = 2 << 20

  static func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
    #if os(Linux)
      if byteCount >= page, let base = map(rounded(byteCount)) { return base }
    #endif
    return .allocate(byteCount: byteCount, alignment: 16)
  }

  static func deallocate(_ base: UnsafeMutableRawPointer, byteCount: Int) {
    #if os(Linux)
      if isMapped(base, byteCount) {
        munmap(base, rounded(byteCount))
        return
      }
    #endif
    base.deallocate()
  }

  /// Moves a table to larger memory; nil, and nothing is changed, if it has to be copied.
  static func grow(
    _ base: UnsafeMutableRawPointer, from old: Int, to new: Int
  ) -> UnsafeMutableRawPointer? {
    #if os(Linux)
      guard isMapped(base, old), new > old, let mremap, let target = map(rounded(new)) else {
        return nil
      }
      // MREMAP_MAYMOVE and MREMAP_FIXED, which are not imported either.
      let moved = mremap(base, rounded(old), rounded(new), 1 | 2, target)
      if moved == target { return target }
      munmap(target, rounded(new))
    #endif
    return nil
  }

  #if os(Linux)
    private static func rounded(_ byteCount: Int) -> Int { (byteCount + page - 1) / page * page }

    /// Smaller memory, and all if mapping failed, is of `malloc`, which begins no mapping there.
    private static func isMapped(_ base: UnsafeMutableRawPointer, _ byteCount: Int) -> Bool {
      byteCount >= page && Int(bitPattern: base) % page == 0
    }

    /// Maps memory that begins at a large page.
    private static func map(_ byteCount: Int) -> UnsafeMutableRawPointer? {
      let all = mmap(
        nil, byteCount + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      guard let all, all != MAP_FAILED else { return nil }
      let skip = -Int(bitPattern: all) & (page - 1)
      if skip > 0 { munmap(all, skip) }
      munmap(all + skip + byteCount, page - skip)
      // A request only: if it is refused, the pages are small.
      madvise(all + skip, byteCount, Int32(MADV_HUGEPAGE))
      return all + skip
    }

    private typealias Remap =
      @convention(c) (
        UnsafeMutableRawPointer?, Int, Int, Int32, UnsafeMutableRawPointer?
      ) -> UnsafeMutableRawPointer?
    /// `mremap`, which Swift does not import because it is variadic; nil if it is not there.
    private static let mremap = dlsym(nil, "mremap").map { unsafeBitCast($0, to: Remap.self) }
  #endif
}
