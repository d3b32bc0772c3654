import FaultTesting
import Foundation
import Testing

@testable import PropertyTesting

@Suite struct ShrinkingChallengeTests {
  @Test("Each of thirteen challenges shrinks to its one smallest form")
  func challenge() throws {
    let process = Process()
    process.executableURL = products.appending(path: "shrinking")
    process.arguments = ["--seeds", "\(Sweep.size(3, 10, 100))"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(text)")
    #expect(text.split(separator: "\n").count >= 14, "\(text)")
  }

  @Test(
    "A story's names are lowered together, though commands have the same numbers",
    arguments: 1...12 as ClosedRange<UInt64>)
  func story(seed: UInt64) async throws {
    enum Verb: CaseIterable { case look, park, leave, reserve }
    let names = ["A", "B", "C", "D"]
    @Sendable func story(_ t: Trial) -> [(Verb, String)] {
      var steps: [(Verb, String)] = []
      t.times(0...30) {
        steps.append((t.draw(.element(of: Verb.allCases)), t.draw(.element(of: names))))
      }
      return steps
    }
    // Fails if somebody reserves a place again that was reserved, parked on and left.
    // Neighbouring seeds have the same runs.
    let found = await counterexample(runs: 5_000, seed: seed * 100_000) { t in
      let steps = story(t)
      return names.allSatisfy { name in
        var wanted: [Verb] = [.reserve, .park, .leave, .reserve]
        for (verb, other) in steps where other == name && verb == wanted.first {
          wanted.removeFirst()
        }
        return !wanted.isEmpty
      }
    }
    let steps = replay(try #require(found).tape, story)
    #expect(steps.map(\.0) == [.reserve, .park, .leave, .reserve])
    #expect(steps.allSatisfy { $0.1 == "A" }, "\(steps)")
  }

  @Test("Some of several equal numbers are lowered, and the others stay")
  func subsets() async throws {
    var campaign = Campaign(runs: 0, seed: 0) { t in
      let numbers = (0..<5).map { _ in t.draw(.int(0...9_999)) }
      let areEqual = Set(numbers[..<3]).count == 1 && numbers[0] >= 100
      return areEqual && numbers[3...].allSatisfy { $0 >= 900 } ? .failed("") : .passed
    }
    campaign.past = [Tape([950, 950, 950, 950, 950])]
    let found = try #require(await campaign.run().first)
    #expect(found.tape.choices == [100, 100, 100, 900, 900])
  }
}
