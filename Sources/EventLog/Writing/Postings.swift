import Events

/// Positions by 32-bit hashes, sorted in one flat array that never changes; 8 bytes an entry.
///
/// A match by hash may be false: the caller must check the event at the position.
/// - Complexity: hashes are evenly spread, so a lookup interpolates an entry's index, and usually
///   reads two or three pages of a checkpoint.
struct Postings: Sendable {
  /// Each entry has the hash in the high half and the position in the low half; ascending.
  private var entries = Slab<UInt64>(blank: 0)

  init() {}

  var count: Int { entries.count }

  /// Returns the positions of a hash, ascending; wrong or missing ones if pages are damaged.
  func positions(of hash: UInt32) -> [UInt64] {
    var found: [UInt64] = []
    var at = lowerBound(UInt64(hash) << 32)
    while at < entries.count, entries[at] >> 32 == UInt64(hash) {
      found.append(entries[at] & 0xffff_ffff)
      at += 1
    }
    return found
  }

  /// Returns the index of the first entry that is not below a key.
  private func lowerBound(_ key: UInt64) -> Int {
    let count = entries.count
    guard count > 0 else { return 0 }
    // After two corrections the guess is within some tens of entries.
    var guess = Int(((key >> 32) * UInt64(count)) >> 32)
    for _ in 0..<2 {
      let away = Int(key >> 32) - Int(entries[guess] >> 32)
      guess = min(max(guess + (away * count) >> 32, 0), count - 1)
    }
    // If the array is sorted, all entries before `low` and none from `high` on are below the key.
    var (low, high, step) = (0, count, 16)
    if entries[guess] < key {
      low = guess + 1
      while low + step < count, entries[low + step] < key {
        low += step + 1
        step *= 2
      }
      high = min(low + step, count)
    } else {
      high = guess
      while high - step > 0, entries[high - step] >= key {
        high -= step
        step *= 2
      }
      low = max(high - step, 0)
    }
    while low < high {
      let middle = (low + high) / 2
      if entries[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns these entries plus those for the hashes of consecutive positions.
  /// - Parameters:
  ///   - hashes: the hashes by position, without gaps.
  ///   - position: the position before the first of them.
  /// - Complexity: O(entries), sequential, and O(hashes) to sort them.
  func adding(_ hashes: some Sequence<UInt32>, after position: UInt64) -> Postings {
    var new: [UInt64] = []
    new.reserveCapacity(hashes.underestimatedCount)
    for hash in hashes {
      new.append(UInt64(hash) << 32 | (position + UInt64(new.count) + 1) & 0xffff_ffff)
    }
    Self.sort(&new)
    var result = Postings()
    result.entries.reserve(count + new.count)
    entries.withElements { old in
      var next = 0
      for entry in new {
        while next < old.count, old[next] < entry {
          result.entries.append(old[next])
          next += 1
        }
        result.entries.append(entry)
      }
      result.entries.append(contentsOf: UnsafeBufferPointer(rebasing: old[next...]))
    }
    return result
  }

  /// Sorts entries by hash; their positions must ascend already. A radix sort by 11 bits takes a
  /// tenth of the time of `sort()` for a million entries.
  private static func sort(_ entries: inout [UInt64]) {
    var from = entries
    var to = [UInt64](repeating: 0, count: entries.count)
    for shift in [32, 43, 54] as [UInt64] {
      var starts = [Int](repeating: 0, count: 2_049)
      for entry in from { starts[Int(entry >> shift & 2_047) + 1] += 1 }
      for digit in 0..<2_048 { starts[digit + 1] += starts[digit] }
      for entry in from {
        let digit = Int(entry >> shift & 2_047)
        to[starts[digit]] = entry
        starts[digit] += 1
      }
      swap(&from, &to)
    }
    entries = from
  }

  mutating func code(with coder: inout StateCoder) { coder(&entries) }
}

/// Positions by hashes like `Postings`, but added one by one: open addressing over one flat array.
/// The slots are in the order of hashes, so that growing accesses memory sequentially.
/// - Complexity: O(1), one cache miss; 8 bytes a slot, at most three quarters of the slots used.
struct GrowingPostings: Sendable {
  /// Entries as in `Postings`; 0 is a free slot, since positions begin at 1.
  private var slots = Slab<UInt64>(blank: 0, count: 64)
  private var count = 0

  init() {}

  @inline(__always)
  private func home(_ entry: UInt64) -> Int {
    Int(((entry >> 32) * UInt64(slots.count)) >> 32)
  }

  /// - Parameter position: at least 1.
  mutating func insert(_ hash: UInt32, _ position: UInt64) {
    if (count + 1) * 4 > slots.count * 3 { grow() }
    place(UInt64(hash) << 32 | position & 0xffff_ffff)
    count += 1
  }

  @inline(__always)
  private mutating func place(_ entry: UInt64) {
    var at = home(entry)
    while slots[at] != 0 { at = at + 1 == slots.count ? 0 : at + 1 }
    slots[at] = entry
  }

  private mutating func grow() {
    let old = slots
    slots = Slab(blank: 0, count: old.count * 2)
    for index in old.indices where old[index] != 0 { place(old[index]) }
  }

  func positions(of hash: UInt32) -> [UInt64] {
    var found: [UInt64] = []
    var at = home(UInt64(hash) << 32)
    while slots[at] != 0 {
      if slots[at] >> 32 == UInt64(hash) { found.append(slots[at] & 0xffff_ffff) }
      at = at + 1 == slots.count ? 0 : at + 1
    }
    return found.count > 1 ? found.sorted() : found
  }
}
