/// A list of plain values for each dense id; all lists share one array.
///
/// ```swift
/// var lists = Lists<UInt32>(blank: 0)
/// lists.append(7, to: 3)
/// Array(lists[3])  // [7]
/// ```
/// Each list is a part of the array with room for a few more values. A list that needs more room
/// moves to a larger part; other lists can then reuse its old part.
/// - Complexity: O(1) to find a list and, on average, to append; O(the list's length) to insert or
///   remove. Memory is 8 bytes for each id, and the values with up to half as much unused room.
///   Parts that wait for reuse also take memory.
/// - Warning: Do not keep the value of `lists[id]` while the lists change, because the change would
///   then copy the whole array. Convert it to an `Array` first.
public struct Lists<Element: BitwiseCopyable & Sendable>: Sendable {
  @usableFromInline struct Run: BitwiseCopyable, Sendable {
    @usableFromInline static var none: Run { Run(start: 0, count: 0) }
    @usableFromInline var start: UInt32
    @usableFromInline var count: UInt32

    @inlinable init(start: UInt32, count: UInt32) { (self.start, self.count) = (start, count) }
  }
  @usableFromInline var runs = Slab(blank: Run.none)
  @usableFromInline var elements: Slab<Element>
  /// For each size of `Room`, the first of the parts that wait for reuse: 1 plus its index in
  /// `elements`, or 0 if none waits. Each waiting part contains the same number for the next one.
  @usableFromInline var free = Slab<UInt32>(blank: 0, count: 64)

  /// A combination of the values that `prefetchEnd` has read. Without it, the optimiser would
  /// remove these reads.
  @usableFromInline var touched: UInt32 = 0

  /// Creates a table in which every id has an empty list.
  /// - Parameter blank: The value with which unused room is filled.
  @inlinable public init(blank: Element) { elements = Slab(blank: blank) }

  /// The ids whose lists may contain values.
  @inlinable public var indices: Range<UInt32> { 0..<UInt32(runs.count) }

  @inlinable func range(_ id: UInt32) -> Range<Int> {
    guard id < UInt32(truncatingIfNeeded: runs.count) else { return 0..<0 }
    let run = runs[Int(id)]
    // A damaged checkpoint may contain wrong numbers, so the range is limited to the array's
    // bounds.
    let start = min(Int(run.start), elements.count)
    return start..<start + min(Int(run.count), elements.count - start)
  }

  /// The list of an id. The indices are those of the shared array, so they do not start at 0.
  @inlinable public subscript(id: UInt32) -> Slice<Slab<Element>> { elements[range(id)] }

  /// Returns the number of values in the list of an id.
  @inlinable public func count(of id: UInt32) -> Int {
    id < UInt32(truncatingIfNeeded: runs.count) ? Int(runs[Int(id)].count) : 0
  }

  /// Calls `body` with the values in the list of an id.
  @inlinable public func withElements<T>(
    of id: UInt32, _ body: (UnsafeBufferPointer<Element>) -> T
  ) -> T { elements.withElements(range(id), body) }

  /// Appends a value to the list of an id.
  @inlinable public mutating func append(_ element: Element, to id: UInt32) {
    insert(element, at: count(of: id), in: id)
  }

  /// Inserts an element at an offset in the list of an id; the offset is at most the list's length.
  @inlinable public mutating func insert(_ element: Element, at offset: Int, in id: UInt32) {
    let old = range(id)
    precondition(offset <= old.count, "offset out of range")
    let start = resize(id, old, to: old.count + 1)
    elements.copy(start + offset..<start + old.count, to: start + offset + 1)
    elements[start + offset] = element
  }

  /// Removes the element at an offset from the list of an id.
  @inlinable public mutating func remove(at offset: Int, in id: UInt32) {
    let old = range(id)
    precondition(offset < old.count, "offset out of range")
    elements.copy(old.lowerBound + offset + 1..<old.upperBound, to: old.lowerBound + offset)
    _ = resize(id, old, to: old.count - 1)
  }

  /// Removes from the list of an id the elements for which `isGone` returns true.
  @inlinable public mutating func removeAll(in id: UInt32, where isGone: (Element) -> Bool) {
    guard withElements(of: id, { $0.contains(where: isGone) }) else { return }
    let kept = self[id].filter { !isGone($0) }
    kept.withUnsafeBufferPointer { set(id, $0) }
  }

  /// Removes all elements from the list of an id.
  @inlinable public mutating func removeAll(in id: UInt32) {
    let old = range(id)
    if !old.isEmpty { _ = resize(id, old, to: 0) }
  }

  /// Replaces the element at an offset in the list of an id.
  @inlinable public mutating func replace(at offset: Int, in id: UInt32, with element: Element) {
    elements[range(id).lowerBound + offset] = element
  }

  /// Replaces all values in the list of an id.
  @inlinable public mutating func set(_ id: UInt32, _ new: UnsafeBufferPointer<Element>) {
    set(id, count: new.count) { _ = $0.update(fromContentsOf: new) }
  }

  /// Replaces the list of an id with `count` values that `body` writes. The memory that `body`
  /// receives may still contain the old values.
  @inlinable mutating func set(
    _ id: UInt32, count: Int, _ body: (UnsafeMutableBufferPointer<Element>) -> Void
  ) {
    let start = resize(id, range(id), to: count)
    elements.withMutableElements(start..<start + count, body)
  }

  /// Reads the end of the list of an id, so that it is in the CPU cache when a value is appended.
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

  /// Changes the length of the list of an id and keeps the values that fit. The list moves if its
  /// room is too small.
  /// - Returns: The index in the shared array at which the list now starts.
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
    // A damaged checkpoint may contain any number as this link.
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

  /// Writes all lists to a checkpoint or reads them from one.
  public mutating func code(with coder: inout StateCoder) {
    coder(&runs)
    coder(&elements)
    coder(&free)
    if free.count != 64 { coder.fail() }
  }
}

/// The size of the memory for one list: 1, 2, 3, 4, 6, 8, 12 … elements. It is at least 4 bytes, so
/// that an unused part can contain a link to the next unused part.
@usableFromInline struct Room {
  @usableFromInline let size: Int
  /// The index of this size in the sequence of sizes, from 0.
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
