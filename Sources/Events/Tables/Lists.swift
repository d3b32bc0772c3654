/// A list of plain values for each dense id, all in one array.
///
/// ```swift
/// var lists = Lists<UInt32>(blank: 0)
/// lists.append(7, to: 3)
/// Array(lists[3])  // [7]
/// ```
/// Each list is a run of the array with room for a few more values. One that outgrows its room
/// moves to a larger one; other lists reuse the old room.
/// - Complexity: O(1) to find and, on average, to append; O(length) to insert or remove. Memory: 8
///   bytes for each id, the values and up to half as much again, and the unused rooms.
/// - Warning: a slice that is kept while a list changes makes the change copy the whole array; take
///   an `Array` of it first.
public struct Lists<Element: BitwiseCopyable & Sendable>: Sendable {
  @usableFromInline struct Run: BitwiseCopyable, Sendable {
    @usableFromInline static var none: Run { Run(start: 0, count: 0) }
    @usableFromInline var start: UInt32
    @usableFromInline var count: UInt32

    @inlinable init(start: UInt32, count: UInt32) { (self.start, self.count) = (start, count) }
  }
  @usableFromInline var runs = Slab(blank: Run.none)
  @usableFromInline var elements: Slab<Element>
  /// By size of room, the first free run and one more; 0 is none. Its link to the next is in it.
  @usableFromInline var free = Slab<UInt32>(blank: 0, count: 64)

  /// What `prefetchEnd` has read. Nobody uses it; without it the read would be optimised away.
  @usableFromInline var touched: UInt32 = 0

  @inlinable public init(blank: Element) { elements = Slab(blank: blank) }

  /// The ids that may have lists.
  @inlinable public var indices: Range<UInt32> { 0..<UInt32(runs.count) }

  @inlinable func range(_ id: UInt32) -> Range<Int> {
    guard id < UInt32(truncatingIfNeeded: runs.count) else { return 0..<0 }
    let run = runs[Int(id)]
    // Within bounds even if a checkpoint is damaged.
    let start = min(Int(run.start), elements.count)
    return start..<start + min(Int(run.count), elements.count - start)
  }

  /// A list, as a slice whose first index means nothing.
  @inlinable public subscript(id: UInt32) -> Slice<Slab<Element>> { elements[range(id)] }

  @inlinable public func count(of id: UInt32) -> Int {
    id < UInt32(truncatingIfNeeded: runs.count) ? Int(runs[Int(id)].count) : 0
  }

  @inlinable public func withElements<T>(
    of id: UInt32, _ body: (UnsafeBufferPointer<Element>) -> T
  ) -> T { elements.withElements(range(id), body) }

  @inlinable public mutating func append(_ element: Element, to id: UInt32) {
    insert(element, at: count(of: id), in: id)
  }

  /// Inserts an element before the one at an offset, at most the list's length.
  @inlinable public mutating func insert(_ element: Element, at offset: Int, in id: UInt32) {
    let old = range(id)
    precondition(offset <= old.count, "offset out of range")
    let start = resize(id, old, to: old.count + 1)
    elements.copy(start + offset..<start + old.count, to: start + offset + 1)
    elements[start + offset] = element
  }

  /// Removes the element at an offset.
  @inlinable public mutating func remove(at offset: Int, in id: UInt32) {
    let old = range(id)
    precondition(offset < old.count, "offset out of range")
    elements.copy(old.lowerBound + offset + 1..<old.upperBound, to: old.lowerBound + offset)
    _ = resize(id, old, to: old.count - 1)
  }

  /// Removes the elements for which `isGone` is true.
  @inlinable public mutating func removeAll(in id: UInt32, where isGone: (Element) -> Bool) {
    let kept = self[id].filter { !isGone($0) }
    guard kept.count < count(of: id) else { return }
    kept.withUnsafeBufferPointer { set(id, $0) }
  }

  @inlinable public mutating func removeAll(in id: UInt32) {
    let old = range(id)
    if !old.isEmpty { _ = resize(id, old, to: 0) }
  }

  @inlinable public mutating func replace(at offset: Int, in id: UInt32, with element: Element) {
    elements[range(id).lowerBound + offset] = element
  }

  @inlinable public mutating func set(_ id: UInt32, _ new: UnsafeBufferPointer<Element>) {
    set(id, count: new.count) { _ = $0.update(fromContentsOf: new) }
  }

  /// Replaces a list by one that `body` writes over what was there.
  @inlinable mutating func set(
    _ id: UInt32, count: Int, _ body: (UnsafeMutableBufferPointer<Element>) -> Void
  ) {
    let start = resize(id, range(id), to: count)
    elements.withMutableElements(start..<start + count, body)
  }

  /// Reads where a list ends, so that it is in the cache when something is appended.
  @inline(__always)
  @inlinable public mutating func prefetchEnd(of id: UInt32) {
    guard id < UInt32(truncatingIfNeeded: runs.count), MemoryLayout<Element>.stride >= 4 else {
      return
    }
    let run = runs[Int(id)]
    let end = Int(run.start) + Int(run.count)
    guard run.count > 0, end <= elements.count else { return }
    touched ^= elements.link(at: end - 1)
  }

  /// Gives a list room for a new length, keeping as much of it as both lengths have.
  /// - Returns: where it now starts.
  @inlinable mutating func resize(_ id: UInt32, _ old: Range<Int>, to count: Int) -> Int {
    if Int(id) >= runs.count { runs.grow(to: Int(id) + 1) }
    var start = old.lowerBound
    let (has, needs) = (Room(for: old.count, Element.self), Room(for: count, Element.self))
    if old.isEmpty {
      start = count == 0 ? 0 : take(needs)
    } else if count == 0 {
      give(has, old.lowerBound)
      start = 0
    } else if has.number != needs.number {
      start = take(needs)
      elements.copy(old.prefix(count), to: start)
      give(has, old.lowerBound)
    }
    runs[Int(id)] = Run(start: UInt32(start), count: UInt32(count))
    return start
  }

  @inlinable mutating func take(_ room: Room) -> Int {
    let first = free[room.number]
    // A damaged checkpoint may lead anywhere.
    if first > 0, Int(first) - 1 + room.size <= elements.count {
      free[room.number] = elements.link(at: Int(first) - 1)
      return Int(first) - 1
    }
    let start = elements.count
    precondition(UInt32(exactly: start + room.size) != nil, "more than 4,294,967,295 elements")
    elements.grow(to: start + room.size)
    return start
  }

  @inlinable mutating func give(_ room: Room, _ start: Int) {
    elements.setLink(at: start, free[room.number])
    free[room.number] = UInt32(start) + 1
  }

  public mutating func code(with coder: inout StateCoder) {
    coder(&runs)
    coder(&elements)
    coder(&free)
    if free.count != 64 { coder.fail() }
  }
}

/// A size of a list's room: 1, 2, 3, 4, 6, 8, 12 … elements, at least what holds a link of 4 bytes.
@usableFromInline struct Room {
  @usableFromInline let size: Int
  /// Which of the sizes it is.
  @usableFromInline let number: Int

  @inlinable init<Element>(for count: Int, _: Element.Type) {
    let least = (4 + MemoryLayout<Element>.stride - 1) / MemoryLayout<Element>.stride
    let wanted = max(count, least)
    guard wanted > 1 else {
      (size, number) = (1, 0)
      return
    }
    let bits = Int.bitWidth - (wanted - 1).leadingZeroBitCount
    let smaller = bits < 2 ? 0 : 3 << (bits - 2)
    (size, number) = smaller >= wanted ? (smaller, 2 * bits - 2) : (1 << bits, 2 * bits - 1)
  }
}
