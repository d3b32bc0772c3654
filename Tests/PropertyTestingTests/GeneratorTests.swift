import Aggregates
import Events
import PropertyTesting
import Testing
import UseCases

@Suite struct GeneratorTests {
  @Test("Integers of any type stay in any range, and reach its ends")
  func integers() async throws {
    func range<I: FixedWidthInteger & Sendable>(_: I.Type) async throws {
      try await check(runs: 300) { t in
        let (a, b) = (t.draw(Generator<I>.any), t.draw(Generator<I>.any))
        let range = min(a, b)...max(a, b)
        #expect(range.contains(t.draw(.int(range))))
      }
    }
    try await range(Int8.self)
    try await range(Int16.self)
    try await range(Int.self)
    try await range(UInt8.self)
    try await range(UInt64.self)
    try await check(
      runs: 2_000, covering: ["least": 0.001, "most": 0.01, "zero": 0.01, "middle": 0.2]
    ) { t in
      let number = t.draw(Generator<Int16>.any)
      t.label("least", if: number == .min)
      t.label("most", if: number > 32_000)
      t.label("zero", if: number == 0)
      t.label("middle", if: abs(Int(number)) < 256)
    }
  }

  @Test(
    "The simplest integer of a range is the one nearest to 0",
    arguments: [(0...9, 0), (-9 ... -3, -3), (5...9, 5), (-9...9, 0), (7...7, 7)])
  func simplest(_ range: ClosedRange<Int>, _ simplest: Int) throws {
    #expect(replay(try #require(Tape("")), { $0.draw(.int(range)) }) == simplest)
  }

  @Test("Arrays have any of the requested counts, including the least and the most")
  func arrays() async throws {
    try await check(
      runs: 1_000, covering: ["least": 0.02, "most": 0.02, "between": 0.5]
    ) { t in
      let count = t.draw(.array(of: .bool, 2...9)).count
      #expect((2...9).contains(count))
      t.label("least", if: count == 2)
      t.label("most", if: count == 9)
      t.label("between", if: count > 2 && count < 9)
    }
  }

  @Test("Filtered values pass the filter, also while shrinking")
  func filters() async throws {
    let found = await counterexample(runs: 200, seed: 1) { t in
      let even = t.draw(Generator<Int>.int(0...10_000).filter { $0 % 2 == 0 })
      #expect(even % 2 == 0)
      return even < 501
    }
    let tape = try #require(found).tape
    #expect(replay(tape) { $0.draw(Generator<Int>.int(0...10_000).filter { $0 % 2 == 0 }) } == 502)
  }

  @Test(
    "A filter finds a value after the end of the tape, and shrinks to the simplest one that passes")
  func filterAlone() async throws {
    let text = Generator<String>.text().filter { !$0.isEmpty }
    let list = Generator<[Bool]>.array(of: .bool, 0...9).filter { $0.count > 2 }
    let number = Generator<Int>.int(0...1_000).filter { $0 > 5 }
    for seed in 0..<20 as Range<UInt64> {
      func shrunk<Value>(_ generator: Generator<Value>) async throws -> Value {
        let found = await counterexample(runs: 1, seed: seed) { t in
          _ = t.draw(generator)
          return false
        }
        return replay(try #require(found).tape) { $0.draw(generator) }
      }
      #expect(try await shrunk(text) == "a")
      #expect(try await shrunk(list) == [false, false, false])
      #expect(try await shrunk(number) == 6)
    }
  }

  @Test("Filtered values are spread like the values before the filter")
  func filterSpread() {
    let even = Generator<Int>.int(0...1_000_000).filter { $0 % 10 == 0 }
    #expect(Set((0..<100 as Range<UInt64>).map { even.sample(seed: $0) }).count > 30)
  }

  @Test("A filter that reads past the tape's end gives the same value again")
  func filterAtTheEnd() async throws {
    // Odd sums only: there are many misses, and zeros at the end.
    let pair = Generator<[Int]> { t in [t.draw(.int(0...9)), t.draw(.int(0...9))] }
      .filter { ($0[0] + $0[1]) % 2 == 1 }
    for seed in 0..<10 as Range<UInt64> {
      let found = await counterexample(runs: 200, seed: seed) { t in
        t.draw(.array(of: pair, 0...5)).joined().reduce(0, +) < 12
      }
      let tape = try #require(found).tape
      #expect(replay(tape) { $0.draw(.array(of: pair, 0...5)) }.joined().reduce(0, +) >= 12)
    }
  }

  @Test("Alternatives are as frequent as their weights, and shrink to the first")
  func alternatives() async throws {
    let generator = Generator<String>.frequency([
      (6, .just("often")), (3, .just("sometimes")), (1, .just("seldom")),
    ])
    try await check(runs: 1_000, covering: ["often": 0.5, "sometimes": 0.2, "seldom": 0.05]) { t in
      t.label(t.draw(generator))
    }
    let found = await counterexample(runs: 10, seed: 1) { t in t.draw(generator).isEmpty }
    #expect(try replay(#require(found).tape) { $0.draw(generator) } == "often")
  }

  @Test("Handles are valid, invalid, or another's in other case")
  func handles() async throws {
    for rules in Rules.presets {
      try await check(runs: 300) { t in
        #expect(rules.problem(withHandle: t.draw(.handle(rules))) == nil)
        #expect(rules.problem(withHandle: t.draw(.invalidHandle(rules))) != nil)
      }
    }
    try await check(runs: 300, covering: ["another": 0.5]) { t in
      let handle = t.draw(.handle())
      let other = t.draw(.handle(collidingWith: handle))
      #expect(handle.lowercased() == other.lowercased())
      #expect(Rules.climb.problem(withHandle: other) == nil)
      t.label("another", if: other != handle)
    }
    let capitals = try replay(#require(Tape("1.1.1.1.1.1"))) {
      $0.draw(.handle(collidingWith: "straße"))
    }
    #expect(capitals == "STRASSE")
  }

  @Test("A generated new user can open an account, by any app's rules")
  func users() async throws {
    for rules in Rules.presets {
      try await check(runs: 100) { t in
        let user = t.draw(.user(rules), "user")
        let core = try await Core(InMemoryLog(), rules: rules)
        let profile = try await CreateProfile(core).execute(user, as: Caller(user.user))
        #expect(profile.row.handle == user.handle)
      }
    }
  }

  @Test("Text has characters that break programs, and ids have only allowed ones")
  func texts() async throws {
    try await check(
      runs: 1_000,
      covering: [
        "empty": 0.02, "control": 0.2, "emoji": 0.05, "combining": 0.05, "quote": 0.02,
        "white space at an end": 0.05,
      ]
    ) { t in
      let text = t.draw(.text(0...20))
      t.label("empty", if: text.isEmpty)
      t.label(
        "control", if: text.unicodeScalars.contains { $0.properties.generalCategory == .control })
      t.label("emoji", if: text.unicodeScalars.contains { $0.properties.isEmojiPresentation })
      t.label("combining", if: text.unicodeScalars.count > text.count)
      t.label("quote", if: text.contains("\""))
      t.label("white space at an end", if: text.first?.isWhitespace == true)
      #expect(isValidID(t.draw(.id).utf8))
    }
  }
}
