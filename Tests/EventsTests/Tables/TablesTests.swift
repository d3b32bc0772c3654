import Testing

@testable import Events

/// The tables of states, compared with plain arrays and dictionaries.
@Suite struct TablesTests {
  @Test(
    "Lists behave like arrays by id while they grow and shrink",
    arguments: 1...8 as ClosedRange<UInt64>)
  func lists(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var lists = Lists<UInt32>(blank: 0)
    var model: [UInt32: [UInt32]] = [:]
    for step in 0..<4_000 {
      let id = UInt32.random(in: 0..<12, using: &random)
      var list = model[id] ?? []
      let at = Int.random(in: 0...list.count, using: &random)
      switch UInt8.random(in: 0..<20, using: &random) {
      case 0..<9:
        lists.append(UInt32(step), to: id)
        list.append(UInt32(step))
      case 9..<12:
        lists.insert(UInt32(step), at: at, in: id)
        list.insert(UInt32(step), at: at)
      case 12..<17 where at < list.count:
        lists.remove(at: at, in: id)
        list.remove(at: at)
      case 17:
        lists.removeAll(in: id) { $0 % 3 == 0 }
        list.removeAll { $0 % 3 == 0 }
      case 18 where step % 7 == 0:
        lists.removeAll(in: id)
        list = []
      case 19 where at < list.count:
        lists.replace(at: at, in: id, with: 5)
        list[at] = 5
      default: break
      }
      model[id] = list
      #expect(lists[id].elementsEqual(list) && lists.count(of: id) == list.count)
    }
    for (id, list) in model { #expect(lists[id].elementsEqual(list)) }
    #expect(lists[99].isEmpty && lists.count(of: 99) == 0)
  }

  @Test("Lists of single bytes keep the links of free room separate from other lists' content")
  func bytes() {
    var random = SplitMix64(seed: 3)
    var lists = Lists<UInt8>(blank: 0)
    var model: [UInt32: [UInt8]] = [:]
    for _ in 0..<3_000 {
      let id = UInt32.random(in: 0..<30, using: &random)
      let new = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
        UInt8.random(in: .min ... .max, using: &random)
      }
      new.withUnsafeBufferPointer { lists.set(id, $0) }
      model[id] = new
    }
    for (id, list) in model { #expect(lists[id].elementsEqual(list)) }
  }

  @Test("Records return the stored value of any length, and nil where nothing is stored")
  func records() {
    var random = SplitMix64(seed: 5)
    var records = Records<[String?]>()
    var model: [UInt32: [String?]] = [:]
    for _ in 0..<2_000 {
      let id = UInt32.random(in: 0..<40, using: &random)
      if UInt8.random(in: 0..<8, using: &random) == 0 {
        (records[id], model[id]) = (nil, nil)
        continue
      }
      let value = (0..<Int.random(in: 0..<5, using: &random)).map { _ -> String? in
        let count = Int.random(in: -5..<60, using: &random)
        return count < 0 ? nil : String(repeating: "é", count: count)
      }
      (records[id], model[id]) = (value, value)
    }
    for id in 0..<60 as Range<UInt32> {
      #expect(records[id] == model[id] && records.has(id) == (model[id] != nil))
    }
  }

  @Test(
    "A record returns numbers of any size and sign unchanged",
    arguments: [0, 1, -1, 63, 64, -64, -65, 127, 128, .max, .min, 1 << 40, -(1 << 40)] as [Int64])
  func numbers(number: Int64) {
    var records = Records<[Int64]>()
    records[0] = [number, number]
    #expect(records[0] == [number, number])
  }

  @Test("A truncated record is refused without a trap")
  func cut() {
    var whole = RecordCoder()
    var text = "slow is smooth"
    whole(&text)
    for count in 0..<whole.bytes.count {
      whole.bytes[..<count].withUnsafeBufferPointer { bytes in
        var coder = RecordCoder(bytes)
        var read = ""
        coder(&read)
        #expect(!coder.isSound)
      }
    }
  }

  @Test("The holders of a text are found in the order in which they were added")
  func texts() {
    var random = SplitMix64(seed: 7)
    var index = TextIndex()
    var model: [(id: UInt32, text: String, owner: UInt32)] = []
    for id in 0..<3_000 as Range<UInt32> {
      let text = "t\(UInt8.random(in: 0..<20, using: &random))"
      let owner = UInt32.random(in: 0..<3, using: &random)
      index.add(text, of: owner, id)
      model.append((id, text, owner))
      if id % 3 > 0, let gone = model.indices.randomElement(using: &random) {
        let entry = model.remove(at: gone)
        index.remove(entry.text, of: entry.owner, entry.id)
        index.remove(entry.text, of: entry.owner, entry.id)
      }
      let wanted = model.filter { $0.text == text && $0.owner == owner }.map(\.id)
      var found: [UInt32] = []
      _ = index.first(text, of: owner) {
        found.append($0)
        return false
      }
      #expect(found == wanted)
      #expect(index.first(text, of: owner) { $0 % 2 == 0 } == wanted.first { $0 % 2 == 0 })
    }
  }

  @Test("A table that grows past large pages keeps its elements, and so does a copy")
  func largeTables() {
    var table = Slab<UInt64>(blank: 9)
    var copies: [Slab<UInt64>] = []
    for number in 0..<1_500_000 {
      table.append(UInt64(number))
      // One copy is made when the table is full and must move; the others are made before.
      if [300_000, 524_287, 900_000].contains(number) { copies.append(table) }
    }
    for index in copies.indices { copies[index][5] = 1 }
    table.grow(to: 1_600_000)
    #expect(table.count == 1_600_000 && table[1_599_999] == 9)
    #expect(table.prefix(1_500_000).enumerated().allSatisfy { $0.offset == Int($0.element) })
    #expect(copies.map(\.count) == [300_001, 524_288, 900_001])
    for copy in copies { #expect(copy[5] == 1 && copy.last == UInt64(copy.count - 1)) }
  }
}
