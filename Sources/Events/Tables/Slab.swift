import Synchronization

/// A growable array of plain values. Some values may not be in memory yet, but only in a
/// checkpoint's file.
///
/// ```swift
/// var counts = Slab<UInt32>(blank: 0)
/// counts.grow(to: 3)
/// counts[2] += 1
/// counts[2]  // 1
/// ```
/// The large tables of names and projections are slabs. A checkpoint contains a slab's memory,
/// packed page by page.
///
/// A slab restored from a checkpoint reads and checks each page of 4 KiB when the page is first
/// accessed. So restoring is cheap if a program only needs a small part of a table. A damaged page
/// reads as blank, and the checkpoint's `SavedState` records the damage. A restored slab also
/// records which parts of its pages have changed, so that the next checkpoint writes only these.
///
/// A slab uses raw memory, so restoring it is fast. It is `@unchecked Sendable`, because all writes
/// need either a unique reference or the lock for loading pages.
public struct Slab<Element: BitwiseCopyable & Sendable>: RandomAccessCollection,
  @unchecked Sendable
{
  @usableFromInline var storage: SlabStorage
  @usableFromInline var length: Int
  /// The value of elements that have not been set.
  public let blank: Element

  @usableFromInline static var stride: Int { MemoryLayout<Element>.stride }

  /// Creates a slab of `count` blank elements.
  @inlinable
  public init(blank: Element, count: Int = 0) {
    self.blank = blank
    length = count
    storage = SlabStorage(capacity: Swift.max(count, 8) * Self.stride)
    fill(0..<count)
  }

  /// Creates a slab with content from a checkpoint. If `isLazy` is true, each page is read when it
  /// is first accessed; otherwise all pages are read now.
  init(blank: Element, count: Int, source: any PageSource, lazily isLazy: Bool) {
    self.blank = blank
    length = count
    // The capacity is larger than the content, so that the slab can grow without reading all its
    // pages.
    storage = SlabStorage(
      capacity: (count + count / 8 + 64) * Self.stride, source: source, blank: Self.bytes(blank),
      isSparse: isLazy)
    if !isLazy { load() }
  }

  private static func bytes(_ value: Element) -> [UInt8] {
    var value = value
    return withUnsafeBytes(of: &value) { raw in
      Array(raw) + [UInt8](repeating: 0, count: stride - raw.count)
    }
  }

  @inlinable public var startIndex: Int { 0 }
  @inlinable public var endIndex: Int { length }
  @inlinable public var count: Int { length }
  @inlinable public var isEmpty: Bool { count == 0 }
  @inlinable public var indices: Range<Int> { 0..<count }
  // These methods replace the generic defaults of `RandomAccessCollection`, which take most of a
  // test's time in a debug build.
  @inlinable public func index(after index: Int) -> Int { index + 1 }
  @inlinable public func distance(from start: Int, to end: Int) -> Int { end - start }

  @inlinable
  public subscript(index: Int) -> Element {
    @inline(__always) get {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "index out of range")
      if !storage.isWhole { storage.load(index * Self.stride, Self.stride) }
      return storage.base.load(fromByteOffset: index * Self.stride, as: Element.self)
    }
    @inline(__always) set {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "index out of range")
      if !isKnownUniquelyReferenced(&storage) { copy() }
      if !storage.isPlain { storage.change(index * Self.stride, Self.stride) }
      storage.base.storeBytes(of: newValue, toByteOffset: index * Self.stride, as: Element.self)
    }
  }

  /// Grows the slab to at least `wanted` elements; new elements are blank. The capacity at least
  /// doubles when it is too small.
  @inlinable
  public mutating func grow(to wanted: Int) {
    guard wanted > count else { return }
    reserve(wanted)
    let old = count
    length = wanted
    if !storage.isPlain { storage.change(old * Self.stride, (wanted - old) * Self.stride) }
    fill(old..<wanted)
  }

  /// Appends one element to the slab.
  @inlinable
  public mutating func append(_ element: Element) {
    reserve(count + 1)
    if !storage.isPlain { storage.change(count * Self.stride, Self.stride) }
    storage.base.storeBytes(of: element, toByteOffset: count * Self.stride, as: Element.self)
    length += 1
  }

  /// Appends elements to the slab.
  @inlinable
  public mutating func append(contentsOf elements: UnsafeBufferPointer<Element>) {
    guard let source = elements.baseAddress, !elements.isEmpty else { return }
    reserve(count + elements.count)
    if !storage.isPlain {
      storage.change(count * Self.stride, elements.count * Self.stride)
    }
    (storage.base + count * Self.stride).copyMemory(
      from: source, byteCount: elements.count * Self.stride)
    length += elements.count
  }

  /// Appends elements to the slab.
  public mutating func append(contentsOf elements: [Element]) {
    elements.withUnsafeBufferPointer { append(contentsOf: $0) }
  }

  /// Removes the last element.
  /// - Precondition: The slab is not empty.
  @inlinable
  public mutating func removeLast() {
    precondition(length > 0, "nothing to remove")
    length -= 1
  }

  /// Removes all elements; keeps the memory for new elements.
  mutating func removeAll() { length = 0 }

  /// Calls `body` with all elements, after reading all pages that are only in the checkpoint's
  /// file.
  @inlinable
  public func withElements<T>(_ body: (UnsafeBufferPointer<Element>) -> T) -> T {
    load()
    return withExtendedLifetime(storage) {
      body(
        UnsafeBufferPointer(
          start: storage.base.assumingMemoryBound(to: Element.self), count: count))
    }
  }

  /// Calls `body` with the elements of a range, after reading their pages that are only in the
  /// checkpoint's file.
  @inlinable
  public func withElements<T>(_ range: Range<Int>, _ body: (UnsafeBufferPointer<Element>) -> T) -> T
  {
    precondition(range.upperBound <= count, "range out of bounds")
    if !storage.isWhole {
      storage.load(range.lowerBound * Self.stride, range.count * Self.stride)
    }
    return withExtendedLifetime(storage) {
      body(
        UnsafeBufferPointer(
          start: storage.base.assumingMemoryBound(to: Element.self) + range.lowerBound,
          count: range.count))
    }
  }

  @inlinable
  mutating func withMutableElements<T>(
    _ range: Range<Int>, _ body: (UnsafeMutableBufferPointer<Element>) -> T
  ) -> T {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "range out of bounds")
    if !isKnownUniquelyReferenced(&storage) { copy() }
    if !storage.isPlain {
      storage.change(range.lowerBound * Self.stride, range.count * Self.stride)
    }
    return withExtendedLifetime(storage) {
      body(
        UnsafeMutableBufferPointer(
          start: storage.base.assumingMemoryBound(to: Element.self) + range.lowerBound,
          count: range.count))
    }
  }

  @inlinable
  mutating func copy(_ range: Range<Int>, to target: Int) {
    guard !range.isEmpty else { return }
    precondition(range.upperBound <= count && target + range.count <= count, "out of bounds")
    if !storage.isWhole {
      storage.load(range.lowerBound * Self.stride, range.count * Self.stride)
    }
    if !isKnownUniquelyReferenced(&storage) { copy() }
    if !storage.isPlain { storage.change(target * Self.stride, range.count * Self.stride) }
    // The source and target ranges may overlap.
    (storage.base + target * Self.stride).copyMemory(
      from: storage.base + range.lowerBound * Self.stride, byteCount: range.count * Self.stride)
  }

  /// Returns the number that `setLink` stored in the memory of unused elements. `Lists` stores the
  /// link to its next unused part there.
  @inlinable
  func link(at index: Int) -> UInt32 {
    precondition((index + 1) * Self.stride <= count * Self.stride, "index out of range")
    if !storage.isWhole { storage.load(index * Self.stride, 4) }
    return storage.base.loadUnaligned(fromByteOffset: index * Self.stride, as: UInt32.self)
  }

  @inlinable
  mutating func setLink(at index: Int, _ number: UInt32) {
    precondition((index + 1) * Self.stride <= count * Self.stride, "index out of range")
    if !isKnownUniquelyReferenced(&storage) { copy() }
    if !storage.isPlain { storage.change(index * Self.stride, 4) }
    storage.base.storeBytes(of: number, toByteOffset: index * Self.stride, as: UInt32.self)
  }

  /// Reads all pages that are only in the checkpoint's file.
  @inlinable
  public func load() { if !storage.isWhole { storage.loadAll() } }

  @inlinable
  package mutating func reserve(_ wanted: Int) {
    if wanted * Self.stride > storage.capacity { move(to: Swift.max(wanted, count * 2)) }
    if !isKnownUniquelyReferenced(&storage) { copy() }
  }

  /// Makes this copy of a slab a snapshot: the other copies then change page by page, and do not
  /// copy the whole memory first. While it is made, no other copy may change. Ends with the last
  /// copy of the snapshot.
  /// - Complexity: O(1). A page of 4 KiB is copied when the snapshot first reads it, or before
  ///   another copy first changes it.
  mutating func becomeSnapshot() {
    if let snapshot = storage.snapshot(byteCount: count * Self.stride) { storage = snapshot }
  }

  @usableFromInline mutating func copy() { move(to: storage.capacity / Self.stride) }

  @usableFromInline mutating func move(to capacity: Int) {
    load()
    let isLast = isKnownUniquelyReferenced(&storage)
    storage = SlabStorage(
      capacity: capacity * Self.stride, continuing: storage, byteCount: count * Self.stride,
      isLast: isLast)
  }

  @inlinable
  func fill(_ range: Range<Int>) {
    (storage.base + range.lowerBound * Self.stride)
      .initializeMemory(as: Element.self, repeating: blank, count: range.count)
  }
}

extension Slab {
  /// The source from which the slab was restored, and the changes since then; nil if the slab was
  /// not restored. `parts` has 64 bits for each page: one for each part of 64 bytes.
  var changes: (origin: any PageSource, parts: [UInt64])? {
    guard let origin = storage.origin else { return nil }
    let pages = (count * Self.stride + Pages.size - 1) / Pages.size
    return (origin, storage.changedParts(pages))
  }

  /// Calls `body` with the slab's memory. Only the pages that were read or changed are valid.
  func withPagesInMemory(_ body: (UnsafeRawBufferPointer) -> Void) {
    withExtendedLifetime(storage) {
      body(UnsafeRawBufferPointer(start: storage.base, count: count * Self.stride))
    }
  }

  /// Marks parts of pages as changed, after reading these pages. `parts` has 64 bits for each page.
  func noteChanged(_ parts: [UInt64]) {
    for (page, parts) in parts.enumerated() where parts != 0 {
      let start = page * Pages.size
      guard start < count * Self.stride else { return }
      storage.load(start, 1)
      storage.note(page, parts)
    }
  }
}
