import Testing

@testable import Events

/// Snapshots of tables, compared with copies of plain arrays.
@Suite struct WatchedPagesTests {
  private func snapshot(of table: Slab<UInt64>) -> Slab<UInt64> {
    var copy = table
    copy.becomeSnapshot()
    return copy
  }

  @Test("Snapshots keep their content while the table changes and grows")
  func snapshots() {
    var random = SplitMix64(seed: 5)
    var table = Slab<UInt64>(blank: 7, count: 40_000)
    var model = [UInt64](repeating: 7, count: 40_000)
    var held: [(table: Slab<UInt64>, model: [UInt64])] = []
    var areEqual = true
    for step in 0..<20_000 as Range<UInt64> {
      switch UInt8.random(in: 0..<200, using: &random) {
      case 0: held.append((snapshot(of: table), model))
      case 1 where held.count > 3:
        let ended = held.remove(at: Int.random(in: held.indices, using: &random))
        areEqual = areEqual && ended.table.elementsEqual(ended.model)
      case 2..<20:
        table.append(step)
        model.append(step)
      default:
        let at = Int.random(in: model.indices, using: &random)
        table[at] = step
        model[at] = step
      }
      if let one = held.randomElement(using: &random) {
        let at = Int.random(in: one.model.indices, using: &random)
        areEqual = areEqual && one.table[at] == one.model[at]
      }
    }
    #expect(areEqual && table.elementsEqual(model) && held.count > 1)
    table = Slab(blank: 0)
    for one in held { #expect(one.table.elementsEqual(one.model)) }
  }

  @Test("A table that a snapshot reads changes in place: it copies single pages")
  func inPlace() {
    var table = Slab<UInt64>(blank: 1, count: 100_000)
    let storage = ObjectIdentifier(table.storage)
    let held = snapshot(of: table)
    for index in stride(from: 0, to: 100_000, by: 7) { table[index] = 2 }
    #expect(ObjectIdentifier(table.storage) == storage)
    #expect(held.allSatisfy { $0 == 1 } && table[0] == 2 && table[1] == 1)
    // A plain copy makes the first change copy the whole table.
    let copy = table
    table[0] = 3
    #expect(ObjectIdentifier(table.storage) != storage)
    withExtendedLifetime(copy) {}
  }

  @Test("A thread reads a snapshot while another changes the table")
  func threads() async {
    var table = Slab<UInt64>(blank: 1, count: 60_000)
    for round in 1...20 as ClosedRange<UInt64> {
      let held = snapshot(of: table)
      let reading = Task.detached { held.allSatisfy { $0 == round } }
      for index in table.indices { table[index] = round + 1 }
      #expect(await reading.value)
    }
  }

  @Test("A snapshot of a table that is read on demand has the pages of its source")
  func restored() {
    let numbers = (0..<50_000).map { UInt64($0) }
    let source = Numbers(numbers)
    var table = Slab<UInt64>(blank: 0, count: numbers.count, source: source, lazily: true)
    table[9] = 0
    let held = snapshot(of: table)
    table[9] = 1
    table[40_000] = 1
    #expect(source.loaded.withLock { $0.count } == 2)
    #expect(held[9] == 0 && held[40_000] == 40_000 && held[25_000] == 25_000)
    #expect(source.loaded.withLock { $0.count } == 3)
    table[25_000] = 2
    #expect(held[25_001] == 25_001 && table[25_000] == 2)
    #expect(held.dropFirst(10).elementsEqual(numbers.dropFirst(10)))
  }
}

/// A source of a table's pages in memory.
private final class Numbers: PageSource {
  private let numbers: [UInt64]
  let loaded = Guarded<Set<Int>>([])

  init(_ numbers: [UInt64]) { self.numbers = numbers }

  func load(_ offset: Int, into base: UnsafeMutableRawPointer, blank: [UInt8]) -> Bool {
    let page = offset / Pages.size
    let count = numbers.count * 8
    guard page * Pages.size < count else { return false }
    nonisolated(unsafe) let base = base
    return loaded.withLock { loaded in
      if loaded.insert(page).inserted {
        numbers.withUnsafeBytes { bytes in
          let range = page * Pages.size..<min((page + 1) * Pages.size, count)
          (base + range.lowerBound).copyMemory(
            from: bytes.baseAddress! + range.lowerBound, byteCount: range.count)
        }
      }
      return loaded.count == (count + Pages.size - 1) / Pages.size
    }
  }

  func loadAll(into base: UnsafeMutableRawPointer, blank: [UInt8]) {
    for offset in stride(from: 0, to: numbers.count * 8, by: Pages.size) {
      _ = load(offset, into: base, blank: blank)
    }
  }
}
