/// The ids of users, workouts and comments, each given a dense number in order of appearance.
///
/// ```swift
/// var names = Names()
/// let alice = try names.user("alice")  // index 0
/// names[alice]                         // "alice"
/// names.find(user: "bob")              // nil: looking up adds nothing
/// ```
///
/// One table belongs to one log: whatever decodes, projects or encodes that log's events uses the
/// same table. It only grows; a number once given keeps its name. It is not a set of the users
/// that exist: an id that some event merely mentions is in it too.
public struct Names: Sendable {
  var users = NameTable()
  var workouts = NameTable()
  var comments = NameTable()

  public init() {}

  /// The number of `name`, given now if it is new.
  /// - Throws: `InvalidID` for what no id may be.
  public mutating func user(_ name: String) throws(InvalidID) -> UserID {
    UserID(index: try Self.intern(name, in: &users))
  }

  /// The number of `name`, given now if it is new.
  public mutating func workout(_ name: String) throws(InvalidID) -> WorkoutID {
    WorkoutID(index: try Self.intern(name, in: &workouts))
  }

  /// The number of `name`, given now if it is new.
  public mutating func comment(_ name: String) throws(InvalidID) -> CommentID {
    CommentID(index: try Self.intern(name, in: &comments))
  }

  private static func intern(
    _ name: String, in table: inout NameTable
  ) throws(InvalidID) -> UInt32 {
    guard isValidID(name.utf8) else { throw InvalidID() }
    var name = name
    return name.withUTF8 { table.intern($0) }
  }

  /// The number of `name`, or nil for an id never met.
  public func find(user name: String) -> UserID? {
    var name = name
    return name.withUTF8 { users.find($0) }.map(UserID.init)
  }

  /// The number of `name`, or nil for an id never met.
  public func find(workout name: String) -> WorkoutID? {
    var name = name
    return name.withUTF8 { workouts.find($0) }.map(WorkoutID.init)
  }

  /// The number of `name`, or nil for an id never met.
  public func find(comment name: String) -> CommentID? {
    var name = name
    return name.withUTF8 { comments.find($0) }.map(CommentID.init)
  }

  public subscript(id: UserID) -> String { users.name(id.index) }
  public subscript(id: WorkoutID) -> String { workouts.name(id.index) }
  public subscript(id: CommentID) -> String { comments.name(id.index) }

  /// How many user ids the table has met; valid indices are below it.
  public var userCount: Int { users.count }
  public var workoutCount: Int { workouts.count }
  public var commentCount: Int { comments.count }

  /// Whether the first id comes before the second, compared as bytes.
  public func precedes(_ a: UserID, _ b: UserID) -> Bool { users.precedes(a.index, b.index) }
}

/// Names in one byte arena, found through an open-addressing table.
///
/// In the codec room because replay spends a good part of its time here: a slot carries the first
/// eight bytes of its name, so that a short name is found with one cache miss.
struct NameTable: Sendable {
  private struct Slot {
    var prefix: UInt64 = 0
    var hash: UInt32 = 0
    var number: UInt32 = 0  // index + 1; 0 is an empty slot
  }

  private var arena: [UInt8] = []
  private var ends: [Int] = []
  private var slots = [Slot](repeating: Slot(), count: 64)

  /// Against chosen collisions; it changes where names lie, never their numbers.
  private static let seed = UInt64.random(in: .min ... .max)

  var count: Int { ends.count }

  @inline(__always)
  private static func key(_ bytes: UnsafeBufferPointer<UInt8>) -> (prefix: UInt64, hash: UInt32) {
    var prefix: UInt64 = 0
    var state = seed ^ UInt64(truncatingIfNeeded: bytes.count)
    guard let base = bytes.baseAddress else { return (0, 0) }
    let raw = UnsafeRawPointer(base)
    var offset = 0
    while offset + 8 <= bytes.count {
      let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      if offset == 0 { prefix = word }
      state = fold(state ^ word)
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
    state = fold(state ^ tail)
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
    var at = Int(hash) & mask
    while true {
      let slot = slots[at]
      if slot.number == 0 { return at }
      if slot.hash == hash && slot.prefix == prefix && matches(bytes, slot.number - 1) {
        return at
      }
      at = (at + 1) & mask
    }
  }

  @inline(__always)
  private func matches(_ bytes: UnsafeBufferPointer<UInt8>, _ index: UInt32) -> Bool {
    let range = self.range(index)
    guard range.count == bytes.count else { return false }
    if bytes.count <= 8 { return true }
    return arena.withUnsafeBufferPointer {
      equal($0.baseAddress! + range.lowerBound, bytes.baseAddress!, bytes.count)
    }
  }

  private func range(_ index: UInt32) -> Range<Int> {
    (index == 0 ? 0 : ends[Int(index) - 1])..<ends[Int(index)]
  }

  func find(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32? {
    let (prefix, hash) = Self.key(bytes)
    let number = slots[slot(bytes, prefix, hash)].number
    return number == 0 ? nil : number - 1
  }

  @inline(__always)
  mutating func intern(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
    let (prefix, hash) = Self.key(bytes)
    let at = slot(bytes, prefix, hash)
    let number = slots[at].number
    return number == 0 ? insert(bytes, prefix, hash, at) : number - 1
  }

  @inline(never)
  private mutating func insert(
    _ bytes: UnsafeBufferPointer<UInt8>, _ prefix: UInt64, _ hash: UInt32, _ at: Int
  ) -> UInt32 {
    precondition(ends.count < Int(UInt32.max), "more than 4,294,967,295 ids")
    arena.append(contentsOf: bytes)
    ends.append(arena.count)
    slots[at] = Slot(prefix: prefix, hash: hash, number: UInt32(ends.count))
    if ends.count * 2 > slots.count { grow() }
    return UInt32(ends.count - 1)
  }

  private mutating func grow() {
    let old = slots
    slots = [Slot](repeating: Slot(), count: old.count * 2)
    let mask = slots.count - 1
    for slot in old where slot.number != 0 {
      var at = Int(slot.hash) & mask
      while slots[at].number != 0 { at = (at + 1) & mask }
      slots[at] = slot
    }
  }

  func name(_ index: UInt32) -> String { String(decoding: arena[range(index)], as: UTF8.self) }

  func withBytes<T>(_ index: UInt32, _ body: (UnsafeBufferPointer<UInt8>) -> T) -> T {
    arena.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[range(index)])) }
  }

  func precedes(_ a: UInt32, _ b: UInt32) -> Bool {
    arena[range(a)].lexicographicallyPrecedes(arena[range(b)])
  }
}
