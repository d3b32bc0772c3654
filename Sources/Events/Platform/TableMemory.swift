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
struct TableMemory {
  let base: UnsafeMutableRawPointer
  let byteCount: Int
  /// Whether the memory is a mapping of its own, and not of `malloc`.
  private let isMapped: Bool
  private static let page = 2 << 20

  private init(_ base: UnsafeMutableRawPointer, _ byteCount: Int, isMapped: Bool) {
    (self.base, self.byteCount, self.isMapped) = (base, byteCount, isMapped)
  }

  /// - Parameter isSparse: whether most of it may never be touched; then its pages are small.
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

  /// Moves the content to larger memory, and this is gone; nil, and nothing is changed, if it has
  /// to be copied.
  func grown(to new: Int) -> TableMemory? {
    #if os(Linux)
      guard isMapped, new > byteCount, let mremap = Self.mremap,
        let target = Self.map(Self.rounded(new))
      else { return nil }
      // MREMAP_MAYMOVE and MREMAP_FIXED, which are not imported either. If it fails, the system may
      // have given the target to somebody else by then, so it is not unmapped.
      let moved = mremap(base, Self.rounded(byteCount), Self.rounded(new), 1 | 2, target)
      if moved == target { return TableMemory(target, new, isMapped: true) }
    #endif
    return nil
  }

  #if os(Linux)
    private static func rounded(_ byteCount: Int) -> Int { (byteCount + page - 1) / page * page }

    /// Maps memory that begins at a large page.
    private static func map(_ byteCount: Int) -> UnsafeMutableRawPointer? {
      let all = mmap(
        nil, byteCount + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      guard let all, all != MAP_FAILED else { return nil }
      let skip = -Int(bitPattern: all) & (page - 1)
      if skip > 0 { munmap(all, skip) }
      if skip < page { munmap(all + skip + byteCount, page - skip) }
      // A request only: if it is refused, the pages are small.
      madvise(all + skip, byteCount, Int32(MADV_HUGEPAGE))
      return all + skip
    }

    private typealias Remap =
      @convention(c) (
        UnsafeMutableRawPointer?, Int, Int, Int32, UnsafeMutableRawPointer?
      ) -> UnsafeMutableRawPointer?
    /// `mremap`, which Swift does not import because it is variadic; nil if it is not there. On
    /// Linux's processors of 64 bits such a function takes numbers and pointers as others do.
    private static let mremap = dlsym(nil, "mremap").map { unsafeBitCast($0, to: Remap.self) }
  #endif
}
