import Dispatch
import Events
import Synchronization

/// One section of a checkpoint file. It records which of its pages are already in memory.
package final class FilePages: PageSource {
  private struct State {
    var isLoaded: [Bool] = []
    var loadedCount = 0
    var layout: Layout?
  }

  private enum Layout {
    /// Two numbers for each page: where its packed bytes end, counted from the section's start, and
    /// their checksum.
    case whole([UInt64])
    /// The changes to a section of the base file, sorted by page.
    case changes([ChangedPage], of: FilePages)
  }

  /// The maximum number of consecutive pages that are read at once.
  private static let run = 64
  private let state = Mutex(State())
  let file: CheckpointFile
  let index: Int
  private let section: CheckpointFile.Section
  private let below: FilePages?

  init(_ file: CheckpointFile, _ index: Int) {
    (self.file, self.index) = (file, index)
    section = file.header.sections[index]
    below = section.delta.flatMap { delta in file.base.map { FilePages($0, delta.origin) } }
  }

  /// Reads the page that contains a byte offset of the table, unless it was read before.
  /// - Returns: whether all pages of the section are now in memory.
  package func load(_ offset: Int, into base: UnsafeMutableRawPointer, blank: [UInt8]) -> Bool {
    let page = offset / Pages.size
    return state.withLock { state in
      // The file has no page for bytes by which the table has grown since.
      if page < section.pageCount, state.isLoaded.isEmpty || !state.isLoaded[page] {
        read(&state, page..<page + 1, base, blank)
      }
      return state.loadedCount == section.pageCount
    }
  }

  /// Reads all pages that are not yet in memory.
  /// - Complexity: O(pages), on all cores.
  package func loadAll(into base: UnsafeMutableRawPointer, blank: [UInt8]) {
    state.withLock { read(&$0, 0..<section.pageCount, base, blank) }
  }

  private func read(
    _ state: inout State, _ pages: Range<Int>, _ base: UnsafeMutableRawPointer, _ blank: [UInt8]
  ) {
    if state.isLoaded.isEmpty {
      state.isLoaded = [Bool](repeating: false, count: section.pageCount)
    }
    let runs = runs(of: pages) { !state.isLoaded[$0] }
    for pages in fetch(runs, layout(&state), into: base, room: section.byteCount) {
      for index in pages.lowerBound
        * Pages.size..<min(pages.upperBound * Pages.size, section.byteCount)
      {
        base.storeBytes(of: blank[index % blank.count], toByteOffset: index, as: UInt8.self)
      }
    }
    for pages in runs {
      for page in pages { state.isLoaded[page] = true }
      state.loadedCount += pages.count
    }
  }

  /// Reads the whole section. If the section is damaged, returns false and records the damage.
  func read(into base: UnsafeMutableRawPointer, room: Int) -> Bool {
    let layout = state.withLock { self.layout(&$0) }
    let runs = runs(of: 0..<section.pageCount) { _ in true }
    return fetch(runs, layout, into: base, room: min(room, section.byteCount)).isEmpty
  }

  private func runs(of pages: Range<Int>, _ isWanted: (Int) -> Bool) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var next = pages.lowerBound
    while next < pages.upperBound {
      var end = next
      while end < pages.upperBound, end - next < Self.run, isWanted(end) { end += 1 }
      if end > next { runs.append(next..<end) }
      next = max(end, next + 1)
    }
    return runs
  }

  /// Reads runs of consecutive pages; uses all cores if there are several runs.
  /// - Returns: the damaged runs; if there are any, the file records damage.
  private func fetch(
    _ runs: [Range<Int>], _ layout: Layout?, into base: UnsafeMutableRawPointer, room: Int
  ) -> [Range<Int>] {
    guard let layout else { return runs }
    @Sendable func isRight(_ pages: Range<Int>, _ base: UnsafeMutableRawPointer) -> Bool {
      fetch(pages, layout, into: base, room: room)
    }
    var damaged: [Range<Int>] = []
    if runs.count == 1 {
      if !isRight(runs[0], base) { damaged = runs }
    } else {
      // This is safe because the runs do not overlap.
      nonisolated(unsafe) let base = base
      let found = Mutex<[Range<Int>]>([])
      DispatchQueue.concurrentPerform(iterations: runs.count) { number in
        if !isRight(runs[number], base) { found.withLock { $0.append(runs[number]) } }
      }
      damaged = found.withLock { $0 }
    }
    if !damaged.isEmpty { file.noteDamage() }
    return damaged
  }

  /// Returns the section's list of pages or changes. If the list is damaged or its values are
  /// impossible, returns nil and records the damage.
  private func layout(_ state: inout State) -> Layout? {
    if let known = state.layout { return known }
    state.layout = below.map { readChanges(of: $0) } ?? readList()
    if state.layout == nil { file.noteDamage() }
    return state.layout
  }

  private func readList() -> Layout? {
    let count = section.pageCount * 2
    guard let list = file.numbers(section, at: section.listOffset, count: count) else {
      return nil
    }
    var last: UInt64 = 0
    for end in stride(from: 0, to: count, by: 2).lazy.map({ list[$0] }) {
      guard last < end, end - last <= UInt64(PackedPage.maxCount) else { return nil }
      last = end
    }
    return last <= UInt64(section.packedCount) ? .whole(list) : nil
  }

  private func readChanges(of below: FilePages) -> Layout? {
    let count = section.delta?.pageCount ?? 0
    let numbers = file.numbers(section, at: section.offset, count: count * 3)
    guard let changes = numbers.map(ChangedPage.list) else { return nil }
    var next = 0
    for change in changes {
      guard change.page >= next, change.page < section.pageCount else { return nil }
      next = change.page + 1
    }
    return .changes(changes, of: below)
  }

  /// Reads pages into a table's memory at their own offsets, and writes at most `room` bytes.
  /// - Returns: false if any page is damaged.
  private func fetch(
    _ pages: Range<Int>, _ layout: Layout, into base: UnsafeMutableRawPointer, room: Int
  ) -> Bool {
    let known = pages.clamped(to: 0..<section.pageCount)
    guard !known.isEmpty else { return true }
    switch layout {
    case .whole(let list): return fetchWhole(known, list, into: base, room: room)
    case .changes(let changes, let below):
      guard let lower = below.state.withLock({ below.layout(&$0) }),
        below.fetch(known, lower, into: base, room: room)
      else { return false }
      let first = changes.lowerBound { $0.page < known.lowerBound }
      for change in changes[first...] {
        guard change.page < known.upperBound else { break }
        if !apply(change, into: base, room: room) { return false }
      }
      return true
    }
  }

  private func fetchWhole(
    _ pages: Range<Int>, _ list: [UInt64], into base: UnsafeMutableRawPointer, room: Int
  ) -> Bool {
    func end(_ page: Int) -> Int { page < 0 ? 0 : Int(list[page * 2]) }
    let start = end(pages.lowerBound - 1)
    let count = end(pages.upperBound - 1) - start
    return withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { packed in
      guard let target = packed.baseAddress, file.read(section.offset + start, count, into: target)
      else { return false }
      return pages.allSatisfy { page in
        let range = end(page - 1) - start..<end(page) - start
        let bytes = UnsafeRawBufferPointer(rebasing: packed[range])
        return XXH64.hash(bytes.baseAddress, bytes.count, seed: UInt64(page)) == list[page * 2 + 1]
          && unpack(bytes, page, into: base, room: room)
      }
    }
  }

  private func unpack(
    _ bytes: UnsafeRawBufferPointer, _ number: Int, into base: UnsafeMutableRawPointer, room: Int
  ) -> Bool {
    let page = PackedPage(number, stride: section.stride, tableCount: section.byteCount)
    let at = number * Pages.size
    let count = min(Pages.size, section.byteCount - at)
    if at + count <= room { return page.unpack(bytes, into: base + at) }
    // The table has become shorter than it was in the file.
    return withUnsafeTemporaryAllocation(byteCount: Pages.size, alignment: 8) { whole in
      guard let start = whole.baseAddress, page.unpack(bytes, into: start) else { return false }
      if at < room { (base + at).copyMemory(from: start, byteCount: room - at) }
      return true
    }
  }

  private func apply(
    _ change: ChangedPage, into base: UnsafeMutableRawPointer, room: Int
  ) -> Bool {
    guard let delta = section.delta, change.end <= delta.partCount else { return false }
    let count = change.parts.nonzeroBitCount * Pages.partSize
    return withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { raw in
      guard let parts = raw.baseAddress else { return true }
      let offset = section.offset + delta.listCount + change.start * Pages.partSize
      guard file.read(offset, count, into: parts),
        XXH64.hash(parts, count, seed: UInt64(change.page)) == change.sum
      else { return false }
      var (from, left) = (parts, change.parts)
      while left != 0 {
        let at = change.page * Pages.size + left.trailingZeroBitCount * Pages.partSize
        let size = min(Pages.partSize, room - at)
        if size > 0 { (base + at).copyMemory(from: from, byteCount: size) }
        from += Pages.partSize
        left &= left - 1
      }
      return true
    }
  }

  /// Returns, for each page, a bit for each part whose changes this file holds. Returns nil if the
  /// file has no list of changes, or if the list is damaged; records the damage.
  func changedParts() -> [UInt64]? {
    guard case .changes(let changes, _) = state.withLock({ self.layout(&$0) }) else { return nil }
    var parts = [UInt64](repeating: 0, count: section.pageCount)
    for change in changes { parts[change.page] = change.parts }
    return parts
  }
}

/// A page whose changed parts are in this file. Its other parts are in the base file.
struct ChangedPage {
  var page: Int
  /// A bit for each of the page's 64 parts that this file holds.
  var parts: UInt64
  /// The index of the page's first changed part among all changed parts of the section.
  var start: Int
  /// The checksum of the page's changed parts, seeded with the page's number.
  var sum: UInt64

  static let byteCount = 24
  var end: Int { start + parts.nonzeroBitCount }

  var numbers: [UInt64] { [UInt64(page) << 32 | UInt64(start), parts, sum] }

  static func list(_ numbers: [UInt64]) -> [ChangedPage] {
    stride(from: 0, to: numbers.count - 2, by: 3).map { at in
      ChangedPage(
        page: Int(numbers[at] >> 32), parts: numbers[at + 1],
        start: Int(numbers[at] & 0xffff_ffff), sum: numbers[at + 2])
    }
  }
}
