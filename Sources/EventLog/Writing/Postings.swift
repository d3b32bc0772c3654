import Events

/// The positions of events by 32-bit hashes of their streams or ids. They are in one sorted array
/// that never changes, with 8 bytes for each entry.
///
/// Two names may have the same hash, so the caller must check the event at each position.
/// - Complexity: a lookup estimates the index of an entry from its hash, because hashes are evenly
///   spread. It usually reads two or three pages of a checkpoint.
struct Postings: Sendable {
  /// The entries, ascending. Each has the hash in its high half and the position in its low half.
  private var entries = Slab<UInt64>(blank: 0)

  init() {}

  var count: Int { entries.count }

  /// Returns the positions of a hash, ascending. If pages are damaged, positions may be wrong or
  /// missing.
  func positions(of hash: UInt32) -> [UInt64] {
    var found: [UInt64] = []
    var at = lowerBound(UInt64(hash) << 32)
    while at < entries.count, entries[at] >> 32 == UInt64(hash) {
      found.append(Self.position(entries[at]))
      at += 1
    }
    return found
  }

  /// Returns the index of the first entry that is not less than a key.
  private func lowerBound(_ key: UInt64) -> Int {
    let count = entries.count
    guard count > 0 else { return 0 }
    // After two corrections the guess is within some tens of entries.
    var guess = Int(((key >> 32) * UInt64(count)) >> 32)
    for _ in 0..<2 {
      let away = Int(key >> 32) - Int(entries[guess] >> 32)
      guess = min(max(guess + (away * count) >> 32, 0), count - 1)
    }
    // All entries before `low` are less than the key, and none from `high` on is, if the array is
    // sorted.
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

  /// Returns these entries together with new ones for consecutive positions.
  /// - Parameters:
  ///   - hashes: the hashes of the new positions, in order, without gaps.
  ///   - position: the position before the first new one.
  /// - Complexity: O(entries) to read and write them in sequence, and O(hashes) to sort the new
  ///   ones.
  func adding(_ hashes: some Sequence<UInt32>, after position: UInt64) -> Postings {
    var new: [UInt64] = []
    new.reserveCapacity(hashes.underestimatedCount)
    for hash in hashes { new.append(Self.entry(hash, position + UInt64(new.count) + 1)) }
    return adding(new)
  }

  static func entry(_ hash: UInt32, _ position: UInt64) -> UInt64 {
    UInt64(hash) << 32 | position & 0xffff_ffff
  }

  static func position(_ entry: UInt64) -> UInt64 { entry & 0xffff_ffff }

  /// Returns these entries together with new ones, which are for later positions and ascend by
  /// position.
  func adding(_ new: [UInt64]) -> Postings {
    var new = new
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

  /// Sorts entries by hash. Their positions must already ascend. A radix sort by 11 bits takes a
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

/// The positions of events by hashes, like `Postings`, but added one by one. They are in a hash
/// table with open addressing in one array. The slots are in the order of hashes, so that growing
/// accesses memory in sequence.
/// - Complexity: O(1), one cache miss; 8 bytes for each slot, and at most three quarters of the
///   slots used.
struct GrowingPostings: Sendable {
  /// The slots, with entries like those of `Postings`. A free slot is 0, because positions begin at
  /// 1.
  private var slots = Slab<UInt64>(blank: 0, count: 64)
  private var count = 0

  init() {}

  @inline(__always)
  private func home(_ entry: UInt64) -> Int {
    Int(((entry >> 32) * UInt64(slots.count)) >> 32)
  }

  /// Adds an entry.
  /// - Parameter position: the event's position, at least 1.
  mutating func insert(_ hash: UInt32, _ position: UInt64) {
    if (count + 1) * 4 > slots.count * 3 { grow() }
    place(Postings.entry(hash, position))
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
      if slots[at] >> 32 == UInt64(hash) { found.append(Postings.position(slots[at])) }
      at = at + 1 == slots.count ? 0 : at + 1
    }
    return found.count > 1 ? found.sorted() : found
  }
}
