import Events
import Foundation
import Synchronization
import Testing

@testable import PropertyTesting

/// A safe that opens after five right keys in a row. A wrong key begins again.
private struct Safe: Machine {
  enum Stage: CaseIterable, Sendable { case closed, first, second, third, fourth, open }

  private static let code = [7, 2, 9, 4, 1]
  let model = Stage.closed
  let rules = [Rule<Safe>("press") { t, _ in t.draw(.int(0...9)) }]

  /// The system, which fails when it opens.
  final class Lock: Sendable {
    let right = Mutex(0)
  }

  func system(on interleaver: Interleaver?) -> Lock { Lock() }

  func perform(_ key: Int, on lock: Lock) async -> Bool {
    lock.right.withLock { right in
      right = right < 5 && key == Self.code[right] ? right + 1 : 0
      return right < 5
    }
  }

  func respond(to key: Int, _ stage: inout Stage, seeing response: Bool) -> Bool {
    let index = Stage.allCases.firstIndex(of: stage) ?? 0
    let isRight = index < 5 && key == Self.code[index]
    stage = isRight ? Stage.allCases[index + 1] : .closed
    return true
  }
}

@Suite struct GuidanceTests {
  /// Returns the number of the first failing run.
  private static func failingRun(
    _ most: Int, _ seed: UInt64, guided: Bool, _ property: @escaping (Trial) async throws -> Bool
  ) async -> Int? {
    let found = await counterexample(
      runs: most, seed: seed << 32, shrinks: 0, guided: guided, to: property)
    return found?.run
  }

  @Test("A state that needs five right steps in a row is reached with guidance, and not without")
  func rareState() async throws {
    let code = [7, 2, 9, 4, 1]
    let property: @Sendable (Trial) -> Bool = { t in
      var right = 0
      t.times(0...20) {
        let key = t.draw(.element(of: Array(0...9)))
        right = right < 5 && key == code[right] ? right + 1 : 0
        t.reach("\(right) right keys")
      }
      return right < 5
    }
    for seed in 1...5 as ClosedRange<UInt64> {
      let (guided, blind) = (
        await Self.failingRun(1_500, seed, guided: true, property),
        await Self.failingRun(1_500, seed, guided: false, property)
      )
      #expect(guided != nil && blind == nil, "seed \(seed): \(guided ?? -1), \(blind ?? -1)")
    }
  }

  @Test("A machine's rare state is reached by its model's shape, and the report replays the steps")
  func machine() async throws {
    let property: @Sendable (Trial) async throws -> Void = { t in
      try await t.run(Safe(), steps: 0...20)
    }
    for seed in 1...3 as ClosedRange<UInt64> {
      let found = try await issues {
        try await check(
          runs: 1_500, seed: seed << 32, guided: true, file: nowhere, property)
      }
      #expect(found.count == 1)
      let text = try #require(found.first).text
      let steps = text.split(separator: "\n").filter { $0.contains(" → ") }
      #expect(steps == ["  7 → true", "  2 → true", "  9 → true", "  4 → true", "  1 → false"])
      let tape = try #require(text.firstMatch(of: /replaying: "([0-9.]*)"/)).output.1
      let again = try await issues {
        try await check(replaying: String(tape), file: nowhere, property)
      }
      #expect(again.count == 1 && again[0].text.contains(steps.joined(separator: "\n")))
    }
  }

  @Test("The same seed gives the same test cases, with and without guidance")
  func determinism() async throws {
    func cases(_ seed: UInt64, guided: Bool) async -> [String] {
      let drawn = Mutex<[String]>([])
      _ = await counterexample(runs: 60, seed: seed, guided: guided) { t in
        let history = t.draw(t.draw(.bool) ? .history(max: 20) : .hostileHistory(max: 20))
        drawn.withLock { $0.append("\(history)") }
        return true
      }
      return drawn.withLock { $0 }
    }
    let guided = await cases(1, guided: true)
    #expect(guided.count == 60)
    #expect(await cases(1, guided: true) == guided)
    #expect(await cases(2, guided: true) != guided)
    #expect(await cases(1, guided: false) != guided)
  }

  @Test("A run that continues an earlier one has a tape that needs no earlier run")
  func tape() async throws {
    let seen = Mutex<[(tape: Tape, history: String)]>([])
    _ = await counterexample(runs: 80, seed: 3, guided: true) { t in
      let history = t.draw(.history(max: 20))
      let (number, text) = (t.draw(.int(0...1_000)), t.draw(.text()))
      seen.withLock { $0.append((Tape(t.choices), "\(history) \(number) \(text)")) }
      return true
    }
    for (tape, history) in seen.withLock({ $0 }) {
      let again = replay(tape) { t in
        "\(t.draw(.history(max: 20))) \(t.draw(.int(0...1_000))) \(t.draw(.text()))"
      }
      #expect(again == history)
    }
  }

  @Test("The first runs are short, and each is twice as long as the one before it")
  func shortRuns() async throws {
    let seen = Mutex<[[Int]]>([])
    _ = await counterexample(runs: Guide.shortRuns, seed: 1, guided: true) { t in
      let history = t.draw(.history(max: 64)).count
      var (rounds, inner) = (0, 0)
      t.times(0...20) {
        rounds += 1
        inner = max(inner, t.draw(.array(of: .bool, 0...32)).count)
      }
      seen.withLock { $0.append([history, rounds]) }
      #expect(inner <= 32 >> (Guide.shortRuns - seen.withLock { $0.count }))
      return true
    }
    #expect(seen.withLock { $0 } == [[2, 1], [4, 2], [8, 3], [16, 5], [32, 10]])
  }

  @Test("Then runs have boundary values: the greatest and the least, the most and none")
  func boundaries() async throws {
    let seen = Mutex<[(number: Int8, texts: [String], history: Int)]>([])
    _ = await counterexample(runs: Guide.shortRuns + 4, seed: 1, guided: true) { t in
      let number = t.draw(Generator<Int8>.any)
      let texts = t.draw(.array(of: .text(0...5), 1...9))
      let history = t.draw(.history(max: 12)).count
      seen.withLock { $0.append((number, texts, history)) }
      return true
    }
    let (greatest, least) = seen.withLock { ($0[Guide.shortRuns], $0[Guide.shortRuns + 1]) }
    #expect(least.number == 0 && least.texts == [""] && least.history == 0)
    #expect(greatest.number == .min && greatest.texts.count == 9 && greatest.history == 12)
    #expect(greatest.texts.allSatisfy { $0.unicodeScalars.count == 5 })
    for other in seen.withLock({ $0.suffix(2) }) {
      #expect([0, 1, -1, .min, .max, -127].contains(other.number))
      #expect([1, 2, 8, 9].contains(other.texts.count))
      #expect([0, 1, 11, 12].contains(other.history))
    }
  }

  @Test("Shapes do not depend on exact numbers, nor on the order of a dictionary's members")
  func shapes() {
    struct State {
      var friends: [String: Bool?] = [:]
      var (count, isOpen) = (0, false)
    }
    func shape(_ friends: [String: Bool?], _ count: Int = 0, _ isOpen: Bool = false) -> UInt64 {
      Ground.shape(of: State(friends: friends, count: count, isOpen: isOpen))
    }
    #expect(shape([:], 4) == shape([:], 7) && shape([:], 4) != shape([:], 8))
    #expect(shape([:], 1) != shape([:], -1) && shape([:]) != shape([:], 0, true))
    #expect(shape(["ann": true, "ben": nil]) == shape(["cat": nil, "dan": true]))
    #expect(shape(["ann": true, "ben": nil]) != shape(["ann": true, "ben": true]))
    // The value is the same in every process, so that the test cases are.
    #expect(Ground.shape(of: ["ann", "ben"]) == Ground.hash(9, 2))
  }

  @Test("The tapes to keep cover the pool's ground, and none is superfluous")
  func cover() async throws {
    var campaign = Campaign(runs: 200, seed: 0) { t in
      for part in t.draw(.array(of: .int(0...9), 0...6)) { t.reach("\(part)") }
      return .passed
    }
    campaign.isGuided = true
    _ = await campaign.run()
    let tapes = try #require(campaign.guide).cover(64)
    let parts = tapes.map { tape in replay(tape) { Set($0.draw(.array(of: .int(0...9), 0...6))) } }
    #expect(parts.reduce(into: []) { $0.formUnion($1) } == Set(0...9))
    #expect((2...5).contains(parts.count))
  }

  @Test("Tapes that reached new ground are kept in the corpus on request, and run first")
  func corpus() async throws {
    try await withFolder { folder in
      let folderOfTapes = folder.appending(path: "Corpus")
      try FileManager.default.createDirectory(
        at: folderOfTapes, withIntermediateDirectories: true)
      let corpus = Corpus(besides: folder.appending(path: "SomeTests.swift").path, test: "a()")
      #expect(try corpus.grounds() == [])
      let tapes = (300..<364 as Range<UInt64>).map { Tape([$0]) }
      corpus.keep(grounds: tapes)
      #expect(try corpus.grounds() == tapes)
      let drawn = Mutex<[Int]>([])
      var campaign = Campaign(runs: 70, seed: 0) { t in
        let number = t.draw(.int(0...999))
        drawn.withLock { $0.append(number) }
        return .passed
      }
      (campaign.isGuided, campaign.grounds) = (true, try corpus.grounds())
      _ = await campaign.run()
      #expect(drawn.withLock { Array($0.prefix(64)) } == Array(300..<364))
    }
  }
}
