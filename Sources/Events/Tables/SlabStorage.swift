import Synchronization

/// The memory of a slab. `Slab` explains why it can be `@unchecked Sendable`.
@usableFromInline
final class SlabStorage: @unchecked Sendable {
  @usableFromInline let base: UnsafeMutableRawPointer
  @usableFromInline let capacity: Int
  /// The slab's memory; nil after the memory was moved to another storage.
  private var memory: TableMemory?
  /// The source from which the slab was restored; nil if it was not restored. It stays the same
  /// when the memory moves to another storage.
  let origin: (any PageSource)?
  private let blank: [UInt8]
  /// Flags that every read and write of the slab must check; 0 for a slab that was not restored and
  /// that no snapshot reads.
  @usableFromInline let state: Atomic<UInt8>
  @usableFromInline static var isPartial: UInt8 { 1 }
  @usableFromInline static var isTracked: UInt8 { 2 }
  @usableFromInline static var isWatched: UInt8 { 4 }
  /// For each page, 64 bits: one for each part of the page, set if the part has changed since the
  /// slab was restored.
  private var changed: [UInt64] = []
  /// The snapshots that read this memory; nil if there are none.
  private var watched: WatchedPages?
  /// The pages of a snapshot; nil for a storage that is none.
  private var copied: PageCopy?

  @usableFromInline init(capacity: Int) {
    (self.capacity, origin, blank) = (capacity, nil, [])
    state = Atomic(0)
    let memory = TableMemory(byteCount: capacity)
    (self.memory, base) = (memory, memory.base)
  }

  /// - Parameter isSparse: Whether most pages of the memory may never be used.
  init(capacity: Int, source: any PageSource, blank: [UInt8], isSparse: Bool) {
    (self.capacity, origin, self.blank) = (capacity, source, blank)
    state = Atomic(Self.isPartial | Self.isTracked)
    let memory = TableMemory(byteCount: capacity, isSparse: isSparse)
    (self.memory, base) = (memory, memory.base)
  }

  /// Creates a storage with the content of the storage `old`, whose pages must all be in memory.
  /// - Parameters:
  ///   - byteCount: The number of bytes of the old storage that are in use.
  ///   - isLast: Whether the old storage will no longer be used, so that its memory may be moved to
  ///     the new storage.
  init(capacity: Int, continuing old: SlabStorage, byteCount: Int, isLast: Bool) {
    (self.capacity, origin, blank) = (capacity, old.origin, old.blank)
    state = Atomic(origin == nil ? 0 : Self.isTracked)
    changed = old.changed
    if isLast, !old.isRead, let moved = old.memory?.grown(to: capacity) {
      (memory, base) = (moved, moved.base)
      old.memory = nil
    } else {
      let memory = TableMemory(byteCount: capacity)
      (self.memory, base) = (memory, memory.base)
      base.copyMemory(from: old.base, byteCount: byteCount)
    }
  }

  deinit {
    copied?.end()
    guard let memory, watched?.adopt(memory) != true else { return }
    memory.deallocate()
  }

  /// Creates a storage that keeps the present content while this storage changes; nil for a small
  /// storage, which is cheaper to copy as a whole.
  ///
  /// Each page is copied when the snapshot reads it, or before this storage changes it.
  func snapshot(byteCount: Int) -> SlabStorage? {
    guard byteCount >= 16 * Pages.size else { return nil }
    let watched = self.watched ?? WatchedPages(base, origin, blank)
    self.watched = watched
    state.bitwiseOr(Self.isWatched, ordering: .acquiringAndReleasing)
    let copy = PageCopy(of: watched, byteCount: byteCount)
    let storage = SlabStorage(
      capacity: copy.pageCount * Pages.size, source: copy, blank: blank, isSparse: true)
    storage.copied = copy
    watched.add(copy, to: storage.base)
    return storage
  }

  /// Whether a snapshot reads this memory.
  private var isRead: Bool { watched?.isRead == true }

  /// Whether all pages of the slab are in memory.
  @inlinable var isWhole: Bool {
    @inline(__always) get { state.load(ordering: .acquiring) & Self.isPartial == 0 }
  }

  /// Whether all pages of the slab are in memory, its changes are not recorded, and no snapshot
  /// reads it.
  @inlinable var isPlain: Bool {
    @inline(__always) get { state.load(ordering: .acquiring) == 0 }
  }

  @usableFromInline func load(_ offset: Int, _ count: Int) {
    guard let origin, count > 0, !isWhole else { return }
    for page in offset / Pages.size...(offset + count - 1) / Pages.size {
      if origin.load(page * Pages.size, into: base, blank: blank) { noteWhole() }
    }
  }

  @usableFromInline func loadAll() {
    origin?.loadAll(into: base, blank: blank)
    noteWhole()
  }

  private func noteWhole() {
    state.bitwiseAnd(~Self.isPartial, ordering: .acquiringAndReleasing)
  }

  /// Reads the pages that contain a range of bytes, copies them for the snapshots, and records
  /// these bytes as changed.
  @usableFromInline func change(_ offset: Int, _ count: Int) {
    guard count > 0 else { return }
    load(offset, count)
    if let watched, !watched.keep(offset / Pages.size...(offset + count - 1) / Pages.size) {
      self.watched = nil
      state.bitwiseAnd(~Self.isWatched, ordering: .acquiringAndReleasing)
    }
    guard origin != nil else { return }
    let last = offset + count - 1
    var page = offset / Pages.size
    while page <= last / Pages.size {
      let start = max(offset - page * Pages.size, 0) / Pages.partSize
      let end = min(last - page * Pages.size, Pages.size - 1) / Pages.partSize
      note(page, (~0 >> UInt64(63 - (end - start))) << UInt64(start))
      page += 1
    }
  }

  func note(_ page: Int, _ parts: UInt64) {
    if page >= changed.count {
      let pages = max(page + 1, (capacity + Pages.size - 1) / Pages.size)
      changed += repeatElement(0, count: pages - changed.count)
    }
    changed[page] |= parts
  }

  func changedParts(_ pages: Int) -> [UInt64] {
    let known = changed.prefix(pages)
    return Array(known) + repeatElement(0, count: pages - known.count)
  }
}
