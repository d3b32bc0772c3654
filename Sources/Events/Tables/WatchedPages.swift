/// The memory of a table that changes while snapshots read it.
///
/// The table's writer calls `keep` before it changes a page, and so gives each snapshot the page's
/// old content. A page that the writer has not changed is copied when a snapshot reads it. The lock
/// orders the two, so that nobody reads a page while it changes.
///
/// It is `@unchecked Sendable`, because the lock protects all that changes.
final class WatchedPages: @unchecked Sendable {
  private let base: UnsafeMutableRawPointer
  /// The source of pages that are not in the table's memory yet.
  private let origin: (any PageSource)?
  private let blank: [UInt8]
  private let copies = Guarded<[PageCopy]>([])
  /// The table's memory, after the table has ended before its snapshots.
  private var memory: TableMemory?

  init(_ base: UnsafeMutableRawPointer, _ origin: (any PageSource)?, _ blank: [UInt8]) {
    (self.base, self.origin, self.blank) = (base, origin, blank)
  }

  deinit { memory?.deallocate() }

  /// Whether a snapshot reads the memory.
  var isRead: Bool { copies.withLock { !$0.isEmpty } }

  /// Adds a snapshot, whose pages are copied to `target`.
  func add(_ copy: PageCopy, to target: UnsafeMutableRawPointer) {
    copy.target = target
    copies.withLock { $0.append(copy) }
  }

  fileprivate func remove(_ copy: PageCopy) {
    copies.withLock { copies in copies.removeAll { $0 === copy } }
  }

  /// Takes over the memory of a table that ends. Returns false if no snapshot reads it.
  func adopt(_ memory: TableMemory) -> Bool {
    copies.withLock { copies in
      if !copies.isEmpty { self.memory = memory }
      return !copies.isEmpty
    }
  }

  /// Copies pages for the snapshots that do not have them yet. Call it before a change of the
  /// pages, which must be in memory. Returns false if there are no snapshots any more.
  func keep(_ pages: ClosedRange<Int>) -> Bool {
    copies.withLock { copies in
      for copy in copies {
        for page in pages { copy.take(page, from: base) }
      }
      return !copies.isEmpty
    }
  }

  /// Copies a page for a snapshot that reads it. Returns whether the snapshot has all pages.
  fileprivate func read(_ page: Int, for copy: PageCopy) -> Bool {
    copies.withLock { _ in
      if copy.needs(page) {
        _ = origin?.load(page * Pages.size, into: base, blank: blank)
        copy.take(page, from: base)
      }
      return copy.left == 0
    }
  }
}

/// The pages of a table's snapshot: the source of the snapshot's memory.
///
/// It is `@unchecked Sendable`, because the lock of `WatchedPages` protects all that changes.
final class PageCopy: PageSource, @unchecked Sendable {
  private let watched: WatchedPages
  private let byteCount: Int
  /// The memory of the snapshot.
  fileprivate var target: UnsafeMutableRawPointer?
  /// A bit for each page, set if the snapshot has the page.
  private var copied: [UInt64]
  /// The number of pages that the snapshot does not have yet.
  fileprivate private(set) var left: Int

  var pageCount: Int { (byteCount + Pages.size - 1) / Pages.size }

  init(of watched: WatchedPages, byteCount: Int) {
    (self.watched, self.byteCount) = (watched, byteCount)
    left = (byteCount + Pages.size - 1) / Pages.size
    copied = [UInt64](repeating: 0, count: (left + 63) / 64)
  }

  /// Ends the snapshot, before its memory is freed.
  func end() { watched.remove(self) }

  package func load(_ offset: Int, into base: UnsafeMutableRawPointer, blank: [UInt8]) -> Bool {
    watched.read(offset / Pages.size, for: self)
  }

  package func loadAll(into base: UnsafeMutableRawPointer, blank: [UInt8]) {
    for page in 0..<pageCount { _ = watched.read(page, for: self) }
  }

  fileprivate func needs(_ page: Int) -> Bool {
    page < pageCount && copied[page / 64] >> UInt64(page % 64) & 1 == 0
  }

  fileprivate func take(_ page: Int, from base: UnsafeMutableRawPointer) {
    guard needs(page), let target else { return }
    let start = page * Pages.size
    (target + start).copyMemory(from: base + start, byteCount: min(Pages.size, byteCount - start))
    copied[page / 64] |= 1 << UInt64(page % 64)
    left -= 1
  }
}
