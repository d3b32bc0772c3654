import Events
import FaultTesting
import Foundation
import Synchronization
import Testing

@testable import PropertyTesting

/// The marks on the parts of a counterexample that do not matter.
@Suite struct ExplanationTests {
  /// A property that is false for some values of a few of the seven values that it draws.
  struct Planted: Sendable {
    /// The numbers of the draws that matter.
    var needed: Set<Int> = []
    var bounds: [Int] = []

    init(seed: UInt64) {
      var random = SplitMix64(seed: seed)
      for _ in 0..<random.within(1...3) { needed.insert(random.below(7)) }
      bounds = (0..<7).map { _ in random.within(1...3) }
    }

    func holds(_ t: Trial) -> Bool {
      let meets = [
        t.draw(.int(0...999)) >= bounds[0] * 200,
        t.draw(Generator<Int8>.any) < Int8(bounds[1] * 20),
        t.draw(.bool),
        t.draw(.element(of: ["u1", "u2", "u3", "u4", "u5"])) > "u\(bounds[3])",
        t.draw(.array(of: .int(0...9), 0...9)).count > bounds[4],
        t.draw(.text(0...8)).count >= bounds[5],
        t.draw(.optional(.int(0...9))) ?? 0 > bounds[6],
      ]
      return !needed.allSatisfy { meets[$0] }
    }
  }

  @Test("A mark is on exactly the values that do not matter, and 100 other values confirm each")
  func confirmed() async throws {
    var confirmations = 0
    for seed in 0..<Sweep.size(20, 100, 100) {
      let planted = Planted(seed: UInt64(seed))
      let verdict: @Sendable (Trial) -> Campaign.Verdict = {
        planted.holds($0) ? .passed : .failed("")
      }
      var campaign = Campaign(runs: 5_000, seed: UInt64(seed) << 32, execute: verdict)
      campaign.redraws = 100
      let found = try #require(await campaign.run().first, "seed \(seed)")
      let marks = try #require(found.explanation).draws.map(\.isFree)
      #expect(marks == (0..<7).map { !planted.needed.contains($0) }, "seed \(seed)")
      let base = Trial(found.tape)
      _ = verdict(base)
      let run: (Tape, Splice?) async -> Shrinker.Run = { tape, splice in
        let trial = Trial(tape, splice: splice)
        return Shrinker.Run(trial, verdict(trial) == .passed ? nil : "")
      }
      var others = Explainer(
        Shrinker.Run(base, ""), redraws: 100, limit: .max, seed: UInt64(seed) + 1, run: run)
      for (draw, isFree) in marks.enumerated() where isFree {
        let span = base.draws[draw]
        var count = 0
        while count < 100 {
          let start = base.spans[span].range.lowerBound
          guard let other = await others.redraw(span, from: start) else { continue }
          #expect(other.failure == "", "seed \(seed), value \(draw + 1): \(other.tape)")
          count += 1
        }
        confirmations += count
      }
    }
    #expect(confirmations >= Sweep.size(20, 100, 100) * 400)
  }

  @Test("The report marks a value that does not matter, and no other")
  func report() async throws {
    let found = try await issues {
      try await check(seed: 0, file: nowhere) { t in
        let (x, user) = (t.draw(.int(0...1_000), "x"), t.draw(.element(of: ["u1", "u2"]), "user"))
        #expect(x < 500 || user == "u3")
      }
    }
    let text = try #require(found.first).text
    #expect(
      text.contains("\n  x = 500\n  user = \"u1\"   // any other value fails too\n"), "\(text)")
  }

  @Test("Events are marked with the members that do not matter, and the events that need them")
  func events() async throws {
    let found = try await issues {
      try await check(seed: 0, file: nowhere) { t in
        let history = t.draw(.history(max: 30), "history")
        #expect(!history.entries.contains { $0.event.type == .userFollowed })
      }
    }
    let lines = try #require(found.first).text.split(separator: "\n")
    let first = try #require(lines.first { $0.contains(" 1. ProfileCreated") })
    #expect(first.contains("   // any other "), "\(first)")
    #expect(first.contains(" fails too; needed by 3"), "\(first)")
    let second = try #require(lines.first { $0.contains(" 2. ProfileCreated") })
    #expect(second.contains("needed by 3"), "\(second)")
    let page = try #require(lines.first { $0.hasPrefix("as a page: ") })
    let html = try String(contentsOfFile: String(page.drop { $0 != "/" }), encoding: .utf8)
    #expect(html.contains(#"fails too; needed by 3","seq":1}"#))
    #expect(lines.contains("  u1 created profile; u2 created profile; u1 followed u2"))
    let third = try #require(lines.first { $0.contains(" 3. UserFollowed") })
    #expect(!third.contains("needed by"), "\(third)")
    #expect(!third.contains("any other event"), "\(third)")
  }

  @Test("`eventlog log` lists a counterexample with its marks, unless their file is not valid")
  func listing() async throws {
    let found = try await issues {
      try await check(seed: 0, file: nowhere) { t in
        let history = t.draw(.history(max: 30), "history")
        #expect(!history.entries.contains { $0.event.type == .userFollowed })
      }
    }
    let lines = try #require(found.first).text.split(separator: "\n")
    let path = try #require(lines.first { $0.hasPrefix("as a log: ") }).drop { $0 != "/" }
    func log(_ arguments: String...) async throws -> [Substring] {
      let result = try await runProduct("eventlog", ["log", "--log", String(path)] + arguments)
      #expect(result.code == 0, "\(result.text)")
      return result.text.split(separator: "\n")
    }
    let short = try await log("--oneline")
    let reported = try #require(lines.first { $0.contains(" 1. ProfileCreated") })
    let mark = try #require(reported.firstRange(of: "   // any other ")).lowerBound
    #expect(short.count == 3)
    #expect(short[2].hasSuffix(reported[mark...]), "\(short)")
    #expect(!short[0].contains("//"), "\(short)")
    let long = try await log("--type", "ProfileCreated", "--reverse")
    #expect(long.first { $0.hasPrefix("Mark:") } == "Mark:    \(reported[mark...].dropFirst(6))")
    let json = try await log("--format", "jsonl")
    #expect(json.count == 3 && !json.contains { $0.contains("fails too") })

    // Files with these marks are not valid, and the same listing without marks is.
    let file = URL(filePath: path + ".marks")
    let marks = try String(contentsOf: file, encoding: .utf8)
    let plain = short.map { $0.prefix { $0 != "/" }.trimmingCharacters(in: .whitespaces) }
    for (text, reason) in [
      ("{}\n", "line 1 is not a mark"), (marks + "\u{0}", "is not a mark"),
      (marks.replacing(#""seq":1,"#, with: #""seq":3,"#), "event 3 is another event now"),
      (marks.replacing(#""seq":1,"#, with: #""seq":9,"#), "event 9"),
    ] {
      try text.write(to: file, atomically: true, encoding: .utf8)
      let listing = try await log("--oneline")
      let notes = listing.filter { $0.hasPrefix("eventlog: note: ") }
      #expect(notes.count == 1 && notes[0].contains(reason), "\(listing)")
      #expect(listing.filter { !$0.hasPrefix("eventlog: ") }.map(String.init) == plain)
    }
    try FileManager.default.removeItem(at: file)
    #expect(try await log("--oneline").map(String.init) == plain)
  }

  enum Refusal: Error {
    case closed
    case full(limit: Int)
  }

  @Test("Five different causes of failures are reported, each once and with its smallest case")
  func causes() async throws {
    let found = try await issues {
      try await check(runs: 1_000, seed: 0, file: nowhere) { t in
        let (kind, x) = (t.draw(.int(0...9)), t.draw(.int(0...9_999), "x"))
        switch kind {
        case 1: #expect(x < 101)
        case 2: #expect(x < 202)
        case 3: if x > 302 { throw Refusal.closed }
        case 4: if x > 403 { throw Refusal.full(limit: x) }
        case 5: if x > 504 { Issue.record("the count differs: \(x)") }
        default: break
        }
      }
    }
    #expect(found.count == 5, "\(found.map(\.text))")
    let smallest = found.compactMap { $0.text.firstMatch(of: /x = ([0-9]+)/)?.output.1 }
    #expect(Set(smallest) == ["101", "202", "303", "404", "505"])
    for issue in found { #expect(issue.text.contains(" of 5), shrunk in "), "\(issue.text)") }
  }

  @Test("A machine's steps are marked if any other step, or any other values, fail too")
  func markedSteps() async throws {
    let found = try await issues {
      try await check(runs: 500, seed: 0, file: nowhere) { t in try await t.run(Countdown()) }
    }
    let text = try #require(found.first).text
    #expect(
      text.split(separator: "\n").filter { $0.contains(" → ") } == [
        "  wait → 1   // any other step fails too", "  wait → 2   // any other step fails too",
        "  add(20, 0) → 9   // any other values fail too",
      ])
  }

  /// A machine that counts its steps. The third step of the kind `add` gives a wrong answer.
  struct Countdown: Machine {
    enum Command: Sendable, CustomStringConvertible {
      case wait
      case add(Int, Int)
      case reset

      var description: String {
        switch self {
        case .wait: "wait"
        case .add(let a, let b): "add(\(a), \(b))"
        case .reset: "reset"
        }
      }
    }
    let model = 0
    let rules = [
      Rule<Countdown>("wait") { _, _ in .wait },
      Rule("add") { t, _ in .add(t.draw(.int(20...99)), t.draw(.int(0...9))) },
      Rule("reset") { _, _ in .reset },
    ]
    func system(on interleaver: Interleaver?) -> Mutexed { Mutexed() }
    final class Mutexed: Sendable { let count = Mutex(0) }
    func perform(_ command: Command, on system: Mutexed) async -> Int {
      let count = system.count.withLock {
        $0 += 1
        return $0
      }
      if case .add = command, count > 2 { return 9 }
      return count
    }
    func respond(to command: Command, _ count: inout Int, seeing response: Int) -> Int {
      count += 1
      return count
    }
  }

  @Test("Each wrong step of a machine is a cause of its own")
  func steps() async throws {
    let found = try await issues {
      try await check(runs: 500, seed: 0, file: nowhere) { t in try await t.run(WrongSteps()) }
    }
    #expect(found.count == 2, "\(found.map(\.text))")
  }

  /// A machine two of whose three steps give a wrong answer.
  struct WrongSteps: Machine {
    let model = 0
    let rules = ["a", "b", "c"].map { name in Rule<WrongSteps>(name) { _, _ in name } }
    func system(on interleaver: Interleaver?) -> Int { 0 }
    func perform(_ command: String, on system: Int) async -> String {
      command == "a" ? "a" : "wrong"
    }
    func respond(to command: String, _ model: inout Int, seeing response: String) -> String {
      command
    }
  }
}
