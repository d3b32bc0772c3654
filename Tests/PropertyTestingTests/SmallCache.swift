import PropertyTesting
import Testing

/// A cache that keeps the two keys that were used last.
actor SmallCache {
  private var keys: [Int] = []

  /// Returns whether the cache had a key, and adds it.
  func use(_ key: Int) -> Bool {
    let isHit = keys.contains(key)
    keys = keys.filter { $0 != key }.suffix(1) + [key]
    return isHit
  }
}

struct CacheMachine: Machine {
  let model: [Int] = []
  let rules = [Rule<CacheMachine>("use") { t, _ in t.draw(.int(0...9)) }]
  func system(on interleaver: Interleaver?) -> SmallCache { SmallCache() }
  func perform(_ key: Int, on cache: SmallCache) async -> Bool { await cache.use(key) }
  func respond(to key: Int, _ keys: inout [Int], seeing _: Bool) -> Bool {
    defer { keys = Array(([key] + keys.filter { $0 != key }).prefix(2)) }
    return keys.contains(key)
  }
}

/// A counter of tickets that waits for something before each ticket.
actor TicketCounter {
  private var count = 0

  func next() async -> Int {
    await Task.yield()
    count += 1
    return count
  }
}

struct TicketMachine: Machine {
  let model = 0
  let rules = [Rule<TicketMachine>("next") { _, _ in "next" }]
  func system(on interleaver: Interleaver?) -> TicketCounter { TicketCounter() }
  func perform(_ command: String, on counter: TicketCounter) async -> Int { await counter.next() }
  func respond(to command: String, _ count: inout Int, seeing _: Int) -> Int {
    count += 1
    return count
  }
}

@Suite(.timeLimit(.minutes(1))) struct SmallCacheTests {
  @Test(arguments: [1, 2, 3] as [UInt64]) func cache(seed: UInt64) async throws {
    try await check(runs: 300, seed: seed) { t in try await t.run(CacheMachine()) }
  }

  @Test func tickets() async throws {
    try await check(runs: 300) { t in try await t.race(TicketMachine()) }
  }
}
