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
/// damaged reads as blank and is noted at its file (`CheckpointFile.isDamaged`).
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
  init(blank: Element, count: Int, source: SlabSource) {
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
        at = (at / SlabSource.blockSize + 1) * SlabSource.blockSize
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
  private let source: SlabSource?
  private let blank: [UInt8]
  /// Whether all of it is in memory.
  @usableFromInline let whole: Atomic<Bool>

  init(capacity: Int, source: SlabSource? = nil, blank: [UInt8] = []) {
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
    if source?.load(offset, into: base, blank) == true { whole.store(true, ordering: .releasing) }
  }

  @usableFromInline func loadAll() {
    source?.loadAll(into: base, blank)
    whole.store(true, ordering: .releasing)
  }
}

/// Where a slab's content lies in a file, and which blocks of it are in memory.
final class SlabSource: Sendable {
  static let blockSize = 4096

  private struct State {
    var isLoaded: [Bool]
    var loadedCount = 0
  }
  private let state: Mutex<State>
  private let file: CheckpointFile
  private let range: Range<Int>
  /// The sums of its blocks.
  private let sums: ArraySlice<UInt64>

  init(_ file: CheckpointFile, _ range: Range<Int>, _ sums: ArraySlice<UInt64>) {
    self.file = file
    self.range = range
    self.sums = sums
    state = Mutex(State(isLoaded: [Bool](repeating: false, count: sums.count)))
  }

  /// Reads the block of an offset, if it has not been yet.
  /// - Returns: whether all blocks are in memory now; when many were asked for, the rest is read.
  func load(_ offset: Int, into base: UnsafeMutableRawPointer, _ blank: [UInt8]) -> Bool {
    let block = offset / Self.blockSize
    return state.withLock { state in
      // Past the end of what the file holds is room that the slab has grown into.
      guard block < state.isLoaded.count, !state.isLoaded[block] else {
        return state.loadedCount == state.isLoaded.count
      }
      if state.loadedCount >= 64, state.loadedCount * 8 > state.isLoaded.count {
        read(&state, 0..<state.isLoaded.count, base, blank)
      } else {
        read(&state, block..<block + 1, base, blank)
      }
      return state.loadedCount == state.isLoaded.count
    }
  }

  func loadAll(into base: UnsafeMutableRawPointer, _ blank: [UInt8]) {
    state.withLock { read(&$0, 0..<$0.isLoaded.count, base, blank) }
  }

  /// Reads the blocks of a range that are not in memory, runs of them at once.
  private func read(
    _ state: inout State, _ blocks: Range<Int>, _ base: UnsafeMutableRawPointer, _ blank: [UInt8]
  ) {
    var next = blocks.lowerBound
    while next < blocks.upperBound {
      if state.isLoaded[next] {
        next += 1
        continue
      }
      var end = next + 1
      while end < blocks.upperBound, !state.isLoaded[end], end - next < 256 { end += 1 }
      let bytes = next * Self.blockSize..<min(end * Self.blockSize, range.count)
      let isRead = file.read(
        range.lowerBound + bytes.lowerBound, bytes.count, into: base + bytes.lowerBound)
      for block in next..<end {
        let start = block * Self.blockSize
        let count = min(Self.blockSize, range.count - start)
        let sum = sums[sums.startIndex + block]
        if !isRead || XXH64.hash(base + start, count, seed: UInt64(block)) != sum {
          file.noteDamage()
          for index in start..<start + count {
            base.storeBytes(of: blank[index % blank.count], toByteOffset: index, as: UInt8.self)
          }
        }
        state.isLoaded[block] = true
      }
      state.loadedCount += end - next
      next = end
    }
  }
}
