#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The memory of a table that is read and written at random places.
///
/// A table of at least 1 MiB uses memory pages of 2 MiB, if the system has such pages. Fewer
/// accesses then miss the CPU's translation buffer (TLB). This saves a tenth of a replay's time
/// with 200,000 users.
///
/// Memory with such pages can also grow without a copy. This saves another twentieth of the time
/// when all projections are replayed, because the system need not clear new memory for the copy.
struct TableMemory {
  let base: UnsafeMutableRawPointer
  let byteCount: Int
  /// Whether the memory is a mapping of its own (`mmap`) and not allocated with `malloc`.
  private let isMapped: Bool
  private static let page = 2 << 20

  private init(_ base: UnsafeMutableRawPointer, _ byteCount: Int, isMapped: Bool) {
    (self.base, self.byteCount, self.isMapped) = (base, byteCount, isMapped)
  }

  /// - Parameter isSparse: Whether most of the memory may never be used. The memory then has pages
  ///   of the usual small size.
  init(byteCount: Int, isSparse: Bool = false) {
    #if os(Linux)
      if !isSparse, byteCount >= Self.page / 2, let base = Self.map(Self.rounded(byteCount)) {
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

  /// Moves the content to larger memory without copying it, and invalidates this memory. Returns
  /// nil and changes nothing if this is impossible; the caller must then copy the content.
  func grown(to new: Int) -> TableMemory? {
    #if os(Linux)
      guard isMapped, new > byteCount, let mremap = Self.mremap,
        let target = Self.map(Self.rounded(new))
      else { return nil }
      // The flags `1 | 2` are MREMAP_MAYMOVE and MREMAP_FIXED, which Swift does not import. The
      // target is not unmapped if the call fails, because another thread may already use its
      // addresses.
      let moved = mremap(base, Self.rounded(byteCount), Self.rounded(new), 1 | 2, target)
      if moved == target { return TableMemory(target, new, isMapped: true) }
    #endif
    return nil
  }

  #if os(Linux)
    private static func rounded(_ byteCount: Int) -> Int { (byteCount + page - 1) / page * page }

    /// Maps memory that begins at the start of a page of 2 MiB.
    private static func map(_ byteCount: Int) -> UnsafeMutableRawPointer? {
      let all = mmap(
        nil, byteCount + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      guard let all, all != MAP_FAILED else { return nil }
      let skip = -Int(bitPattern: all) & (page - 1)
      if skip > 0 { munmap(all, skip) }
      if skip < page { munmap(all + skip + byteCount, page - skip) }
      // This only requests large pages. If the system refuses, the memory has small pages.
      madvise(all + skip, byteCount, Int32(MADV_HUGEPAGE))
      return all + skip
    }

    private typealias Remap =
      @convention(c) (
        UnsafeMutableRawPointer?, Int, Int, Int32, UnsafeMutableRawPointer?
      ) -> UnsafeMutableRawPointer?
    /// The C function `mremap`; nil if the C library does not have it. Swift does not import the
    /// function, because it is variadic. The cast is safe, because 64-bit Linux passes numbers and
    /// pointers to variadic functions in the same way as to other functions.
    private static let mremap = dlsym(nil, "mremap").map { unsafeBitCast($0, to: Remap.self) }
  #endif
}
