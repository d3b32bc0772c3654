/// An interner: gives each name a dense number, and keeps the names in one arena of bytes.
///
/// Its slots are not those of a `KeyTable`: each carries the first eight bytes of its name beside
/// the hash, so that a name of up to seven bytes is compared, and its number found, with one cache
/// miss. Replay spends a good part of its time here, which is also why this uses unsafe memory.
struct NameTable: Sendable {
  private struct Slot: BitwiseCopyable {
    var prefix: UInt64 = 0
    var hash: UInt32 = 0
    var number: UInt32 = 0  // index + 1; 0 is an empty slot
  }

  private var arena = Slab<UInt8>(blank: 0)
  /// Where in the arena each name ends.
  private var ends = Slab<UInt64>(blank: 0)
  private var slots = Slab(blank: Slot(), count: 64)

  /// Guards against chosen collisions; it changes the slots of names, never their numbers.
  private var seed = processSeed
  private static let processSeed = UInt64.random(in: .min ... .max)

  /// Whether all spellings of a UUID share a hash, so that `findAnyCase` finds them.
  private let foldsUUIDs: Bool

  init(foldsUUIDs: Bool = false) { self.foldsUUIDs = foldsUUIDs }

  /// What `prefetch` has read. Nobody uses it; without it the read would be optimised away.
  private var touched: UInt64 = 0

  var count: Int { ends.count }

  /// The length of a UUID as a text.
  private static let lengthOfUUID = 36
  /// The bit in which the cases of a letter differ, which digits and hyphens have set.
  private static let caseBits: UInt64 = 0x2020_2020_2020_2020

  /// Whether a name has the length and the hyphens of a UUID.
  @inline(__always)
  private static func looksLikeUUID(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let hyphen = UInt8(ascii: "-")
    return bytes.count == lengthOfUUID && bytes[8] == hyphen && bytes[13] == hyphen
      && bytes[18] == hyphen && bytes[23] == hyphen
  }

  /// The first eight bytes, zero beyond the end, and a hash. If the table folds UUIDs, all
  /// spellings of a UUID have the same hash.
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

  /// The index of the slot that holds the name or is free for it.
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

  /// Whether a name with the same first eight bytes is the same name. No id has a zero byte, so a
  /// prefix that ends in one is the whole name.
  @inline(__always)
  private func matches(_ bytes: UnsafeBufferPointer<UInt8>, _ index: UInt32) -> Bool {
    if bytes.count < 8 { return true }
    let range = self.range(index)
    guard range.count == bytes.count else { return false }
    return arena.withElements(range) { equal($0.baseAddress!, bytes.baseAddress!, bytes.count) }
  }

  /// Where a name is in the arena; empty or wrong, but never outside it, even if a checkpoint is
  /// damaged and the number is one that nothing has.
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

  /// A name that is the same UUID, whatever its case: of several, the first that was interned.
  /// - Parameter bytes: a UUID.
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

  /// Interns a name of fewer than eight bytes that has been read as one word.
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

  /// Reads where such a name would be, so that it is in the cache when it is interned.
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

  /// Forgets all names and keeps the table's memory.
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
