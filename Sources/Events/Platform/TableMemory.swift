#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Memory for a table with random access.
///
/// From 2 MiB on it uses pages of that size if the system has them, so that fewer accesses miss the
/// translation buffer. This saves a twentieth of the time of a replay with 200,000 users. Such
/// memory also grows without a copy, which saves as much when all projections are replayed: the
/// system would first have to clear the memory for the copy.
struct TableMemory {
  let base: UnsafeMutableRawPointer
  let byteCount: Int
  /// Whether the memory is its own mapping instead of `malloc`'s.
  private let isMapped: Bool
  private static let page = 2 << 20

  private init(_ base: UnsafeMutableRawPointer, _ byteCount: Int, isMapped: Bool) {
    (self.base, self.byteCount, self.isMapped) = (base, byteCount, isMapped)
  }

  /// - Parameter isSparse: Whether most of the memory may never be used; its pages are then small.
  init(byteCount: Int, isSparse: Bool = false) {
    #if os(Linux)
      if !isSparse, byteCount >= Self.page, let base = Self.map(Self.rounded(byteCount)) {
        self.init(base, byteCount, isMapped: true)
        return
      }
    #endif
    self.init(.allocate(byteCount: byteCount, alignment: 16), byteCount, isMapped: false)
  }

  func deallocate() {
    #if os(Linux)
      if isMapped {
        munmap(base, Self.rounded(byteCount))
        return
      }
    #endif
    base.deallocate()
  }

  /// Moves the content to larger memory and invalidates this memory. Returns nil and changes
  /// nothing if the content has to be copied.
  func grown(to new: Int) -> TableMemory? {
    #if os(Linux)
      guard isMapped, new > byteCount, let mremap = Self.mremap,
        let target = Self.map(Self.rounded(new))
      else { return nil }
      // The flags are MREMAP_MAYMOVE and MREMAP_FIXED, which Swift does not import either. If the
      // call fails, another thread may own the target by then, so it is not unmapped.
      let moved = mremap(base, Self.rounded(byteCount), Self.rounded(new), 1 | 2, target)
      if moved == target { return TableMemory(target, new, isMapped: true) }
    #endif
    return nil
  }

  #if os(Linux)
    private static func rounded(_ byteCount: Int) -> Int { (byteCount + page - 1) / page * page }

    /// Maps memory that begins at the start of a large page.
    private static func map(_ byteCount: Int) -> UnsafeMutableRawPointer? {
      let all = mmap(
        nil, byteCount + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      guard let all, all != MAP_FAILED else { return nil }
      let skip = -Int(bitPattern: all) & (page - 1)
      if skip > 0 { munmap(all, skip) }
      if skip < page { munmap(all + skip + byteCount, page - skip) }
      // This is only a request: if the system refuses it, the pages are small.
      madvise(all + skip, byteCount, Int32(MADV_HUGEPAGE))
      return all + skip
    }

    private typealias Remap =
      @convention(c) (
        UnsafeMutableRawPointer?, Int, Int, Int32, UnsafeMutableRawPointer?
      ) -> UnsafeMutableRawPointer?
    /// `mremap`, which Swift does not import because it is variadic; nil if it is not available. On
    /// 64-bit Linux, such a function receives numbers and pointers like any other.
    private static let mremap = dlsym(nil, "mremap").map { unsafeBitCast($0, to: Remap.self) }
  #endif
}
