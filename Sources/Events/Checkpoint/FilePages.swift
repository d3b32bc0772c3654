import Synchronization

/// A section of a checkpoint's file, and which of its pages are in memory.
package final class FilePages: PageSource {
  private struct State {
    var isLoaded: [Bool] = []
    var loadedCount = 0
    /// For each page, where it ends among the packed bytes, and its sum; once any was needed.
    var list: [UInt64]?
    /// The section's changed pages, once any page was needed.
    var changes: [ChangedPage]?
  }
  /// How many pages are read at once at most.
  private static let run = 256
  private let state = Mutex(State())
  let file: CheckpointFile
  let index: Int
  private let section: CheckpointFile.Section
  /// What the section continues.
  private let below: FilePages?

  init(_ file: CheckpointFile, _ index: Int) {
    self.file = file
    self.index = index
    section = file.header.sections[index]
    below = section.delta.flatMap { delta in file.base.map { FilePages($0, delta.origin) } }
  }

  /// Reads the page at an offset, unless it was read before.
  /// - Returns: whether all pages are in memory now.
  package func load(_ offset: Int, into base: UnsafeMutableRawPointer, blank: [UInt8]) -> Bool {
    let page = offset / Pages.size
    return state.withLock { state in
      // Past the end of what the file holds is room that the slab has grown into.
      if page < section.pageCount { read(&state, page..<page + 1, base, blank) }
      return state.loadedCount == section.pageCount
    }
  }

  package func loadAll(into base: UnsafeMutableRawPointer, blank: [UInt8]) {
    state.withLock { read(&$0, 0..<section.pageCount, base, blank) }
  }

  /// Reads the pages of a range that are not in memory, runs of them at once.
  private func read(
    _ state: inout State, _ pages: Range<Int>, _ base: UnsafeMutableRawPointer, _ blank: [UInt8]
  ) {
    if state.isLoaded.isEmpty {
      state.isLoaded = [Bool](repeating: false, count: section.pageCount)
    }
    var next = pages.lowerBound
    while next < pages.upperBound {
      if state.isLoaded[next] {
        next += 1
        continue
      }
      var end = next + 1
      while end < pages.upperBound, !state.isLoaded[end], end - next < Self.run { end += 1 }
      if !fetch(&state, next..<end, into: base, room: section.byteCount) {
        file.noteDamage()
        for index in next * Pages.size..<min(end * Pages.size, section.byteCount) {
          base.storeBytes(of: blank[index % blank.count], toByteOffset: index, as: UInt8.self)
        }
      }
      for page in next..<end { state.isLoaded[page] = true }
      state.loadedCount += end - next
      next = end
    }
  }

  /// Reads the whole section.
  /// - Returns: false, and damage is noted, if it is not what was written.
  func read(into base: UnsafeMutableRawPointer, room: Int) -> Bool {
    let isRight = state.withLock { state in
      stride(from: 0, to: section.pageCount, by: Self.run).allSatisfy { first in
        let pages = first..<min(first + Self.run, section.pageCount)
        return fetch(&state, pages, into: base, room: min(room, section.byteCount))
      }
    }
    if !isRight { file.noteDamage() }
    return isRight
  }

  /// Reads pages to where they belong in a table's memory, of which `room` bytes may be written.
  /// - Returns: false if any is not what was written.
  private func fetch(
    _ state: inout State, _ pages: Range<Int>, into base: UnsafeMutableRawPointer, room: Int
  ) -> Bool {
    let known = pages.clamped(to: 0..<section.pageCount)
    guard !known.isEmpty else { return true }
    guard let below else { return fetchWhole(&state, known, into: base, room: room) }
    if state.changes == nil {
      let count = section.delta?.pageCount ?? 0
      let numbers = file.numbers(section, at: section.offset, count: count * 3)
      state.changes = numbers.map(ChangedPage.list)
    }
    guard let changes = state.changes,
      below.state.withLock({ below.fetch(&$0, known, into: base, room: room) })
    else { return false }
    let first = changes.lowerBound { $0.page < known.lowerBound }
    for change in changes[first...] {
      guard change.page < known.upperBound else { break }
      if !apply(change, into: base, room: room) { return false }
    }
    return true
  }

  private func fetchWhole(
    _ state: inout State, _ pages: Range<Int>, into base: UnsafeMutableRawPointer, room: Int
  ) -> Bool {
    if state.list == nil { state.list = readList() }
    guard let list = state.list else { return false }
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

  /// The list of pages; nil if it is not what was written, or makes no sense: a right sum is a
  /// reason to expect it, not to trust it.
  private func readList() -> [UInt64]? {
    let count = section.pageCount * 2
    guard let list = file.numbers(section, at: section.listOffset, count: count) else {
      return nil
    }
    var last: UInt64 = 0
    for end in stride(from: 0, to: count, by: 2).lazy.map({ list[$0] }) {
      guard last < end, end - last <= UInt64(PackedPage.maxCount) else { return nil }
      last = end
    }
    return last <= UInt64(section.packedCount) ? list : nil
  }

  private func unpack(
    _ bytes: UnsafeRawBufferPointer, _ number: Int, into base: UnsafeMutableRawPointer, room: Int
  ) -> Bool {
    let page = PackedPage(number, stride: section.stride, tableCount: section.byteCount)
    let at = number * Pages.size
    let count = min(Pages.size, section.byteCount - at)
    if at + count <= room { return page.unpack(bytes, into: base + at) }
    // The table has become shorter since.
    return withUnsafeTemporaryAllocation(byteCount: Pages.size, alignment: 8) { whole in
      guard let start = whole.baseAddress, page.unpack(bytes, into: start) else { return false }
      if at < room { (base + at).copyMemory(from: start, byteCount: room - at) }
      return true
    }
  }

  /// Puts the changed parts of a page where they belong.
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

  /// By page, the parts that the section changes of what it continues; nil, and damage is noted,
  /// if that is not what was written.
  func changedParts() -> [UInt64]? {
    guard let delta = section.delta,
      let numbers = file.numbers(section, at: section.offset, count: delta.pageCount * 3)
    else { return nil }
    var parts = [UInt64](repeating: 0, count: section.pageCount)
    for change in ChangedPage.list(numbers) where change.page < parts.count {
      parts[change.page] = change.parts
    }
    return parts
  }
}

/// A page of which a file holds only what is new.
struct ChangedPage {
  var page: Int
  /// Which of its 64 parts are there.
  var parts: UInt64
  /// The number of its first part among all of the section.
  var start: Int
  /// The sum of the parts that are there, seeded with the page's number.
  var sum: UInt64

  static let byteCount = 24
  var end: Int { start + parts.nonzeroBitCount }

  /// As three numbers.
  var numbers: [UInt64] { [UInt64(page) << 32 | UInt64(start), parts, sum] }

  /// Sorted by page.
  static func list(_ numbers: [UInt64]) -> [ChangedPage] {
    stride(from: 0, to: numbers.count - 2, by: 3).map { at in
      ChangedPage(
        page: Int(numbers[at] >> 32), parts: numbers[at + 1],
        start: Int(numbers[at] & 0xffff_ffff), sum: numbers[at + 2])
    }
  }
}
