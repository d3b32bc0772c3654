/// A hash table that gives each name (the text of an id) a dense number. The bytes of all names are
/// in one array, the arena.
///
/// Each slot contains the name's hash and its first eight bytes. So one cache miss is enough to
/// compare a name of up to seven bytes and find its number. The table uses unsafe memory, because a
/// replay spends much of its time here.
struct NameInterner: Sendable {
  private struct Slot: BitwiseCopyable {
    var prefix: UInt64 = 0
    var hash: UInt32 = 0
    var number: UInt32 = 0  // Index + 1; 0 is an empty slot.
  }

  private var arena = Slab<UInt8>(blank: 0)
  /// The offset of each name's end in the arena.
  private var ends = Slab<UInt64>(blank: 0)
  private var slots = Slab(blank: Slot(), count: 64)

  /// A random seed of the hash, so that an attacker cannot choose names with equal hashes. The seed
  /// determines the slots of names, but not their numbers.
  private var seed = processSeed
  private static let processSeed = UInt64.random(in: .min ... .max)

  /// Whether all spellings of a UUID, in upper and lower case, have the same hash. `findAnyCase`
  /// needs this.
  private let foldsUUIDs: Bool

  init(foldsUUIDs: Bool = false) { self.foldsUUIDs = foldsUUIDs }

  /// A combination of the values that `prefetch` has read. Without it, the optimiser would remove
  /// these reads.
  private var touched: UInt64 = 0

  var count: Int { ends.count }

  /// The length in bytes of a UUID as text.
  private static let lengthOfUUID = 36
  /// The bit, in each byte, that distinguishes upper and lower case. Digits and hyphens always have
  /// it set.
  private static let caseBits: UInt64 = 0x2020_2020_2020_2020

  /// Whether a name has the length and the hyphens of a UUID.
  @inline(__always)
  private static func looksLikeUUID(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let hyphen = UInt8(ascii: "-")
    return bytes.count == lengthOfUUID && bytes[8] == hyphen && bytes[13] == hyphen
      && bytes[18] == hyphen && bytes[23] == hyphen
  }

  /// Returns a name's first eight bytes, padded with zeros, and its hash. If `foldsUUIDs` is true,
  /// all spellings of a UUID have the same hash.
  @inline(__always)
  private func key(_ bytes: UnsafeBufferPointer<UInt8>) -> (prefix: UInt64, hash: UInt32) {
    var prefix: UInt64 = 0
    var state = seed ^ UInt64(truncatingIfNeeded: bytes.count)
    guard let base = bytes.baseAddress else { return (0, 0) }
    let raw = UnsafeRawPointer(base)
    let ignored = foldsUUIDs && Self.looksLikeUUID(bytes) ? Self.caseBits : 0
    var offset = 0
    while offset + 8 <= bytes.count {
      let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      if offset == 0 { prefix = word }
      state = Self.fold(state ^ (word | ignored))
      offset += 8
    }
    var tail: UInt64 = 0
    var shift: UInt64 = 0
    while offset < bytes.count {
      tail |= UInt64(bytes[offset]) << shift
      shift += 8
      offset += 1
    }
    if bytes.count < 8 { prefix = tail }
    state = Self.fold(state ^ (tail | ignored))
    return (prefix, UInt32(truncatingIfNeeded: state >> 32))
  }

  @inline(__always)
  private static func fold(_ value: UInt64) -> UInt64 {
    let product = value.multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
    return product.high ^ product.low
  }

  /// Returns the index of the slot that contains the name, or of the free slot where it belongs.
  @inline(__always)
  private func slot(
    _ bytes: UnsafeBufferPointer<UInt8>, _ prefix: UInt64, _ hash: UInt32
  ) -> Int {
    let mask = slots.count - 1
    var at = Int(truncatingIfNeeded: hash) & mask
    while true {
      let slot = slots[at]
      if slot.number == 0 { return at }
      if slot.hash == hash && slot.prefix == prefix && matches(bytes, slot.number - 1) {
        return at
      }
      at = (at + 1) & mask
    }
  }

  /// Returns whether the name with number `index` equals the name in `bytes`; their first eight
  /// bytes must be equal. A shorter name is padded with zero bytes, which no id contains, so the
  /// result is then always true.
  @inline(__always)
  private func matches(_ bytes: UnsafeBufferPointer<UInt8>, _ index: UInt32) -> Bool {
    if bytes.count < 8 { return true }
    let range = self.range(index)
    guard range.count == bytes.count else { return false }
    return arena.withElements(range) { equal($0.baseAddress!, bytes.baseAddress!, bytes.count) }
  }

  /// Returns the range of name number `index` in the arena. A damaged checkpoint may contain wrong
  /// numbers; the range is then empty or wrong, but never outside the arena.
  @inline(__always)
  private func range(_ index: UInt32) -> Range<Int> {
    guard Int(index) < ends.count else { return 0..<0 }
    let end = min(ends[Int(index)], UInt64(arena.count))
    let start = index == 0 ? 0 : min(ends[Int(index) - 1], end)
    return Int(truncatingIfNeeded: start)..<Int(truncatingIfNeeded: end)
  }

  func find(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32? {
    let (prefix, hash) = key(bytes)
    let number = slots[slot(bytes, prefix, hash)].number
    return number == 0 || number > ends.count ? nil : number - 1
  }

  /// Returns the number of a UUID, ignoring upper and lower case; nil if the table does not contain
  /// it. If the table contains several spellings, returns the number of the first.
  /// - Parameter bytes: The text of a UUID.
  func findAnyCase(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32? {
    guard bytes.count == Self.lengthOfUUID else { return nil }
    let hash = key(bytes).hash
    let mask = slots.count - 1
    var at = Int(truncatingIfNeeded: hash) & mask
    var first: UInt32?
    while true {
      let slot = slots[at]
      if slot.number == 0 { return first }
      if slot.hash == hash, slot.number <= ends.count, isSameUUID(bytes, slot.number - 1) {
        first = min(first ?? .max, slot.number - 1)
      }
      at = (at + 1) & mask
    }
  }

  private func isSameUUID(_ bytes: UnsafeBufferPointer<UInt8>, _ index: UInt32) -> Bool {
    withBytes(index) { name in
      guard name.count == bytes.count else { return false }
      for place in name.indices where name[place] | 0x20 != bytes[place] | 0x20 { return false }
      return true
    }
  }

  @inline(__always)
  mutating func intern(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
    let (prefix, hash) = key(bytes)
    let at = slot(bytes, prefix, hash)
    let number = slots[at].number
    return number == 0 ? insert(bytes, prefix, hash, at) : number - 1
  }

  /// Returns the number of a name with fewer than eight bytes; a new name gets the next number.
  /// `name` contains the name's bytes as one word.
  @inline(__always)
  mutating func intern(short name: UInt64, _ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
    let state = Self.fold(seed ^ UInt64(truncatingIfNeeded: bytes.count) ^ name)
    let hash = UInt32(truncatingIfNeeded: state >> 32)
    let mask = slots.count - 1
    var at = Int(truncatingIfNeeded: hash) & mask
    while true {
      let slot = slots[at]
      if slot.prefix == name, slot.hash == hash, slot.number != 0 { return slot.number - 1 }
      if slot.number == 0 { return insert(bytes, name, hash, at) }
      at = (at + 1) & mask
    }
  }

  /// Reads the slot of a name with fewer than eight bytes, so that it is in the CPU cache when the
  /// name is interned.
  @inline(__always)
  mutating func prefetch(short name: UInt64, _ count: Int) {
    let state = Self.fold(seed ^ UInt64(truncatingIfNeeded: count) ^ name)
    touched ^= slots[Int(truncatingIfNeeded: state >> 32) & (slots.count - 1)].prefix
  }

  @inline(never)
  private mutating func insert(
    _ bytes: UnsafeBufferPointer<UInt8>, _ prefix: UInt64, _ hash: UInt32, _ at: Int
  ) -> UInt32 {
    precondition(UInt32(exactly: ends.count + 1) != nil, "more than 4,294,967,295 ids")
    arena.append(contentsOf: bytes)
    ends.append(UInt64(arena.count))
    slots[at] = Slot(prefix: prefix, hash: hash, number: UInt32(ends.count))
    if ends.count * 2 > slots.count { grow() }
    return UInt32(ends.count - 1)
  }

  private mutating func grow() {
    var larger = Slab(blank: Slot(), count: slots.count * 2)
    let mask = larger.count - 1
    slots.load()
    for index in slots.indices where slots[index].number != 0 {
      let slot = slots[index]
      var at = Int(truncatingIfNeeded: slot.hash) & mask
      while larger[at].number != 0 { at = (at + 1) & mask }
      larger[at] = slot
    }
    slots = larger
  }

  /// Removes all names; keeps the table's memory for new names.
  mutating func removeAll() {
    arena.removeAll()
    ends.removeAll()
    slots.withMutableElements(slots.indices) { $0.update(repeating: Slot()) }
  }

  func name(_ index: UInt32) -> String { withBytes(index) { String(decoding: $0, as: UTF8.self) } }

  func withBytes<T>(_ index: UInt32, _ body: (UnsafeBufferPointer<UInt8>) -> T) -> T {
    arena.withElements(range(index), body)
  }

  func precedes(_ a: UInt32, _ b: UInt32) -> Bool {
    withBytes(a) { a in withBytes(b) { b in a.lexicographicallyPrecedes(b) } }
  }

  mutating func code(with coder: inout StateCoder) {
    coder(&seed)
    coder(&arena)
    coder(&ends)
    coder(&slots)
    if slots.count & (slots.count - 1) != 0 || slots.count <= ends.count { coder.fail() }
  }
}
