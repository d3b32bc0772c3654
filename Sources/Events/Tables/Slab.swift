import Synchronization

/// A growable array of plain values whose content may still lie in a checkpoint's file.
///
/// ```swift
/// var counts = Slab<UInt32>(blank: 0)
/// counts.grow(to: 3)
/// counts[2] += 1
/// counts[2]  // 1
/// ```
/// What the large tables of names and projections are made of: a checkpoint of it is its memory,
/// written as it is. One that is restored reads a block of 4 KiB when somebody first looks there,
/// and checks the block's sum; so a table of which little is needed costs little. A block that is
/// damaged reads as blank and is noted where it came from (`CheckpointFile.isDamaged`).
///
/// It uses raw memory, which is what makes it quick to restore.
/// `@unchecked Sendable`: the memory is written only through a unique reference, or by the loading
/// of a block, which a lock guards.
public struct Slab<Element: BitwiseCopyable & Sendable>: @unchecked Sendable {
  @usableFromInline var storage: SlabStorage
  @usableFromInline var length: Int
  /// What fills new room.
  public let blank: Element

  @usableFromInline static var stride: Int { MemoryLayout<Element>.stride }

  public init(blank: Element, count: Int = 0) {
    self.blank = blank
    length = count
    storage = SlabStorage(capacity: max(count, 8) * Self.stride)
    fill(0..<count)
  }

  /// What a checkpoint holds, to be read when it is looked at.
  init(blank: Element, count: Int, source: any PageSource) {
    self.blank = blank
    length = count
    // Room to grow without having to read all of it.
    storage = SlabStorage(
      capacity: (count + count / 8 + 64) * Self.stride, source: source, blank: Self.bytes(blank))
  }

  private static func bytes(_ value: Element) -> [UInt8] {
    var value = value
    return withUnsafeBytes(of: &value) { raw in
      Array(raw) + [UInt8](repeating: 0, count: stride - raw.count)
    }
  }

  @inlinable public var count: Int { length }
  @inlinable public var isEmpty: Bool { count == 0 }
  @inlinable public var indices: Range<Int> { 0..<count }

  @inlinable
  public subscript(index: Int) -> Element {
    @inline(__always) get {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "index out of range")
      if !storage.whole.load(ordering: .acquiring) { storage.load(index * Self.stride) }
      return storage.base.load(fromByteOffset: index * Self.stride, as: Element.self)
    }
    @inline(__always) set {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "index out of range")
      if !isKnownUniquelyReferenced(&storage) { copy() }
      if !storage.whole.load(ordering: .acquiring) { storage.load(index * Self.stride) }
      storage.base.storeBytes(of: newValue, toByteOffset: index * Self.stride, as: Element.self)
    }
  }

  /// Makes the slab at least so long, filling it up with blanks; grows by doubling.
  public mutating func grow(to wanted: Int) {
    guard wanted > count else { return }
    reserve(wanted)
    let old = count
    length = wanted
    fill(old..<wanted)
  }

  @inlinable
  public mutating func append(_ element: Element) {
    reserve(count + 1)
    storage.base.storeBytes(of: element, toByteOffset: count * Self.stride, as: Element.self)
    length += 1
  }

  public mutating func append(contentsOf elements: UnsafeBufferPointer<Element>) {
    guard let source = elements.baseAddress else { return }
    reserve(count + elements.count)
    (storage.base + count * Self.stride).copyMemory(
      from: source, byteCount: elements.count * Self.stride)
    length += elements.count
  }

  /// Calls `body` with all elements.
  @inlinable
  public func withElements<T>(_ body: (UnsafeBufferPointer<Element>) -> T) -> T {
    load()
    return withExtendedLifetime(storage) {
      body(
        UnsafeBufferPointer(
          start: storage.base.assumingMemoryBound(to: Element.self), count: count))
    }
  }

  /// Calls `body` with some of the elements.
  public func withElements<T>(_ range: Range<Int>, _ body: (UnsafeBufferPointer<Element>) -> T) -> T
  {
    precondition(range.upperBound <= count, "range out of bounds")
    if !storage.whole.load(ordering: .acquiring) {
      var at = range.lowerBound * Self.stride
      while at < range.upperBound * Self.stride {
        storage.load(at)
        at = (at / Pages.size + 1) * Pages.size
      }
    }
    return withExtendedLifetime(storage) {
      body(
        UnsafeBufferPointer(
          start: storage.base.assumingMemoryBound(to: Element.self) + range.lowerBound,
          count: range.count))
    }
  }

  /// Reads what still lies in the file.
  @inlinable
  public func load() {
    if !storage.whole.load(ordering: .acquiring) { storage.loadAll() }
  }

  @inlinable
  mutating func reserve(_ wanted: Int) {
    if wanted * Self.stride > storage.capacity { move(to: max(wanted, count * 2)) }
    if !isKnownUniquelyReferenced(&storage) { copy() }
  }

  @usableFromInline mutating func copy() { move(to: storage.capacity / Self.stride) }

  @usableFromInline mutating func move(to capacity: Int) {
    load()
    let new = SlabStorage(capacity: capacity * Self.stride)
    new.base.copyMemory(from: storage.base, byteCount: count * Self.stride)
    storage = new
  }

  private func fill(_ range: Range<Int>) {
    (storage.base + range.lowerBound * Self.stride)
      .initializeMemory(as: Element.self, repeating: blank, count: range.count)
  }
}

/// A slab's memory.
///
/// `@unchecked Sendable`: see `Slab`.
@usableFromInline
final class SlabStorage: @unchecked Sendable {
  @usableFromInline let base: UnsafeMutableRawPointer
  @usableFromInline let capacity: Int
  private let source: (any PageSource)?
  private let blank: [UInt8]
  /// Whether all of it is in memory.
  @usableFromInline let whole: Atomic<Bool>

  init(capacity: Int, source: (any PageSource)? = nil, blank: [UInt8] = []) {
    self.capacity = capacity
    self.source = source
    self.blank = blank
    whole = Atomic(source == nil)
    // Ordinary pages, not large ones, for a table of which most may never be read.
    base =
      source == nil
      ? allocateTable(byteCount: capacity) : .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { base.deallocate() }

  /// Reads the block that a byte belongs to.
  @usableFromInline func load(_ offset: Int) {
    if source?.load(offset, into: base, blank: blank) == true {
      whole.store(true, ordering: .releasing)
    }
  }

  @usableFromInline func loadAll() {
    source?.loadAll(into: base, blank: blank)
    whole.store(true, ordering: .releasing)
  }
}
